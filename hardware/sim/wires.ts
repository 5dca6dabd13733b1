// Wires: what a played turnstile is wired with where its config leaves that open: a reader, two PASS contacts, a fire loop
// and a key switch, so that everything above sees it as it sees a real one.

import type { HardwareConfig, LaneConfig, Wire } from '../config.ts'

const wire = (at: number, normally: Wire['normally']): Wire => ({ on: 'sim', at, normally })

/** The same config, with the wires that the model has anyway. */
export function wired(config: HardwareConfig): HardwareConfig {
  return {
    ...config,
    lanes: config.lanes.map(wiredLane),
    fire: config.fire ?? wire(0, 'closed'),
    key: config.key ?? wire(1, 'open'),
  }
}

function wiredLane(lane: LaneConfig, nth: number): LaneConfig {
  if (Object.keys(lane.inputs).length > 0) return lane
  const at = 2 + 3 * nth
  return { ...lane, inputs: { ask: wire(at, 'open'), in: wire(at + 1, 'closed'), out: wire(at + 2, 'closed') } }
}
