// A mall in a lab: the anchor and its gates, each a process on a host of its own, finding each other by multicast alone.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLevelStore } from '../../ledger/level-store.ts'
import type { StoreOptions } from '../../ledger/store.ts'
import { found, policyPath } from '../../tools/founding.ts'
import { Home } from '../../tools/mall/home.ts'
import { writeMemberFile } from '../../tools/member-file.ts'
import { IndoorMall } from '../mall/indoor-mall.ts'
import { type Reply, Running } from '../process/members.ts'
import { Lab } from './lab.ts'

const OPERATORS = [
  { name: 'ann', role: 'marshal' },
  { name: 'bob', role: 'operator' },
] as const

/** So many are started at a time: sixty at once on two cores would take each other's time for their first words. */
const WAVE = 8
const READY_MS_MAX = 60_000
const READY_MS_EACH = 3000

export class LabMall {
  readonly lab: Lab
  readonly dir: string
  readonly names: readonly string[]
  readonly #members = new Map<string, Running>()
  #isBorn = false

  /** With `hubs`, only the anchor and so many of the first gates reach everybody, and nobody else another. */
  static async open(gates: number, capacity: number, hubs = gates): Promise<LabMall> {
    const mall = new LabMall(await Lab.open(gates + 1), gates)
    try {
      await mall.#found(capacity)
      if (hubs < gates) await mall.#becomeStar(hubs)
      await mall.#start(hubs)
    } catch (error) {
      await mall.close()
      throw error
    }
    return mall
  }

  private constructor(lab: Lab, gates: number) {
    this.lab = lab
    this.dir = mkdtempSync(join(tmpdir(), 'lab-'))
    this.names = ['anchor', ...Array.from({ length: gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)]
  }

  get #readyMsMax(): number {
    return READY_MS_MAX + READY_MS_EACH * this.names.length
  }

  get gates(): Running[] {
    return this.names.slice(1).map(name => this.member(name))
  }

  member(name: string): Running {
    return this.#members.get(name) as Running
  }

  /** Starts a member, on a host of its own; `as` puts it on another's. */
  start(name: string, args: readonly string[] = []): Running {
    const host = this.names.indexOf(name)
    const running = new Running(this.dir, name, args, {}, this.lab.through(host))
    this.#members.set(name, running)
    return running
  }

  /** Cuts these members off from all others, without a word. */
  cut(names: readonly string[]): Promise<void> {
    return this.lab.cut(names.map(name => this.names.indexOf(name)))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#members.values()].map(member => member.signal('SIGKILL')))
    await this.lab.close()
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 3 })
  }

  async #found(capacity: number): Promise<void> {
    const gates = this.names.slice(1)
    const plan = { mall: 'm', legalMax: capacity, capacity, operators: OPERATORS, gates, exitsPerMinuteMax: 12_000 }
    await found(this.dir, plan)
    for (const [i, name] of this.names.entries()) {
      const { ip } = this.lab.host(i)
      await writeMemberFile(this.dir, name, {
        listen: `${ip}:4500`,
        mdns: { interface: ip },
        http: { host: ip, port: 8080 },
      })
    }
  }

  /** A gate without memory asks more than half of the others, whom it would not reach: all are born in this process first. */
  async #becomeStar(hubs: number): Promise<void> {
    const openStore = (name: string, options: StoreOptions) => openLevelStore({ ...options, dir: join(this.dir, name) })
    const nursery = new IndoorMall(await Home.open(this.dir), openStore)
    await nursery.start()
    await nursery.stop()
    this.#isBorn = true
    await this.lab.star(Array.from({ length: hubs + 1 }, (_, i) => i))
  }

  /** A disk that is busy may not have it yet that the anchor was born: then it says so. */
  async #decree(anchor: Running): Promise<void> {
    const policy = readFileSync(policyPath(this.dir, 1), 'utf8')
    for (const until = performance.now() + this.#readyMsMax; ; await sleep(100)) {
      const { status, json } = await anchor.post('/policy', policy)
      if (status === 200) return
      assert.ok(status === 503 && performance.now() < until, JSON.stringify(json))
    }
  }

  async #start(hubs: number): Promise<void> {
    for (let from = 0; from < this.names.length; from += WAVE) {
      const wave = this.names.slice(from, from + WAVE)
      const started = wave.map(name => this.start(name, name === 'anchor' && !this.#isBorn ? ['--birth'] : []))
      if (from + WAVE < this.names.length)
        for (const member of started) await member.heard('listening', this.#readyMsMax)
    }
    const anchor = this.member('anchor')
    await anchor.heard('listening', this.#readyMsMax)
    // who may look at an anchor that is on a network needs a token; how it is, anyone may know
    for (const until = performance.now() + this.#readyMsMax; ; await sleep(100)) {
      const { malls } = (await anchor.ask('GET', '/healthz')).json
      if (Object.values(malls as Record<string, { state: string }>).every(({ state }) => state === 'NORMAL')) break
      assert.ok(performance.now() < until, 'the anchor has joined')
    }
    if (!this.#isBorn) {
      await this.#decree(anchor)
    }
    for (const gate of this.gates.slice(0, hubs)) {
      const isReady = (s: Reply['json']) => s.state === 'NORMAL' && s.peers === this.names.length - 1
      await gate.until('it decides', isReady, this.#readyMsMax)
    }
  }
}
