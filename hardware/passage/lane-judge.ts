// Lane judge: what the sensors of one lane saw, weighed against who was let in there.
//
// Laws: whoever is seen on the way in is inside, on a grant or as one whom nobody let in. Whoever is seen on the way out
// is told, always; where that is of doubt, with no confidence, and then no token comes back for it. A grant lapses only
// on a lane that is well. Where two sensors watch one lane, the better one counts: counters, then PASS contacts, then
// beams; the other one is compared with it, and never added.

import type { Signal } from '../io.ts'
import type { Uninvited } from '../turnstile.ts'
import { Asks } from './asks.ts'
import { Beams } from './beams.ts'
import { Comparison } from './comparison.ts'
import { Confidence } from './confidence.ts'
import { DirectionWatch } from './direction-watch.ts'
import { FaultList } from './fault-list.ts'
import { Grants } from './grants.ts'
import type { LaneInput, LaneJudge, LaneOutput } from './lane-step.ts'
import { PassContacts } from './pass-contacts.ts'
import { Rate } from './rate.ts'
import type { PassageRules } from './rules.ts'
import type { Direction, Eye, Sighting } from './sighting.ts'

/** Contacts that move for nobody so often in a minute are a loose wire or a dirty lens. */
const NOISES_PER_MINUTE = 10
const NONE = 0
const FULL = 1000

type Of<K extends LaneInput['kind']> = Extract<LaneInput, { kind: K }>

class Judge implements LaneJudge {
  readonly #rules: PassageRules
  /** counts, unless there are counters */
  readonly #eye: Eye | undefined
  /** only compares */
  readonly #second: Eye | undefined
  readonly #asks: Asks
  readonly #grants: Grants
  readonly #watch: DirectionWatch
  readonly #comparison = new Comparison()
  readonly #confidence = new Confidence()
  readonly #faults = new FaultList()
  readonly #rates: Readonly<Record<Direction, Rate>>
  readonly #noise = new Rate(NOISES_PER_MINUTE)
  readonly #count = { in: 0, out: 0, doubles: 0, noises: 0 }
  #out: LaneOutput[] = []
  #isUp = true
  #isReleased = false
  /** the last person who walked in on a grant */
  #enteredAt = Number.NEGATIVE_INFINITY
  #seenAt: number | undefined
  #now = Number.NEGATIVE_INFINITY

