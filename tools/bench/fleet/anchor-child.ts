// Anchor child: the anchor process of a bench, asked how it stands, measured by the kernel, and ended.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, residentMb } from '../kernel/process.ts'
import type { AnchorWish, AnchorWord } from './anchor-process.ts'

/** LevelDB works on these; the usual four would let malls wait for each other. */
const THREADS = 32
const OPEN_MS_MAX = 600_000
const END_MS_MAX = 10_000

export class AnchorChild {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #words: ((word: AnchorWord) => void)[] = []

  constructor(wish: AnchorWish) {
    this.#child = fork(join(import.meta.dirname, 'anchor-process.ts'), [JSON.stringify(wish)], {
      env: { ...process.env, UV_THREADPOOL_SIZE: String(THREADS) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#exited = new Promise(resolve => this.#child.once('exit', () => resolve()))
    this.#child.on('message', word => {
      if (word !== 'started') this.#words.shift()?.(word as AnchorWord)
    })
  }

  ask(): Promise<AnchorWord> {
    const word = new Promise<AnchorWord>(resolve => this.#words.push(resolve))
    this.#child.send('how')
    return Promise.race([word, this.#exited.then(() => Promise.reject(new Error('the anchor process has ended')))])
  }

  async allOpen(malls: number): Promise<void> {
    const until = performance.now() + OPEN_MS_MAX
    for (;;) {
      const { open, lastWarning } = await this.ask()
      if (open >= malls) return
      if (performance.now() > until) throw new Error(`only ${open} of ${malls} malls have opened: ${lastWarning}`)
      await sleep(500)
    }
  }

  /** Or never, where there is more to collect than it can: then that is what is measured. */
  async caughtUp(): Promise<void> {
    const until = performance.now() + 60_000
    while (performance.now() < until) {
      const { lagMs } = await this.ask()
      if (lagMs < 3000) break
      await sleep(1000)
    }
    await sleep(5000)
  }

  cpuSeconds(): Promise<number> {
    return cpuSeconds(this.#child.pid as number)
  }

  async residentMb(): Promise<number> {
    return Math.round(await residentMb(this.#child.pid as number))
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await Promise.race([this.#exited, sleep(END_MS_MAX)])
    this.#child.kill('SIGKILL')
    await this.#exited
  }
}
