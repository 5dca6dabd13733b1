// Interlock: the fire loop and the key switch, and whether an entry may be locked at all.
//
// Laws: an open fire loop frees every entry and latches. Closing it again changes nothing: somebody has to re-arm, and
// nobody can re-arm an open loop. A loop that is wired and cannot be read is no fire, but nothing is locked while it is
// so: leases run out. The key switch is told and frees nothing by itself; what it means the mall decides.

import type { Contact } from './turnstile.ts'

export class Interlock {
  readonly #isWired: Readonly<Record<Contact, boolean>>
  readonly #active: Record<Contact, boolean | undefined> = { fire: undefined, key: undefined }
  #isBlind = false
  #isLatched = false

  constructor(isWired: Readonly<Record<Contact, boolean>>) {
    this.#isWired = isWired
  }

  get isLatched(): boolean {
    return this.#isLatched
  }

  /** wired, and not readable now */
  get isBlind(): boolean {
    return this.#isBlind
  }

  get mayHold(): boolean {
    if (this.#isLatched) return false
    return !this.#isWired.fire || this.now('fire') === false
  }

  now(contact: Contact): boolean | 'unknown' {
    return this.#isBlind ? 'unknown' : (this.#active[contact] ?? 'unknown')
  }

  /** True where this is news: a contact that is quiet when it is first looked at is none. */
  saw(contact: Contact, active: boolean): boolean {
    const before = this.#active[contact] ?? false
    this.#active[contact] = active
    if (contact === 'fire' && active) this.#isLatched = true
    return before !== active
  }

  /** True where that is news. */
  sees(isUp: boolean): boolean {
    const isNews = this.#isBlind === isUp
    this.#isBlind = !isUp
    return isNews
  }

  /** False where the loop is open, or was so when it was last seen. */
  rearm(): boolean {
    if (this.#active.fire === true || (this.#isLatched && this.#isBlind)) return false
    this.#isLatched = false
    return true
  }
}
