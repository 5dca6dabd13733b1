// Arm: what locks the way in at a played turnstile, and the way out never.
//
// Laws: it is locked only while there is power and a hold that has not run out. One pulse lets one person by, for so long.

export class Arm {
  isPowered = true
  /** how often it was let go */
  frees = 0
  #heldUntil = Number.NEGATIVE_INFINITY
  #opensUntil = Number.NEGATIVE_INFINITY

  isHeld(now: number): boolean {
    return this.isPowered && this.#heldUntil > now
  }

  /** It was pulsed, and nobody has walked by since. */
  isOpen(now: number): boolean {
    return this.isPowered && this.#opensUntil > now
  }

  hold(now: number, forMs: number): void {
    this.#heldUntil = now + forMs
  }

  open(now: number, forMs: number): void {
    this.#opensUntil = now + forMs
  }

  /** Somebody walks by on the pulse. */
  use(): void {
    this.#opensUntil = Number.NEGATIVE_INFINITY
  }

  free(): void {
    this.frees++
    this.#heldUntil = Number.NEGATIVE_INFINITY
  }
}
