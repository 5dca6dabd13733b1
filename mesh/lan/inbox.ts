// Inbox: frames of one line, until it is their turn.
//
// Law: frames are heard in the order in which they came. In one turn of the loop a line has its share of the thread; what
// is left waits for the next turn, behind everybody else's. So a peer that says more than can be heard keeps nobody but
// itself waiting; what there is no room for is dropped, as on any wire.

/** Hundreds of rows; and thirty lines that take all of it leave a heartbeat in time. */
const TURN_MS = 5
const WAITING_BYTES_MAX = 4 << 20
/** what keeping a frame costs beside its bytes */
const FRAME_BYTES = 100

export interface InboxEars {
  frame(payload: Uint8Array): void
  /** one was dropped: too much waits already */
  overflowed(): void
}

export class Inbox {
  readonly #ears: InboxEars
  readonly #now: () => number
  #waiting: Uint8Array[] = []
  #next = 0
  #bytes = 0
  #spentMs = 0
  #isTurning = false

  constructor(ears: InboxEars, now = () => performance.now()) {
    this.#ears = ears
    this.#now = now
  }

  take(payload: Uint8Array): void {
    if (this.#next === this.#waiting.length && this.#spentMs < TURN_MS) return this.#hear(payload)
    if (this.#bytes > WAITING_BYTES_MAX) return this.#ears.overflowed()
    this.#bytes += payload.length + FRAME_BYTES
    this.#waiting.push(payload)
  }

  /** Whatever waits is dropped. */
  end(): void {
    this.#waiting = []
    this.#next = 0
    this.#bytes = 0
  }

  #hear(payload: Uint8Array): void {
    if (!this.#isTurning) {
      this.#isTurning = true
      setImmediate(() => this.#turn())
    }
    const since = this.#now()
    try {
      this.#ears.frame(payload)
    } finally {
      this.#spentMs += this.#now() - since
    }
  }

  #turn(): void {
    this.#isTurning = false
    this.#spentMs = 0
    while (this.#spentMs < TURN_MS) {
      const payload = this.#waiting[this.#next]
      if (payload === undefined) return this.end()
      this.#next++
      this.#bytes -= payload.length + FRAME_BYTES
      this.#hear(payload)
    }
  }
}
