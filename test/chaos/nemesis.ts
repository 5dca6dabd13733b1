// Nemesis: which faults strike when, as plain data from a seed. Nothing here touches the world.
//
// Laws: the same seed is the same storm. Faults overlap, but never so that nobody could tell what a fault did: one shape of
// the network at a time, one trouble per member at a time, a minority of members in trouble, and no power cut or wipe into
// a mall that has not got over the last one. Kinds come from a shuffled deck, so that each comes up before one comes twice.

import { Random } from '../sim/random.ts'
import { type Deed, FAULTS, type Fault, type FaultKind } from './fault.ts'

export interface Storm {
  readonly seed: number
  readonly minutes: number
  /** the anchor first, then the gates */
  readonly members: readonly string[]
  readonly capacity: number
}

const FIRST_MS = 3000
/** All is over so long before the end. */
const CALM_MS = 6000
const SHAPES: readonly FaultKind[] = ['halves', 'ring', 'one-way', 'bridge', 'flapping']
const PACKETS: readonly FaultKind[] = ['loss', 'delay', 'duplication', 'reordering']
/** A member that was ended, or lost something, is back and known to all after so long. */
const RECOVERY_MS = 8000
const WIPES_EVERY_MS = 30_000
/** Exits that a gate without a ledger remembers are gone with the power, and each is a place that nobody can have. */
const WIPE_TO_POWER_MS = 30_000
/** Faults that find bugs come up more often. */
const TWICE: readonly FaultKind[] = ['kill', 'capacity', 'halves']
const HOUR_MS = 3_600_000

const LASTS: Readonly<Record<FaultKind, readonly [number, number]>> = {
  halves: [5000, 15_000],
  ring: [5000, 12_000],
  'one-way': [5000, 12_000],
  bridge: [5000, 12_000],
  flapping: [6000, 14_000],
  loss: [5000, 15_000],
  delay: [5000, 15_000],
  duplication: [5000, 15_000],
  reordering: [5000, 15_000],
  kill: [200, 5000],
  stop: [300, 7000],
  'restart-storm': [5000, 9000],
  power: [500, 3000],
  'disk-full': [3000, 9000],
  'io-error': [3000, 9000],
  wipe: [200, 3000],
  clock: [4000, 15_000],
  'anchor-gone': [8000, 25_000],
  capacity: [10_000, 18_000],
  mode: [2500, 6000],
}

/** One seed in six plays without the anchor from beginning to end. */
export function isAnchorless(seed: number): boolean {
  return seed % 6 === 5
}

export function scheduleOf(storm: Storm): Deed[] {
  return new Nemesis(storm).deeds()
}

class Nemesis {
  readonly #storm: Storm
  readonly #deck: Random
  readonly #times: Random
  readonly #faults: Random
  readonly #gates: readonly string[]
  readonly #done: Deed[] = []
  #cards: FaultKind[] = []

  constructor(storm: Storm) {
    this.#storm = storm
    this.#gates = storm.members.slice(1)
    const random = new Random(`${storm.seed} nemesis`)
    this.#deck = random.stream('deck')
    this.#times = random.stream('times')
    this.#faults = random.stream('faults')
  }

