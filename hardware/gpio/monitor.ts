// Monitor: the inputs of one chip, through gpiomon.
//
// Laws: nothing is told before the tool has the lines, and everything is told anew when it had to be started again. Edges
// carry the kernel's time, so that a pulse has its true width however late this process reads of it.
//
// The levels are read just before gpiomon takes the lines, which cannot be read by anybody else from then on. An edge in
// the ms between is not seen; the next one of that line puts it right.

import { type ChildProcess, spawn } from 'node:child_process'
import { type Clock, HardwareFault } from '../turnstile.ts'
import { type Chip, chipOf } from './chips.ts'
import { type Dialect, detected, type EdgeLine, type Pull, usersOf } from './dialect.ts'
import type { PinEvents } from './pins.ts'
import { explained, type Tools, toolEnv } from './tools.ts'

// The kernel ends gpiomon when this process dies: left alone it would keep the lines from the gate's next life.
const SCRIPT = `
count=$1
shift
get=("\${@:1:count}")
levels=$("\${get[@]}" </dev/null) || exit 1
echo "levels $levels"
exec setpriv --pdeathsig KILL "\${@:count+1}" </dev/null`

const UP_MS_MAX = 5000
const LOOK_MS = 5
const AGAIN_MS = { first: 100, max: 5000 }
/** An edge that seems older was stamped by another clock. */
const LATE_MS_MAX = 10_000
/** After an edge was lost: quiet for so long is well again. */
const WELL_MS = 60_000

export interface MonitorOptions {
  readonly tools: Tools
  readonly dialect: Dialect
  readonly clock: Clock
  readonly label: string
  readonly offsets: readonly number[]
  readonly pull: Pull
  readonly events: PinEvents
}

export class Monitor {
  readonly figures = { edges: 0, lostEdges: 0, restarts: 0 }
  readonly #options: MonitorOptions
  readonly #levels = new Map<number, boolean>()
  #child: ChildProcess | undefined
  #queue: EdgeLine[] | undefined
  #stderr = ''
  #isStopped = false
  #againMs = AGAIN_MS.first
  #lastAt = 0
  #cancelAgain: (() => void) | undefined
  #cancelWell: (() => void) | undefined

  constructor(options: MonitorOptions) {
    this.#options = options
  }

  /** Up and told, or why not. */
  async start(): Promise<void> {
    const { tools, dialect, clock, label, offsets, pull, events } = this.#options
    const { name } = await this.#chip()
    if (this.#isStopped) return
    const get = [tools.path('gpioget'), ...dialect.get(name, offsets, pull)]
    const watch = [tools.path('gpiomon'), ...dialect.watch(name, offsets, pull)]
    const words = ['-c', SCRIPT, 'monitor', String(get.length), ...get, ...watch]
    const child = spawn('bash', words, { stdio: ['ignore', 'pipe', 'pipe'], env: toolEnv() })
    const levels = this.#listen(child)
    this.#child = child
    const gaveUp = clock.in(UP_MS_MAX, () => child.kill('SIGKILL'))
    try {
      const found = await levels
      await this.#until(name, child)
      events.chip(label, true, `${name} [${label}]`, clock.now())
      for (const [k, at] of offsets.entries()) this.#tell(at, found[k] === '1', clock.now())
    } finally {
      gaveUp()
    }
    this.#againMs = AGAIN_MS.first
    const queue = this.#queue ?? []
    this.#queue = undefined
    for (const edge of queue) this.#edge(edge)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelAgain?.()
    this.#cancelWell?.()
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async #chip(): Promise<Chip> {
    const { tools, label, offsets } = this.#options
    const chips = detected(await tools.run('gpiodetect', []))
    const at = Math.max(...offsets)
    return chipOf(chips, { on: label, at }, 'gpiodetect')
  }

  /** The words of its first line. What comes after it waits until the lines are known to be ours. */
  #listen(child: ChildProcess): Promise<readonly string[]> {
    this.#queue = []
    this.#stderr = ''
    child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = `${this.#stderr}${data}`.slice(-500)
    })
    return new Promise((resolve, reject) => {
      let rest = ''
      child.stdout?.on('data', (data: Buffer) => {
        const lines = `${rest}${data}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (line.startsWith('levels ')) resolve(line.split(' ').slice(1))
          else this.#line(line)
        }
      })
      child.on('error', error => reject(new HardwareFault('NATIVE', `bash: ${error.message}`, { cause: error })))
      child.on('close', () => {
        if (this.#child === child) this.#ended()
        reject(this.#fault())
      })
    })
  }

  async #until(name: string, child: ChildProcess): Promise<void> {
    const { tools, dialect, clock, offsets } = this.#options
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) throw this.#fault()
      const users = usersOf(await tools.run('gpioinfo', dialect.info(name)))
      if (offsets.every(at => users.get(at) === 'gpiomon')) return
      await new Promise<void>(resolve => clock.in(LOOK_MS, resolve))
    }
  }

  #line(line: string): void {
    const edge = this.#options.dialect.edge(line)
    if (edge === undefined) return
    if (this.#queue === undefined) this.#edge(edge)
    else this.#queue.push(edge)
  }

  #edge({ at, isHigh, ns }: EdgeLine): void {
    const { clock } = this.#options
    this.figures.edges++
    if (this.#levels.get(at) === isHigh) this.#lost(at)
    const lateMs = Number(process.hrtime.bigint() - ns) / 1e6
    const isOurs = lateMs >= 0 && lateMs <= LATE_MS_MAX
    this.#tell(at, isHigh, clock.now() - (isOurs ? lateMs : 0))
  }

  #tell(at: number, isHigh: boolean, when: number): void {
    this.#levels.set(at, isHigh)
    this.#lastAt = Math.max(this.#lastAt, when)
    this.#options.events.level({ on: this.#options.label, at }, isHigh, this.#lastAt)
  }

  /** Two edges of one kind in a row: the kernel's queue ran over, and what was between is gone. */
  #lost(at: number): void {
    const { clock, events, label } = this.#options
    const detail = `line ${at} of ${label}: edges were lost`
    this.figures.lostEdges++
    if (this.#cancelWell === undefined) events.fault('NOISE', detail, false, clock.now())
    this.#cancelWell?.()
    this.#cancelWell = clock.in(WELL_MS, () => {
      this.#cancelWell = undefined
      events.fault('NOISE', detail, true, clock.now())
    })
  }

  #ended(): void {
    const { clock, events, label } = this.#options
    this.#child = undefined
    // what fails before it is up is told by start()
    if (this.#isStopped || this.#queue !== undefined) return
    this.#queue = []
    events.chip(label, false, this.#fault().message, clock.now())
    this.#again()
  }

  #again(): void {
    const { clock } = this.#options
    if (this.#isStopped) return
    this.#cancelAgain = clock.in(this.#againMs, () => {
      this.figures.restarts++
      this.start().catch(() => this.#again())
    })
    this.#againMs = Math.min(this.#againMs * 2, AGAIN_MS.max)
  }

  #fault(): HardwareFault {
    const { label, offsets } = this.#options
    return new HardwareFault('LINK', `gpiomon on lines ${offsets.join(', ')} of ${label}: ${explained(this.#stderr)}`)
  }
}
