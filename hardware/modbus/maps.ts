// Maps: registers of boards that we know, by the names that config may use instead of a map of its own.

import type { CounterMap, RelayMap } from '../config.ts'

/** Relay and input boards with eight of each, 9600 8N1 from the factory. */
const WAVESHARE: RelayMap = {
  kind: 'relay',
  inputs: { function: 2, base: 0x0000, count: 8 },
  coils: { base: 0x0000, count: 8 },
  flash: { base: 0x0200, stepMs: 100, valueMax: 0x7fff },
  // 0: a relay does what it is told. Other modes tie it to an input, and one of those may be what the factory left.
  setup: Array.from({ length: 8 }, (_, k) => ({ at: 0x1000 + k, value: 0 })),
}

/** Turnstiles that count by themselves, 115200 8N1 from the factory. */
const LOT: CounterMap = {
  kind: 'counter',
  permit: { at: 0x40, free: 0xffff },
  exits: { at: 0x41, free: 0xffff },
  counters: { at: 0x44 },
  error: { at: 0x48 },
  // Seconds to pass: no longer than `passageMs`, or the arm would still let somebody in on a grant that lapsed.
  setup: [{ at: 0x3011, value: 5 }],
}

export const MAPS = { waveshare: WAVESHARE, lot: LOT } as const satisfies Record<string, RelayMap | CounterMap>
