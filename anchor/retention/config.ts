// Config of retention: how long things stay where they are found at once, and how long they are kept at all.
//
// Law: evidence is kept for a year at least, whatever a config says.

import type { Form } from '../../mesh/form.ts'

export interface RetentionConfig {
  /** entries stay in the database for so many days after theirs was closed */
  readonly hotDays: number
  /** where files of closed days go; without it nothing is written, and nothing is ever forgotten */
  readonly archive?: string
  /** files are kept for so many days after theirs was closed */
  readonly keepDays: number
  /** what keepDays may not undercut here */
  readonly minDays: number
}

export const YEAR_DAYS = 365
const HOT_DAYS = 35
/** Seven years: as long as somebody may be sued over a fire. */
const KEEP_DAYS = 2557
const DAYS_MAX = 36_500

export function readRetention(form: Form): RetentionConfig {
  const none = { hotDays: HOT_DAYS, keepDays: KEEP_DAYS, minDays: YEAR_DAYS }
  if (form.kind('retention') === 'none') return none
  const inner = form.form('retention')
  if (inner === undefined) return none
  const hotDays = inner.whole('hotDays', { min: 1, max: DAYS_MAX, otherwise: HOT_DAYS })
  const minDays = inner.whole('minDays', { min: YEAR_DAYS, max: DAYS_MAX, otherwise: YEAR_DAYS })
  const keepDays = inner.whole('keepDays', { min: YEAR_DAYS, max: DAYS_MAX, otherwise: KEEP_DAYS })
  const archive = inner.kind('archive') === 'none' ? {} : { archive: inner.path('archive') }
  inner.close()
  if (keepDays < minDays) inner.complain('keepDays', `at least minDays, which is ${minDays}, not ${keepDays}`)
  if (hotDays > keepDays) inner.complain('hotDays', `at most keepDays, which is ${keepDays}, not ${hotDays}`)
  return { hotDays, keepDays, minDays, ...archive }
}
