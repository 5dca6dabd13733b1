// Crowd: people who come, stay a while and leave by any door, busy and calm by turns, so that the mall is full for some
// time and has places for some. Who is really inside is counted here, by nobody's books. Doors may be in several processes,
// each with people of its own; the machine has one clock, so what happened at all doors can be put in order afterwards.
//
// What is right can be said only as far as things can be told apart in time: an answer is right if it was at any moment
// between the question and the answer. Whoever was let in took the place somewhere between asking and being told.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Random } from '../../../test/sim/random.ts'
import type { Gates, Told } from './gates.ts'

export interface Crowd {
  readonly gates: readonly number[]
  readonly places: number
  readonly busyPerSecond: number
  readonly calmPerSecond: number
  /** busy for so long, then calm for so long, and again */
  readonly turnMs: number
  readonly stayMs: number
  readonly ms: number
  readonly seed: string
}

export interface Asked {
  readonly dueAt: number
  readonly toldAt: number
  readonly told: Told
}

/** Times in ms since the start. */
export interface CrowdReport {
  /** by a clock that is the same in all processes */
  readonly startedAt: number
  readonly asked: readonly Asked[]
  readonly left: readonly number[]
  /** for so long a process with its doors did nothing at all, at the longest */
  readonly stoodStillMs: number
}

const STANDSTILL_SAMPLE_MS = 10

export async function playCrowd(at: Gates, crowd: Crowd): Promise<CrowdReport> {
  const { gates, busyPerSecond, calmPerSecond, turnMs, stayMs, ms, seed } = crowd
  const random = new Random(seed)
  const asked: Asked[] = []
  const left: number[] = []
  const waiting: Promise<void>[] = []
  const loop = monitorEventLoopDelay({ resolution: STANDSTILL_SAMPLE_MS })
  loop.enable()
  const startedAt = machineMs()
  const start = performance.now()
  const now = () => performance.now() - start
  const leave = (gate: number) => {
    if (now() >= ms) return
    left.push(now())
    at.leave(gate)
  }
  const come = async (dueAt: number, gate: number, exit: number, stay: number) => {
    const told = await at.enter(gate)
    asked.push({ dueAt, toldAt: now(), told })
    if (told === 'in') setTimeout(leave, stay, exit).unref()
  }
  for (let dueAt = 0; dueAt < ms; ) {
    const waitMs = dueAt - now()
    if (waitMs > 0) await new Promise(resolve => (waitMs > 2 ? setTimeout(resolve, waitMs - 1) : setImmediate(resolve)))
    if (now() < dueAt) continue
    waiting.push(come(dueAt, random.pick(gates), random.pick(gates), random.wait(stayMs)))
    const perSecond = Math.floor(dueAt / turnMs) % 2 === 0 ? busyPerSecond : calmPerSecond
    dueAt += random.wait(1000 / perSecond)
  }
  await Promise.all(waiting)
  loop.disable()
  // a sample is the time between two wakes; what is beyond the time asked for is the standstill
  return { startedAt, asked, left, stoodStillMs: Math.max(0, loop.max / 1e6 - STANDSTILL_SAMPLE_MS) }
}

/** Milliseconds since the machine was started: `performance.now` counts from the start of a process. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** What happened at the doors of several processes, by the clock of the first that began. */
export function merged(reports: readonly CrowdReport[]): CrowdReport {
  const startedAt = Math.min(...reports.map(report => report.startedAt))
  const asked: Asked[] = []
  const left: number[] = []
  for (const report of reports) {
    const byMs = report.startedAt - startedAt
    for (const { dueAt, toldAt, told } of report.asked) asked.push({ dueAt: dueAt + byMs, toldAt: toldAt + byMs, told })
    for (const at of report.left) left.push(at + byMs)
  }
  return { startedAt, asked, left, stoodStillMs: Math.max(...reports.map(report => report.stoodStillMs)) }
}

export interface Judged {
  readonly asked: number
  /** decided, in time and rightly */
  readonly right: number
  /** turned away, by whomever, while there was a place all the time */
  readonly forNothing: number
  /** nobody who counts said anything in time */
  readonly unanswered: number
  /** let in although the mall was full all the time */
  readonly tooMany: number
  readonly fullShare: number
  readonly waitsMs: Float64Array
}

/** Of those who asked between two moments. */
export function judge(
  { asked, left }: Pick<CrowdReport, 'asked' | 'left'>,
  places: number,
  from: number,
  to: number,
): Judged {
  const admitted = asked.filter(({ told }) => told === 'in')
  const earliest = stepsOf(
    admitted.map(({ dueAt }) => dueAt),
    left,
  )
  const latest = stepsOf(
    admitted.map(({ toldAt }) => toldAt),
    left,
  )
  const some = asked.filter(({ dueAt }) => dueAt >= from && dueAt < to)
  let [right, forNothing, unanswered, tooMany, full] = [0, 0, 0, 0, 0]
  for (const { dueAt, toldAt, told } of some) {
    const mayBeFull = extreme(earliest, dueAt, toldAt, Math.max) >= places
    // whoever asks is in the later count at the moment they are told
    const mayHavePlace = extreme(latest, dueAt, toldAt - 1e-9, Math.min) < places
    if (mayBeFull) full++
    if (told === 'none') unanswered++
    if (told === 'in' && !mayHavePlace) tooMany++
    if (told !== 'in' && !mayBeFull) forNothing++
    if ((told === 'in' && mayHavePlace) || (told === 'full' && mayBeFull)) right++
  }
  const waitsMs = Float64Array.from(some.map(({ dueAt, toldAt }) => toldAt - dueAt))
  return {
    asked: some.length,
    right,
    forNothing,
    unanswered,
    tooMany,
    fullShare: full / some.length,
    waitsMs,
  }
}

/** How many are inside after each moment at which that changes. */
type Steps = readonly { readonly at: number; readonly inside: number }[]

function stepsOf(came: readonly number[], left: readonly number[]): Steps {
  const moves = [...came.map(at => ({ at, by: 1 })), ...left.map(at => ({ at, by: -1 }))].sort((a, b) => a.at - b.at)
  let inside = 0
  return moves.map(({ at, by }) => {
    inside += by
    return { at, inside }
  })
}

/** Of all that was inside between two moments, what stood at the first of them included. */
function extreme(steps: Steps, from: number, to: number, of: (a: number, b: number) => number): number {
  let [low, high] = [0, steps.length]
  while (low < high) {
    const mid = (low + high) >> 1
    if ((steps[mid] as { at: number }).at <= from) low = mid + 1
    else high = mid
  }
  let value = steps[low - 1]?.inside ?? 0
  for (let i = low; i < steps.length && (steps[i] as { at: number }).at <= to; i++)
    value = of(value, (steps[i] as { inside: number }).inside)
  return value
}
