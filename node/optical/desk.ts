// Desk: where the optical counters of a gate are heard, and held against its arm.
//
// Laws: whoever the lenses alone saw coming in is told as `intruded`, once, and is never taken back. The arm's count is
// the ledger's own, so that a crash between telling and writing tells again, and one after it does not. What cannot be
// heard is said to be unknown. Nothing in here is on the way of a person, in or out.

import type { OpticalConfig } from '../../hardware/optical/config.ts'
import { Counter } from '../../hardware/optical/counter.ts'
import type { Parting } from '../../hardware/optical/drift.ts'
import { Pull } from '../../hardware/optical/pull.ts'
import { readMessage } from '../../hardware/optical/reader.ts'
import { type Flow, NOBODY, plus } from '../../hardware/optical/reading.ts'
import { Reconciler } from '../../hardware/optical/reconciler.ts'
import type { Flaw } from '../../hardware/optical/tally.ts'
import { HardwareFault } from '../../hardware/turnstile.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Route } from '../../mesh/window/route.ts'
import type { Note } from '../uncontrolled.ts'
import { Bookkeeping } from './bookkeeping.ts'
import type { DeskMemory, MemoryPort } from './memory.ts'
import { pushRoute } from './routes.ts'
import { type DeskState, stateOf } from './state.ts'
import { Troubles } from './troubles.ts'

/** People by the arm. */
export interface Passed {
  /** the ledger they are in */
  readonly account: string
  /** let in or forced, less lapsed, since that ledger began */
  readonly in: number
  /** everybody who left, since the start */
  readonly out: number
}

export interface DeskOptions {
  readonly gate: string
  readonly configs: readonly OpticalConfig[]
  readonly clock: Clock
  readonly memory: MemoryPort
  /** what whoever pushes has to show */
  readonly pass?: string
  /** undefined while there is no ledger */
  readonly passed: () => Passed | undefined
  /** They came in uninvited; `passed` has them at once. */
  readonly intruded: (count: number) => void
  readonly tell: (note: Note) => void
  readonly alarm: (code: string, detail: string) => void
}

const TICK_MS = 1000
const SAVE_MS = 10_000
/** As many within so long is more than somebody who was in a hurry. */
const FOLLOWERS_MIN = 5
const FOLLOWERS_MS = 600_000

const FLAWS = {
  doubt: undefined,
  reset: { code: 'COUNTER_RESET', words: 'its totals began anew: who passed in between is unknown' },
  gap: { code: 'COUNTER_GAP', words: 'intervals are missing: who passed in them is unknown' },
  rate: { code: 'COUNTER_GAP', words: 'it moved further than people can walk: that is not counted' },
} as const satisfies Record<
  Exclude<Flaw, 'first'>,
  { code: 'COUNTER_RESET' | 'COUNTER_GAP'; words: string } | undefined
>

export class Desk {
  readonly routes: readonly Route[]
  readonly #o: DeskOptions
  readonly #troubles: Troubles
  readonly #book: Bookkeeping
  #counters: readonly Counter[] = []
  #reconciler = new Reconciler()
  #pulls: readonly Pull[] = []
  #remembered: DeskMemory | undefined
  #account: string | undefined
  /** lens and arm are held against each other */
  #isBegun = false
  #isReady = false
  /** heard since all had been */
  readonly #fresh = new Set<string>()
  readonly #followers: { readonly at: number; readonly count: number }[] = []
  readonly #failures = new Map<string, string>()
  #tailgaters = 0
  #unjudged = 0
  #savedAt = Number.NEGATIVE_INFINITY
  #saving: Promise<void> = Promise.resolve()
  #isChanged = false
  #forgetTick: (() => void) | undefined
  #isStopped = false

