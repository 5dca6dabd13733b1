// A mall in a lab: the anchor and its gates, each a process on a host of its own, finding each other by multicast alone.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { found, policyPath } from '../../tools/founding.ts'
import { writeMemberFile } from '../../tools/member-file.ts'
import { Running } from '../process/members.ts'
import { Lab } from './lab.ts'

const OPERATORS = [
  { name: 'ann', role: 'marshal' },
  { name: 'bob', role: 'operator' },
] as const

export class LabMall {
  readonly lab: Lab
  readonly dir: string
  readonly names: readonly string[]
  readonly #members = new Map<string, Running>()

  static async open(gates: number, capacity: number): Promise<LabMall> {
    const mall = new LabMall(await Lab.open(gates + 1), gates)
    try {
      await mall.#found(capacity)
      await mall.#start()
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

  async #start(): Promise<void> {
    for (const name of this.names) this.start(name, name === 'anchor' ? ['--birth'] : [])
    const anchor = this.member('anchor')
    // who may look at an anchor that is on a network needs a token; how it is, anyone may know
    for (const until = performance.now() + 60_000; ; await sleep(100)) {
      const { malls } = (await anchor.ask('GET', '/healthz')).json
      if (Object.values(malls as Record<string, { state: string }>).every(({ state }) => state === 'NORMAL')) break
      assert.ok(performance.now() < until, 'the anchor has joined')
    }
    const { status, json } = await anchor.post('/policy', readFileSync(policyPath(this.dir, 1), 'utf8'))
    assert.equal(status, 200, JSON.stringify(json))
    for (const gate of this.gates) {
      await gate.until('it decides', s => s.state === 'NORMAL' && s.peers === this.names.length - 1)
    }
  }
}
