// Operators: what the two played operators sign while the mall runs: a re-arm, another capacity. One user has both keys
// here; whoever gets what they signed checks it as if two people had.

import { ANCHOR } from '../../ledger/account.ts'
import { MODES, type Mode } from '../../ledger/entry.ts'
import { severity } from '../../ledger/mode.ts'
import { signMode } from '../../ledger/mode-note.ts'
import type { Clock } from '../../mesh/clock.ts'
import { Refusal } from '../../mesh/window/route.ts'
import type { Client, Reply } from './client.ts'
import { decreed } from './decree.ts'
import { type Home, MALL, OPERATORS } from './home.ts'

export interface Reachable {
  readonly name: string
  /** undefined while it is down */
  readonly url: string | undefined
}

interface InForce {
  readonly mode: Mode
  readonly epoch: number
}

const WHO = OPERATORS.map(({ name }) => name).join(' and ')

export class Operators {
  readonly #home: Home
  readonly #client: Client
  readonly #clock: Clock
  readonly #members: readonly Reachable[]

  constructor(a: { home: Home; client: Client; clock: Clock; members: readonly Reachable[] }) {
    this.#home = a.home
    this.#client = a.client
    this.#clock = a.clock
    this.#members = a.members
  }

  /** The worst that anyone in reach has in force, in the newest epoch; undefined while nobody answers. */
  async mode(): Promise<InForce | undefined> {
    const said = await Promise.all(this.#up().map(member => this.#modeAt(member)))
    const known = said.filter(one => one !== undefined)
    return known.reduce<InForce | undefined>((worst, one) => (worst === undefined ? one : worse(worst, one)), undefined)
  }

  /** Both sign, and everyone in reach is told: a mall that is cut in two has nobody who would tell the other half. */
  async rearm(reason: string): Promise<string> {
    const current = await this.mode()
    if (current === undefined) throw new Refusal(409, 'nobody answers: start the anchor or a gate first')
    if (current.mode === 'NORMAL') throw new Refusal(409, 'the mall is in NORMAL: there is nothing to re-arm')
    const { epoch, mode } = current
    const text = { epoch: epoch + 1, mode: 'NORMAL', at: this.#clock.wall(), reason, clears: { epoch, mode } } as const
    const note = signMode(text, MALL, this.#keys())
    const replies = await Promise.all(
      this.#up().map(({ url }) => this.#client.post(`${url}/modes`, note).catch(() => undefined)),
    )
    // whoever heard of it from another one first says that it changes nothing
    const isTaken = replies.some(reply => reply?.status === 200)
    if (isTaken) return `${WHO} signed the re-arm after ${mode}: entries are decided again`
    throw new Refusal(409, `nobody took the re-arm: ${whyOf(replies.find(reply => reply !== undefined))}`)
  }

  /** Only the anchor mints, so a new capacity waits for it. */
  async setCapacity(capacity: number, reason: string): Promise<string> {
    const anchor = this.#up().find(({ name }) => name === ANCHOR)
    const down = 'the anchor is down, and only the anchor makes or withdraws tokens: start it first'
    if (anchor === undefined) throw new Refusal(409, down)
    const { json } = await this.#client.get(`${anchor.url}/api/v1/malls/${MALL}/policy?limit=1`).catch(() => {
      throw new Refusal(409, down)
    })
    if (typeof json?.inForce?.note !== 'string') throw new Refusal(409, 'the anchor shows no policy yet: try again')
    const before = this.#home.charters.openPolicy(json.inForce.note)
    if (json.inForce.capacity === capacity) return `${capacity} people may be inside already: nothing was signed`
    const decree = await decreed(this.#home, { before, capacity, reason })
    const brought = await this.#client.post(`${anchor.url}/policy`, decree.note)
    if (brought.status !== 200) throw new Refusal(409, `the anchor refuses policy ${decree.version}: ${whyOf(brought)}`)
    return `${WHO} signed policy ${decree.version}: ${capacity} people may be inside`
  }

  #up(): readonly Reachable[] {
    return this.#members.filter(({ url }) => url !== undefined)
  }

  #keys() {
    return OPERATORS.map(({ name }) => this.#home.key(name))
  }

  async #modeAt({ name, url }: Reachable): Promise<InForce | undefined> {
    const path = name === ANCHOR ? `/api/v1/malls/${MALL}/modes` : '/status'
    const reply = await this.#client.get(`${url}${path}`).catch(() => undefined)
    if (reply?.status !== 200) return undefined
    const { mode, statement, modeEpoch } = reply.json ?? {}
    const epoch = Number(statement?.epoch ?? modeEpoch)
    return MODES.includes(mode) && Number.isSafeInteger(epoch) ? { mode, epoch } : undefined
  }
}

function worse(a: InForce, b: InForce): InForce {
  if (a.epoch !== b.epoch) return a.epoch > b.epoch ? a : b
  return severity(a.mode) >= severity(b.mode) ? a : b
}

function whyOf(reply: Reply | undefined): string {
  const { error } = reply?.json ?? {}
  return String(error?.message ?? error ?? reply?.status ?? 'no answer')
}
