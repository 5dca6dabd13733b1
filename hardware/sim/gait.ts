// Gait: which sensors somebody moves on their way through an arm, and when.

import type { Signal } from '../io.ts'
import type { Chance } from './chance.ts'
import type { Way } from './person.ts'

export interface Step {
  readonly atMs: number
  readonly signal: Signal
  readonly isPressed: boolean
}

/** Which sensors are moved when, and when the person is through; the arm may swing on for a moment. */
export interface Walk {
  readonly steps: readonly Step[]
  readonly throughMs: number
  readonly tookMs: number
}

export interface Gait {
  readonly signals: readonly Signal[]
  /** of somebody who is neither slow nor quick */
  readonly walkMs: number
  readonly chance: Chance
}

/** PASS contacts are open for at least so long: the shortest that makers promise. */
const PASS_MS_MIN = 100
/** Of a thousand passages, so many make the arm swing back and touch the contact once more. */
const REBOUND_PER_MILLE = 40
const REBOUND_MS = [60, 90] as const
const REBOUND_AFTER_MS = [15, 40] as const

/** `back`: in as far as the first sensors, and out again. */
export function walkOf(way: Way | 'back', gait: Gait): Walk {
  const { signals, walkMs, chance } = gait
  const tookMs = Math.max(PASS_MS_MIN, walkMs * chance.between(0.8, 1.3))
  const hasBeams = signals.includes('beam-a') && signals.includes('beam-b')
  const steps = hasBeams ? beamSteps(way, tookMs) : []
  if (way !== 'back' && signals.includes(way)) steps.push(...contactSteps(way, tookMs))
  const throughMs = Math.max(tookMs, ...steps.map(({ atMs }) => atMs))
  const isRebound = way !== 'back' && signals.includes(way) && chance.isOne(REBOUND_PER_MILLE)
  if (!isRebound) return { steps, throughMs, tookMs: throughMs }
  const from = throughMs + chance.between(...REBOUND_AFTER_MS)
  const to = from + chance.between(...REBOUND_MS)
  return { steps: [...steps, ...pulse(way, from, to)], throughMs, tookMs: to }
}

/** The contact opens once the arm is beyond the middle, and closes when it is home. */
function contactSteps(way: Way, tookMs: number): Step[] {
  return pulse(way, Math.min(tookMs * 0.5, tookMs - PASS_MS_MIN), tookMs)
}

function beamSteps(way: Way | 'back', tookMs: number): Step[] {
  const [first, second] = way === 'out' ? (['beam-b', 'beam-a'] as const) : (['beam-a', 'beam-b'] as const)
  if (way === 'back') {
    return [...pulse(first, tookMs * 0.2, tookMs), ...pulse(second, tookMs * 0.5, tookMs * 0.7)]
  }
  return [...pulse(first, tookMs * 0.2, tookMs * 0.7), ...pulse(second, tookMs * 0.45, tookMs)]
}

function pulse(signal: Signal, fromMs: number, toMs: number): Step[] {
  return [
    { atMs: fromMs, signal, isPressed: true },
    { atMs: toMs, signal, isPressed: false },
  ]
}
