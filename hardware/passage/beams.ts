// Two light barriers one behind the other: who breaks the outer one first comes in, who breaks the inner one first leaves.
//
// Laws: a visit lasts from the first beam broken until both are free, and is judged as a whole. Whoever turns round half
// way is nobody. Where one visit can be one person who wavers or two who walk close together, the way in counts two and
// the way out believes one. A beam that stays broken leaves the other one: it sees people, and not which way they go.

import type { Signal } from '../io.ts'
import { Debounce } from './debounce.ts'
import type { PassageRules } from './rules.ts'
import type { Direction, Eye, Sighting } from './sighting.ts'
import { type Side, type Verdict, Visit } from './visit.ts'

/** People stand in a doorway and talk; nobody does so in one beam for as long without moving. */
const STUCK_MS = 60_000
/** So many visits in a row to one beam, and never the other: it may be dead, and people walk through unseen. */
const HALVES_MAX = 8

interface Beam {
  readonly signal: 'beam-a' | 'beam-b'
  readonly side: Side
  readonly debounce: Debounce
  isBroken: boolean
  since: number
  /** while this one was broken, so often the other was */
  crossings: number
  isStuck: boolean
}

interface Edge {
  readonly beam: Beam
  readonly isBroken: boolean
  readonly at: number
}

export class Beams implements Eye {
  readonly #rules: PassageRules
  readonly #beams: readonly Beam[]
  #visit: Visit | undefined
  /** the visit before broke one beam only */
  #half: { side: Side; to: number; count: number } | undefined
  #isBlind = false

  constructor(rules: PassageRules, wired: readonly Signal[]) {
    this.#rules = rules
    const beam = (signal: Beam['signal'], side: Side): Beam => ({
      signal,
      side,
      debounce: new Debounce(rules),
      isBroken: false,
      since: 0,
      crossings: 0,
      // A beam that is not there is like one that is always broken.
      isStuck: !wired.includes(signal),
    })
    this.#beams = [beam('beam-a', 'outside'), beam('beam-b', 'inside')]
  }

  signal(signal: Signal, isActive: boolean, at: number): readonly Sighting[] {
    const seen: Sighting[] = [...this.tick(at)]
    this.#beams.find(one => one.signal === signal)?.debounce.level(isActive, at)
    seen.push(...this.tick(at))
    return seen
  }

  tick(now: number): readonly Sighting[] {
    const seen: Sighting[] = []
    const edges = this.#beams.flatMap(beam => this.#edges(beam, now, seen)).sort((a, b) => a.at - b.at)
    for (let k = 0; k < edges.length; ) {
      // Edges read in one look have no order that means anything.
      const at = (edges[k] as Edge).at
      const together: Edge[] = []
      for (; k < edges.length && (edges[k] as Edge).at === at; k++) together.push(edges[k] as Edge)
      this.#move(together, at, seen)
    }
    for (const beam of this.#beams) this.#watch(beam, now, seen)
    return seen
  }

  cut(now: number): readonly Sighting[] {
    const seen: Sighting[] = [...this.tick(now)]
    const visit = this.#visit
    if (visit) {
      const { in: ins, out, outMaybe } = visit.verdict()
      this.#tell({ in: ins, out: 0, outMaybe: out + outMaybe }, now, seen)
    }
    this.#visit = undefined
    this.#half = undefined
    for (const beam of this.#beams) beam.debounce.forget()
    return seen
  }

  get isQuiet(): boolean {
    return this.#beams.every(beam => beam.debounce.open === undefined || beam.isStuck) && this.#visit === undefined
  }

  get dues(): readonly number[] {
    return this.#beams.flatMap(beam => [
      beam.debounce.wakeAt,
      ...(beam.isBroken && !beam.isStuck ? [beam.since + STUCK_MS] : []),
    ])
  }

