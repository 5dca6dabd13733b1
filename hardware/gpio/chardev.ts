// Character device: pins through the gpiod tools, where sysfs is gone and wherever something is held by a level.
//
// Laws: a line belongs to one process at a time, and the kernel takes it back from a dead one. So every output that is on
// has a keeper, and outputs that are off have nobody. What a tool of this gate's last life still has, it gives up within
// its lease: that is waited for. What anybody else has is refused, by name.

import { type Clock, HardwareFault } from '../turnstile.ts'
import { type Chip, chipOf } from './chips.ts'
import { type Dialect, detected, dialectOf, type Pull, usersOf } from './dialect.ts'
import { Keeper, ON_MS_MAX } from './keeper.ts'
import { Monitor } from './monitor.ts'
import { type Pin, type PinEvents, type Pins, type WantedPins, wordsOf } from './pins.ts'
import type { Tools } from './tools.ts'

/** Longer than any lease of the last life. */
const BUSY_MS_MAX = 5000
const BUSY_LOOK_MS = 50
const OURS = ['gpiomon', 'gpioset']

export interface ChardevOptions {
  readonly tools: Tools
  readonly clock: Clock
  readonly pull: Pull
  /** level that energises an output */
  readonly on: 0 | 1
}

interface Output {
  keeper: Keeper | undefined
  /** counts what was said to it: an answer to something older is not acted on any more */
  turn: number
  isFaulty: boolean
}

export class ChardevPins implements Pins {
  readonly holds = 'level'
  readonly #options: ChardevOptions
  readonly #outputs = new Map<string, Output>()
  readonly #monitors: Monitor[] = []
  readonly #counts = { switched: 0, slowestMs: 0 }
  #dialect: Dialect | undefined
  #events: PinEvents | undefined

  constructor(options: ChardevOptions) {
    this.#options = options
  }

