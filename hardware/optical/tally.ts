// Tally: one device's readings, whatever they are, into people since the reading before.
//
// Laws: nobody is counted twice, however often and in whatever order a device tells of them, and nobody is taken back.
// Totals that went down are a reset when they were seen twice; one alone may be an old message. Where people cannot have
// walked as many, nobody is counted and the reading is the new beginning: that was no person but a broken device.
// (The hour that clocks repeat in autumn has one name twice in an export without zone: its second half goes uncounted.)

import { type Flow, NOBODY, type OpticalReading } from './reading.ts'

export interface DeviceMemory {
  readonly in: number
  readonly out: number
  /** wall clock of the gate when it was heard last */
  readonly at: number
  /** by the device's own clock: of totals when they were told, of intervals where the newest ended */
  readonly time?: number
  /** intervals that may still be told again: id, in, out, beginning */
  readonly seen?: readonly (readonly [string, number, number, number | null])[]
  /** intervals that began no later were forgotten, and are not news */
  readonly floor?: number
}

export type Flaw = 'first' | 'doubt' | 'reset' | 'gap' | 'rate'

export interface Taken extends Flow {
  readonly flaw?: Flaw
}

/** Several lanes under one lens, at a run. */
const PER_MINUTE_MAX = 240
const AT_ONCE_MAX = 30
/** An older message of the same device comes at most so late; what goes back further is a clock that was set. */
const LATE_MS_MAX = 3_600_000
/** Between the end of an interval and the beginning of the next: a second, at some. */
const SEAM_MS = 5000
const SEEN_MAX = 128

export class Tally {
  #known: { in: number; out: number; at: number; time: number | undefined } | undefined
  #lower: OpticalReading | undefined
  readonly #seen = new Map<string, { in: number; out: number; readonly time: number | undefined }>()
  #floor = Number.NEGATIVE_INFINITY

  constructor(memory?: DeviceMemory) {
    if (memory === undefined) return
    this.#known = { in: memory.in, out: memory.out, at: memory.at, time: memory.time }
    for (const [id, people, left, time] of memory.seen ?? []) {
      this.#seen.set(id, { in: people, out: left, time: time ?? undefined })
    }
    this.#floor = memory.floor ?? Number.NEGATIVE_INFINITY
  }

  get memory(): DeviceMemory | undefined {
    if (this.#known === undefined) return undefined
    const { in: people, out, at, time } = this.#known
    return {
      ...{ in: people, out, at },
      ...(time === undefined ? {} : { time }),
      ...(this.#seen.size === 0 ? {} : { seen: [...this.#seen].map(([id, s]) => [id, s.in, s.out, s.time ?? null]) }),
      ...(Number.isFinite(this.#floor) ? { floor: this.#floor } : {}),
    }
  }

  /** `isNew`: this message is the first of this device, so that what it tells of may be long ago. */
  take(reading: OpticalReading, isNew: boolean, wall: number): Taken {
    return reading.counts === 'cumulative' ? this.#total(reading, wall) : this.#interval(reading, isNew, wall)
  }

  #total(r: OpticalReading, wall: number): Taken {
    const known = this.#known
    if (known === undefined) {
      this.#keep(r, wall)
      return { ...(r.news ?? NOBODY), flaw: 'first' }
    }
    if (r.in >= known.in && r.out >= known.out) {
      const people = { in: r.in - known.in, out: r.out - known.out }
      const isWalked = canWalk(people, wall - known.at)
      this.#keep(r, wall)
      return isWalked ? people : { ...(r.news ?? NOBODY), flaw: 'rate' }
    }
    if (r.time !== undefined && known.time !== undefined) {
      const lateMs = known.time - r.time
      if (lateMs > 0 && lateMs < LATE_MS_MAX) return NOBODY
    }
    const lower = this.#lower
    const isSame = lower !== undefined && r.time !== undefined && r.time === lower.time
    if (isSame) return { ...NOBODY, flaw: 'doubt' }
    if (lower === undefined || r.in < lower.in || r.out < lower.out) {
      this.#lower = r
      return { ...NOBODY, flaw: 'doubt' }
    }
    const since = { in: r.in, out: r.out }
    const isWalked = canWalk(since, wall - known.at)
    this.#keep(r, wall)
    return { ...(isWalked ? since : NOBODY), flaw: 'reset' }
  }

  #keep(r: OpticalReading, wall: number): void {
    this.#known = { in: r.in, out: r.out, at: wall, time: r.time ?? this.#known?.time }
    this.#lower = undefined
  }

  #interval(r: OpticalReading, isNew: boolean, wall: number): Taken {
    const before = r.id === undefined ? undefined : this.#seen.get(r.id)
    const known = this.#known
    const ended = known?.time
    this.#known = { in: 0, out: 0, at: wall, time: latest(ended, r.until) }
    if (before !== undefined) {
      const more = { in: Math.max(0, r.in - before.in), out: Math.max(0, r.out - before.out) }
      if (!canWalk(more, lengthOf(r))) return { ...NOBODY, flaw: 'rate' }
      before.in += more.in
      before.out += more.out
      return more
    }
    if (r.time !== undefined && r.time <= this.#floor) return NOBODY
    if (r.id !== undefined) this.#remember(r.id, r)
    if (isNew) return { ...NOBODY, flaw: 'first' }
    if (!canWalk(r, Math.max(lengthOf(r), known === undefined ? 0 : wall - known.at)))
      return { ...NOBODY, flaw: 'rate' }
    const people = { in: r.in, out: r.out }
    const isHole = r.time !== undefined && ended !== undefined && r.time - ended > SEAM_MS
    return isHole ? { ...people, flaw: 'gap' } : people
  }

  #remember(id: string, r: OpticalReading): void {
    this.#seen.set(id, { in: r.in, out: r.out, time: r.time })
    while (this.#seen.size > SEEN_MAX) {
      const [oldest, { time = Number.NEGATIVE_INFINITY }] = this.#seen.entries().next().value as [
        string,
        Flow & { time?: number },
      ]
      this.#seen.delete(oldest)
      this.#floor = Math.max(this.#floor, time)
    }
  }
}

function canWalk(people: Flow, ms: number): boolean {
  return Math.max(people.in, people.out) <= AT_ONCE_MAX + (Math.max(0, ms) * PER_MINUTE_MAX) / 60_000
}

function lengthOf({ time, until }: OpticalReading): number {
  return time === undefined || until === undefined ? 0 : until - time
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
}