  #edges(beam: Beam, now: number, seen: Sighting[]): Edge[] {
    const edges: Edge[] = []
    const burst = beam.debounce.settle(now)
    const open = burst ?? beam.debounce.open
    if (open?.isSolid && !beam.isBroken) edges.push({ beam, isBroken: true, at: open.from })
    if (burst?.isSolid) edges.push({ beam, isBroken: false, at: burst.to })
    if (burst && !burst.isSolid) seen.push({ kind: 'noise', isHint: false })
    return edges
  }

  #move(edges: readonly Edge[], at: number, seen: Sighting[]): void {
    for (const { beam, isBroken } of edges) {
      beam.isBroken = isBroken
      if (isBroken) this.#broke(beam, at)
      else if (beam.isStuck) this.#mend(beam, seen)
      else if (this.#isStuckBeside(beam)) this.#alone(beam, at, seen)
    }
    if (this.#beams.some(beam => beam.isStuck)) return
    const [outer, inner] = this.#beams as [Beam, Beam]
    const broken = { outside: outer.isBroken, inside: inner.isBroken }
    const isFree = !broken.outside && !broken.inside
    if (!this.#visit && !isFree) this.#visit = new Visit(at)
    this.#visit?.move(broken)
    if (!isFree) return
    const visit = this.#visit
    this.#visit = undefined
    if (visit) this.#judge(visit, at, seen)
  }

  #broke(beam: Beam, at: number): void {
    beam.since = at
    beam.crossings = 0
    for (const other of this.#beams) if (other !== beam && other.isBroken) other.crossings++
  }

  #isStuckBeside(beam: Beam): boolean {
    return this.#beams.some(one => one !== beam && one.isStuck)
  }

  #judge(visit: Visit, at: number, seen: Sighting[]): void {
    if (visit.isOneBlink) {
      seen.push({ kind: 'power', isOut: true, detail: 'both beams went and came back together' })
      seen.push({ kind: 'power', isOut: false, detail: 'both beams are there' })
      return
    }
    const half = visit.half
    const before = this.#half
    this.#half = undefined
    if (half === undefined) {
      this.#sees(seen)
      this.#tell(visit.verdict(), at, seen)
    } else if (before === undefined || before.side === half) {
      const count = (before?.count ?? 0) + 1
      this.#half = { side: half, to: at, count }
      if (count === HALVES_MAX) {
        this.#isBlind = true
        const other = half === 'outside' ? 'beam-b' : 'beam-a'
        seen.push({ kind: 'blind', isBlind: true, detail: `${count} times in a row ${other} saw nobody` })
      }
    } else {
      this.#sees(seen)
      // Beams further apart than a body is wide: one after the other, with a moment of neither.
      if (visit.from - before.to > this.#rules.doubleMs) this.#half = { side: half, to: at, count: 1 }
      else if (half === 'inside') this.#tell({ in: 1, out: 0, outMaybe: 0 }, at, seen)
      else this.#tell({ in: 0, out: 0, outMaybe: 1 }, at, seen)
    }
  }

  #sees(seen: Sighting[]): void {
    if (!this.#isBlind) return
    this.#isBlind = false
    seen.push({ kind: 'blind', isBlind: false, detail: 'both beams see people again' })
  }

  #tell(verdict: Verdict, since: number, seen: Sighting[]): void {
    const tell = (direction: Direction, isSure: boolean) => seen.push({ kind: 'passage', direction, since, isSure })
    for (let k = 0; k < verdict.in; k++) tell('in', k === 0)
    for (let k = 0; k < verdict.out; k++) tell('out', true)
    for (let k = 0; k < verdict.outMaybe; k++) tell('out', false)
  }

  /** The one beam that is left saw somebody go by. */
  #alone(beam: Beam, at: number, seen: Sighting[]): void {
    if (at - beam.since < this.#rules.pulseMsMin) seen.push({ kind: 'noise', isHint: true })
    else seen.push({ kind: 'passage', direction: 'either', since: at, isSure: false })
  }

  #watch(beam: Beam, now: number, seen: Sighting[]): void {
    if (!beam.isBroken || beam.isStuck || now - beam.since < STUCK_MS) return
    const other = this.#beams.find(one => one !== beam) as Beam
    const isPower = other.isBroken && Math.abs(other.since - beam.since) <= this.#rules.bounceMs
    const visit = this.#visit
    this.#visit = undefined
    this.#half = undefined
    beam.isStuck = true
    const detail = `${beam.signal} is broken for ${STUCK_MS} ms and longer`
    seen.push({ kind: 'stuck', signal: beam.signal, isStuck: true, detail })
    if (isPower || !visit) return
    const { in: ins, outMaybe, out } = visit.verdict()
    this.#tell({ in: ins, out: 0, outMaybe: out + outMaybe }, now, seen)
    // Each time the other one was broken meanwhile, somebody may have walked by.
    for (let k = 0; k < beam.crossings; k++)
      seen.push({ kind: 'passage', direction: 'either', since: now, isSure: false })
  }

  #mend(beam: Beam, seen: Sighting[]): void {
    beam.isStuck = false
    seen.push({ kind: 'stuck', signal: beam.signal, isStuck: false, detail: `${beam.signal} is free again` })
  }
}
