// Pulse: who is alive, told from words and not from connections. A connection whose packets are silently dropped looks
// open for a quarter of an hour.
//
// Law: whoever was silent for `suspectMs` is suspected, once; unless it was ourselves who slept: then nobody is blamed.
// Whoever runs late itself has patience with others: on a starved machine, new connections would only starve it more.

export interface PulseLimits {
  /** how often `tick` is called */
  readonly tickMs: number
  /** nothing said to a peer for so long: say that we live. Above the pause between idle rows, which say it for us */
  readonly beatMs: number
  /** two beats and the way of a retransmitted packet */
  readonly suspectMs: number
  /** a loop that stood still for longer cannot tell who was silent */
  readonly stallMs: number
  /** how much longer others may be silent, as a multiple of how late our own loop was lately */
  readonly patience: number
}

export const PULSE: PulseLimits = { tickMs: 250, beatMs: 1100, suspectMs: 2300, stallMs: 500, patience: 6 }
/** What is left after a tick of how late we were: half of it is gone after three seconds. */
const FADING = 0.945
/** Timers are a few ms late on the best of days. */
const PUNCTUAL_MS = 30
/** A machine that was suspended for an hour is not starved. */
const LATE_MS_MAX = 1000

interface Seen {
  heardAt: number
  saidAt: number
}

export class Pulse {
  readonly #limits: PulseLimits
  readonly #peers = new Map<string, Seen>()
  #tickedAt: number | undefined
  #lateMs = 0

  constructor(limits: PulseLimits = PULSE) {
    this.#limits = limits
  }

  up(name: string, now: number): void {
    this.#peers.set(name, { heardAt: now, saidAt: now })
  }

  down(name: string): void {
    this.#peers.delete(name)
  }

  heard(name: string, now: number): void {
    const seen = this.#peers.get(name)
    if (seen !== undefined) seen.heardAt = now
  }

  said(name: string, now: number): void {
    const seen = this.#peers.get(name)
    if (seen !== undefined) seen.saidAt = now
  }

  silentMs(name: string, now: number): number {
    const seen = this.#peers.get(name)
    return seen === undefined ? Number.POSITIVE_INFINITY : now - seen.heardAt
  }

  get #suspectMs(): number {
    const { suspectMs, patience } = this.#limits
    return suspectMs + patience * Math.max(0, this.#lateMs - PUNCTUAL_MS)
  }

  tick(now: number): { readonly suspects: string[]; readonly owed: string[] } {
    const { tickMs, beatMs, stallMs } = this.#limits
    const late = this.#tickedAt === undefined ? 0 : Math.max(0, now - this.#tickedAt - tickMs)
    const slept = late > stallMs
    this.#tickedAt = now
    this.#lateMs = Math.max(this.#lateMs * FADING, Math.min(LATE_MS_MAX, late))
    const suspectMs = this.#suspectMs
    const suspects: string[] = []
    const owed: string[] = []
    for (const [name, seen] of this.#peers) {
      if (slept) seen.heardAt = now
      if (now - seen.heardAt >= suspectMs) suspects.push(name)
      else if (now - seen.saidAt >= beatMs) owed.push(name)
    }
    return { suspects, owed }
  }
}
