// Config of what a mall tells the public: how many are inside, coarse or with noise, or not at all.
//
// Law: nothing is told unless somebody wrote down how.

import type { Form } from '../../mesh/form.ts'

export const COUNTS = ['off', 'coarse', 'noisy'] as const

export interface PublicConfig {
  readonly counts: (typeof COUNTS)[number]
  /** door displays may say about how many places are left */
  readonly places: boolean
  /** of noisy counts: how much one visit may show, in thousandths; less is more private */
  readonly epsilonPerMille: number
  readonly everyMinutes: number
  /** who stays longer is told apart a little better than promised */
  readonly visitHours: number
}

export const NOTHING_PUBLIC: PublicConfig = {
  counts: 'off',
  places: false,
  epsilonPerMille: 1000,
  everyMinutes: 15,
  visitHours: 4,
}

export function readPublic(form: Form): PublicConfig {
  const inner = form.form('public')
  if (inner === undefined) return NOTHING_PUBLIC
  const { epsilonPerMille, everyMinutes, visitHours } = NOTHING_PUBLIC
  const config = {
    counts: inner.oneOf('counts', COUNTS, 'off'),
    places: inner.flag('places', false),
    epsilonPerMille: inner.whole('epsilonPerMille', { min: 1, max: 10_000, otherwise: epsilonPerMille }),
    everyMinutes: inner.whole('everyMinutes', { min: 1, max: 1440, otherwise: everyMinutes }),
    visitHours: inner.whole('visitHours', { min: 1, max: 72, otherwise: visitHours }),
  }
  inner.close()
  return config
}
