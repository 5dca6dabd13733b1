// Soft: no hardware at all. Programs and guards with a clicker tell the gate over HTTP who came and who left; an arm
// that is named in the config is somebody with a rope, who is not steered from here.

import type { Lane, LaneState, Turnstile, TurnstileState } from './turnstile.ts'

export class SoftTurnstile implements Turnstile {
  readonly lanes: readonly Lane[]

  constructor(names: readonly string[]) {
    this.lanes = names.map(softLane)
  }

  state(): TurnstileState {
    const lanes = this.lanes.map(lane => stateOf(lane.name))
    return { driver: 'soft', isLatched: false, fire: 'unknown', key: 'unknown', lanes, link: {} }
  }

  async start(): Promise<void> {}

  rearm(): boolean {
    return true
  }

  async stop(): Promise<void> {}
}

function softLane(name: string): Lane {
  const nothing = () => undefined
  return {
    name,
    entry: { grant: nothing, refuse: nothing, hold: nothing, release: nothing },
    exit: { free: nothing },
  }
}

function stateOf(name: string): LaneState {
  const nobody = { in: 0, out: 0, doubles: 0, noises: 0, confidence: 1000, inputs: {}, faults: [] }
  return { name, isUp: true, isHeld: false, isReleased: false, ...nobody }
}