  constructor(a: JudgeOptions) {
    const { rules, signals, hasCounters } = a
    this.#rules = rules
    const eyes = eyesOf(rules, signals)
    ;[this.#eye, this.#second] = hasCounters ? [undefined, eyes[0]] : [eyes[0], eyes[1]]
    const ways: readonly Signal[] = ['in', 'out']
    const hasBeams = signals.includes('beam-a') || signals.includes('beam-b')
    this.#watch = new DirectionWatch({ hasBoth: hasCounters || hasBeams || ways.every(way => signals.includes(way)) })
    this.#asks = new Asks(rules)
    this.#grants = new Grants({ rules, hasCounters, pending: a.pending ?? [] })
    this.#rates = { in: new Rate(rules.perMinuteMax), out: new Rate(rules.perMinuteMax) }
  }

  step(input: LaneInput, now: number): readonly LaneOutput[] {
    this.#now = Math.max(this.#now, now)
    this.#out = []
    this.#seenAt ??= this.#now
    this.#look()
    this.#take(input)
    this.#look()
    this.#settle()
    return this.#out
  }

  get wakeAt(): number {
    const { silentMs } = this.#rules
    const dues = [
      ...(this.#eye?.dues ?? []),
      ...(this.#second?.dues ?? []),
      ...this.#asks.dues,
      this.#grants.wakeAt,
      this.#comparison.wakeAt,
      this.#rates.in.wakeAt,
      this.#rates.out.wakeAt,
      this.#noise.wakeAt,
      ...(silentMs > 0 && this.#seenAt !== undefined ? [this.#seenAt + silentMs] : []),
    ]
    // What was due by now has had its turn, and waits for something else to happen.
    return Math.min(...dues.filter(at => at > this.#now), Number.POSITIVE_INFINITY)
  }

  get figures(): LaneJudge['figures'] {
    return { ...this.#count, confidence: this.#confidence.at(this.#now), faults: this.#faults.codes }
  }

  get pending(): readonly string[] {
    return this.#grants.pending
  }

  #take(input: LaneInput): void {
    switch (input.kind) {
      case 'signal':
        return this.#signal(input)
      case 'counted':
        return this.#counted(input)
      case 'link':
        return this.#link(input.isUp)
      case 'grant':
        this.#asks.granted()
        this.#watch.granted()
        return this.#grants.add(input.id)
      case 'refuse':
        return this.#asks.refused(this.#now)
      case 'opened':
        return this.#grants.opened(input.id, input.isConfirmed, this.#now)
      case 'released':
        this.#isReleased = input.isReleased
        // Arms that were let go do not always say who passes: nothing that was open lapses.
        return this.#grants.doubt()
      case 'ticked':
        return
      default:
        return input satisfies never
    }
  }

  #signal({ signal, active, leadMs }: Of<'signal'>): void {
    this.#seenAt = this.#now
    if (signal === 'ask') this.#see(this.#asks.signal(active, this.#now), 'first')
    // Each eye knows which signals are its own.
    this.#see(this.#eye?.signal(signal, active, this.#now, leadMs), 'first')
    this.#see(this.#second?.signal(signal, active, this.#now, leadMs), 'second')
  }

  #counted({ in: ins, ids, confidence }: Of<'counted'>): void {
    if (ins > 0 || ids.length > 0) this.#seenAt = this.#now
    let uninvited = 0
    for (let k = 0; k < ins; k++) {
      this.#tally('in')
      if (!this.#walked(Number.POSITIVE_INFINITY)) uninvited++
    }
    if (uninvited > 0) this.#intruded(uninvited)
    for (const id of ids) {
      this.#tally('out')
      this.#left(confidence, id)
    }
    this.#grants.look(this.#now)
  }

  #link(isUp: boolean): void {
    if (isUp === this.#isUp) return
    this.#isUp = isUp
    this.#grants.doubt()
    this.#comparison.forget()
    this.#confidence.lower('link', this.#now)
    if (isUp) return
    this.#see(this.#eye?.cut(this.#now), 'first')
    this.#see(this.#second?.cut(this.#now), 'second')
    this.#asks.forget()
  }

  /** Time passes for the sensors. */
  #look(): void {
    this.#see(this.#asks.tick(this.#now), 'first')
    this.#see(this.#eye?.tick(this.#now), 'first')
    this.#see(this.#second?.tick(this.#now), 'second')
  }

  #see(seen: readonly Sighting[] | undefined, rank: 'first' | 'second'): void {
    for (const one of seen ?? []) {
      if (one.kind === 'passage' && rank === 'second') this.#compared(one.direction)
      else if (one.kind === 'passage') this.#passed(one)
      else this.#noticed(one)
    }
  }

  #noticed(seen: Exclude<Sighting, { kind: 'passage' }>): void {
    switch (seen.kind) {
      case 'double':
        this.#count.doubles++
        return this.#confidence.lower('double', this.#now)
      case 'noise':
        this.#count.noises++
        this.#noise.add(this.#now)
        if (seen.isHint) this.#grants.doubt()
        return this.#confidence.lower('noise', this.#now)
      case 'power':
        this.#grants.doubt()
        if (!seen.isOut) this.#confidence.lower('power', this.#now)
        return this.#fault('POWER', 'contacts', seen.isOut, seen.detail)
      case 'stuck':
        if (seen.isStuck) this.#confidence.lower('stuck', this.#now)
        return this.#fault('STUCK', seen.signal, seen.isStuck, seen.detail)
      case 'blind':
        return this.#fault('SILENT', 'beams', seen.isBlind, seen.detail)
      default:
        return seen satisfies never
    }
  }

  /** The second sensor saw somebody whom the first may be about to tell of. */
  #compared(direction: Direction | 'either'): void {
    if (direction !== 'out') this.#grants.doubt()
    if (direction !== 'either') this.#comparison.second(direction, this.#now)
  }

  #passed({ direction, since, isSure }: Extract<Sighting, { kind: 'passage' }>): void {
    if (!isSure) this.#confidence.lower('doubt', this.#now)
    if (direction !== 'out') {
      this.#tally('in', direction === 'in')
      this.#rate('in')
      if (this.#walked(since)) return
      this.#intruded(1)
      if (direction === 'in') return
    }
    // Which way cannot be known: inside for sure, and perhaps outside.
    this.#tally('out', direction === 'out')
    this.#rate('out')
    this.#left(isSure ? FULL : NONE)
  }

  #tally(direction: Direction, isKnown = true): void {
    this.#count[direction]++
    if (this.#second && isKnown) this.#comparison.first(direction, this.#now)
  }

  #walked(since: number): boolean {
    const grant = this.#grants.walk(since)
    this.#watch.in(this.#now, grant !== undefined)
    if (grant === undefined) return false
    this.#enteredAt = this.#now
    this.#asks.walked(this.#now)
    this.#out.push({ kind: 'entered', grant })
    return true
  }

