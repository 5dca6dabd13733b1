// Receiver: somebody outside who is told of alerts. `webhook.ts` and `broker.ts` are the two kinds.

/** One notice on its way to one receiver. */
export interface Delivery {
  /** of the notice: whoever gets it twice knows by it */
  readonly id: string
  /** wall clock when it was written */
  readonly at: number
  readonly code: string
  /** JSON, the same bytes every time */
  readonly body: string
}

export interface Receiver {
  /** names its part of the outbox; letters, digits and dashes */
  readonly id: string
  /** for people */
  readonly label: string
  /** may anything be sent at all right now? */
  readonly isReady: boolean
  /** Resolves once the other side has it. Rejects with `Unwanted` where only this one is refused. */
  send(delivery: Delivery): Promise<void>
  stop(): Promise<void>
}

/** The receiver is there and does not want this one: others may pass it by. */
export class Unwanted extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Unwanted'
  }
}
