// Child: a process of a bench, spoken to in orders, each answered by one word, and ended when its work is done.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Order, Word } from './gates-process.ts'

/** A commit of each gate waits for the disk on one of these; the usual four would let gates wait for each other. */
const THREADS = 32
/** Room from the start, for everyone's gates: the heap of fifteen gates in one process would grow in the middle of a crowd. */
const HEAP = ['--initial-heap-size=1024']
const END_MS_MAX = 15_000

type Did = Word['did']

export class Child {
  readonly #child: ChildProcess
  readonly #gone: Promise<never>
  readonly #waiting: ((word: Word) => void)[] = []

  constructor(script: 'gates-process.ts' | 'anchor-process.ts', args: readonly string[] = []) {
    this.#child = fork(join(import.meta.dirname, script), args, {
      env: { ...process.env, UV_THREADPOOL_SIZE: String(THREADS) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: HEAP,
      serialization: 'advanced',
    })
    this.#gone = new Promise((_, reject) => {
      this.#child.once('exit', code => reject(new Error(`${script} ended with code ${code}`)))
    })
    this.#gone.catch(() => undefined)
    this.#child.on('message', word => this.#waiting.shift()?.(word as Word))
  }

  /** For one that opens by itself: the port that it listens on, once it is there. */
  async opened(): Promise<number> {
    return (await this.#word('open')).port
  }

  order<D extends Order['do']>(order: Extract<Order, { do: D }>): Promise<Extract<Word, { did: D }>> {
    const word = this.#word(order.do)
    this.#child.send(order)
    return word as Promise<Extract<Word, { did: D }>>
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    const gone = this.#gone.catch(() => undefined)
    await Promise.race([gone, sleep(END_MS_MAX, undefined, { ref: false })])
    this.#child.kill('SIGKILL')
    await gone
  }

  async #word<D extends Did>(did: D): Promise<Extract<Word, { did: D }>> {
    const word = await Promise.race([new Promise<Word>(resolve => this.#waiting.push(resolve)), this.#gone])
    if (word.did !== did) throw new Error(`said ${word.did}, not ${did}`)
    return word as Extract<Word, { did: D }>
  }
}
