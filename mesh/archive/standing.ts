// Standing: how far behind its owner's rows one collected account is, and when it is worth asking again.
//
// Law: an account that moves is late by the age of the oldest row that was not reached yet, and not by how long it has
// been busy; one that does not move although a row says that there is more has a gap.

/** The wait before asking again doubles up to this: nobody is asked for ever at full speed, and none is forgotten. */
const RETRY_MS_MAX = 30_000
const RETRY_MS_MIN = 1000

export class Standing {
  isBusy = false
  askedAt = Number.NEGATIVE_INFINITY
  retryAt = Number.NEGATIVE_INFINITY
  /** why the last attempt came to nothing */
  why: string | undefined
  /** when the log last told how far it is */
  saidAt = Number.NEGATIVE_INFINITY
  wasUp = false
  #failures = 0
  #goal: { readonly size: number; readonly since: number } | undefined
  #movedAt = 0
  #rowSize = 0

  /** A row and what is here, as seen now. */
  see(rowSize: number, size: number, now: number): void {
    this.#rowSize = rowSize
    if (this.#goal !== undefined && size >= this.#goal.size) this.#goal = undefined
    if (rowSize <= size) return
    if (this.#goal === undefined) {
      this.#goal = { size: rowSize, since: now }
      this.#movedAt = now
    }
  }

  /** More of it is here. */
  moved(size: number, now: number): void {
    this.#movedAt = now
    this.why = undefined
    if (this.#goal !== undefined && size >= this.#goal.size) this.#goal = undefined
  }

  /** All that a row showed is here. */
  met(): void {
    this.#failures = 0
  }

  failed(why: string, now: number): void {
    this.why = why
    this.retryAt = now + Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.#failures)
    this.#failures++
  }

  /** Somebody new may know more. */
  hope(): void {
    this.retryAt = Number.NEGATIVE_INFINITY
  }

  get rowSize(): number {
    return this.#rowSize
  }

  /** 0 where nothing is missing */
  lagMs(now: number): number {
    return this.#goal === undefined ? 0 : now - this.#goal.since
  }

  /** how long nothing came although there is more */
  stuckMs(now: number): number {
    return this.#goal === undefined ? 0 : now - this.#movedAt
  }
}
