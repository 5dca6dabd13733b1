// Members as they run in a mall: a process each on loopback, with static addresses, spoken to over HTTP and by signals.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { found, policyPath } from '../../tools/founding.ts'
import { Ports } from '../../tools/mall/ports.ts'
import { memberFilePath, writeMemberFile } from '../../tools/member-file.ts'
import { memberArguments } from '../../tools/member-node.ts'

export const BIN = join(import.meta.dirname, '../../tools/gatemesh.mjs')

const WAIT_MS_MAX = 60_000

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked at field by field
  readonly json: any
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Line {
  readonly event: string
  readonly level: number
  readonly member: string
  readonly [field: string]: unknown
}

const running = new Set<Running>()
/** Members come back to their ports: none may be one that an outgoing connection of anybody can be given meanwhile. */
const ports = new Ports()

export async function inFolder<T>(act: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'process-'))
  try {
    return await act(dir)
  } finally {
    for (const one of running) if (one.dir.startsWith(dir)) await one.signal('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Keys, charter and configs of a small mall; nobody runs yet. */
export async function founded(dir: string, gates: readonly string[], capacity: number, mall = 'm'): Promise<void> {
  const operators = [
    { name: 'ann', role: 'marshal' },
    { name: 'bob', role: 'operator' },
  ] as const
  await found(dir, { mall, legalMax: capacity, capacity, operators, gates, exitsPerMinuteMax: 12_000 })
  const names = ['anchor', ...gates]
  const places = new Map<string, string>()
  for (const name of names) places.set(name, `127.0.0.1:${await ports.any()}`)
  for (const name of names) {
    const peers = Object.fromEntries([...places].filter(([peer]) => peer !== name).map(([peer, at]) => [peer, [at]]))
    const listen = places.get(name) as string
    const http = { host: '127.0.0.1', port: 0, ...(name === 'anchor' ? { access: 'open' as const } : {}) }
    await writeMemberFile(dir, name, { listen, peers, mdns: false, http })
  }
}

export function change(dir: string, name: string, fields: object): void {
  const path = memberFilePath(dir, name)
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...fields }))
}

/** Anchor and gates, with the first policy in force and tokens at the gates, or at least within their reach. */
export async function opened(
  dir: string,
  gates: readonly string[],
  capacity: number,
  tokens: 'each' | 'in reach' = 'each',
  beforeStart: () => void = () => undefined,
): Promise<Map<string, Running>> {
  await founded(dir, gates, capacity)
  beforeStart()
  const anchor = new Running(dir, 'anchor', ['--birth'])
  const members = new Map([['anchor', anchor], ...gates.map(name => [name, new Running(dir, name)] as const)])
  await anchor.until('it has joined', status => status.isJoined)
  const { status, json } = await anchor.post('/policy', readFileSync(policyPath(dir, 1), 'utf8'))
  assert.equal(status, 200, JSON.stringify(json))
  for (const name of gates) {
    await (members.get(name) as Running).until(
      'it decides',
      s => s.state === 'NORMAL' && (s.balance > 0 || tokens !== 'each'),
    )
  }
  return members
}

export class Running {
  readonly dir: string
  readonly name: string
  readonly ended: Promise<Ended>
  readonly child: ChildProcess
  #out = ''
  #err = ''
  /** what was said so far, and up to where in `#out` */
  readonly #lines: Line[] = []
  #read = 0

  /** `through` is a command that runs another, such as one that enters a network namespace first. */
  constructor(
    dir: string,
    name: string,
    args: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
    through: readonly string[] = [],
  ) {
    this.dir = dir
    this.name = name
    const kind = name === 'anchor' ? 'anchor' : 'gate'
    const own = [process.execPath, ...memberArguments(kind, '--config', memberFilePath(dir, name), ...args)]
    const [command = '', ...rest] = [...through, ...own]
    this.child = spawn(command, rest, { env: { ...process.env, ...env } })
    this.child.stdout?.setEncoding('utf8').on('data', text => {
      this.#out += text
    })
    this.child.stderr?.on('data', text => {
      this.#err += text
    })
    running.add(this)
    this.ended = new Promise(resolve => {
      this.child.on('close', (code, signal) => {
        running.delete(this)
        resolve({ code, signal, out: this.#out, err: this.#err })
      })
    })
  }

  /** Each is parsed once, and when it is whole: tests look again and again, and before every question that they ask. */
  get lines(): readonly Line[] {
    for (let end = this.#out.indexOf('\n', this.#read); end >= 0; end = this.#out.indexOf('\n', this.#read)) {
      const line = this.#out.slice(this.#read, end)
      this.#read = end + 1
      if (line !== '') this.#lines.push(JSON.parse(line))
    }
    return this.#lines
  }

  said(event: string): Line[] {
    return this.lines.filter(line => line.event === event)
  }

  async heard(event: string, msMax = WAIT_MS_MAX): Promise<Line> {
    await this.#wait(`it says ${event}`, async () => this.said(event).length > 0, msMax)
    return this.said(event)[0] as Line
  }

  async until(what: string, holds: (status: Reply['json']) => boolean, msMax = WAIT_MS_MAX): Promise<Reply['json']> {
    await this.heard('listening')
    let last: Reply['json']
    const look = async () => {
      last = (await this.ask('GET', '/status')).json
      return holds(last)
    }
    await this.#wait(what, look, msMax)
    return last
  }

  enter(): Promise<Reply> {
    return this.post('/turnstile/entry', '{}')
  }

  /** So many people in; a disk that is slow for a moment turns one away, who tries again. */
  async admit(count: number): Promise<void> {
    for (let admitted = 0, asked = 0; admitted < count; asked++) {
      const { decision, reason } = (await this.enter()).json
      assert.ok(asked < count * 3, `${decision} ${reason}`)
      if (decision === 'ADMIT') admitted++
    }
  }

  leave(): Promise<Reply> {
    return this.post('/turnstile/exit', '{}')
  }

  post(path: string, body: string): Promise<Reply> {
    return this.ask('POST', path, body)
  }

  async ask(method: string, path: string, body?: string, type = 'text/plain'): Promise<Reply> {
    const { http } = await this.heard('listening')
    const response = await fetch(`${http}${path}`, {
      method,
      headers: { connection: 'close', ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : text }
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal)
    return this.ended
  }

  async #wait(what: string, holds: () => Promise<boolean>, msMax = WAIT_MS_MAX): Promise<void> {
    const until = performance.now() + msMax
    while (!(await holds())) {
      assert.ok(running.has(this), `${this.name} ended before ${what}:\n${this.#out}${this.#err}`)
      assert.ok(performance.now() < until, `${this.name}: waited too long until ${what}:\n${this.#everyone()}`)
      await sleep(50)
    }
  }

  /** What it said, and what went wrong at the others of its mall: often it is they who keep it waiting. */
  #everyone(): string {
    const others = [...running].filter(one => one !== this && one.dir === this.dir)
    const faults = others.flatMap(one => [
      `${one.name}:`,
      ...one.lines.filter(isWarning).map(line => JSON.stringify(line)),
    ])
    return [`${this.#out}${this.#err}`, 'still running, with their warnings:', ...faults].join('\n')
  }
}

function isWarning(line: Line): boolean {
  return line.level >= 40
}

export function isThere(path: string): boolean {
  return existsSync(path)
}
