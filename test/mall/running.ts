// A mall as its users run it: processes of their own, spoken to over HTTP, stopped by signals, and killed.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../mesh/real-clock.ts'
import { Client, type Reply } from '../../tools/mall/client.ts'
import { leftovers } from '../../tools/mall/lock.ts'

/** Stands for no --port at all. */
export const DEFAULT_PORT = '(the default port)'

const BIN = join(import.meta.dirname, '../../tools/gatemesh.mjs')
const READY_MS_MAX = 60_000
const HEARD_MS_MAX = 10_000
const LEFT_MS_MAX = 15_000
const LATE_MAX = 3

export interface Place {
  readonly url: string
  readonly anchor: { readonly pid: number; readonly url: string }
  readonly gates: readonly { readonly name: string; readonly pid: number; readonly url: string }[]
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

const running = new Set<RunningMall>()

/** A folder that is gone when the test is, with whatever still runs in it. */
export async function inFolder<T>(act: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'mall-'))
  try {
    return await act(dir)
  } finally {
    for (const mall of running) if (mall.dir.startsWith(dir)) await mall.kill()
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

export class RunningMall {
  readonly dir: string
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #client = new Client(200)
  readonly #urls = new Map<string, string>()
  #out = ''
  #err = ''

  /** On any free port, unless `args` says another or `DEFAULT_PORT`. */
  constructor(dir: string, args: readonly string[]) {
    this.dir = dir
    const own = args.filter(arg => arg !== DEFAULT_PORT)
    const port = args.includes('--port') || own.length < args.length ? [] : ['--port', '0']
    this.#child = spawn(process.execPath, [BIN, 'mall', ...port, '--dir', dir, ...own])
    this.#child.stdout?.on('data', text => {
      this.#out += text
    })
    this.#child.stderr?.on('data', text => {
      this.#err += text
    })
    running.add(this)
    this.ended = new Promise(resolve => {
      this.#child.on('close', (code, signal) => {
        running.delete(this)
        this.#client.close()
        resolve({ code, signal, out: this.#out, err: this.#err })
      })
    })
  }

  static async start(dir: string, ...args: string[]): Promise<RunningMall> {
    const mall = new RunningMall(dir, ['--crowd', 'off', ...args])
    await mall.ready()
    return mall
  }

  async ready(): Promise<void> {
    await this.says(/^mall ready: /m, READY_MS_MAX)
  }

  async says(pattern: RegExp, msMax = 20_000): Promise<void> {
    const until = performance.now() + msMax
    while (!pattern.test(this.#out)) {
      assert.ok(running.has(this), `ended before it said ${pattern}:\n${this.#out}${this.#err}`)
      assert.ok(performance.now() < until, `did not say ${pattern} in time:\n${this.#out}${this.#err}`)
      await sleep(10)
    }
  }

  get out(): string {
    return this.#out
  }

  get err(): string {
    return this.#err
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get place(): Place {
    return JSON.parse(readFileSync(join(this.dir, 'mall.json'), 'utf8'))
  }

  /** Members keep their addresses while the mall runs. */
  url(name: string): string {
    if (this.#urls.size === 0) {
      const { anchor, gates } = this.place
      for (const { name: gate, url } of [{ name: 'anchor', ...anchor }, ...gates]) this.#urls.set(gate, url)
    }
    return this.#urls.get(name) as string
  }

  pidOf(name: string): number {
    const { anchor, gates } = this.place
    return name === 'anchor' ? anchor.pid : (gates.find(gate => gate.name === name)?.pid as number)
  }

  enter(gate: string, body: object = { id: newId() }): Promise<Reply> {
    return this.#client.post(`${this.url(gate)}/turnstile/entry`, body)
  }

  /** So many are let in, one after the other. Who was turned away because this machine's disk was held up asks again. */
  async admits(gate: string, count = 1, why = ''): Promise<void> {
    let late = 0
    for (let done = 0; done < count; ) {
      const { decision, reason } = (await this.enter(gate)).json
      if (decision === 'REJECT_FAULT' && reason === 'disk' && late++ < LATE_MAX) continue
      assert.equal(decision, 'ADMIT', `${gate}: ${reason}; ${done} of ${count} are in ${why}`)
      done++
    }
  }

  leave(gate: string, body: object = { id: newId() }): Promise<Reply> {
    return this.#client.post(`${this.url(gate)}/turnstile/exit`, body)
  }

  ask(name: string, method: string, path: string, body?: string): Promise<Reply> {
    return this.#client.ask(method, `${this.url(name)}${path}`, body)
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a member says is looked at field by field
  async status(name: string): Promise<any> {
    const { status, json } = await this.ask(name, 'GET', '/status')
    assert.equal(status, 200, name)
    return json
  }

  /** Until this gate has heard of so many people inside: an exit out of a building it thinks empty gets no credit. */
  async heard(gate: string, count: number): Promise<void> {
    await this.until(gate, status => status.occupancy.count === count, `hears of ${count} people inside`)
  }

  // biome-ignore lint/suspicious/noExplicitAny: see above
  async until(name: string, holds: (status: any) => boolean, what: string, msMax = HEARD_MS_MAX): Promise<void> {
    const until = performance.now() + msMax
    let last: unknown
    while (performance.now() < until) {
      last = await this.status(name).catch(error => error)
      if (!(last instanceof Error) && holds(last)) return
      await sleep(20)
    }
    assert.fail(`${name} never ${what}: ${JSON.stringify(last)}\n${this.#out}${this.#err}`)
  }

  /** The member's own process, by its pid in mall.json; waits until it is gone. */
  async killMember(name: string): Promise<void> {
    const pid = this.pidOf(name)
    process.kill(pid, 'SIGKILL')
    while (isAlive(pid)) await sleep(2)
  }

  /** Until mall.json names another process for it, and that one answers. */
  async isBack(name: string, was: number): Promise<void> {
    const until = performance.now() + 20_000
    while (performance.now() < until) {
      if (this.pidOf(name) !== was && (await this.status(name).catch(() => undefined)) !== undefined) return
      await sleep(20)
    }
    assert.fail(`${name} did not come back:\n${this.#out}${this.#err}`)
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }

  /** The mall's own process only: its members notice, and this waits until they are gone. */
  async orphan(): Promise<Ended> {
    const ended = await this.signal('SIGKILL')
    const until = performance.now() + LEFT_MS_MAX
    while (leftovers(this.dir).length > 0) {
      assert.ok(performance.now() < until, `still run: ${leftovers(this.dir)}`)
      await sleep(10)
    }
    return ended
  }

  /** Everything at once, as when the power goes. */
  async kill(): Promise<Ended> {
    const ended = this.signal('SIGKILL')
    for (const pid of leftovers(this.dir)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    await ended
    while (leftovers(this.dir).length > 0) await sleep(2)
    return ended
  }
}

/** Runs `act` for 0 … count − 1, so many at a time, or until nobody wants any more. */
export async function atOnce(
  parallel: number,
  count: number,
  act: (i: number) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count && !isOver(); i = next++) await act(i)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
