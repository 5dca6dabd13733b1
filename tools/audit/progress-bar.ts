// Progress bar: how far a long reading is, on the terminal's error stream; where that is no terminal, a line now and then.

const WIDTH = 30
const EVERY_MS = 200
const EVERY_MS_IN_A_LOG = 10_000

export class ProgressBar {
  readonly #what: string
  readonly #begun = performance.now()
  #shown = performance.now()
  #isOpen = false

  constructor(what: string) {
    this.#what = what
  }

  show(done: number, all: number): void {
    const now = performance.now()
    const isTerminal = process.stderr.isTTY === true
    if (now - this.#shown < (isTerminal ? EVERY_MS : EVERY_MS_IN_A_LOG)) return
    this.#shown = now
    const share = all === 0 ? 1 : done / all
    const left = share > 0.02 ? `, ${Math.ceil((((now - this.#begun) / share) * (1 - share)) / 1000)} s left` : ''
    const text = `${this.#what} ${Math.floor(share * 100)} %${left}`
    if (!isTerminal) return void process.stderr.write(`${text}\n`)
    const full = Math.round(share * WIDTH)
    process.stderr.write(`\r[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${text}   `)
    this.#isOpen = true
  }

  end(): void {
    if (this.#isOpen) process.stderr.write(`\r${' '.repeat(WIDTH + 50)}\r`)
    this.#isOpen = false
  }
}
