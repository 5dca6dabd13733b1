// Config of approvals: the nightly reset, where a mall wants one.

import type { Form } from '../../mesh/form.ts'
import { isZone } from './local-time.ts'

export interface ResetConfig {
  /** on the clock of `zone`, as in 23:30 */
  readonly at: string
  /** as in Europe/Berlin */
  readonly zone: string
  /** people who are inside then, once the building is declared empty: guards, cleaners */
  readonly to: number
}

export interface ApprovalsConfig {
  readonly reset?: ResetConfig
}

const CLOCK = /^([01][0-9]|2[0-3]):[0-5][0-9]$/
const PEOPLE_MAX = 1_000_000

/** Reads `"reset": { "at": "23:30", "zone": "Europe/Berlin", "to": 0 }`. */
export function readApprovals(form: Form): ApprovalsConfig {
  const fields = form.form('reset')
  if (fields === undefined) return {}
  const reset = {
    at: fields.text('at', 'a time of day, as in "23:30"', text => CLOCK.test(text)),
    zone: fields.text('zone', 'a time zone, as in "Europe/Berlin"', isZone),
    to: fields.whole('to', { min: 0, max: PEOPLE_MAX, otherwise: 0 }),
  }
  fields.close()
  return { reset }
}
