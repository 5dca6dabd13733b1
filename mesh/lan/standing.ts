// Standing: how much each peer has been sending, and how much of it was wrong.
//
// Law: nobody is cut off for a word or two; whoever floods or lies is, for a while, whatever the rest of it was worth.
// What is dropped here was only ever something that a wire may lose.

export interface StandingLimits {
  /** a hammered mall trades a few hundred messages a second between two gates */
  readonly framesPerSecond: number
  readonly bytesPerSecond: number
  /** how many seconds' worth may come in a heap */
  readonly heapSeconds: number
  /** demerits at which a peer is cut off; they fade by one a second */
  readonly demeritsMax: number
  readonly cutOffMs: number
}

export const STANDING: StandingLimits = {
  framesPerSecond: 3000,
  bytesPerSecond: 8 << 20,
  heapSeconds: 2,
  demeritsMax: 100,
  cutOffMs: 15_000,
}

export const DEMERITS = { garbage: 10, oversized: 50, flood: 1 } as const

interface Account {
  at: number
  frames: number
  bytes: number
  demerits: number
  cutOffUntil: number
}

export class Standing {
  readonly #limits: StandingLimits
  readonly #peers = new Map<string, Account>()

  constructor(limits: StandingLimits = STANDING) {
    this.#limits = limits
  }

  /** May this frame be looked at? */
  allows(name: string, bytes: number, now: number): boolean {
    const account = this.#at(name, now)
    if (account.frames < 1 || account.bytes < bytes) {
      account.demerits += DEMERITS.flood
      return false
    }
    account.frames--
    account.bytes -= bytes
    return true
  }

  blame(name: string, demerits: number, now: number): void {
    this.#at(name, now).demerits += demerits
  }

  /** True once, when it has become too much: to be cut off now. */
  isTooMuch(name: string, now: number): boolean {
    const account = this.#at(name, now)
    if (account.demerits < this.#limits.demeritsMax) return false
    account.demerits = 0
    account.cutOffUntil = now + this.#limits.cutOffMs
    return true
  }

  isCutOff(name: string, now: number): boolean {
    return (this.#peers.get(name)?.cutOffUntil ?? Number.NEGATIVE_INFINITY) > now
  }

  /** What gossip scores with: 0 is good, less is worse. */
  score(name: string, now: number): number {
    return -this.#at(name, now).demerits
  }

  #at(name: string, now: number): Account {
    const { framesPerSecond, bytesPerSecond, heapSeconds } = this.#limits
    const known = this.#peers.get(name)
    if (known === undefined) {
      const frames = framesPerSecond * heapSeconds
      const account = { at: now, frames, bytes: bytesPerSecond * heapSeconds, demerits: 0, cutOffUntil: 0 }
      this.#peers.set(name, account)
      return account
    }
    const seconds = (now - known.at) / 1000
    known.at = now
    known.frames = Math.min(framesPerSecond * heapSeconds, known.frames + seconds * framesPerSecond)
    known.bytes = Math.min(bytesPerSecond * heapSeconds, known.bytes + seconds * bytesPerSecond)
    known.demerits = Math.max(0, known.demerits - seconds)
    return known
  }
}
