// Cuts: which gate is kept from whom, for as long as somebody wants to see what that does.
//
// Law: one end of a pair keeps the list, and has it in memory only: a gate that was started again is with everyone, and
// what is told here says so.

import { Refusal } from '../../mesh/window/route.ts'
import type { Client } from './client.ts'

export interface Severable {
  readonly name: string
  readonly pid: number
  /** undefined while it is down */
  readonly url: string | undefined
}

interface Cut {
  readonly pid: number
  readonly from: readonly string[]
}

export class Cuts {
  readonly #client: Client
  readonly #anchor: string
  readonly #gates: readonly Severable[]
  readonly #cuts = new Map<string, Cut>()

  constructor(a: { client: Client; anchor: string; gates: readonly Severable[] }) {
    this.#client = a.client
    this.#anchor = a.anchor
    this.#gates = a.gates
  }

  /** Whom this one cannot reach because of a drill, whichever end keeps the list. */
  from(name: string): readonly string[] {
    const own = this.#at(name)
    const others = this.#gates.filter(gate => this.#at(gate.name).includes(name)).map(gate => gate.name)
    return [...new Set([...own, ...others])].sort()
  }

  get isAny(): boolean {
    return this.#gates.some(({ name }) => this.#at(name).length > 0)
  }

  /** These gates on one side, everyone else on the other. What was cut before stays cut. */
  async split(side: readonly string[]): Promise<void> {
    const others = [this.#anchor, ...this.#gates.map(({ name }) => name)].filter(name => !side.includes(name))
    for (const name of side) {
      const gate = this.#gates.find(one => one.name === name) as Severable
      if (gate.url === undefined) throw new Refusal(409, `${name} is down: nobody reaches it anyway`)
      await this.#set(gate, [...new Set([...this.#at(name), ...others])])
    }
  }

  async heal(name: string): Promise<void> {
    for (const gate of this.#gates) {
      const from = this.#at(gate.name)
      if (gate.name === name && from.length > 0) await this.#set(gate, [])
      else if (from.includes(name)) {
        await this.#set(
          gate,
          from.filter(one => one !== name),
        )
      }
    }
  }

  async healAll(): Promise<void> {
    for (const gate of this.#gates) if (this.#at(gate.name).length > 0) await this.#set(gate, [])
  }

  #at(name: string): readonly string[] {
    const cut = this.#cuts.get(name)
    const gate = this.#gates.find(one => one.name === name)
    return cut !== undefined && gate?.url !== undefined && gate.pid === cut.pid ? cut.from : []
  }

  async #set(gate: Severable, from: readonly string[]): Promise<void> {
    const { pid } = gate
    const reply = await this.#client.post(`${gate.url}/drill/cut`, { from })
    if (reply.status !== 200) throw new Refusal(409, `${gate.name} refuses: ${reply.json?.error ?? reply.status}`)
    this.#cuts.set(gate.name, { pid, from })
  }
}
