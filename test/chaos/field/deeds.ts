// Deeds: what two operators do meanwhile, with signatures that members check: another capacity, a mode, its end.
//
// Law: a policy that may have arrived is brought again before another one is signed: the next one stands on it.

import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../../ledger/account.ts'
import type { Mode } from '../../../ledger/entry.ts'
import { signMode } from '../../../ledger/mode-note.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { Refusal } from '../../../mesh/window/route.ts'
import { Client } from '../../../tools/mall/client.ts'
import { type Decree, nextDecree } from '../../../tools/mall/decree.ts'
import { type Home, MALL, OPERATORS } from '../../../tools/mall/home.ts'
import { Operators, type Reachable } from '../../../tools/mall/operators.ts'
import { raiseAt } from '../../../tools/operator/gate-post.ts'

const ANSWER_MS_MAX = 2000
const PAUSE_MS = 200
const WHY = 'chaos'

// biome-ignore lint/suspicious/noExplicitAny: what a member says of itself is looked at field by field
export type Status = any

export class Deeds {
  readonly #home: Home
  readonly #members: readonly Reachable[]
  readonly #operators: Operators
  readonly #client = new Client(8, ANSWER_MS_MAX)
  #version = 0
  #underWay: Decree | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(home: Home, members: readonly Reachable[]) {
    this.#home = home
    this.#members = members
    this.#operators = new Operators({ home, client: this.#client, clock: REAL_CLOCK, members })
  }

  /** Of the newest policy that the anchor is known to have. */
  get version(): number {
    return this.#version
  }

  get gates(): readonly Reachable[] {
    return this.#members.filter(({ name }) => name !== ANCHOR)
  }

  /** One after the other. False where the anchor could not be reached in time. */
  setCapacity(capacity: number, msMax: number): Promise<boolean> {
    const done = this.#last.then(() => this.#setCapacity(capacity, msMax))
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Why it was not raised, or undefined. */
  async raise(mode: Exclude<Mode, 'NORMAL'>, at: string): Promise<string | undefined> {
    const url = this.#members.find(({ name }) => name === at)?.url
    if (url === undefined) return `${at} is down`
    const [marshal] = OPERATORS
    const sign = (epoch: number) =>
      signMode({ epoch, mode, at: REAL_CLOCK.wall(), reason: WHY }, MALL, [this.#home.key(marshal.name)])
    try {
      await raiseAt(new URL(url), mode, sign)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  /** Both sign a re-arm until every gate in reach is in NORMAL. False where that took too long. */
  async calm(msMax: number): Promise<boolean> {
    for (const until = performance.now() + msMax; performance.now() < until; await sleep(PAUSE_MS)) {
      const said = (await Promise.all(this.gates.map(gate => this.status(gate)))).filter(one => one !== undefined)
      if (said.length > 0 && said.every(({ mode }) => mode === 'NORMAL')) return true
      await this.#operators.rearm(WHY).catch(error => {
        if (!(error instanceof Refusal)) throw error
      })
    }
    return false
  }

  /** Undefined while it does not answer. */
  async status({ url }: Reachable): Promise<Status> {
    const reply = url === undefined ? undefined : await this.#client.get(`${url}/status`).catch(() => undefined)
    return reply?.status === 200 ? reply.json : undefined
  }

  /** The anchor's state; on a network it tells strangers no more than that. */
  async anchorState(): Promise<string> {
    const url = this.#anchor?.url
    const reply = url === undefined ? undefined : await this.#client.get(`${url}/healthz`).catch(() => undefined)
    return String(reply?.json?.malls?.[MALL]?.state ?? 'no answer')
  }

  close(): void {
    this.#client.close()
  }

  get #anchor(): Reachable | undefined {
    return this.#members.find(({ name }) => name === ANCHOR)
  }

  async #setCapacity(capacity: number, msMax: number): Promise<boolean> {
    const until = performance.now() + msMax
    if (this.#underWay !== undefined && !(await this.#bring(this.#underWay, until))) return false
    const decree = await nextDecree(this.#home, { version: this.#version, capacity, wall: REAL_CLOCK.wall() })
    return decree === undefined || this.#bring(decree, until)
  }

  async #bring(decree: Decree, until: number): Promise<boolean> {
    for (; performance.now() < until; await sleep(PAUSE_MS)) {
      const url = this.#anchor?.url
      if (url === undefined) continue
      this.#underWay = decree
      const reply = await this.#client.post(`${url}/policy`, decree.note).catch(() => undefined)
      if (reply?.status === 200 || (reply?.status === 409 && (await this.#isKnown(decree)))) {
        this.#version = decree.version
        this.#underWay = undefined
        return true
      }
      // 409 also while the gates, who would know, have not heard yet that an earlier try arrived
      if (reply !== undefined && ![409, 429, 503].includes(reply.status)) {
        throw new Error(`the anchor refuses policy ${decree.version}: ${JSON.stringify(reply.json)}`)
      }
    }
    return false
  }

  async #isKnown({ version }: Decree): Promise<boolean> {
    const said = await Promise.all(this.gates.map(gate => this.status(gate)))
    return said.some(status => status?.policyVersion >= version)
  }
}
