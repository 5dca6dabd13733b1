// Clock: the time of one machine. `now` never goes back and decides; `wall` is what people read and decides nothing.

export interface Clock {
  /** ms of a clock that never goes back */
  now(): number
  /** ms since 1970, whole */
  wall(): number
  /** Calls back once, never early; the returned function takes it back. */
  in(ms: number, act: () => void): () => void
}