  #intruded(count: number): void {
    this.#grants.saw()
    this.#out.push({ kind: 'intruded', count, why: this.#why() })
  }

  #why(): Uninvited {
    if (this.#isReleased) return 'fire'
    return this.#now - this.#enteredAt <= this.#rules.tailgateMs ? 'tailgate' : 'manual'
  }

  #left(confidence: number, id?: string): void {
    const isBelieved = this.#watch.out(this.#now, this.#grants.isOpen)
    this.#grants.cross()
    const isPlain = isBelieved && !this.#rates.out.isHigh
    const believed = isPlain ? Math.min(confidence, this.#confidence.at(this.#now)) : NONE
    this.#out.push({ kind: 'left', confidence: believed, ...(id === undefined ? {} : { id }) })
  }

  #rate(direction: Direction): void {
    this.#rates[direction].add(this.#now)
    this.#rated(direction)
  }

  #rated(direction: Direction): void {
    const { isHigh } = this.#rates[direction]
    const limit = `${this.#rules.perMinuteMax} a minute`
    this.#fault('RATE', direction, isHigh, `${direction}: ${isHigh ? 'more than' : 'well below'} ${limit}`)
  }

  /** What follows from everything that was seen until now. */
  #settle(): void {
    const now = this.#now
    this.#judgeSensors(now)
    if (this.#faults.hasBeside('grants') || !this.#isUp || this.#isReleased) this.#grants.doubt()
    const isQuiet = (this.#eye?.isQuiet ?? true) && (this.#second?.isQuiet ?? true)
    for (const settled of this.#grants.tick(now, isQuiet)) {
      if (settled.kind === 'open') this.#out.push(settled)
      else if (settled.kind === 'lapsed') this.#out.push({ kind: 'lapsed', grant: settled.id })
      else {
        if (settled.isCrossed) this.#watch.crossed()
        this.#out.push({ kind: 'entered', grant: settled.id })
      }
    }
    const blind = 'people who were let in are not seen on their way in'
    this.#fault('SILENT', 'grants', this.#grants.isBlind, this.#grants.isBlind ? blind : 'people are seen again')
    const isSwapped = this.#watch.isSuspect
    const swapped = 'in and out look swapped: gatemesh doctor --commission tells which inputs to exchange'
    this.#fault('DIRECTION', 'watch', isSwapped, isSwapped ? swapped : 'people come in as they should')
    const isIdle = !this.#grants.isOpen && this.#isUp && !this.#isReleased && !this.#faults.has('POWER')
    if (this.#asks.ask(now, isIdle)) this.#out.push({ kind: 'asked', confidence: this.#confidence.at(now) })
  }

  #judgeSensors(now: number): void {
    for (const direction of ['in', 'out'] as const) {
      this.#rates[direction].tick(now)
      this.#rated(direction)
    }
    this.#noise.tick(now)
    const noise = this.#noise.isHigh ? `more than ${NOISES_PER_MINUTE} a minute that were nobody` : 'contacts are calm'
    this.#fault('NOISE', 'contacts', this.#noise.isHigh, noise)
    if (this.#comparison.tick(now)) this.#confidence.lower('disagreement', now)
    const { isApart } = this.#comparison
    const apart = isApart ? 'two sensors of this lane count differently' : 'both sensors count the same'
    this.#fault('DISAGREE', 'sensors', isApart, apart)
    const { silentMs } = this.#rules
    const isSilent = silentMs > 0 && this.#isUp && now - (this.#seenAt ?? now) >= silentMs
    this.#fault('SILENT', 'time', isSilent, isSilent ? `nothing seen for ${silentMs} ms` : 'seen again')
  }

  #fault(code: Parameters<FaultList['set']>[0], cause: string, isWrong: boolean, detail: string): void {
    this.#out.push(...this.#faults.set(code, cause, isWrong, detail))
  }
}

export interface JudgeOptions {
  readonly rules: PassageRules
  /** inputs that are wired */
  readonly signals: readonly Signal[]
  /** a device counts this lane by itself, and is read */
  readonly hasCounters: boolean
  /** grants from before a restart that nobody had walked through yet */
  readonly pending?: readonly string[]
}

export function laneJudge(a: JudgeOptions): LaneJudge {
  return new Judge(a)
}

/** What the wired inputs make, the better one first. */
function eyesOf(rules: PassageRules, signals: readonly Signal[]): readonly Eye[] {
  const eyes: Eye[] = []
  const ways = (['in', 'out'] as const).filter(way => signals.includes(way))
  if (ways.length > 0) eyes.push(new PassContacts(rules, ways))
  if (signals.includes('beam-a') || signals.includes('beam-b')) eyes.push(new Beams(rules, signals))
  return eyes
}
