// Storm: a schedule, played on a field, each fault written down as it begins and ends.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../sim/random.ts'
import type { Deed, Fault, Field } from './fault.ts'
import type { Journal } from './journal.ts'
import type { People } from './people.ts'

export interface StormOptions {
  readonly field: Field
  readonly journal: Journal
  readonly people: People
  readonly seed: number
  readonly capacity: number
  readonly stop: AbortSignal
}

/** So many at once at a door that is about to die: a crash between a decision and its disk must have somebody in it. */
const RUSH = 5
const RUSH_MS_MAX = 25

export class Storm {
  readonly #o: StormOptions
  readonly #random: Random
  readonly #active = new Map<number, Fault>()
  /** how often each kind was begun */
  readonly counts = new Map<string, number>()

  constructor(options: StormOptions) {
    this.#o = options
    this.#random = new Random(`${options.seed} storm`)
  }

  get active(): readonly Fault[] {
    return [...this.#active.values()]
  }

  /** Resolves once the last fault has ended, or all were told to stop. */
  async play(deeds: readonly Deed[]): Promise<void> {
    await Promise.all(deeds.map((deed, n) => this.#strike(n, deed)))
  }

  /** Says which capacity is wanted from here on; afterwards, which policy says so. */
  async decree(to: number, act: () => Promise<void>): Promise<void> {
    const { journal } = this.#o
    const before = this.#newestPolicy()
    journal.write({ is: 'capacity', to })
    await act()
    const version = this.#newestPolicy()
    if (version > before) journal.write({ is: 'capacity', to, version })
  }

  async #strike(n: number, { at, forMs, fault }: Deed): Promise<void> {
    const { journal, field } = this.#o
    if (!(await this.#until(at))) return
    let end: (() => Promise<void>) | undefined
    try {
      await this.#crowd(fault)
      this.#active.set(n, fault)
      journal.write({ is: 'fault', n, stage: 'begin', fault })
      await this.#decreed(fault, async () => {
        end = await field.begin(fault)
      })
      journal.write({ is: 'fault', n, stage: 'begun', fault })
      // the first write that fails must have somebody in it too
      if (fault.kind === 'io-error' || fault.kind === 'disk-full') await this.#crowd(fault)
      this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1)
      await this.#until(at + forMs)
      journal.write({ is: 'fault', n, stage: 'end', fault })
      await this.#decreed(fault, async () => end?.(), true)
      journal.write({ is: 'fault', n, stage: 'ended', fault })
    } catch (error) {
      journal.write({ is: 'fault', n, stage: 'failed', fault, why: String((error as Error).stack ?? error) })
    } finally {
      this.#active.delete(n)
    }
  }

  async #decreed(fault: Fault, act: () => Promise<void>, isOver = false): Promise<void> {
    if (fault.kind !== 'capacity') return act()
    await this.decree(isOver ? this.#o.capacity : fault.to, act)
  }

  async #crowd(fault: Fault): Promise<void> {
    const { people } = this.#o
    if (fault.kind === 'power') people.rush(RUSH)
    else if (
      fault.kind === 'kill' ||
      fault.kind === 'io-error' ||
      fault.kind === 'disk-full' ||
      fault.kind === 'wipe'
    ) {
      if (fault.member !== 'anchor') people.swap(RUSH, fault.member)
    } else return
    await sleep(this.#random.between(0, RUSH_MS_MAX))
  }

  /** False where all is to stop before that. */
  async #until(t: number): Promise<boolean> {
    const { journal, stop } = this.#o
    const ms = t - journal.now
    if (ms > 0) await sleep(ms, undefined, { signal: stop }).catch(() => undefined)
    return !stop.aborted
  }

  /** Operators keep what they signed, whatever became of it. */
  #newestPolicy(): number {
    const versions = readdirSync(join(this.#o.field.dir, 'policies')).map(file => Number.parseInt(file, 10))
    return Math.max(0, ...versions.filter(version => version > 0))
  }
}
