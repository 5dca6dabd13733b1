// Gatekeeper: what a gate makes of a turnstile, without ledger and mesh: who was let in, who came in, left, or did not come,
// in counters as those of DESIGN 3. It decides by what it counted and knows nothing of the truth.

import type { Happening, Turnstile } from '../../../hardware/turnstile.ts'
import type { ModelClock } from './model-clock.ts'

const HOLD_MS = 2000
/** As a gate does that has a disk to wait for. */
const DECIDE_MS = [3, 60] as const
const CONFIDENCE_MIN = 700

export interface GatekeeperOptions {
  readonly turnstile: Turnstile
  readonly clock: ModelClock
  readonly capacity: number
  readonly chance: () => number
  /** whoever was refused is told by the lamp */
  readonly refused: (lane: string) => void
}

export class Gatekeeper {
  readonly counters = { admitted: 0, forced: 0, lapsed: 0, exited: 0, uncredited: 0 }
  /** grants that somebody walked in by, or that the hardware let go */
  readonly entered = new Set<string>()
  readonly lapsed = new Set<string>()
  readonly faults = new Map<string, number>()
  /** every code that was ever told, by when */
  readonly told: { readonly code: string; readonly at: number; readonly isOver: boolean }[] = []
  readonly flaws: string[] = []
  isFire = false
  isHung = false
  #grants = 0

  readonly #o: GatekeeperOptions

  constructor(options: GatekeeperOptions) {
    this.#o = options
  }

  get inside(): number {
    const { admitted, forced, lapsed, exited } = this.counters
    return admitted + forced - lapsed - exited
  }

  /** All who were ever counted in. */
  get entries(): number {
    const { admitted, forced, lapsed } = this.counters
    return admitted + forced - lapsed
  }

  async start(): Promise<void> {
    await this.#o.turnstile.start(happening => this.#hear(happening))
    this.#renew()
  }

  /** Two people end a fire whose loop is closed again. */
  rearm(): void {
    if (this.isFire) return
    this.#o.turnstile.rearm()
  }

  #renew(): void {
    const { clock, turnstile } = this.#o
    if (!this.isFire && !this.isHung) for (const { entry } of turnstile.lanes) entry.hold(HOLD_MS)
    clock.in(HOLD_MS / 4, () => this.#renew())
  }

  #hear(happening: Happening): void {
    const { counters } = this
    switch (happening.kind) {
      case 'asked':
        return this.#decide(happening.lane)
      case 'entered':
        if (this.entered.has(happening.grant)) this.flaws.push(`${happening.grant} entered twice`)
        if (this.lapsed.has(happening.grant)) this.flaws.push(`${happening.grant} entered after it lapsed`)
        this.entered.add(happening.grant)
        return
      case 'intruded':
        counters.forced += happening.count
        return
      case 'left':
        if (happening.confidence >= CONFIDENCE_MIN && this.inside > 0) counters.exited++
        else counters.uncredited++
        return
      case 'lapsed':
        if (this.entered.has(happening.grant) || this.lapsed.has(happening.grant)) {
          this.flaws.push(`${happening.grant} lapsed, and was done with before`)
        }
        this.lapsed.add(happening.grant)
        counters.lapsed++
        return
      case 'contact':
        if (happening.contact === 'fire') this.#fire(happening.isRaised)
        return
      case 'fault': {
        const { code, lane = '', at, isOver } = happening
        this.told.push({ code, at, isOver })
        if (isOver) this.faults.delete(`${code} ${lane}`)
        else this.faults.set(`${code} ${lane}`, at)
      }
    }
  }

  #fire(isRaised: boolean): void {
    this.isFire = isRaised
    if (isRaised) for (const { entry } of this.#o.turnstile.lanes) entry.release()
  }

  /** Admitted before the arm moves: a token is spent first. */
  #decide(name: string): void {
    const { clock, chance, turnstile, capacity, refused } = this.#o
    const [low, high] = DECIDE_MS
    clock.in(low + chance() * (high - low), () => {
      const lane = turnstile.lanes.find(one => one.name === name)
      const id = `g${++this.#grants}`
      if (this.isFire || this.isHung || this.inside >= capacity) {
        lane?.entry.refuse(id)
        return refused(name)
      }
      this.counters.admitted++
      lane?.entry.grant(id)
    })
  }
}
