// Moment: a time as people write it on a command line, and as it is shown to them.

import { Usage } from '../command.ts'

const CLOCK = /^([01]?[0-9]|2[0-3]):([0-5][0-9])$/
const DAY = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?$/

/** `18:00` (the next one), `2026-11-16T18:00` on this machine's clock, or with a zone; ms since 1970. */
export function parseMoment(option: string, text: string, now: number): number {
  const clock = CLOCK.exec(text)
  if (clock !== null) {
    const at = new Date(now)
    at.setHours(Number(clock[1]), Number(clock[2]), 0, 0)
    if (at.getTime() <= now) at.setDate(at.getDate() + 1)
    return at.getTime()
  }
  const ms = DAY.test(text) ? new Date(text.replace(' ', 'T')).getTime() : Number.NaN
  if (Number.isSafeInteger(ms) && ms >= 0) return ms
  throw new Usage(
    `${option} takes a time, as in 18:00, 2026-11-16T18:00 or 2026-11-16T18:00+01:00, not ${JSON.stringify(text)}`,
  )
}

const WHOLE = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const
const MINUTES = new Intl.DateTimeFormat('en-GB', WHOLE)
const SECONDS = new Intl.DateTimeFormat('en-GB', { ...WHOLE, second: '2-digit' })

/** On this machine's clock; with seconds where there are any. */
export function shownMoment(ms: number): string {
  if (!Number.isFinite(new Date(ms).getTime())) return `${ms} ms`
  return (ms % 60_000 === 0 ? MINUTES : SECONDS).format(ms)
}