  constructor(options: DeskOptions) {
    this.#o = options
    const { gate, clock, alarm, tell, configs, pass } = options
    this.#troubles = new Troubles({ gate, clock, alarm, tell })
    this.#book = new Bookkeeping(tell)
    this.routes = configs
      .filter(({ pull }) => pull === undefined)
      .map(config => {
        const hear = (text: string) => this.#hear(config, text)
        return pushRoute({ name: config.name, pass, hear, isReady: () => this.#isReady })
      })
  }

  async start(): Promise<void> {
    const { configs, clock, memory } = this.#o
    if (configs.length === 0) return
    try {
      this.#remembered = await memory.load()
    } catch (error) {
      this.#troubles.happened('memory', 'MEMORY', `begins anew: ${(error as Error).message}`)
    }
    if (this.#isStopped) return
    const known = this.#remembered
    const now = clock.now()
    this.#counters = configs.map(config => new Counter(config, now, known?.counters[config.name]))
    this.#reconciler = new Reconciler(known?.baseline)
    this.#isReady = true
    this.#pulls = configs.flatMap(config => this.#pullOf(config) ?? [])
    for (const pull of this.#pulls) pull.start()
    this.#tick()
  }

  /** What is known is on disk when it resolves. Safe to repeat. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#forgetTick?.()
    for (const pull of this.#pulls) pull.stop()
    if (this.#isReady) this.#save()
    await this.#saving
  }

  state(): DeskState {
    return stateOf({
      now: this.#o.clock.now(),
      counters: this.#counters,
      reconciler: this.#reconciler,
      troubles: this.#troubles,
      isSound: this.#isSound,
      tailgaters: this.#tailgaters,
      unjudged: this.#unjudged,
    })
  }

  /** From 0 to 1000: how many of the exits that the arm tells of the lenses confirm. */
  get exitConfidence(): number {
    return this.#isSound ? this.#reconciler.drift.exitsConfirmed : 1000
  }

  /** Somebody counted by hand, while the lenses saw so many: says what is the lenses' own error. */
  checked(a: { readonly truthIn: number; readonly opticalIn: number }): boolean {
    this.#isChanged = true
    return this.#reconciler.baseline.proved({ truth: a.truthIn, seen: a.opticalIn })
  }

  #pullOf(config: OpticalConfig): Pull | undefined {
    const { name, pull } = config
    if (pull === undefined) return undefined
    const fail = (why: string) => this.#failures.set(name, why)
    const hear = (text: string) => {
      try {
        this.#hear(config, text)
      } catch (error) {
        if (!(error instanceof HardwareFault)) throw error
        fail(error.message)
      }
    }
    return new Pull({ pull, clock: this.#o.clock, hear, fail })
  }

  /** Throws a HardwareFault where the message cannot be read. */
  #hear(config: OpticalConfig, text: string): void {
    const counter = this.#counters.find(({ name }) => name === config.name)
    if (counter === undefined || this.#isStopped) return
    const { clock } = this.#o
    let message: ReturnType<typeof readMessage>
    try {
      message = readMessage(text, config)
    } catch (error) {
      this.#troubles.raise(config.name, 'NOISE', `its message cannot be read: ${(error as Error).message}`)
      throw error
    }
    this.#troubles.over(config.name, 'NOISE', 'its messages can be read')
    const { flaws } = counter.hear(message, clock.now(), clock.wall())
    this.#troubles.over(config.name, 'SILENT', 'it is heard')
    this.#failures.delete(config.name)
    for (const { flaw, device } of flaws) {
      const said = FLAWS[flaw]
      if (said !== undefined) this.#troubles.happened(config.name, said.code, `${device}: ${said.words}`)
    }
    this.#isChanged = true
    this.#fresh.add(config.name)
    this.#look()
  }

  #tick(): void {
    if (this.#isStopped) return
    const { clock } = this.#o
    const now = clock.now()
    for (const counter of this.#counters) {
      if (!counter.isSilent(now)) continue
      const why = this.#failures.get(counter.name) ?? 'nothing came'
      const seconds = Math.round((now - counter.heardAt) / 1000)
      this.#troubles.raise(counter.name, 'SILENT', `silent for ${seconds} s, who passes is unknown: ${why}`)
    }
    this.#look()
    if (this.#isChanged && now - this.#savedAt >= SAVE_MS) this.#save()
    this.#forgetTick = clock.in(TICK_MS, () => this.#tick())
  }

  #look(): void {
    const passed = this.#o.passed()
    if (passed === undefined) return
    if (passed.account !== this.#account) this.#opened(passed)
    const optical = this.#optical
    if (!this.#isBegun) {
      this.#reconciler.begin(optical, passed, this.#openOf(passed, optical))
      if (!this.#counters.every(({ isHeard }) => isHeard)) return
      this.#isBegun = true
    }
    const { clock } = this.#o
    const now = clock.now()
    const isHeard = this.#counters.every(({ name }) => this.#fresh.has(name))
    if (isHeard) this.#fresh.clear()
    const settleMs = Math.max(...this.#counters.map(counter => counter.settleMs))
    const isSound = this.#isSound
    const { intruders, parted, mended } = this.#reconciler.look({
      ...{ optical, turnstile: passed, now, settleMs, isHeard, isSound },
    })
    for (const parting of parted) this.#troubles.raise('lens', 'DISAGREE', wordsOf(parting))
    if (mended.length > 0 && this.#reconciler.drift.raised.length === 0) {
      this.#troubles.over('lens', 'DISAGREE', 'lens and arm agree')
    }
    this.#turned()
    const isFound = intruders > 0 && this.#intruded(intruders, passed.in, now)
    const { isEven } = this.#reconciler
    const isTold = this.#book.look({ optical, turnstile: this.#o.passed() ?? passed, now, isSound, isEven, isFound })
    if (isTold) this.#save()
  }

  /** A ledger that this desk has not told of: the first look only says since when it looks. */
  #opened({ account }: Passed): void {
    const known = this.#remembered
    const isFirst = this.#account === undefined
    this.#account = account
    this.#isBegun = false
    if (!isFirst) this.#remembered = undefined
    const isKnown = isFirst && known?.account === account
    if (isKnown) this.#book.resume({ in: -known.untold.in, out: -known.untold.out }, this.#o.clock.now())
    else this.#book.begin()
  }

  /** What lens and arm say since they were remembered, where all of it is known. */
  #openOf(passed: Passed, optical: Flow): number {
    const known = this.#remembered
    if (known?.account !== passed.account || !this.#counters.every(({ hasMemory }) => hasMemory)) return 0
    return known.open + optical.in - (passed.in - known.turnstile)
  }

  #turned(): void {
    if (this.#reconciler.drift.looksSwapped) {
      const { optical: o, turnstile: t } = this.#reconciler.drift.compared
      const counts = `it saw ${o.in} in ${o.out} out, the arm ${t.in} in ${t.out} out`
      this.#troubles.raise('lens', 'DIRECTION', `in and out look swapped, nobody is judged by it: ${counts}`)
    } else this.#troubles.over('lens', 'DIRECTION', 'in and out fit')
  }

  /** True where they were told. */
  #intruded(count: number, before: number, now: number): boolean {
    if (this.#o.configs.some(({ judges }) => judges === false)) {
      this.#unjudged += count
      return false
    }
    this.#tailgaters += count
    this.#o.intruded(count)
    this.#reconciler.follow(Math.max(0, (this.#o.passed()?.in ?? before) - before))
    this.#isChanged = true
    this.#followers.push({ at: now, count })
    while (now - (this.#followers[0]?.at ?? now) > FOLLOWERS_MS) this.#followers.shift()
    const many = this.#followers.reduce((sum, follower) => sum + follower.count, 0)
    if (many < FOLLOWERS_MIN) return true
    const minutes = FOLLOWERS_MS / 60_000
    this.#troubles.happened(
      'lens',
      'RATE',
      `${many} people in ${minutes} minutes came in past the arm: look at the gate`,
    )
    this.#followers.length = 0
    return true
  }

  get #optical(): Flow {
    return this.#counters.reduce((sum, { people }) => plus(sum, people), NOBODY)
  }

  get #isSound(): boolean {
    const now = this.#o.clock.now()
    return this.#isBegun && this.#counters.every(counter => counter.isSound(now))
  }

  /** One after the other; a disk that fails is told of, and nobody waits for it. */
  #save(): void {
    const passed = this.#o.passed()
    if (passed === undefined || passed.account !== this.#account || !this.#book.isBegun) return
    const { open, baseline } = this.#reconciler
    const memory: DeskMemory = {
      account: passed.account,
      turnstile: passed.in,
      open,
      untold: this.#book.untold(this.#optical),
      baseline: baseline.memory,
      counters: Object.fromEntries(this.#counters.map(counter => [counter.name, counter.memory])),
    }
    this.#isChanged = false
    this.#savedAt = this.#o.clock.now()
    this.#saving = this.#saving.then(async () => {
      try {
        await this.#o.memory.save(memory)
        this.#troubles.over('memory', 'MEMORY', 'it can be written')
      } catch (error) {
        this.#troubles.raise('memory', 'MEMORY', `it cannot be written: ${(error as Error).message}`)
      }
    })
  }
}

function wordsOf({ way, optical, turnstile, perMille }: Parting): string {
  const share = `${Math.floor(perMille / 10)}.${perMille % 10} %`
  const counts = `${optical} ${way} by the lens, ${turnstile} by the arm, ${share} apart`
  if (optical === 0) return `${counts}: the lens sees nobody, look whether it is covered`
  if (way === 'in') {
    return optical < turnstile
      ? `${counts}: groups go uncounted by the lens, whoever follows others in may too`
      : `${counts}: people come in past the arm, or the lens sees what is none`
  }
  return optical < turnstile
    ? `${counts}: the arm may tell of exits that nobody made, which is the unsafe side`
    : `${counts}: people leave uncounted by the arm`
}
