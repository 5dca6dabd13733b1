// Mall: an anchor and its gates, each a process of its own, started, watched and stopped in order.
//
// Order: configs are written, all are started, the operators' policy is brought to the anchor; when every gate can decide
// it is ready. It stops the other way round: gates hand over their tokens and end, then the anchor, which takes them.
// Nothing here decides anything about people: a mall that loses this process loses only who restarts its members.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../ledger/account.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Occupancy } from '../../mesh/occupancy.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { memberFilePath } from '../member-file.ts'
import { memberArguments } from '../member-node.ts'
import { Child } from './child.ts'
import { Client } from './client.ts'
import { nextDecree } from './decree.ts'
import type { Home } from './home.ts'
import type { Lock } from './lock.ts'
import { frontUrl, type Plan, writeConfigs } from './plan.ts'

const READY_MS_MAX = 60_000
/** Thirty gates on two cores take a minute by themselves. */
const READY_MS_EACH = 3000
/** Per member: to ask thirty of them all the time would keep them from starting. */
const POLL_MS_EACH = 10
/** Multicast that works finds everyone well within this. */
const MEET_MS_MAX = 5000
/** The anchor hands out every 100 ms; after this long it will not get better. */
const FIRST_TOKENS_MS_MAX = 3000
const GATES_END_MS_MAX = 6000
const STOP_MS_MAX = 10_000
/** States of a gate that does not decide yet. */
const NOT_YET = ['JOINING', 'FAULT', 'EXPIRED']

export interface MallOptions {
  readonly home: Home
  readonly lock: Lock
  readonly plan: Plan
  /** to be in force; undefined goes on with what is */
  readonly capacity: number | undefined
  readonly mayRestart: boolean
  readonly say: (line: string) => void
  readonly alarm: (line: string) => void
  /** false once nobody wants it any more: starting then ends with a fault called STOPPED */
  readonly isWanted: () => boolean
}

// biome-ignore lint/suspicious/noExplicitAny: what a member says of itself is looked at field by field
type Status = any

export class Mall {
  readonly gates: readonly Child[]
  readonly anchor: Child
  readonly #o: MallOptions
  readonly #client = new Client()
  #plan: Plan
  #isReady = false
  #writing: Promise<void> = Promise.resolve()
  #stopping: Promise<Occupancy | undefined> | undefined

  constructor(options: MallOptions) {
    this.#o = options
    this.#plan = options.plan
    const { home, mayRestart, say, alarm } = options
    const child = (name: string, args: () => string[]) => {
      const changed = () => this.#note()
      return new Child({ name, args, logs: home.logs, mayRestart, say, alarm, changed })
    }
    const started = (kind: string, name: string) =>
      memberArguments(kind, '--config', memberFilePath(home.dir, name), '--with-parent')
    this.anchor = child(ANCHOR, () => [...started('anchor', ANCHOR), ...(home.isBorn ? [] : ['--birth'])])
    this.gates = home.charter.gates.map(({ name }) => child(name, () => started('gate', name)))
  }

