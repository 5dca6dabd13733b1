// Lane eye: what the sensors of one lane tell from a moment on, as the gate shows it.
//
// Law: a gate that was started anew counts from nothing, so what it shows then says nothing of the time before: the step
// is void, and never a count that happens to fit.

import type { LaneState } from '../../hardware/turnstile.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Flow } from './accuracy.ts'
import type { GateTalk, Status } from './gate-talk.ts'

export interface Seen extends Flow {
  readonly doubles: number
  readonly noises: number
}

/** The name by which a gate without lanes is checked: all that it counts. */
export const WHOLE_GATE = 'all'

export class LaneEye {
  readonly lane: string
  readonly #talk: GateTalk
  readonly #since: LaneState
  readonly #startedAt: number
  #last: LaneState

  private constructor(talk: GateTalk, lane: string, startedAt: number, since: LaneState) {
    this.#talk = talk
    this.lane = lane
    this.#startedAt = startedAt
    this.#since = since
    this.#last = since
  }

  static async open(talk: GateTalk, lane: string): Promise<LaneEye> {
    const { startedAt } = await talk.status()
    return new LaneEye(talk, lane, startedAt, await laneOf(talk, lane))
  }

  /** The lane as it was when last looked at. */
  get state(): LaneState {
    return this.#last
  }

  async look(): Promise<Seen> {
    this.#last = await laneOf(this.#talk, this.lane)
    const since = this.#since
    const { in: came, out, doubles, noises } = this.#last
    const seen = {
      in: came - since.in,
      out: out - since.out,
      doubles: doubles - since.doubles,
      noises: noises - since.noises,
    }
    if (Object.values(seen).some(n => n < 0)) throw startedAnew()
    return seen
  }

  /** The last look of a step, with proof that the gate ran through all of it. */
  async conclude(): Promise<Seen> {
    const seen = await this.look()
    const { startedAt } = await this.#talk.status()
    if (startedAt !== this.#startedAt) throw startedAnew()
    return seen
  }
}

function startedAnew(): Fault {
  return new Fault('STARTED_ANEW', 'the gate was started anew meanwhile: this step says nothing, do it again')
}

async function laneOf(talk: GateTalk, name: string): Promise<LaneState> {
  const { lanes } = await talk.turnstile()
  if (lanes.length === 0 && name === WHOLE_GATE) return wholeGate(await talk.status())
  const lane = lanes.find(one => one.name === name)
  if (lane !== undefined) return lane
  throw new Fault('LANE', `the gate has no lane ${name}; there are ${lanes.map(one => one.name).join(', ') || 'none'}`)
}

/** What a gate counts that only people and programs tell of passages. */
function wholeGate({ counters, sinceStart }: Status): LaneState {
  return {
    name: WHOLE_GATE,
    isUp: true,
    isHeld: false,
    isReleased: false,
    in: counters.admitted + counters.forced - counters.lapsed,
    out: sinceStart.out,
    doubles: 0,
    noises: 0,
    confidence: 1000,
    inputs: {},
    faults: [],
  }
}
