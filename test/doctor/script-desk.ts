// Script desk: a person who does what a list says when a question comes, on a clock that runs only while they do nothing.

import { type Desk, Stopped } from '../../tools/doctor/desk.ts'

/** When these words are said: what the person types, or does. */
export type Cue = readonly [words: RegExp, act: string | ((desk: ScriptDesk) => void)]

export class ScriptDesk implements Desk {
  readonly said: string[] = []
  readonly #cues: Cue[]
  readonly #typed: string[] = []
  readonly #later: { readonly at: number; readonly act: () => void }[] = []
  #now = 0
  isInterrupted = false
  /** nobody types anything that is not on the list */
  isEnded = false

  constructor(...cues: Cue[]) {
    this.#cues = cues
  }

  get text(): string {
    return this.said.join('\n')
  }

  /** Questions that never came. */
  get unused(): readonly Cue[] {
    return this.#cues
  }

  get isOver(): boolean {
    return this.isEnded && this.#typed.length === 0
  }

  say(text: string): void {
    this.said.push(text)
    const i = this.#cues.findIndex(([words]) => words.test(text))
    if (i === -1) return
    const [[, act]] = this.#cues.splice(i, 1) as [Cue]
    if (typeof act === 'string') this.type(act)
    else act(this)
  }

  type(line: string): void {
    this.#typed.push(line)
  }

  after(ms: number, act: () => void): void {
    this.#later.push({ at: this.#now + ms, act })
  }

  progress(): void {}

  async typed(withinMs: number): Promise<string | undefined> {
    if (this.#typed.length === 0) await this.pause(withinMs)
    return this.#typed.shift()
  }

  async pause(ms: number): Promise<void> {
    if (this.isInterrupted) throw new Stopped('stopped by hand')
    this.#now += ms
    for (const one of this.#later.filter(({ at }) => at <= this.#now)) {
      this.#later.splice(this.#later.indexOf(one), 1)
      one.act()
    }
  }

  keys(): void {}

  flush(): void {}

  now(): number {
    return this.#now
  }
}
