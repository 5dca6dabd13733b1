// Network: every pair of hosts has a link of its own, with its own stream of chance. Links are cut in one direction or
// both, lose, repeat, delay and reorder. When a link comes back both ends meet again, as on a new connection.

import type { Message } from '../../mesh/message.ts'
import type { Agenda } from './agenda.ts'
import type { Profile } from './profile.ts'
import { Random } from './random.ts'

export interface Ends {
  deliver(from: string, to: string, message: Message): void
  meet(a: string, b: string): void
  fault(kind: string): void
}

export class Network {
  readonly #agenda: Agenda
  readonly #profile: Profile
  readonly #ends: Ends
  readonly #cuts = new Map<string, number>()
  readonly #random = new Map<string, Random>()
  readonly #slow = new Map<string, number>()
  calm = false
  sent = 0

  constructor(agenda: Agenda, profile: Profile, ends: Ends) {
    this.#agenda = agenda
    this.#profile = profile
    this.#ends = ends
  }

  send(from: string, to: string, message: Message): void {
    this.sent++
    if (this.isCut(from, to)) return
    const link = `${from}>${to}`
    let random = this.#random.get(link)
    if (random === undefined) {
      random = new Random(`${this.#profile.seed} ${link}`)
      this.#random.set(link, random)
    }
    const { rates, delayMs, jitterMs } = this.#profile
    if (!this.calm && random.chance(rates.loss)) return this.#ends.fault('loss')
    const slow = (this.#slow.get(from) ?? 0) + (this.#slow.get(to) ?? 0)
    let delay = delayMs + random.wait(jitterMs) + slow
    if (!this.calm && random.chance(rates.reorder)) {
      this.#ends.fault('reorder')
      delay += random.between(5, 300)
    }
    this.#agenda.in(delay, () => this.#ends.deliver(from, to, message))
    if (this.calm || !random.chance(rates.duplicate)) return
    this.#ends.fault('duplicate')
    this.#agenda.in(delay + random.wait(200), () => this.#ends.deliver(from, to, message))
  }

  isCut(from: string, to: string): boolean {
    return (this.#cuts.get(`${from}>${to}`) ?? 0) > 0
  }

  /** Cuts the ways given until the returned function is called. Cuts may overlap. */
  cut(ways: readonly (readonly [string, string])[]): () => void {
    for (const [from, to] of ways) this.#add(`${from}>${to}`, 1)
    let done = false
    return () => {
      if (done) return
      done = true
      for (const [from, to] of ways) {
        this.#add(`${from}>${to}`, -1)
        if (!this.isCut(from, to) && !this.isCut(to, from)) this.#ends.meet(from, to)
      }
    }
  }

  slow(host: string, ms: number): void {
    if (ms === 0) this.#slow.delete(host)
    else this.#slow.set(host, ms)
  }

  #add(way: string, by: number): void {
    this.#cuts.set(way, (this.#cuts.get(way) ?? 0) + by)
  }
}
