// PASS contacts: one per direction, at rest while nobody passes, active during a passage and while the power is gone.
//
// Laws: a person is a pulse of a certain width, judged when it has ended. Both contacts that open together and stay, or
// close together, are the power and nobody. One alone that stays is stuck: on the way in it counts once, because somebody
// may have been there when it did. A second pulse within `doubleMs` is the same person; an exit soon after that is of doubt.

import type { Signal } from '../io.ts'
import { type Burst, Debounce } from './debounce.ts'
import type { PassageRules } from './rules.ts'
import type { Direction, Eye, Sighting } from './sighting.ts'

/** fresh: still to be judged. told: judged early. stuck, power: judged as such; its end is nobody. */
type Fate = 'fresh' | 'told' | 'stuck' | 'power'

interface Contact {
  readonly direction: Direction
  readonly debounce: Debounce
  fate: Fate
  /** ended, and waits for the other contact to say whether this was the power */
  ended: Burst | undefined
  /** opened together with the other and closed apart: of doubt */
  isOdd: boolean
  last: { from: number; to: number } | undefined
}

type Span = Pick<Burst, 'from' | 'leadMs' | 'to'>
type Start = { readonly from: number; readonly isSolid: boolean }

export class PassContacts implements Eye {
  readonly #rules: PassageRules
  readonly #contacts: readonly Contact[]
  #isOut = false

