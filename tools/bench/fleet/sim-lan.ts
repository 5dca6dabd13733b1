// Sim lan: the anchor's end of a mall that is simulated in the same process. What would be frames on encrypted
// connections are function calls, a turn of the loop later; there is no board and nothing is ever lost.

import type { LanOptions, LanPeer } from '../../../mesh/lan/lan.ts'
import type { Question } from '../../../mesh/lan/ledger-window.ts'
import type { LanTraffic } from '../../../mesh/lan/traffic.ts'
import { noTraffic } from '../../../mesh/lan/traffic.ts'
import type { LanPort } from '../../../mesh/station.ts'
import type { Said } from './sim-mall.ts'

/** The gates, wherever they are. */
export interface Gates {
  readonly names: readonly string[]
  hear(to: string, text: string): void
  range(peer: string, question: Question): AsyncIterable<string>
}

export class SimLan implements LanPort {
  readonly places = []
  readonly findsByMulticast = false
  readonly #options: LanOptions
  readonly #gates: Gates
  readonly #traffic: LanTraffic = noTraffic()
  readonly #peers: readonly LanPeer[]
  /** what became of what gates said, by the anchor's verdict */
  readonly verdicts = { accept: 0, ignore: 0, reject: 0 }
  #isStopped = false

  constructor(options: LanOptions, gates: Gates) {
    this.#options = options
    this.#gates = gates
    this.#peers = gates.names.map(name => ({ name, isUp: true, silentMs: 0, places: [] }))
    setImmediate(() => {
      for (const name of gates.names) if (!this.#isStopped) options.ears.meet(name)
    })
  }

  peers(): readonly LanPeer[] {
    return this.#peers
  }

  traffic(): LanTraffic {
    return { ...this.#traffic }
  }

  send(to: string, text: string): void {
    if (this.#isStopped) return
    this.#traffic.framesOut++
    this.#traffic.bytesOut += text.length
    setImmediate(() => this.#gates.hear(to, text))
  }

  range(peer: string, question: Question): AsyncIterable<string> {
    return this.#gates.range(peer, question)
  }

  /** A gate says something. */
  hear({ from, text }: Said): void {
    if (this.#isStopped) return
    this.#traffic.framesIn++
    this.#traffic.bytesIn += text.length
    this.verdicts[this.#options.ears.hear(from, text)]++
  }

  async stop(): Promise<void> {
    this.#isStopped = true
  }
}
