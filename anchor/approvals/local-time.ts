// Local time: what the clocks of a place show, summer time included.

export interface LocalTime {
  /** as in 2026-11-16 */
  readonly day: string
  /** as in 23:30 */
  readonly clock: string
}

const formats = new Map<string, Intl.DateTimeFormat>()

export function isZone(zone: string): boolean {
  try {
    formatOf(zone)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

export function localTime(wall: number, zone: string): LocalTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(wall)
      .map(({ type, value }) => [type, value]),
  )
  const [year, month, day, hour, minute] = PARTS.map(part => parts.get(part) ?? '')
  return { day: `${year}-${month}-${day}`, clock: `${hour}:${minute}` }
}

const PARTS = ['year', 'month', 'day', 'hour', 'minute'] as const

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const two = '2-digit'
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    hourCycle: 'h23',
  })
  formats.set(timeZone, format)
  return format
}
