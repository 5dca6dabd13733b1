// Reader: a message of an optical counter as text, into readings.

import { HardwareFault } from '../turnstile.ts'
import { readExport, readLiveSum } from './axis.ts'
import type { OpticalConfig, OpticalFormat } from './config.ts'
import { readMilesight } from './milesight.ts'
import { Payload } from './payload.ts'
import type { OpticalMessage, OpticalReading } from './reading.ts'
import { readXovis } from './xovis.ts'

const READERS = {
  axis: readLiveSum,
  'axis-3d': readExport,
  xovis: readXovis,
  milesight: readMilesight,
  json: readMapped,
} as const satisfies Record<OpticalFormat, (payload: Payload, config: OpticalConfig) => OpticalMessage>

/** Throws a HardwareFault that says what is wrong, and where. */
export function readMessage(text: string, config: OpticalConfig): OpticalMessage {
  const message = READERS[config.format](Payload.read(text), config)
  return config.isSwapped ? { ...message, readings: message.readings.map(turned) } : message
}

function readMapped(payload: Payload, { name, map }: OpticalConfig): OpticalMessage {
  if (map === undefined) throw new HardwareFault('NOISE', `${name}: no map says where the counts stand`)
  const reading: OpticalReading = {
    device: map.device === undefined ? name : payload.find(map.device).text(),
    counts: map.counts,
    in: payload.find(map.in).count(),
    out: payload.find(map.out).count(),
    ...(map.id === undefined ? {} : { id: payload.find(map.id).text() }),
  }
  return { readings: [reading] }
}

function turned({ news, ...reading }: OpticalReading): OpticalReading {
  const back = news === undefined ? {} : { news: { in: news.out, out: news.in } }
  return { ...reading, in: reading.out, out: reading.in, ...back }
}
