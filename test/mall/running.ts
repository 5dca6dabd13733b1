// A mall as its users run it: a process of its own, spoken to over HTTP, stopped by signals, and killed.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MallReport } from '../../tools/mall/report.ts'

const BIN = join(import.meta.dirname, '../../tools/gatemesh.mjs')
const READY_MS_MAX = 30_000

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

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked at field by field
  readonly json: any
}

const running = new Set<RunningMall>()

/** A folder that is gone when the test is. */
export async function inFolder<T>(act: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'mall-'))
  try {
    return await act(dir)
  } finally {
    for (const mall of running) if (mall.dir === dir) await mall.kill()
    rmSync(dir, { recursive: true, force: true })
  }
}

export class RunningMall {
  readonly dir: string
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 })
  #out = ''
  #err = ''

  constructor(dir: string, args: readonly string[]) {
    this.dir = dir
    this.#child = spawn(process.execPath, [BIN, 'mall', '--port', '0', '--dir', dir, ...args])
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
        this.#agent.destroy()
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
    const until = performance.now() + READY_MS_MAX
    while (!/^mall ready: /m.test(this.#out)) {
      assert.ok(running.has(this), `ended before it was ready:\n${this.#out}${this.#err}`)
      assert.ok(performance.now() < until, `not ready in time:\n${this.#out}${this.#err}`)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  }

  get out(): string {
    return this.#out
  }

  get err(): string {
    return this.#err
  }

  get place(): Place {
    return JSON.parse(readFileSync(join(this.dir, 'mall.json'), 'utf8'))
  }

  async report(): Promise<MallReport> {
    const { status, json } = await this.ask('GET', '/status')
    assert.equal(status, 200)
    return json
  }

  enter(gate: string, body: object = {}): Promise<Reply> {
    return this.ask('POST', `/gates/${gate}/turnstile/entry`, JSON.stringify(body))
  }

  leave(gate: string, body: object = {}): Promise<Reply> {
    return this.ask('POST', `/gates/${gate}/turnstile/exit`, JSON.stringify(body))
  }

  ask(method: string, path: string, body?: string): Promise<Reply> {
    const url = /^mall ready: (\S+)$/m.exec(this.#out)?.[1]
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method, agent: this.#agent }, response => {
        let text = ''
        response.on('data', part => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, json: parsed(text) }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  /** Until this gate has heard of so many people inside: an exit out of a building it thinks empty gets no credit. */
  async heard(gate: string, count: number): Promise<void> {
    for (let i = 0; i < 200; i++) {
      const { json } = await this.ask('GET', `/gates/${gate}/status`)
      if (json.occupancy.count === count) return
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    assert.fail(`${gate} never heard of ${count} people inside`)
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }

  kill(): Promise<Ended> {
    return this.signal('SIGKILL')
  }
}

/** Runs `act` for 0 … count − 1, so many at a time. */
export async function atOnce(parallel: number, count: number, act: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await act(i)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
