// Fleet: many simulated malls that run by the real clock. Whoever plays their anchors attaches to them.

import type { LanOptions } from '../../../mesh/lan/lan.ts'
import { SimLan } from './sim-lan.ts'
import { type Said, SimMall, type SimMallOptions } from './sim-mall.ts'
import { simNames } from './sim-papers.ts'

export interface FleetOptions extends Omit<SimMallOptions, 'mall' | 'at'> {
  readonly malls: number
}

/** Takes what gates of a mall say to their anchor; false while it is so far behind that they had better wait. */
export type Deliver = (said: readonly Said[]) => boolean

/** Gates tell a change within this time, as real ones do. */
const BEAT_MS = 100
/** Malls take their beats one after the other, so that an anchor of many is never struck by all at once. */
const STEP_MS = 5

export class Fleet {
  readonly malls: ReadonlyMap<string, SimMall>
  /** what it cost to simulate: not the anchor's */
  ownMs = 0
  /** beats that came late or not at all: the load was less than was promised */
  readonly beats = { due: 0, done: 0 }
  readonly #delivers = new Map<string, Deliver>()
  readonly #order: readonly SimMall[]
  #timer: NodeJS.Timeout | undefined
  #next = 0
  #due = 0
  #steppedAt = 0

  constructor({ malls, ...options }: FleetOptions) {
    const at = Date.now()
    this.malls = new Map(simNames(malls).map(mall => [mall, new SimMall({ ...options, mall, at })]))
    this.#order = [...this.malls.values()]
  }

  get entries(): number {
    return this.#order.reduce((sum, mall) => sum + mall.entries, 0)
  }

  mall(name: string): SimMall {
    const mall = this.malls.get(name)
    if (mall === undefined) throw new Error(`there is no ${name} in this fleet`)
    return mall
  }

  /** An anchor is there; from here on the mall's gates speak to it. */
  attach(name: string, deliver: Deliver): void {
    this.#delivers.set(this.mall(name).mall, deliver)
  }

  /** The anchor says something; what the gates answer goes the usual way. */
  hear(name: string, to: string, text: string): void {
    const said = this.#timed(() => this.mall(name).hear(to, text, Date.now()))
    if (said.length > 0) this.#delivers.get(name)?.(said)
  }

  /** For an anchor in this process: its host's `startLan`. The charter says which mall. */
  readonly startLan = async (options: LanOptions): Promise<SimLan> => {
    const mall = this.mall(options.charter.mall)
    const lan = new SimLan(options, {
      names: mall.gates.map(({ name }) => name),
      hear: (to, text) => this.hear(mall.mall, to, text),
      range: (peer, question) => mall.range(peer, question),
    })
    this.attach(mall.mall, said => {
      for (const one of said) lan.hear(one)
      return true
    })
    return lan
  }

  start(): void {
    this.#steppedAt = performance.now()
    this.#timer = setInterval(() => this.#step(), STEP_MS)
  }

  /** Safe to repeat. */
  stop(): void {
    clearInterval(this.#timer)
  }

  /** As many malls as should have had their beat since the last step; a fleet that is late beats less often. */
  #step(): void {
    const now = performance.now()
    const due = ((now - this.#steppedAt) * this.#order.length) / BEAT_MS
    this.#steppedAt = now
    this.beats.due += due
    this.#due = Math.min(this.#due + due, this.#order.length)
    for (; this.#due >= 1; this.#due--) {
      const mall = this.#order[this.#next++ % this.#order.length] as SimMall
      const deliver = this.#delivers.get(mall.mall)
      // nobody is there yet: its gates open with it
      if (deliver === undefined) continue
      this.beats.done++
      if (!deliver(this.#timed(() => mall.tick(Date.now())))) return
    }
  }

  #timed<T>(act: () => T): T {
    const since = performance.now()
    const value = act()
    this.ownMs += performance.now() - since
    return value
  }
}
