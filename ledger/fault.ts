// Three ways of saying no, for three readers (a refusal is a plain value and needs no type here).
//
// Fault: the world is not as it should be; an operator reads `code` and the message.
// must(): a law of this program is broken; the gate stops admitting.
// never(): a case the types rule out.

export class Fault extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Fault'
    this.code = code
  }
}

export class BrokenLaw extends Error {
  constructor(law: string) {
    super(`broken law: ${law}`)
    this.name = 'BrokenLaw'
  }
}

export function must(holds: boolean, law: string): asserts holds {
  if (!holds) throw new BrokenLaw(law)
}

export function never(x: never): never {
  throw new BrokenLaw(`a case the types rule out: ${JSON.stringify(x)}`)
}

/** What a store says of a write that failed, whatever failed it. */
export function storeFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('STORE_IO', 'a write failed', { cause: error })
}