  constructor(rules: PassageRules, directions: readonly Direction[]) {
    this.#rules = rules
    this.#contacts = directions.map(direction => ({
      direction,
      debounce: new Debounce(rules),
      fate: 'fresh',
      ended: undefined,
      isOdd: false,
      last: undefined,
    }))
  }

  signal(signal: Signal, isActive: boolean, at: number, leadMs = 0): readonly Sighting[] {
    const seen: Sighting[] = [...this.tick(at)]
    this.#contacts.find(one => one.direction === signal)?.debounce.level(isActive, at, leadMs)
    seen.push(...this.tick(at))
    return seen
  }

  tick(now: number): readonly Sighting[] {
    const seen: Sighting[] = []
    for (const contact of this.#contacts) {
      const burst = contact.debounce.settle(now)
      if (burst === undefined) continue
      if (contact.fate === 'fresh') contact.ended = burst
      else this.#closed(contact, burst, seen)
    }
    for (const contact of this.#contacts) if (contact.ended) this.#judge(contact, contact.ended, now, seen)
    for (const contact of this.#contacts) this.#watch(contact, now, seen)
    return seen
  }

  cut(now: number): readonly Sighting[] {
    const seen: Sighting[] = [...this.tick(now)]
    for (const contact of this.#contacts) {
      const open = contact.debounce.open
      const partner = this.#partner(contact)
      if (contact.ended) {
        this.#person(contact, { ...contact.ended, isWhole: false }, seen)
        contact.ended = undefined
      } else if (open && contact.fate === 'fresh') {
        contact.fate = 'told'
        if (open.isSolid && !partner) this.#passage(contact, { ...open, to: now }, false, seen)
      }
      contact.debounce.forget()
    }
    return seen
  }

  get isQuiet(): boolean {
    const way = this.#contacts.find(one => one.direction === 'in')
    if (way?.ended) return false
    return way?.debounce.open === undefined || way.fate !== 'fresh'
  }

  get dues(): readonly number[] {
    const { togetherMs, pulseMsMax } = this.#rules
    return this.#contacts.flatMap(({ debounce, ended }) => [
      debounce.wakeAt,
      ...(ended ? [ended.to + togetherMs] : []),
      ...(debounce.open ? [debounce.open.from + pulseMsMax] : []),
    ])
  }

  /** The other contact, where it opened together with this one and is not judged yet. */
  #partner(contact: Contact): Contact | undefined {
    const other = this.#contacts.find(one => one !== contact)
    if (other === undefined || other.fate !== 'fresh') return undefined
    const mine = startOf(contact)
    const theirs = startOf(other)
    if (!mine?.isSolid || !theirs?.isSolid) return undefined
    return Math.abs(mine.from - theirs.from) <= this.#rules.togetherMs ? other : undefined
  }

  #judge(contact: Contact, burst: Burst, now: number, seen: Sighting[]): void {
    const { togetherMs } = this.#rules
    const partner = contact.isOdd ? undefined : this.#partner(contact)
    if (partner) {
      const end = partner.ended
      if (end === undefined && now - burst.to < togetherMs) return
      if (end !== undefined && Math.abs(end.to - burst.to) <= togetherMs) {
        for (const one of [contact, partner]) one.ended = undefined
        seen.push({ kind: 'power', isOut: true, detail: 'both PASS contacts opened and closed together' })
        seen.push({ kind: 'power', isOut: false, detail: 'both PASS contacts are closed' })
        return
      }
      contact.isOdd = true
      partner.isOdd = true
    }
    contact.ended = undefined
    this.#person(contact, burst, seen)
    contact.isOdd = false
  }

  /** A pulse that ended by itself: a person, or noise. */
  #person(contact: Contact, burst: Burst, seen: Sighting[]): void {
    // as long as it may have been; but a person apart from the one before by when it was seen, or one of two were lost
    const width = burst.to - burst.from + burst.leadMs
    const isFull = burst.isSolid || burst.activeMs * 2 >= width
    if (burst.isWhole ? width < this.#rules.pulseMsMin || !isFull : !burst.isSolid) {
      const isHint = contact.direction === 'in' && (burst.isSolid || width >= this.#rules.pulseMsMin)
      seen.push({ kind: 'noise', isHint })
      return
    }
    const isSure = burst.isWhole && burst.isSolid && burst.activeMs * 2 >= width && !contact.isOdd
    this.#passage(contact, burst, isSure, seen)
    for (let k = 1; k < burst.strokes; k++) this.#tell(contact, burst.from - burst.leadMs, false, seen)
  }

  #passage(contact: Contact, { from, leadMs, to }: Span, isSure: boolean, seen: Sighting[]): void {
    const last = contact.last
    if (last && (from - last.from < this.#rules.doubleMs || from - last.to < this.#rules.pulseMsMin)) {
      last.to = to
      seen.push({ kind: 'double' })
      return
    }
    // An exit too many is the unsafe error: one so soon after another may still be its bounce.
    const isNear = contact.direction === 'out' && last !== undefined && from - last.to < this.#rules.doubleMs
    contact.last = { from, to }
    this.#tell(contact, from - leadMs, isSure && !isNear, seen)
  }

  #tell(contact: Contact, since: number, isSure: boolean, seen: Sighting[]): void {
    seen.push({ kind: 'passage', direction: contact.direction, since, isSure })
  }

  /** No person holds an arm as long. */
  #watch(contact: Contact, now: number, seen: Sighting[]): void {
    const open = contact.debounce.open
    if (!open || contact.fate === 'stuck' || contact.fate === 'power') return
    if (now - open.from < this.#rules.pulseMsMax) return
    const other = this.#contacts.find(one => one !== contact)
    const partner = this.#partner(contact)
    const isFresh = contact.fate === 'fresh'
    contact.isOdd = false
    if (partner && partner.ended === undefined) {
      contact.fate = 'power'
      partner.fate = 'power'
      this.#lose('both PASS contacts are open', seen)
      return
    }
    const isBoth = other !== undefined && (other.fate === 'power' || other.debounce.open?.isSolid === true)
    if (other === undefined || isBoth) {
      contact.fate = 'power'
      this.#lose(other ? 'both PASS contacts are open' : 'the PASS contact is open for too long', seen)
    } else {
      contact.fate = 'stuck'
      const detail = `contact ${contact.direction} is open for ${this.#rules.pulseMsMax} ms and longer`
      seen.push({ kind: 'stuck', signal: contact.direction, isStuck: true, detail })
    }
    // The contact that followed the other one into the power cut: for the way out, nobody.
    const isAfter = contact.direction === 'out' && other?.fate === 'power'
    if (!isFresh || !open.isWhole || isAfter) return
    // With one contact only, power loss looks the same, every night: nobody, but a grant is not taken back for it.
    if (other === undefined) seen.push({ kind: 'noise', isHint: contact.direction === 'in' })
    else this.#passage(contact, { ...open, to: now }, false, seen)
  }

  #lose(detail: string, seen: Sighting[]): void {
    if (this.#isOut) return
    this.#isOut = true
    seen.push({ kind: 'power', isOut: true, detail })
  }

  #closed(contact: Contact, burst: Burst, seen: Sighting[]): void {
    if (contact.fate === 'stuck') {
      const detail = `contact ${contact.direction} is closed again`
      seen.push({ kind: 'stuck', signal: contact.direction, isStuck: false, detail })
    }
    // A bounce of the contact that closes is not the next person.
    if (contact.last) contact.last.to = burst.to
    else contact.last = { from: burst.from, to: burst.to }
    contact.fate = 'fresh'
    if (!this.#isOut || this.#contacts.some(one => one.fate === 'power' || one.fate === 'stuck')) return
    this.#isOut = false
    seen.push({ kind: 'power', isOut: false, detail: 'the PASS contacts are closed again' })
  }
}

function startOf(contact: Contact): Start | undefined {
  return contact.ended ?? contact.debounce.open
}
