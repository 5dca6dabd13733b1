// Load: people who come to doors, in one of two ways.
//
// closed   at every door so many stand in line; the next asks when the one before has been answered. Says what can be had.
// open     people come by the clock, whether those before them were answered or not, and each one's wait counts from the
//          moment they were due. Says what is felt: a contender that stops for a second makes everyone of that second wait.

import { Random } from '../../../test/sim/random.ts'
import type { Gates, Told } from './gates.ts'

export interface ClosedLoad {
  readonly kind: 'closed'
  readonly gates: readonly number[]
  readonly perGate: number
  readonly ms: number
}

export interface OpenLoad {
  readonly kind: 'open'
  readonly gates: readonly number[]
  /** at all these gates together */
  readonly perSecond: number
  readonly ms: number
  /** how long answers are waited for after the last one came */
  readonly drainMs: number
  readonly seed: string
}

export interface Report {
  readonly asked: number
  readonly told: Readonly<Record<Told, number>>
  /** from being due to the answer, of those let in, and of those who were not */
  readonly admitMs: Float64Array
  readonly rejectMs: Float64Array
  /** nobody told them anything by the end */
  readonly unanswered: number
  readonly tookMs: number
}

class Tally {
  readonly told: Record<Told, number> = { in: 0, full: 0, none: 0 }
  readonly #admits: number[] = []
  readonly #rejects: number[] = []
  asked = 0

  take(told: Told, ms: number): void {
    this.told[told]++
    if (told === 'in') this.#admits.push(ms)
    else this.#rejects.push(ms)
  }

  get answered(): number {
    return this.#admits.length + this.#rejects.length
  }

  report(tookMs: number): Report {
    const { told, asked } = this
    const admitMs = Float64Array.from(this.#admits)
    const rejectMs = Float64Array.from(this.#rejects)
    return { asked, told: { ...told }, admitMs, rejectMs, unanswered: asked - this.answered, tookMs }
  }
}

export type Load = ClosedLoad | OpenLoad

export function play(gates: Gates, load: Load): Promise<Report> {
  return load.kind === 'closed' ? closed(gates, load) : open(gates, load)
}

async function closed(at: Gates, { gates, perGate, ms }: ClosedLoad): Promise<Report> {
  const tally = new Tally()
  const start = performance.now()
  const line = async (gate: number) => {
    for (let due = performance.now(); due - start < ms; due = performance.now()) {
      tally.asked++
      const told = await at.enter(gate)
      tally.take(told, performance.now() - due)
    }
  }
  await Promise.all(gates.flatMap(gate => Array.from({ length: perGate }, () => line(gate))))
  return tally.report(performance.now() - start)
}

/** Below this, waiting for the next one in turns of the loop is cheaper than being late. */
const SPARSE_PER_SECOND = 1000

async function open(at: Gates, { gates, perSecond, ms, drainMs, seed }: OpenLoad): Promise<Report> {
  const tally = new Tally()
  const random = new Random(seed)
  const count = Math.floor((perSecond * ms) / 1000)
  const stepMs = 1000 / perSecond
  const start = performance.now()
  const one = (dueAt: number) => {
    tally.asked++
    void at.enter(random.pick(gates)).then(told => tally.take(told, performance.now() - dueAt))
  }
  let next = 0
  await new Promise<void>(resolve => {
    const turn = () => {
      for (const now = performance.now(); next < count && start + next * stepMs <= now; next++)
        one(start + next * stepMs)
      if (next >= count) return resolve()
      const waitMs = start + next * stepMs - performance.now()
      // timers come up to a millisecond late
      if (perSecond > SPARSE_PER_SECOND) setTimeout(turn, 1)
      else if (waitMs > 2) setTimeout(turn, Math.floor(waitMs - 1))
      else setImmediate(turn)
    }
    turn()
  })
  const until = performance.now() + drainMs
  while (tally.answered < tally.asked && performance.now() < until) await new Promise(resolve => setTimeout(resolve, 5))
  return tally.report(performance.now() - start)
}
