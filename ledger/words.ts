// Words: the lines below the head of everything signed. Each is a word, a space and its value; sorted bytewise; a line
// that would say zero or nothing is left out.
//
// Law: one meaning has one text. Whoever reads writes again what was read, and refuses a text that differs.

import { parseCount, parseSigned } from './decimal.ts'
import { Fault } from './fault.ts'

export class WordWriter {
  readonly #lines: string[] = []

  add(word: string, value: string): void {
    this.#lines.push(`${word} ${value}`)
  }

  number(word: string, n: number): void {
    if (n !== 0) this.add(word, String(n))
  }

  text(word: string, text: string): void {
    if (text !== '') this.add(word, text)
  }

  // all but the one line of free text are ASCII, for which the order of code units is the order of bytes
  lines(): string[] {
    return this.#lines.sort()
  }
}

export class WordReader {
  readonly #code: string
  readonly #values = new Map<string, string[]>()

  constructor(code: string, lines: readonly string[]) {
    this.#code = code
    for (const line of lines) {
      const space = line.indexOf(' ')
      if (space < 1) throw this.fault(`not a word and its value: ${quote(line)}`)
      const word = line.slice(0, space)
      const values = this.#values.get(word)
      if (values === undefined) this.#values.set(word, [line.slice(space + 1)])
      else values.push(line.slice(space + 1))
    }
  }

  all(word: string): readonly string[] {
    const values = this.#values.get(word) ?? []
    this.#values.delete(word)
    return values
  }

  one(word: string): string | undefined {
    const values = this.all(word)
    if (values.length > 1) throw this.fault(`${word}: said twice`)
    return values[0]
  }

  text(word: string): string {
    return this.one(word) ?? ''
  }

  count(word: string): number {
    return this.#number(word, parseCount)
  }

  signed(word: string): number {
    return this.#number(word, parseSigned)
  }

  /** Every word has been asked for. */
  end(): void {
    for (const word of this.#values.keys()) throw this.fault(`a word that does not belong: ${quote(word)}`)
  }

  fault(what: string): Fault {
    return new Fault(this.#code, what)
  }

  #number(word: string, parse: (text: string) => number | undefined): number {
    const value = this.one(word)
    if (value === undefined) return 0
    const n = parse(value)
    if (n === undefined) throw this.fault(`${word}: not a number in its one spelling: ${quote(value)}`)
    return n
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
