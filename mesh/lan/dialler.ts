// Dialler: whom to call next. Libraries give up after a few tries; a mall's cut may last all night.
//
// Laws: of two members the one with the lower id calls, so that they do not end up with two connections of which one is
// deaf; the other one calls only after long silence, in case the first does not know where it is. Nobody is ever given
// up, and nobody is waited for longer than the longest pause.

export interface DiallerLimits {
  /** more at once starve each other on a small machine */
  readonly atOnceMax: number
  readonly pauseMsMin: number
  /** also how long after a healed cut the next call may come */
  readonly pauseMsMax: number
  /** how long the higher id leaves it to the lower one */
  readonly patienceMs: number
}

export const DIALLER: DiallerLimits = { atOnceMax: 4, pauseMsMin: 100, pauseMsMax: 800, patienceMs: 3000 }

interface Peer {
  readonly id: string
  state: 'down' | 'dialling' | 'up'
  failures: number
  failure?: string | undefined
  nextAt: number
}

export class Dialler {
  readonly #myId: string
  readonly #limits: DiallerLimits
  /** from 0 to 1 */
  readonly #chance: () => number
  readonly #peers = new Map<string, Peer>()

  constructor(myId: string, chance: () => number, limits: DiallerLimits = DIALLER) {
    this.#myId = myId
    this.#chance = chance
    this.#limits = limits
  }

  /** Name to id of everyone who belongs here; those not in it are forgotten. */
  setRoster(ids: ReadonlyMap<string, string>, now: number): void {
    for (const [name, peer] of this.#peers) if (ids.get(name) !== peer.id) this.#peers.delete(name)
    for (const [name, id] of ids) {
      if (this.#peers.has(name)) continue
      this.#peers.set(name, { id, state: 'down', failures: 0, nextAt: now + this.#patienceFor(id) })
    }
  }

  /** Those to call now, longest due first; each is taken to be called. */
  due(now: number, isReachable: (name: string) => boolean): string[] {
    const all = [...this.#peers]
    const free = this.#limits.atOnceMax - all.filter(([, peer]) => peer.state === 'dialling').length
    const ready = all
      .filter(([name, peer]) => peer.state === 'down' && peer.nextAt <= now && isReachable(name))
      .sort(([, a], [, b]) => a.nextAt - b.nextAt)
      .slice(0, Math.max(0, free))
    for (const [, peer] of ready) peer.state = 'dialling'
    return ready.map(([name]) => name)
  }

  isDialling(name: string): boolean {
    return this.#peers.get(name)?.state === 'dialling'
  }

  /** Do we call this one, rather than it us? */
  leads(name: string): boolean {
    const peer = this.#peers.get(name)
    return peer !== undefined && this.#myId < peer.id
  }

  /** What the last call to it came to nothing by, for whoever looks for the reason. */
  failureOf(name: string): string | undefined {
    return this.#peers.get(name)?.failure
  }

  failed(name: string, now: number, why?: string): void {
    const peer = this.#peers.get(name)
    if (peer?.state !== 'dialling') return
    peer.state = 'down'
    peer.failure = why
    peer.failures++
    const { pauseMsMin, pauseMsMax } = this.#limits
    const pause = Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(10, peer.failures - 1))
    peer.nextAt = now + pause * (0.5 + this.#chance() / 2)
  }

  up(name: string): void {
    const peer = this.#peers.get(name)
    if (peer === undefined) return
    peer.state = 'up'
    peer.failures = 0
    peer.failure = undefined
  }

  down(name: string, now: number): void {
    const peer = this.#peers.get(name)
    if (peer?.state !== 'up') return
    peer.state = 'down'
    peer.nextAt = now + this.#patienceFor(peer.id) + this.#limits.pauseMsMin * this.#chance()
  }

  /** A new address of it: worth a call at once. */
  heardOf(name: string, now: number): void {
    const peer = this.#peers.get(name)
    if (peer?.state !== 'down') return
    peer.nextAt = Math.min(peer.nextAt, now + this.#patienceFor(peer.id))
    peer.failures = 0
  }

  #patienceFor(id: string): number {
    return this.#myId < id ? 0 : this.#limits.patienceMs
  }
}
