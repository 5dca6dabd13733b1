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

/** One direction of one pair. */
interface Link {
  cuts: number
  readonly random: Random
}

export class Network {
  readonly #agenda: Agenda
  readonly #profile: Profile
  readonly #ends: Ends
  readonly #links = new Map<string, Map<string, Link>>()
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
    const { cuts, random } = this.#link(from, to)
    if (cuts > 0) return
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
    return this.#link(from, to).cuts > 0
  }

  /** Cuts the ways given until the returned function is called. Cuts may overlap. */
  cut(ways: readonly (readonly [string, string])[]): () => void {
    for (const [from, to] of ways) this.#link(from, to).cuts++
    let done = false
    return () => {
      if (done) return
      done = true
      for (const [from, to] of ways) {
        this.#link(from, to).cuts--
        if (!this.isCut(from, to) && !this.isCut(to, from)) this.#ends.meet(from, to)
      }
    }
  }

  slow(host: string, ms: number): void {
    if (ms === 0) this.#slow.delete(host)
    else this.#slow.set(host, ms)
  }

  #link(from: string, to: string): Link {
    let links = this.#links.get(from)
    if (links === undefined) {
      links = new Map()
      this.#links.set(from, links)
    }
    let link = links.get(to)
    if (link === undefined) {
      link = { cuts: 0, random: new Random(`${this.#profile.seed} ${from}>${to}`) }
      links.set(to, link)
    }
    return link
  }
}
