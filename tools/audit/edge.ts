// Edge: where a period begins or ends, as people say it on the command line.

import { Usage } from '../command.ts'

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/

/** ms since 1970, a time, or a day on this machine's clock: from its beginning, to its end. */
export function parseEdge(option: '--from' | '--to', text: string): number {
  const ms = /^\d{1,16}$/.test(text) ? Number(text) : dayEdge(option, text)
  if (Number.isSafeInteger(ms) && ms >= 0) return ms
  throw new Usage(
    `${option} takes a day (2026-11-16, on this machine’s clock), a time (2026-11-16T18:00, or with Z or +01:00 after it), ` +
      `or ms since 1970, not ${JSON.stringify(text.slice(0, 60))}`,
  )
}

function dayEdge(option: string, text: string): number {
  const day = DAY.exec(text)
  if (day === null) return TIME.test(text) ? new Date(text.replace(' ', 'T')).getTime() : Number.NaN
  const [year, month, date] = day.slice(1).map(Number) as [number, number, number]
  const begin = new Date(year, month - 1, date)
  // 31 February would pass for a day in March
  if (begin.getMonth() !== month - 1 || begin.getDate() !== date) return Number.NaN
  return option === '--from' ? begin.getTime() : new Date(year, month - 1, date + 1).getTime()
}
