// Terminal: a desk on standard input and output. Lines, or single keys on a real terminal.
//
// Law: whatever happens, the terminal is left as it was found: `close` is called on every way out.

import { type Desk, Stopped } from './desk.ts'

const CTRL_C = '\x03'

export class Terminal implements Desk {
  readonly #out: NodeJS.WriteStream
  readonly #in = process.stdin
  readonly #queue: string[] = []
  #rest = ''
  #areKeys = false
  #isEnded = false
  #isInterrupted = false
  #hasProgress = false
  #wake: () => void = () => undefined

  /** With `aside`, words for people go beside the JSON on standard output and not into it. */
  constructor(a: { readonly aside: boolean }) {
    this.#out = a.aside ? process.stderr : process.stdout
    this.#in.setEncoding('utf8')
    this.#in.on('data', this.#onData)
    this.#in.on('end', this.#onEnd)
    process.on('SIGINT', this.#onInterrupt)
  }

  get isOver(): boolean {
    return this.#isEnded && this.#queue.length === 0
  }

  say(text: string): void {
    this.#clear()
    this.#out.write(`${text}\n`)
  }

  progress(text: string): void {
    if (!this.#out.isTTY) return
    this.#clear()
    this.#out.write(text.slice(0, this.#out.columns - 1))
    this.#hasProgress = true
  }

  async typed(withinMs: number): Promise<string | undefined> {
    if (this.#queue.length === 0) await this.pause(withinMs)
    if (this.#isInterrupted) throw new Stopped('stopped by hand')
    return this.#queue.shift()
  }

  async pause(ms: number): Promise<void> {
    if (!this.#isInterrupted) await this.#woken(ms)
    if (this.#isInterrupted) throw new Stopped('stopped by hand')
  }

  keys(areWanted: boolean): void {
    if (!this.#in.isTTY) return
    this.#areKeys = areWanted
    this.#in.setRawMode(areWanted)
  }

  flush(): void {
    if (this.#in.isTTY) this.#queue.length = 0
  }

  now(): number {
    return performance.now()
  }

  /** Safe to repeat. */
  close(): void {
    this.#clear()
    this.keys(false)
    this.#in.off('data', this.#onData)
    this.#in.off('end', this.#onEnd)
    this.#in.pause()
    process.off('SIGINT', this.#onInterrupt)
  }

  readonly #onData = (text: string): void => {
    if (this.#areKeys) this.#queue.push(...text.replaceAll(CTRL_C, ''))
    else {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop() as string
      this.#queue.push(...lines.map(line => line.trim()))
    }
    // in raw mode the terminal makes no signal of it
    if (this.#areKeys && text.includes(CTRL_C)) this.#onInterrupt()
    this.#wake()
  }

  readonly #onEnd = (): void => {
    if (this.#rest.trim() !== '') this.#queue.push(this.#rest.trim())
    this.#isEnded = true
    this.#wake()
  }

  readonly #onInterrupt = (): void => {
    this.#isInterrupted = true
    this.#wake()
  }

  #woken(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, withinMs)
    this.#wake = resolve
    return promise.finally(() => clearTimeout(timer))
  }

  #clear(): void {
    if (!this.#hasProgress) return
    this.#out.write('\r\x1b[K')
    this.#hasProgress = false
  }
}
