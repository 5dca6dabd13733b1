// Series table: the count as rows for a spreadsheet: every minute of a day, or every day of a month. What is not known is empty.

import { csvRow } from '../../../anchor/api/csv-row.ts'
import { ClockFace } from './clock-face.ts'
import { MINUTE_MS } from './period.ts'
import type { Report } from './report.ts'
import { LEVELS, type Level } from './series.ts'

const SECONDS = {
  '50 %': 'secondsAt50',
  '75 %': 'secondsAt75',
  '90 %': 'secondsAt90',
  limit: 'secondsAtLimit',
  above: 'secondsAboveLimit',
  legal: 'secondsAboveLegalMax',
} as const satisfies Record<Level, string>

const seconds = (ms: number) => Math.round(ms / 1000)

export function* seriesRows(report: Report): Generator<string> {
  const face = new ClockFace(report.period)
  const levels = LEVELS.map(level => SECONDS[level])
  if (report.period.kind === 'day') {
    yield csvRow(['minute', 'utc', 'low', 'high', 'last', 'limit', ...levels])
    const { minutes, above } = report.curve
    for (const [i, minute] of minutes.entries()) {
      const from = report.period.from + i * MINUTE_MS
      const known = minute && [minute.low, minute.high, minute.last, minute.limit]
      const times = LEVELS.map(level => (minute ? seconds(above[level][i] as number) : undefined))
      yield csvRow([face.iso(from), new Date(from).toISOString(), ...(known ?? NOTHING), ...times])
    }
    return
  }
  yield csvRow(['day', 'fromUtc', 'low', 'high', 'last', 'limit', ...levels])
  for (const { name, from, known, above } of report.days) {
    const figures = known && [known.low, known.high, known.last, known.limit]
    const times = LEVELS.map(level => (known ? seconds(above[level]) : undefined))
    yield csvRow([name, new Date(from).toISOString(), ...(figures ?? NOTHING), ...times])
  }
}

const NOTHING = [undefined, undefined, undefined, undefined] as const
