// Journal: what one member says, kept in a file; what people must know of it, in one short line.
//
// Members speak pino's JSON lines. Whatever else comes out of a process is kept as it is: it is what a crash looks like.

import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

const FILE_BYTES_MAX = 5_000_000
/** The same warning is shown once in so long. */
const SHOWN_AGAIN_MS = 30_000
const SHOWN_CHARS_MAX = 200
const TAIL_LINES = 6
const LINE_CHARS_MAX = 64_000
const WARN = 40

export interface Said {
  readonly event: string
  readonly level: number
  readonly fields: Readonly<Record<string, unknown>>
}

export interface JournalOptions {
  readonly name: string
  readonly path: string
  readonly show: (line: string) => void
  readonly said: (said: Said) => void
}

export class Journal {
  readonly #o: JournalOptions
  readonly #shownAt = new Map<string, number>()
  readonly #tail: string[] = []
  #file: number
  #bytes: number

  constructor(options: JournalOptions) {
    this.#o = options
    this.#file = openSync(options.path, 'a')
    this.#bytes = fstatSync(this.#file).size
  }

  /** The last lines, for whoever wants to know why it ended. */
  get tail(): readonly string[] {
    return this.#tail
  }

  /** Takes a stream apart into lines; one of these per stream. */
  reader(): (text: string) => void {
    let rest = ''
    return text => {
      const lines = (rest + text).split('\n')
      rest = (lines.pop() as string).slice(0, LINE_CHARS_MAX)
      for (const line of lines) this.line(line)
    }
  }

  line(line: string): void {
    if (line.trim() === '') return
    this.#keep(line)
    const said = saidIn(line)
    if (said === undefined) return
    if (said.level >= WARN) this.#show(said)
    this.#o.said(said)
  }

  close(): void {
    closeSync(this.#file)
  }

  #keep(line: string): void {
    this.#tail.push(line)
    if (this.#tail.length > TAIL_LINES) this.#tail.shift()
    if (this.#bytes > FILE_BYTES_MAX) {
      closeSync(this.#file)
      renameSync(this.#o.path, `${this.#o.path}.1`)
      this.#file = openSync(this.#o.path, 'a')
      this.#bytes = 0
    }
    try {
      this.#bytes += writeSync(this.#file, `${line}\n`)
    } catch {
      // a full disk costs the log, never the mall
    }
  }

  #show({ event, fields }: Said): void {
    const now = performance.now()
    if (now - (this.#shownAt.get(event) ?? Number.NEGATIVE_INFINITY) < SHOWN_AGAIN_MS) return
    this.#shownAt.set(event, now)
    const rest = Object.entries(fields).map(([key, value]) => `${key} ${wordOf(value)}`)
    const line = `${this.#o.name}: ${[event, ...rest].join(', ')}`
    this.#o.show(line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)}…` : line)
  }
}

/** Names that every line has, or that the one who reads this knows. */
const USUAL = ['level', 'time', 'pid', 'hostname', 'name', 'event', 'msg', 'member', 'gate']

function saidIn(line: string): Said | undefined {
  try {
    const fields = JSON.parse(line)
    if (typeof fields?.level !== 'number') return undefined
    const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !USUAL.includes(key)))
    return { event: String(fields.event ?? fields.msg ?? ''), level: fields.level, fields: rest }
  } catch {
    return undefined
  }
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
