// Child: one member as a process of its own, kept running as systemd would keep it.
//
// Laws: who dies unasked is started again after a second, and who keeps dying stays down with its last words shown. A
// member is only ever ended by its own pid. Its stdin is a pipe that nobody writes to: when it ends, so has the mall,
// whatever ended that, and the member stops by itself.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { memberEnvironment } from '../member-node.ts'
import { Journal, type Said } from './journal.ts'

const RESTART_MS = 1000
const DEATHS_MAX = 5
const DEATHS_WITHIN_MS = 10_000

export interface ChildOptions {
  readonly name: string
  /** what follows `node`; asked anew for every start */
  readonly args: () => readonly string[]
  readonly logs: string
  readonly mayRestart: boolean
  /** a command that runs another, such as one that enters a network namespace first */
  readonly through?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** it ended and nobody had asked it to */
  readonly died?: (how: string) => void
  readonly say: (line: string) => void
  readonly alarm: (line: string) => void
  /** it has a pid, or another one, or says where it listens */
  readonly changed: () => void
}

export class Child {
  readonly name: string
  readonly #o: ChildOptions
  readonly #journal: Journal
  #process: ChildProcess | undefined
  #gone: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #deaths: number[] = []
  #isWanted = false
  #url: string | undefined
  #pid = 0
  /** it died too often, or may not be started again */
  isGivenUp = false

  constructor(options: ChildOptions) {
    this.name = options.name
    this.#o = options
    const path = join(options.logs, `${options.name}.log`)
    this.#journal = new Journal({
      name: options.name,
      path,
      show: options.alarm,
      said: said => this.#heard(said),
    })
  }

  /** Of the process that runs, or ran last. */
  get pid(): number {
    return this.#pid
  }

  /** Where it answers; undefined until it has said so, and while it is down. */
  get url(): string | undefined {
    return this.#url
  }

  get isRunning(): boolean {
    return this.#process !== undefined
  }

  /** The last it said, for whoever has to look why. */
  get lastWords(): string {
    return this.#journal.tail.join('\n')
  }

  /** Also one that was ended, or given up. Nothing happens where it runs. */
  start(): void {
    this.#isWanted = true
    if (this.isRunning) return
    clearTimeout(this.#timer)
    this.#deaths = []
    this.isGivenUp = false
    this.#start()
  }

  /** Asks it to stop and waits until it is gone. Safe to repeat. */
  end(): Promise<void> {
    this.#isWanted = false
    clearTimeout(this.#timer)
    this.#process?.kill('SIGTERM')
    return this.#gone
  }

  /** Safe at any time: a member that is killed loses nothing that it had told anyone. */
  kill(): Promise<void> {
    this.#isWanted = false
    clearTimeout(this.#timer)
    this.#process?.kill('SIGKILL')
    return this.#gone
  }

  close(): void {
    this.#journal.close()
  }

  #start(): void {
    const gone = Promise.withResolvers<void>()
    this.#gone = gone.promise
    // a session of its own: Ctrl-C in a terminal is for the mall, which stops its members in order
    const [command = '', ...args] = [...(this.#o.through ?? []), process.execPath, ...this.#o.args()]
    const child = spawn(command, args, {
      detached: true,
      env: { ...memberEnvironment(), ...this.#o.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#process = child
    this.#pid = child.pid ?? 0
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', this.#journal.reader())
    }
    child.stdin.on('error', () => undefined)
    child.on('error', error => this.#journal.line(`cannot be started: ${error.message}`))
    child.on('close', (code, signal) => {
      this.#process = undefined
      this.#url = undefined
      if (this.#isWanted) this.#died(code, signal)
      gone.resolve()
    })
    this.#o.changed()
  }

  #died(code: number | null, signal: NodeJS.Signals | null): void {
    const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`
    this.#o.died?.(how)
    const now = performance.now()
    this.#deaths = [...this.#deaths.filter(at => now - at < DEATHS_WITHIN_MS), now]
    if (!this.#o.mayRestart) {
      this.isGivenUp = true
      this.#o.say(`${this.name} ${how} and stays down`)
    } else if (this.#deaths.length >= DEATHS_MAX) {
      this.isGivenUp = true
      const often = `${DEATHS_MAX} times in ${DEATHS_WITHIN_MS / 1000} s`
      this.#o.alarm(`${this.name} ${how}, ${often}, and stays down; its last words:\n${this.lastWords}`)
    } else {
      this.#o.say(`${this.name} ${how}; started again in ${RESTART_MS / 1000} s`)
      this.#timer = setTimeout(() => this.#start(), RESTART_MS)
    }
  }

  #heard({ event, fields }: Said): void {
    if (event !== 'listening' || typeof fields.http !== 'string') return
    this.#url = fields.http
    this.#o.changed()
  }
}