  get figures(): Pins['figures'] {
    const sum = { edges: 0, lostEdges: 0, restarts: 0, ...this.#counts, slowestMs: Math.ceil(this.#counts.slowestMs) }
    for (const { figures } of this.#monitors) {
      sum.edges += figures.edges
      sum.lostEdges += figures.lostEdges
      sum.restarts += figures.restarts
    }
    return sum
  }

  async start({ inputs, outputs }: WantedPins, events: PinEvents): Promise<void> {
    const { tools, clock, pull } = this.#options
    this.#events = events
    // an output that nobody ends with us would stay: without this tool nothing is switched on
    await tools.run('setpriv', ['--pdeathsig', 'KILL', 'bash', '-c', ':'])
    const dialect = dialectOf(await tools.run('gpiodetect', ['--version']))
    this.#dialect = dialect
    for (const pin of [...inputs, ...outputs]) await this.#free(pin)
    for (const pin of outputs) {
      await tools.run('gpioset', dialect.set((await this.#chip(pin)).name, pin.at, this.#level(false)))
      this.#outputs.set(wordsOf(pin), { keeper: undefined, turn: 0, isFaulty: false })
    }
    try {
      for (const [label, pins] of Map.groupBy(inputs, ({ on }) => on)) {
        const offsets = pins.map(({ at }) => at)
        const monitor = new Monitor({ tools, dialect, clock, label, offsets, pull, events })
        this.#monitors.push(monitor)
        await monitor.start()
      }
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  pulse(pin: Pin, forMs: number): Promise<boolean> {
    return this.#on(pin, forMs, Math.max(forMs, ON_MS_MAX))
  }

  hold(pin: Pin, { forMs }: { readonly forMs: number }): Promise<boolean> {
    // never longer than its lease, not even while it starts: the next renewal tries again
    return this.#on(pin, forMs, forMs)
  }

  async off(pin: Pin): Promise<boolean> {
    const output = this.#outputs.get(wordsOf(pin))
    if (output === undefined) return false
    output.turn++
    // without a keeper nobody has switched it on since it was switched off
    if (output.keeper === undefined || (await output.keeper.drop())) return true
    return this.#drive(pin, output)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#outputs.values()].map(({ keeper }) => keeper?.drop()))
    await Promise.all(this.#monitors.map(monitor => monitor.stop()))
  }

  async #on(pin: Pin, forMs: number, startMs: number): Promise<boolean> {
    const output = this.#outputs.get(wordsOf(pin))
    const dialect = this.#dialect
    if (output === undefined || dialect === undefined) return false
    const { tools, clock } = this.#options
    const turn = ++output.turn
    const { keeper: before } = output
    if (before !== undefined && !before.isDropped) {
      if ((await before.isOn) && (await before.renew(forMs))) return true
      if (turn !== output.turn) return false
    }
    const began = clock.now()
    let name: string
    try {
      // asked each time: a chip that was unplugged may come back under another name, and its old one be another chip's
      name = (await this.#chip(pin)).name
    } catch (error) {
      this.#judge(pin, output, (error as Error).message)
      return false
    }
    if (turn !== output.turn) return false
    const keeper = new Keeper({
      clock,
      on: [tools.path('gpioset'), ...dialect.keep(name, pin.at, this.#level(true))],
      off: [tools.path('gpioset'), ...dialect.set(name, pin.at, this.#level(false))],
      isKept: () => this.#isKept(name, pin.at),
      forMs,
      startMs,
      after: before?.isOff ?? Promise.resolve(true),
    })
    output.keeper = keeper
    const isOn = await keeper.isOn
    if (isOn) {
      this.#counts.switched++
      this.#counts.slowestMs = Math.max(this.#counts.slowestMs, clock.now() - began)
    }
    if (turn === output.turn) this.#judge(pin, output, isOn ? undefined : keeper.why)
    return isOn
  }

  /** The keeper could not say that it is off. */
  async #drive(pin: Pin, output: Output): Promise<boolean> {
    const { tools } = this.#options
    try {
      const { name } = await this.#chip(pin)
      await tools.run('gpioset', (this.#dialect as Dialect).set(name, pin.at, this.#level(false)))
      return true
    } catch (error) {
      this.#judge(pin, output, (error as Error).message)
      return false
    }
  }

  #judge(pin: Pin, output: Output, why: string | undefined): void {
    const isFaulty = why !== undefined
    if (isFaulty === output.isFaulty) return
    output.isFaulty = isFaulty
    const detail = isFaulty ? `${wordsOf(pin)}: ${why}` : wordsOf(pin)
    this.#events?.fault('OUTPUT', detail, !isFaulty, this.#options.clock.now())
  }

  async #isKept(chip: string, at: number): Promise<boolean> {
    try {
      return (await this.#users(chip)).get(at) === 'gpioset'
    } catch {
      // asked again as long as there is time
      return false
    }
  }

  async #users(chip: string): Promise<ReadonlyMap<number, string>> {
    return usersOf(await this.#options.tools.run('gpioinfo', (this.#dialect as Dialect).info(chip)))
  }

  async #chip(pin: Pin): Promise<Chip> {
    return chipOf(detected(await this.#options.tools.run('gpiodetect', [])), pin, 'gpiodetect')
  }

  async #free(pin: Pin): Promise<void> {
    const { clock } = this.#options
    const { name } = await this.#chip(pin)
    const until = clock.now() + BUSY_MS_MAX
    for (;;) {
      const user = (await this.#users(name)).get(pin.at)
      if (user === undefined) return
      if (!OURS.includes(user) || clock.now() > until) {
        throw new HardwareFault(
          'LINK',
          `${wordsOf(pin)} (${name}) is used by "${user}": free it, or wire another line (gpioinfo shows all of them)`,
        )
      }
      await new Promise<void>(resolve => clock.in(BUSY_LOOK_MS, resolve))
    }
  }

  #level(isOn: boolean): 0 | 1 {
    const { on } = this.#options
    return isOn ? on : on === 1 ? 0 : 1
  }
}
