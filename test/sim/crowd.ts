// Crowd: people who arrive with a preference for some doors, are let in or not, stay a while and leave where they like.

import type { GateEvent } from '../../node/gate-event.ts'
import type { Agenda } from './agenda.ts'
import type { Host } from './host.ts'
import type { Oracle } from './oracle.ts'
import type { Profile } from './profile.ts'
import { Random } from './random.ts'

export class Crowd {
  readonly #agenda: Agenda
  readonly #profile: Profile
  readonly #oracle: Oracle
  readonly #gates: readonly Host[]
  readonly #random: Random
  readonly #fault: (kind: string) => void
  readonly #weights: number[] = []
  #count = 0
  arriving = true
  /** everybody stands still: heads are being counted */
  held = false
  decisions = 0

  constructor(a: {
    agenda: Agenda
    profile: Profile
    oracle: Oracle
    gates: readonly Host[]
    newId: () => string
    fault: (kind: string) => void
  }) {
    this.#agenda = a.agenda
    this.#profile = a.profile
    this.#oracle = a.oracle
    this.#gates = a.gates
    this.#fault = a.fault
    this.#newId = a.newId
    this.#random = new Random(`${a.profile.seed} crowd`)
    let total = 0
    for (let i = 0; i < a.gates.length; i++) {
      total += 1 / (i + 1) ** a.profile.skew
      this.#weights.push(total)
    }
  }

  readonly #newId: () => string

  start(): void {
    this.#agenda.in(this.#random.wait(1000 / this.#profile.arrivalsPerSecond), () => {
      if (!this.arriving) return
      if (!this.held) this.#arrive()
      this.start()
    })
  }

  get arrived(): number {
    return this.#count
  }

  #arrive(): void {
    const random = this.#random
    const at = random.next() * (this.#weights[this.#weights.length - 1] as number)
    const host = this.#gates[this.#weights.findIndex(w => at < w)] as Host
    const id = this.#newId()
    this.#count++
    if (!host.up) return
    this.#oracle.asked(id)
    host.step({ kind: 'asked', id, confidence: 990 })
    if (!random.chance(this.#profile.rates.repeat)) return
    this.#again(host, 'repeat', 60, { kind: 'asked', id, confidence: 990 })
  }

  /** The arm is free: somebody walks, or not, or somebody else slips in behind. */
  opened(host: Host, id: string): void {
    const random = this.#random
    const { rates, dwellMs } = this.#profile
    if (random.chance(rates['no-show'])) {
      this.#fault('no-show')
      this.#agenda.in(6000, () => {
        this.#oracle.stayed(id)
        host.step({ kind: 'lapsed', id })
      })
      return
    }
    this.#agenda.in(random.between(300, 1500), () => host.step({ kind: 'passed', id }))
    this.#agenda.in(1500 + random.wait(dwellMs), () => this.#leave())
    if (!random.chance(rates.tailgate)) return
    this.#fault('tailgate')
    this.intrude(host, 1)
  }

  intrude(host: Host, count: number): void {
    const id = this.#newId()
    this.#oracle.intruded(id, count)
    host.step({ kind: 'intruded', id, count, why: 'tailgate' })
    for (let i = 0; i < count; i++) {
      this.#agenda.in(1500 + this.#random.wait(this.#profile.dwellMs), () => this.#leave())
    }
  }

  /** Out by one of the exits, whatever state its controller is in. */
  #leave(): void {
    const random = this.#random
    if (this.held) return this.#agenda.in(random.wait(500), () => this.#leave())
    const host = this.#gates[random.int(Math.min(this.#profile.exitGates, this.#gates.length))] as Host
    const id = this.#newId()
    const doubtful = random.chance(this.#profile.rates.doubt)
    if (doubtful) this.#fault('doubt')
    const event = { kind: 'left', id, confidence: doubtful ? 300 : 980 } as const
    this.#oracle.left(id)
    host.step(event)
    if (!random.chance(this.#profile.rates.bounce)) return
    this.#again(host, 'bounce', 300, event)
  }

  /** The same event again. A gate that lost its disk in between cannot know it: that hole is named in the README. */
  #again(host: Host, fault: string, ms: number, event: GateEvent): void {
    // the second edge of a sensor whose first nobody read is its first: nothing was repeated
    if (!host.up) return
    this.#fault(fault)
    const account = host.disk.open?.account
    this.#agenda.in(this.#random.wait(ms), () => {
      if (host.disk.open?.account === account && host.core?.isJoined) host.step(event)
    })
  }
}
