// Watch: asks every member once a second what it says of itself and of the mall, and takes note who died.

import { setTimeout as sleep } from 'node:timers/promises'
import type { GateReport, MallReport } from '../../mesh/window/mall-report.ts'
import { Client } from '../../tools/mall/client.ts'
import type { Field } from './fault.ts'
import type { Journal, Said } from './journal.ts'

const EVERY_MS = 1000
const ANSWER_MS_MAX = 2500
/** How often we look whether we run at all, and which delay is one. */
const BEAT_MS = 100
const STALL_MS = 300

export class Watch {
  readonly #field: Field
  readonly #journal: Journal
  readonly #client = new Client(4, ANSWER_MS_MAX)
  #isOver = false
  #dead = 0
  #beat: NodeJS.Timeout | undefined

  constructor(field: Field, journal: Journal) {
    this.#field = field
    this.#journal = journal
  }

  /** Until `stop`; members one after the other over the second, so that they are not asked all at once. */
  async run(): Promise<void> {
    const { members } = this.#field
    this.#feelPulse()
    const rounds = members.map(async (member, i) => {
      await sleep((EVERY_MS * i) / members.length)
      while (!this.#isOver) {
        const since = this.#journal.now
        await this.look(member)
        this.#bury()
        await sleep(Math.max(50, EVERY_MS - (this.#journal.now - since)))
      }
    })
    await Promise.all(rounds)
  }

  stop(): void {
    this.#isOver = true
    clearInterval(this.#beat)
  }

  #feelPulse(): void {
    let last = this.#journal.now
    this.#beat = setInterval(() => {
      const ms = this.#journal.now - last
      last = this.#journal.now
      if (ms > STALL_MS) this.#journal.write({ is: 'stall', ms: Math.round(ms) })
    }, BEAT_MS)
  }

  close(): void {
    this.#client.close()
  }

  /** What it said; undefined where it said nothing. */
  async look(member: string): Promise<Said | undefined> {
    const asked = this.#journal.now
    try {
      const said = member === 'anchor' ? await this.#anchor() : await this.#gate(member)
      this.#journal.write({ is: 'status', member, asked, said })
      // whoever has not joined says nothing of the mall
      if (member !== 'anchor' && !['JOINING', 'FAULT'].includes(said.state)) await this.#view(member)
      return said
    } catch (error) {
      this.#journal.write({ is: 'unseen', member, asked, why: (error as Error).message })
      return undefined
    }
  }

  async #gate(member: string): Promise<Said> {
    const { status, json } = await this.#client.get(`${this.#field.urlOf(member)}/status`)
    if (status !== 200) throw new Error(`answered ${status}`)
    const { state, mode, account, balance, policyVersion, occupancy } = json as Said
    return { state, mode, account, balance, policyVersion, occupancy }
  }

  async #view(member: string): Promise<void> {
    const asked = this.#journal.now
    const { status, json } = await this.#client.get(`${this.#field.urlOf(member)}/mall`)
    if (status !== 200) throw new Error(`answered ${status}`)
    const { occupancy, gates, anchor } = json as Pick<MallReport, 'occupancy' | 'gates' | 'anchor'>
    const shown = gates.map(({ account, counters, ageMs, isReachable }) => {
      return { account, inside: insideBy(counters), ageMs, isReachable }
    })
    const { atMost, capacity } = occupancy
    this.#journal.write({
      is: 'view',
      member,
      asked,
      atMost,
      capacity,
      policyVersion: anchor.policyVersion,
      gates: shown,
    })
  }

  /** To a stranger on the network the anchor says how it is, and nothing of the mall. */
  async #anchor(): Promise<Said> {
    const { json } = await this.#client.get(`${this.#field.urlOf('anchor')}/healthz`)
    const malls = Object.values((json?.malls ?? {}) as Record<string, { state: string }>)
    const state = malls[0]?.state ?? 'unknown'
    const occupancy = { count: 0, atMost: 0, capacity: 0, ageMs: null }
    return { state, mode: '', account: '', balance: 0, policyVersion: 0, occupancy }
  }

  #bury(): void {
    const { deaths } = this.#field
    for (const { member, how, lastWords } of deaths.slice(this.#dead)) {
      this.#journal.write({ is: 'death', member, why: `${how}\n${lastWords}` })
    }
    this.#dead = deaths.length
  }
}

function insideBy({ admitted, forced, lapsed, exited }: GateReport['counters']): number {
  return admitted + forced - lapsed - exited
}
