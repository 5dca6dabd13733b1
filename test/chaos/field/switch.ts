// Switch: the process that carries every frame between members, and what it is told. It ends with us, whatever ends us.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Rules } from './rules.ts'

export interface Carried {
  /** frames taken from members */
  readonly in: number
  /** frames given to members: one for many counts for each of them */
  readonly out: number
  readonly cut: number
  readonly lost: number
  readonly doubled: number
  readonly late: number
  /** kept back so that others overtake them */
  readonly held: number
  /** lost because there was no room, or because the far end is not up */
  readonly full: number
  readonly waiting: number
  readonly cpuMs: number
}

const ANSWER_MS_MAX = 10_000

export class Switch {
  readonly #child: ChildProcess
  readonly #names: readonly string[]
  readonly #waiting: ((line: string) => void)[] = []
  readonly #ended: Promise<unknown>
  #rest = ''
  #last: Promise<unknown> = Promise.resolve()

  /** Its end of every member's cable is called `prefix` and the member's place in `names`. */
  static async open(a: {
    readonly command: string
    readonly seed: number
    readonly prefix: string
    readonly names: readonly string[]
  }): Promise<Switch> {
    const made = new Switch(a.command, [String(a.seed >>> 0), a.prefix, String(a.names.length)], a.names)
    const said = await made.#line()
    if (said !== 'ready') throw new Error(`the switch says ${said}`)
    return made
  }

  private constructor(command: string, args: readonly string[], names: readonly string[]) {
    this.#names = names
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#ended = new Promise(resolve => {
      this.#child.on('close', resolve)
      this.#child.on('error', resolve)
    })
    void this.#ended.then(() => this.#heard('it has ended\n'))
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stdout?.setEncoding('utf8').on('data', text => this.#heard(text))
  }

  async rule(rules: Rules): Promise<void> {
    const { lostPercent, doubledPercent, heldPercent, delayMs, jitterMs, hears } = rules
    const pairs = this.#names.flatMap(from => this.#names.map(to => (from === to || hears(from, to) ? '1' : '0')))
    const perMille = [lostPercent, doubledPercent, heldPercent].map(percent => Math.round(percent * 10))
    const us = [delayMs, jitterMs].map(ms => Math.round(ms * 1000))
    const said = await this.#ask(['rules', ...perMille, ...us, pairs.join('')].join(' '))
    if (said !== 'ok') throw new Error(`the switch says ${said}`)
  }

  async carried(): Promise<Carried> {
    return JSON.parse(await this.#ask('stats'))
  }

  async close(): Promise<void> {
    this.#child.stdin?.end()
    await this.#ended
  }

  /** One after the other: answers come in the order of questions. */
  #ask(line: string): Promise<string> {
    const answer = this.#last.then(() => {
      this.#child.stdin?.write(`${line}\n`)
      return this.#line()
    })
    this.#last = answer.catch(() => undefined)
    return answer
  }

  #line(): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the switch does not answer')), ANSWER_MS_MAX)
      this.#waiting.push(line => {
        clearTimeout(timer)
        resolve(line)
      })
    })
  }

  #heard(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() as string
    for (const line of lines) this.#waiting.shift()?.(line)
  }
}
