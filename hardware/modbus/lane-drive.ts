// Lane drive: what one lane's outputs are told, over the boards that they are on.
//
// Laws: a hold is a lease. Going free takes back every hold and pulse that still waits, is repeated until the board
// confirmed it, and only a hold asked for later ends that. A pulse is never sent twice: whether the first came, nobody knows.

import type { Coil, LaneConfig } from '../config.ts'
import type { LaneOutputs } from '../io.ts'
import { type Clock, HardwareFault } from '../turnstile.ts'
import type { CounterBoard } from './counter-board.ts'
import type { RelayBoard } from './relay-board.ts'

const FREE_TRIES = 3
/** where nothing but the grant's relay can let people through, it is on for as long as a flash can be */
const FREE_MS = 3_600_000

export class LaneDrive implements LaneOutputs {
  readonly #config: LaneConfig
  readonly #relays: ReadonlyMap<string, RelayBoard>
  readonly #counter: CounterBoard | undefined
  readonly #clock: Clock
  readonly #busy = new Set<Promise<unknown>>()
  /** hold or free, whichever was wanted last */
  #will = 0
  #frees = 0
  #heldUntil = 0
  #holding: Promise<boolean> | undefined
  #isFreed = false
  #isFreeing = false

  constructor(a: {
    readonly config: LaneConfig
    readonly relays: ReadonlyMap<string, RelayBoard>
    readonly counter: CounterBoard | undefined
    readonly clock: Clock
  }) {
    this.#config = a.config
    this.#relays = a.relays
    this.#counter = a.counter
    this.#clock = a.clock
  }

  open(): Promise<boolean> {
    return this.#confirmed(async () => {
      const { grant } = this.#config
      const frees = this.#frees
      const options = { still: () => this.#frees === frees }
      if (grant) await this.#relay(grant.coil).flash(grant.coil.at, grant.pulseMs, options)
      else if (this.#counter) await this.#counter.permitOne(options)
      else
        throw new HardwareFault('OUTPUT', `lane ${this.#config.name}: nothing is configured that would let anybody in`)
    })
  }

  hold(forMs: number): Promise<boolean> {
    // a lease that is not half over need not be renewed: the bus has other things to do
    if (!this.#isFreed && this.#heldUntil - this.#clock.now() > forMs / 2) return Promise.resolve(true)
    if (!this.#isFreed && this.#holding) return this.#holding
    this.#isFreeing = false
    const will = ++this.#will
    const holding = this.#confirmed(() => this.#lock(forMs, () => this.#will === will)).finally(() => {
      if (this.#holding === holding) this.#holding = undefined
    })
    this.#holding = holding
    return holding
  }

  async free(): Promise<boolean> {
    const will = ++this.#will
    this.#frees++
    this.#isFreed = true
    this.#isFreeing = true
    this.#heldUntil = 0
    for (let tries = 0; tries < FREE_TRIES && this.#will === will; tries++) {
      if (await this.#freeNow(will)) return true
    }
    return false
  }

  freeExit(): Promise<boolean> {
    return this.#confirmed(async () => this.#counter?.freeExit())
  }

  refuse(): Promise<boolean> {
    return this.#confirmed(async () => {
      const { red } = this.#config
      if (red) await this.#relay(red.coil).flash(red.coil.at, red.pulseMs)
    })
  }

  /** A board answers: what could not be freed before is freed now. */
  again(): void {
    if (this.#isFreeing && this.#busy.size === 0) void this.#freeNow(this.#will)
  }

  /** A board was away: what it held it may have let go, and what was free it may have shut. */
  forget(): void {
    this.#heldUntil = 0
    this.#isFreeing = this.#isFreed
  }

  /** Resolves once nothing is under way any more; each of them is bounded by its time-outs. */
  async settled(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy)
  }

  async #lock(forMs: number, still: () => boolean): Promise<void> {
    const { hold, grant } = this.#config
    const asked = this.#clock.now()
    if (hold) {
      const heldMs = await this.#relay(hold.coil).flash(hold.coil.at, forMs, { still })
      if (still()) this.#heldUntil = asked + heldMs
    } else if (grant && this.#isFreed) await this.#relay(grant.coil).off(grant.coil.at, { still })
    await this.#counter?.shut({ still })
    if (still()) this.#isFreed = false
  }

  #freeNow(will: number): Promise<boolean> {
    return this.#confirmed(async () => {
      const { hold, grant } = this.#config
      const options = { urgent: true, still: () => this.#will === will }
      // all at once: what one board does not confirm must not keep the other waiting
      const acts: Promise<unknown>[] = []
      if (hold) acts.push(this.#relay(hold.coil).off(hold.coil.at, options))
      if (this.#counter) acts.push(this.#counter.free(options))
      if (!hold && !this.#counter && grant) acts.push(this.#relay(grant.coil).flash(grant.coil.at, FREE_MS, options))
      const results = await Promise.allSettled(acts)
      const failed = results.find(result => result.status === 'rejected')
      if (failed) throw failed.reason
      if (this.#will === will) this.#isFreeing = false
    })
  }

  #relay(coil: Coil): RelayBoard {
    const board = this.#relays.get(coil.on)
    if (!board) throw new HardwareFault('OUTPUT', `lane ${this.#config.name}: there is no relay board ${coil.on}`)
    return board
  }

  async #confirmed(act: () => Promise<unknown>): Promise<boolean> {
    const acting = act()
    this.#busy.add(acting)
    try {
      await acting
      return true
    } catch (error) {
      if (error instanceof HardwareFault) return false
      throw error
    } finally {
      this.#busy.delete(acting)
    }
  }
}
