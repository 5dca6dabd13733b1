// Fire drill: a fire contact closes at one gate, all of them must be in FIRE, and two operators re-arm. Again and again.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { SignerKey } from '../../ledger/key.ts'
import { signMode } from '../../ledger/mode-note.ts'
import { keyPath } from '../../tools/founding.ts'
import type { Reply } from '../../tools/mall/client.ts'
import type { RunningMall } from './running.ts'

export class FireDrill {
  readonly gates: readonly string[]
  readonly #mall: RunningMall
  readonly #operators: readonly SignerKey[]
  #epoch = 0

  constructor(mall: RunningMall) {
    this.#mall = mall
    this.gates = mall.place.gates.map(gate => gate.name)
    this.#operators = ['ann', 'bob'].map(name => SignerKey.parse(readFileSync(keyPath(mall.dir, name), 'utf8').trim()))
  }

  contact(at: string, closed: boolean): Promise<Reply> {
    return this.#mall.ask(at, 'POST', '/turnstile/contact', JSON.stringify({ contact: 'fire', closed }))
  }

  /** Opens the contact where it was closed, and brings what the operators signed to another gate. */
  async clear(at: string, elsewhere: string): Promise<void> {
    await this.contact(at, false)
    const clears = { epoch: this.#epoch, mode: 'FIRE' } as const
    this.#epoch++
    const text = { epoch: this.#epoch, mode: 'NORMAL', at: Date.now(), reason: 'false alarm', clears } as const
    const cleared = await this.#mall.ask(elsewhere, 'POST', '/modes', signMode(text, 'mall', this.#operators))
    assert.equal(cleared.status, 200, JSON.stringify(cleared.json))
  }

  /** Ms until the last gate says so; `pause` between two questions to a gate, where asking would slow down what it asks for. */
  async everywhere(mode: string, since: number, pause: () => Promise<void> = async () => undefined): Promise<number> {
    const times = this.gates.map(async gate => {
      while ((await this.#mall.status(gate)).mode !== mode) {
        assert.ok(performance.now() - since < 20_000, `${gate} is not in ${mode} after 20 s`)
        await pause()
      }
      return performance.now() - since
    })
    return Math.max(...(await Promise.all(times)))
  }
}
