// Milesight: people counters that push a report of every interval, and with it, where that is switched on, totals.
//
// Law: totals, where there are some, and not the intervals beside them: a report that got lost is repaired by the next
// total, and nobody is counted twice. Reports of single crossings beside either say nothing new.

import type { Payload } from './payload.ts'
import type { OpticalMessage, OpticalReading } from './reading.ts'

export function readMilesight(payload: Payload): OpticalMessage {
  const info = payload.get('device_info')
  const device = info.get('device_sn').isThere ? info.get('device_sn').text() : info.get('device_mac').text()
  const time = payload.get('time_info').get('start_time').timeIfAny()
  const until = payload.get('time_info').get('end_time').timeIfAny()
  const totals = payload.get('line_total_data').listIfAny()
  if (totals.length > 0) {
    return { readings: totals.map((line, k) => ({ ...lineOf(line, k, device), counts: 'cumulative' })) }
  }
  const intervals = payload.get('line_periodic_data').listIfAny()
  const when = intervals.length === 0 ? undefined : (time ?? payload.get('time_info').get('start_time').time())
  return {
    readings: intervals.map((line, k) => ({
      ...lineOf(line, k, device),
      counts: 'interval',
      ...(when === undefined ? {} : { id: String(when), time: when }),
      ...(until === undefined ? {} : { until }),
    })),
  }
}

/** Newer firmware has people of every kind under `total`. */
function lineOf(line: Payload, k: number, device: string): Omit<OpticalReading, 'counts'> {
  const people = line.get('total').isThere ? line.get('total') : line
  const count = (name: string) => {
    const counted = people.get(`${name}_counted`)
    return counted.isThere ? counted.count() : people.get(name).count()
  }
  return { device: `${device}#${line.get('line').textOr(String(k + 1))}`, in: count('in'), out: count('out') }
}
