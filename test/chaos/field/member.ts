// Member: the anchor or a gate as a process on a host and a disk of its own, kept running unless a fault holds it down.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../../ledger/account.ts'
import { Child } from '../../../tools/mall/child.ts'
import { memberFilePath } from '../../../tools/member-file.ts'
import { MEMBER_FLAGS } from '../../../tools/member-node.ts'
import { isThere } from '../../process/members.ts'
import type { Disk } from './disk.ts'

export interface MemberOptions {
  readonly dir: string
  readonly name: string
  /** root of the tree whose code it runs */
  readonly build: string
  readonly disk: Disk
  readonly url: string
  readonly through: readonly string[]
  readonly preload: string
  readonly knobs: string
  readonly logs: string
  readonly say: (line: string) => void
  readonly died: (how: string, lastWords: string) => void
}

const FREEZE_MS_MAX = 10_000

export class Member {
  readonly name: string
  readonly disk: Disk
  readonly through: readonly string[]
  /** what it is started with: a disk and a clock that can be wrong */
  readonly env: Readonly<Record<string, string>>
  readonly #url: string
  readonly #child: Child
  readonly #clock: string
  readonly #holds = new Set<symbol>()
  readonly #jumps = new Map<symbol, number>()
  readonly #pids = new Set<number>()

  constructor(a: MemberOptions) {
    this.name = a.name
    this.disk = a.disk
    this.through = a.through
    this.#url = a.url
    this.#clock = join(a.knobs, `${a.name}.clock`)
    this.#setClock()
    this.env = {
      LD_PRELOAD: a.preload,
      FIELD_FAIL: a.disk.fail,
      FIELD_DISK: a.disk.at,
      FAKETIME_TIMESTAMP_FILE: this.#clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
    const kind = a.name === ANCHOR ? 'anchor' : 'gate'
    const own = [join(a.build, 'tools/gatemesh.mjs'), kind, '--config', memberFilePath(a.dir, a.name), '--with-parent']
    const birth = () => (a.name === ANCHOR && !isThere(join(a.disk.at, 'born')) ? ['--birth'] : [])
    this.#child = new Child({
      name: a.name,
      args: () => [...MEMBER_FLAGS, ...own, ...birth()],
      through: a.through,
      env: this.env,
      logs: a.logs,
      mayRestart: true,
      say: a.say,
      alarm: () => undefined,
      changed: () => this.#pids.add(this.#child.pid),
      died: how => a.died(how, this.#child.lastWords),
    })
  }

  /** Where it answers, or will again. */
  get address(): string {
    return this.#url
  }

  /** Undefined while it is down. */
  get url(): string | undefined {
    return this.#child.isRunning ? this.#url : undefined
  }

  get pid(): number {
    return this.#child.pid
  }

  get isRunning(): boolean {
    return this.#child.isRunning
  }

  get isHeld(): boolean {
    return this.#holds.size > 0
  }

  get lastWords(): string {
    return this.#child.lastWords
  }

  /** It may not run until whoever says so lets go. */
  holdFor(why: symbol): Promise<void> {
    this.#holds.add(why)
    return this.#child.kill()
  }

  async releaseFor(why: symbol): Promise<void> {
    this.#holds.delete(why)
    await this.start()
  }

  /** Nothing happens where it runs, or is held. */
  async start(): Promise<void> {
    if (!this.isHeld) this.#child.start()
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    if (!this.#child.isRunning) return
    try {
      process.kill(this.#child.pid, signal)
    } catch (error) {
      // it has ended in this moment
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  /** Resolves once none of its threads runs any more: the signal alone is only a request. */
  async freeze(): Promise<void> {
    this.signal('SIGSTOP')
    for (const until = performance.now() + FREEZE_MS_MAX; this.isRunning && !isStopped(this.pid); await sleep(1)) {
      if (performance.now() > until) throw new Error(`${this.name} does not stop`)
    }
  }

  jumpFor(why: symbol, byMs: number): void {
    this.#jumps.set(why, byMs)
    this.#setClock()
  }

  jumpBackFor(why: symbol): void {
    if (this.#jumps.delete(why)) this.#setClock()
  }

  end(): Promise<void> {
    return this.#child.end()
  }

  kill(): Promise<void> {
    return this.#child.kill()
  }

  close(): void {
    this.#child.close()
    this.sweep()
  }

  sweep(): void {
    for (const pid of this.#pids) sweepAfter(pid)
  }

  #setClock(): void {
    const ms = [...this.#jumps.values()].reduce((sum, by) => sum + by, 0)
    // whole or not at all: it is read with every look at the clock
    writeFileSync(`${this.#clock}.new`, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1000}\n`)
    renameSync(`${this.#clock}.new`, this.#clock)
  }
}

/** What libfaketime leaves of a process that has ended. */
export function sweepAfter(pid: number): void {
  for (const name of ['faketime_shm', 'sem.faketime_sem']) rmSync(`/dev/shm/${name}_${pid}`, { force: true })
}

function isStopped(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.every(thread => /\) [TZ] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')))
  } catch (error) {
    // it, or one of its threads, has ended in this moment
    if (!['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    return false
  }
}
