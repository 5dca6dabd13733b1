// AXIS: People Counter's live sums, and the intervals that a 3D People Counter exports.
//
// Live sums are of the day and begin again at midnight. An export tells of every interval of the time asked for, again
// and again, and the last of them is still growing.

import type { Payload } from './payload.ts'
import type { OpticalMessage, OpticalReading } from './reading.ts'

/** `GET /local/tvpc/.api?live-sum.json`. Its time has no zone and is not needed: an answer is of now. */
export function readLiveSum(payload: Payload): OpticalMessage {
  const reading: OpticalReading = {
    device: payload.get('serial').text(),
    counts: 'cumulative',
    in: payload.get('in').count(),
    out: payload.get('out').count(),
  }
  return { readings: [reading] }
}

/** `GET /a3dpc/api/export/json?start=today&end=now&resolution=minute`. It says nothing of who it is. */
export function readExport(payload: Payload): OpticalMessage {
  const readings = payload
    .get('data')
    .list()
    .map((row): OpticalReading => {
      const time = row.get('start').time()
      const until = row.get('end').time()
      const counts = { in: row.get('in').count(), out: row.get('out').count() }
      return { device: 'export', counts: 'interval', ...counts, id: String(time), time, until }
    })
  return { readings: readings.sort((a, b) => (a.time ?? 0) - (b.time ?? 0)) }
}