  get #pollMs(): number {
    return POLL_MS_EACH * (this.gates.length + 1)
  }

  get #all(): readonly Child[] {
    return [this.anchor, ...this.gates]
  }

  async start(): Promise<void> {
    const { say } = this.#o
    try {
      await this.#startAll()
      if (this.#plan.discovery === 'multicast' && !(await this.#meet())) await this.#fallBack()
      const version = await this.#decree()
      await this.#join(version)
      await this.#firstTokens()
      this.#isReady = true
      this.#note()
      await this.#writing
    } catch (error) {
      say('stopping what was started')
      await this.stop()
      throw error
    }
  }

  /** As the anchor sees it now. */
  async occupancy(): Promise<Occupancy | undefined> {
    return (await this.#status(this.anchor))?.occupancy
  }

  /** Resolves with who was inside at the end, as the anchor last saw it. Safe to repeat. */
  stop(): Promise<Occupancy | undefined> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<Occupancy | undefined> {
    const all = this.#all
    const killing = setTimeout(() => all.forEach(child => void child.kill()), STOP_MS_MAX)
    await within(GATES_END_MS_MAX, Promise.all(this.gates.map(gate => gate.end())))
    const last = this.anchor.isRunning ? await this.occupancy() : undefined
    await Promise.all(all.map(child => child.end()))
    clearTimeout(killing)
    this.#client.close()
    await this.#writing
    await this.#o.home.removePlace()
    for (const child of all) child.close()
    return last
  }

  async #startAll(): Promise<void> {
    const { home, say } = this.#o
    await writeConfigs(home, this.#plan)
    say(`starting the anchor and ${this.gates.length} gates, a process each; their logs are in ${home.logs}`)
    for (const child of this.#all) child.start()
    await this.#until('everyone listens', () => this.#all.every(child => child.url !== undefined))
  }

  /** Has anyone found anyone? One pair is enough: then multicast works, and the rest is a matter of time. */
  async #meet(): Promise<boolean> {
    const until = REAL_CLOCK.now() + MEET_MS_MAX
    while (REAL_CLOCK.now() < until) {
      const statuses = await Promise.all(this.#all.map(child => this.#status(child)))
      if (statuses.some(status => status?.lan?.findsByMulticast === true)) return true
      this.#checkWanted()
      await sleep(this.#pollMs)
    }
    return false
  }

  async #fallBack(): Promise<void> {
    this.#o.say(`nobody found anybody by multicast in ${MEET_MS_MAX / 1000} s: going on with fixed loopback addresses`)
    await within(GATES_END_MS_MAX, Promise.all(this.#all.map(child => child.end())))
    await Promise.all(this.#all.map(child => child.kill()))
    this.#plan = { ...this.#plan, discovery: 'static' }
    await this.#startAll()
  }

  /** What the operators want in force, unless it is already. Answers with the version that gates must have heard of. */
  async #decree(): Promise<number> {
    const { home, capacity, say } = this.#o
    let status: Status
    await this.#until('the anchor joins', async () => {
      status = await this.#status(this.anchor)
      return status?.isJoined === true
    })
    const version = Number(status.policyVersion)
    const decree = await nextDecree(home, { version, capacity, wall: REAL_CLOCK.wall() })
    if (decree === undefined) return version
    say(`operators sign policy ${decree.version}: capacity ${decree.capacity}`)
    await this.#until('the anchor takes it', async () => {
      // on a busy machine the answer may not come in time, and the note be taken all the same
      const reply = await this.#client.post(`${this.anchor.url}/policy`, decree.note).catch(() => undefined)
      if (reply?.status === 200) return true
      const now = await this.#status(this.anchor)
      if (now?.policyVersion >= decree.version) return true
      if (reply === undefined || reply.status === 503 || now === undefined) return false
      throw new Fault('POLICY', `the anchor refuses policy ${decree.version}: ${reply.json?.error ?? reply.status}`)
    })
    return decree.version
  }

  async #join(version: number): Promise<void> {
    let joined = 0
    await this.#until('every gate can decide', async () => {
      const [anchor, ...gates] = await Promise.all(this.#all.map(child => this.#status(child)))
      const able = gates.filter(gate => canDecide(gate, anchor, version)).length
      if (able > joined) this.#o.say(`${able} of ${this.gates.length} gates can decide`)
      joined = Math.max(joined, able)
      return able === this.gates.length
    })
  }

  /** Full malls have none to hand out, so this does not wait for long. */
  async #firstTokens(): Promise<void> {
    const until = REAL_CLOCK.now() + FIRST_TOKENS_MS_MAX
    while (REAL_CLOCK.now() < until) {
      const statuses = await Promise.all(this.gates.map(gate => this.#status(gate)))
      if (statuses.some(status => status?.balance > 0)) return
      this.#checkWanted()
      await sleep(this.#pollMs)
    }
  }

  /** Undefined while it does not answer. */
  async #status(child: Child): Promise<Status> {
    if (child.url === undefined) return undefined
    try {
      const { status, json } = await this.#client.get(`${child.url}/status`)
      return status === 200 ? json : undefined
    } catch {
      return undefined
    }
  }

  async #until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const msMax = READY_MS_MAX + READY_MS_EACH * this.gates.length
    const since = REAL_CLOCK.now()
    let saidAt = since
    while (!(await holds())) {
      const now = REAL_CLOCK.now()
      const dead = this.#all.find(child => child.isGivenUp)
      if (dead !== undefined)
        throw new Fault('NOT_READY', `${dead.name} does not run; see ${join(this.#o.home.logs, dead.name)}.log`)
      if (now - since > msMax) throw new Fault('NOT_READY', `waited ${msMax / 1000} s until ${what}`)
      this.#checkWanted()
      if (now - saidAt > 2000) {
        saidAt = now
        this.#o.say(`waiting until ${what}`)
      }
      await sleep(this.#pollMs)
    }
  }

  #checkWanted(): void {
    if (!this.#o.isWanted()) throw new Fault('STOPPED', 'stopped while starting')
  }

  /** Who runs, for the next start; and once ready, where everyone is. One write after the other: the newest stays. */
  #note(): void {
    const { home, lock, alarm } = this.#o
    this.#writing = this.#writing
      .then(async () => {
        await lock.note(this.#all.filter(child => child.isRunning).map(child => child.pid))
        if (this.#isReady && this.#stopping === undefined) await home.writePlace(this.#place())
      })
      .catch(error => alarm(`mall.json cannot be written: ${error.message}`))
  }

  /** A member that is down is still named with the address it had: it comes back there. */
  #place(): object {
    const at = (child: Child) => {
      const port = this.#plan.berths.find(berth => berth.name === child.name)?.http
      return { pid: child.pid, url: child.url ?? `http://127.0.0.1:${port}` }
    }
    const url = frontUrl(this.#plan)
    return { url, anchor: at(this.anchor), gates: this.gates.map(gate => ({ name: gate.name, ...at(gate) })) }
  }
}

/** It has joined, and has heard the anchor's own word for the policy: before that it admits less than it might. */
function canDecide(gate: Status, anchor: Status, version: number): boolean {
  if (gate === undefined || anchor === undefined || NOT_YET.includes(gate.state)) return false
  return gate.policyVersion >= version && gate.occupancy.capacity === anchor.occupancy.capacity
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const cut = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: cut.signal }).catch(() => undefined)])
  cut.abort()
}
