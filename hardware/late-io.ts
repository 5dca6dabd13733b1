// Late io: a driver that is loaded when it is started, and again with every start that fails.
//
// Law: until then nothing is confirmed, and nothing that was ordered happens later: it would come out of the blue.

import type { Io, IoEvents, LaneOutputs } from './io.ts'

export class LateIo implements Io {
  readonly outputs: ReadonlyMap<string, LaneOutputs>
  readonly #load: () => Promise<Io>
  #io: Io | undefined
  #isWanted = false

  constructor(lanes: readonly string[], load: () => Promise<Io>) {
    this.#load = load
    this.outputs = new Map(lanes.map(lane => [lane, this.#outputsOf(lane)]))
  }

  get figures(): Readonly<Record<string, number>> {
    return this.#io?.figures ?? {}
  }

  async start(events: IoEvents): Promise<void> {
    this.#isWanted = true
    const io = await this.#load()
    if (!this.#isWanted) return
    this.#io = io
    try {
      await io.start(events)
    } catch (error) {
      this.#io = undefined
      await io.stop().catch(() => undefined)
      throw error
    }
  }

  async stop(): Promise<void> {
    this.#isWanted = false
    const io = this.#io
    this.#io = undefined
    await io?.stop()
  }

  #outputsOf(lane: string): LaneOutputs {
    const own = () => this.#io?.outputs.get(lane)
    const never = Promise.resolve(false)
    return {
      refuse: () => own()?.refuse?.() ?? never,
      open: () => own()?.open() ?? never,
      hold: forMs => own()?.hold(forMs) ?? never,
      free: () => own()?.free() ?? never,
      freeExit: () => own()?.freeExit() ?? never,
    }
  }
}
