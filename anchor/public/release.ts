// Release: one figure for everyone, and how it was made.
//
// Law of the noisy one: somebody who stays for up to `visitHours` is counted in at most `perVisit` releases, and each of
// them shifts by one with that person or without. Noise of the scale perVisit/epsilon on each makes all of them together
// epsilon-differentially private per visit. Rounding into 0…capacity and the words come after the noise and show no more
// than it does. A visit whose exit nobody saw counts as longer than it was.

import type { Mode } from '../../ledger/entry.ts'
import { coarse, stepOf } from '../../mesh/window/coarse.ts'
import type { How, Words } from './answer.ts'
import type { PublicConfig } from './config.ts'
import { type Below, drawLaplace, error95, type Scale } from './laplace.ts'

export interface Release {
  /** which stretch of the wall clock it is for */
  readonly epoch: number
  readonly at: number
  readonly count: number
  readonly capacity: number
}

/** Two releases may be nearer to each other than their epochs by so much. */
export const SLACK_MS = 5000
const COARSE_MINUTES = 1

export function everyMsOf({ counts, everyMinutes }: PublicConfig): number {
  return (counts === 'noisy' ? everyMinutes : COARSE_MINUTES) * 60_000
}

/** In so many releases one visit is counted at most, however it lies between them. */
export function perVisit(config: PublicConfig): number {
  return Math.floor((config.visitHours * 3_600_000) / (everyMsOf(config) - SLACK_MS)) + 1
}

export function scaleOf(config: PublicConfig): Scale {
  return { num: perVisit(config) * 1000, den: config.epsilonPerMille }
}

export interface Counted {
  readonly count: number
  readonly capacity: number
}

/** What is told of a count. */
export function blurred({ count, capacity }: Counted, config: PublicConfig, below: Below): number {
  const about = config.counts === 'noisy' ? count + drawLaplace(scaleOf(config), below) : coarse(count, capacity)
  return Math.min(capacity, Math.max(0, about))
}

export function howOf(config: PublicConfig, capacity: number): How {
  const { counts, epsilonPerMille, visitHours, everyMinutes } = config
  if (counts !== 'noisy') return { mechanism: 'coarse', step: stepOf(capacity), everyMinutes: COARSE_MINUTES }
  return {
    mechanism: 'discrete Laplace',
    epsilon: epsilonPerMille / 1000,
    perVisitHours: visitHours,
    releasesPerVisit: perVisit(config),
    everyMinutes,
    error95: error95(scaleOf(config)),
  }
}

/** Of the figure that is told, never of the count itself. An emergency is no secret. */
export function wordsOf(told: Counted | undefined, mode: Mode): Words {
  if (mode !== 'NORMAL') return 'closed'
  if (told === undefined || told.capacity === 0) return 'unknown'
  const share = told.count / told.capacity
  if (share >= 1) return 'full'
  if (share >= 0.9) return 'nearly full'
  return share >= 0.5 ? 'busy' : 'quiet'
}