  deeds(): Deed[] {
    const { minutes, seed } = this.#storm
    const end = minutes * 60_000 - CALM_MS
    if (isAnchorless(seed)) this.#done.push({ at: 1000, forMs: end - 1000, fault: { kind: 'anchor-gone' } })
    let quietAt = this.#times.between(30_000, 50_000)
    for (let at = FIRST_MS; at < end - 500; at += Math.round(this.#times.between(900, 4500))) {
      if (at > quietAt) {
        at = this.#quiet(this.#calmAfter(at), end)
        quietAt = at + this.#times.between(30_000, 50_000)
      }
      const deed = at < end - 500 ? this.#next(at, end) : undefined
      if (deed !== undefined) this.#done.push(deed)
    }
    return this.#done.sort((a, b) => a.at - b.at)
  }

  /** Nothing strikes until what this returns; but often operators use the calm for a cut, which then everyone hears of. */
  #quiet(from: number, end: number): number {
    const at = Math.round(from + this.#times.between(300, 1500))
    const forMs = Math.round(Math.min(this.#times.between(9000, 13_000), end - at))
    const fault = this.#times.chance(0.7) && forMs > 3000 ? this.#faultOf('capacity', at, forMs) : undefined
    if (fault !== undefined && !isAnchorless(this.#storm.seed)) this.#done.push({ at, forMs, fault })
    return Math.round(from + this.#times.between(4000, 7000))
  }

  /** When everything that strikes by now is over, but for an anchor that stays away. */
  #calmAfter(at: number): number {
    const ends = this.#done.filter(deed => !this.#isWhole(deed)).map(deed => deed.at + deed.forMs)
    return Math.max(at, ...ends)
  }

  #isWhole({ fault }: Deed): boolean {
    return fault.kind === 'anchor-gone' && isAnchorless(this.#storm.seed)
  }

  /** The next card that can be played now; those passed over stay on top. */
  #next(at: number, end: number): Deed | undefined {
    if (this.#cards.length < 4) this.#cards.push(...this.#shuffled())
    for (const [i, kind] of this.#cards.entries()) {
      const [least, most] = LASTS[kind]
      const forMs = Math.round(Math.min(this.#times.between(least, most), end - at))
      const fault = this.#faultOf(kind, at, forMs)
      if (fault === undefined) continue
      this.#cards.splice(i, 1)
      return { at, forMs, fault }
    }
    return undefined
  }

  #shuffled(): FaultKind[] {
    const away = isAnchorless(this.#storm.seed) ? ['anchor-gone', 'capacity'] : []
    const cards = [...FAULTS, ...TWICE].filter(kind => !away.includes(kind))
    for (let i = cards.length - 1; i > 0; i--) {
      const j = this.#deck.int(i + 1)
      ;[cards[i], cards[j]] = [cards[j] as FaultKind, cards[i] as FaultKind]
    }
    return cards
  }

  /** Undefined where it would not be fair now. */
  #faultOf(kind: FaultKind, at: number, forMs: number): Fault | undefined {
    const random = this.#faults
    const { members, capacity } = this.#storm
    const until = at + forMs
    const during = (kinds: readonly FaultKind[], spare = 0) => this.#during(at - spare, until + spare, kinds)
    if (SHAPES.includes(kind) && during(SHAPES)) return undefined
    if (PACKETS.includes(kind) && (during([kind]) || PACKETS.filter(other => during([other])).length > 1))
      return undefined
    switch (kind) {
      case 'halves':
        return { kind, left: this.#half() }
      case 'flapping':
        return { kind, left: this.#half(), everyMs: Math.round(random.between(400, 2000)) }
      case 'bridge': {
        const [between = '', ...rest] = this.#mixed(members)
        return { kind, left: rest.slice(0, Math.floor(rest.length / 2)), between }
      }
      case 'ring':
        return { kind, order: this.#mixed(members) }
      case 'one-way':
        return { kind, whose: this.#half().slice(0, 1 + random.int(2)), deaf: random.chance(0.5) }
      case 'loss':
        return { kind, percent: 5 + random.int(30) }
      case 'duplication':
      case 'reordering':
        return { kind, percent: 10 + random.int(40) }
      case 'delay':
        return { kind, ms: 5 + random.int(120), jitterMs: random.int(60) }
      case 'kill':
      case 'stop':
      case 'disk-full':
      case 'io-error':
        return this.#troubled(kind, at, until, members)
      case 'wipe':
        if (this.#during(at - WIPES_EVERY_MS, until + WIPES_EVERY_MS, ['wipe', 'power'])) return undefined
        return this.#troubled(kind, at, until, this.#gates)
      case 'clock': {
        const member = this.#spared(at, until, members)
        const byMs = Math.round(random.pick([2000, 60_000, HOUR_MS, 24 * HOUR_MS]) * random.between(0.5, 1.5))
        return member === undefined ? undefined : { kind, member, byMs: random.chance(0.5) ? byMs : -byMs }
      }
      case 'restart-storm': {
        const some = this.#mixed(this.#gates)
          .filter(gate => this.#isSpared(gate, at, until))
          .slice(0, this.#most())
        if (some.length < 2 || this.#troubles(at, until) > 0) return undefined
        return { kind, members: some, everyMs: Math.round(random.between(1500, 3000)) }
      }
      case 'power':
        if (this.#troubles(at - RECOVERY_MS, until + RECOVERY_MS) > 0) return undefined
        if (this.#during(at - WIPE_TO_POWER_MS, until, ['wipe'])) return undefined
        return during(['capacity', 'mode', 'power'], RECOVERY_MS) ? undefined : { kind }
      case 'anchor-gone':
        if (during(['capacity'], RECOVERY_MS) || !this.#isSpared('anchor', at, until)) return undefined
        return { kind }
      case 'capacity':
        if (during(['capacity', 'power', 'anchor-gone'], RECOVERY_MS)) return undefined
        if (!this.#isSpared('anchor', at - RECOVERY_MS, until + RECOVERY_MS)) return undefined
        return { kind, to: Math.round(capacity * random.between(0.4, 0.95)) }
      case 'mode': {
        if (during(['mode', 'power'], RECOVERY_MS)) return undefined
        const gate = this.#spared(at, until, this.#gates)
        const mode = random.pick(['LOCKDOWN', 'EVACUATE', 'FIRE'] as const)
        return gate === undefined ? undefined : { kind, mode, at: gate }
      }
    }
  }

  #troubled(
    kind: 'kill' | 'stop' | 'disk-full' | 'io-error' | 'wipe',
    at: number,
    until: number,
    whom: readonly string[],
  ): Fault | undefined {
    const member = this.#spared(at, until, whom)
    return member === undefined ? undefined : { kind, member }
  }

  #spared(at: number, until: number, whom: readonly string[]): string | undefined {
    if (this.#troubles(at, until) >= this.#most()) return undefined
    return this.#mixed(whom).find(member => this.#isSpared(member, at, until))
  }

  /** Nothing is done to it from shortly before to shortly after. */
  #isSpared(member: string, at: number, until: number): boolean {
    // operators need the anchor from when they begin to when they have had enough
    if (member === 'anchor' && this.#during(at - RECOVERY_MS, until + RECOVERY_MS, ['capacity'])) return false
    return !this.#done.some(
      deed => overlaps(deed, at - RECOVERY_MS, until + RECOVERY_MS) && targetsOf(deed.fault, member),
    )
  }

  #troubles(at: number, until: number): number {
    const { members } = this.#storm
    return members.filter(member =>
      this.#done.some(deed => !this.#isWhole(deed) && overlaps(deed, at, until) && targetsOf(deed.fault, member)),
    ).length
  }

  #most(): number {
    return Math.max(1, Math.floor((this.#gates.length - 1) / 2))
  }

  #during(from: number, to: number, kinds: readonly FaultKind[]): boolean {
    return this.#done.some(deed => kinds.includes(deed.fault.kind) && overlaps(deed, from, to))
  }

  #half(): string[] {
    const { members } = this.#storm
    return this.#mixed(members).slice(0, 1 + this.#faults.int(members.length - 2))
  }

  #mixed(list: readonly string[]): string[] {
    return list
      .map(one => ({ one, by: this.#faults.next() }))
      .sort((a, b) => a.by - b.by)
      .map(({ one }) => one)
  }
}

function overlaps({ at, forMs }: Deed, from: number, to: number): boolean {
  return at < to && at + forMs > from
}

/** Is this member itself in trouble by it, beyond what the network does to all? */
export function targetsOf(fault: Fault, member: string): boolean {
  switch (fault.kind) {
    case 'kill':
    case 'stop':
    case 'disk-full':
    case 'io-error':
    case 'wipe':
    case 'clock':
      return fault.member === member
    case 'restart-storm':
      return fault.members.includes(member)
    case 'power':
      return true
    case 'anchor-gone':
      return member === 'anchor'
    default:
      return false
  }
}

/** What is wrong with a schedule from a file, in words; undefined where nothing is. */
export function flawOf(deeds: readonly Deed[], members: readonly string[]): string | undefined {
  for (const [i, { at, forMs, fault }] of deeds.entries()) {
    if (!(at >= 0 && forMs >= 0)) return `deed ${i}: at and forMs are ms, not ${at} and ${forMs}`
    if (!FAULTS.includes(fault?.kind)) return `deed ${i}: no fault is called ${JSON.stringify(fault?.kind)}`
    const named = Object.values(fault)
      .flat()
      .filter(value => /^(anchor|gate-\d+)$/.test(String(value)))
    const stranger = named.find(name => !members.includes(String(name)))
    if (stranger !== undefined) return `deed ${i}: there is no ${stranger} among ${members.join(', ')}`
  }
  return undefined
}
