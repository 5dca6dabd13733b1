// Xovis: packages of events, pushed. Each event brings the total of the counter that it moved, so that the next package
// repairs what a lost one would have said.

import type { OpticalConfig } from './config.ts'
import type { Payload } from './payload.ts'
import type { OpticalMessage, OpticalReading } from './reading.ts'

interface Counted {
  value: number
  steps: number
  time: number | undefined
}

export function readXovis(payload: Payload, { counterIds }: OpticalConfig): OpticalMessage {
  const live = payload.get('live_data')
  const number = live.get('package_info').get('id').count()
  const device = live.get('sensor_info').get('serial_number').textOr('xovis')
  const counted = new Map<number, Counted>()
  for (const frame of live.get('frames').listIfAny()) {
    const time = frame.get('time').timeIfAny()
    for (const event of frame.get('events').listIfAny()) {
      if (event.get('type').textOr('') !== 'COUNT_INCREMENT') continue
      const id = event.get('attributes').get('counter_id').count()
      const value = event.get('attributes').get('counter_value').count()
      const before = counted.get(id)
      counted.set(id, { value: Math.max(value, before?.value ?? 0), steps: (before?.steps ?? 0) + 1, time })
    }
  }
  const readings = [...counted].flatMap(([id, { value, steps, time }]): OpticalReading[] => {
    const isIn = counterIds?.in.includes(id) ?? false
    if (!isIn && !counterIds?.out.includes(id)) return []
    const way = (count: number) => (isIn ? { in: count, out: 0 } : { in: 0, out: count })
    const news = way(Math.min(steps, value))
    return [
      {
        device: `${device}#${id}`,
        counts: 'cumulative',
        ...way(value),
        news,
        ...(time === undefined ? {} : { time }),
      },
    ]
  })
  return { readings, package: { device, number } }
}
