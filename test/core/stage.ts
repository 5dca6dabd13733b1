// Stage: a small mall in virtual time for one scenario. Real gates and a real anchor; the wire takes 2 ms, gossip 20 ms,
// the disk 1 ms, and nothing breaks unless the script says so. Whatever a shopkeeper could notice is told in words.

import { type Account, ANCHOR, nameOf } from '../../ledger/account.ts'
import type { Body } from '../../ledger/entry.ts'
import type { Pen } from '../../ledger/pen.ts'
import type { Policy } from '../../ledger/policy.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { type Answer, type Effect, EVERYONE, type Message, UNASKED } from '../../mesh/message.ts'
import { Agenda } from '../sim/agenda.ts'
import { type AnyEvent, Host, type Surroundings } from '../sim/host.ts'
import { CheapPen } from '../sim/pen.ts'
import { Random } from '../sim/random.ts'
import { CHARTER, policy } from './papers.ts'

const WHY = {
  REJECT_AT_CAPACITY: 'the mall is full',
  REJECT_NO_HEADROOM: 'tokens are out of reach',
  REJECT_EMERGENCY: 'emergency',
  REJECT_FAULT: 'fault',
} as const

export class Stage implements Surroundings {
  readonly agenda = new Agenda()
  readonly hosts = new Map<string, Host>()
  /** what was noticed since the last event of the script */
  told: string[] = []
  readonly #cut = new Set<string>()
  readonly #losing = new Set<string>()
  #ids = 0

  constructor(capacity: number, gates: readonly string[]) {
    const roster = gates.map(name => ({ name, key: name }))
    const charter = { ...CHARTER, gates: roster }
    const random = new Random('scenario')
    for (const name of [ANCHOR, ...gates]) {
      const identity = { name, charter, limits: LIMITS, key: name, newId: () => `i${this.#ids++}` }
      const stream = random.stream(name)
      const host = new Host({ name, around: this, random: stream, fsyncMs: 1, identity, birth: true, handOutMs: 100 })
      this.hosts.set(name, host)
    }
    for (const host of this.hosts.values()) host.boot()
    this.agenda.runUntil(1500)
    this.decree({ capacities: [{ from: 0, capacity }], gates: roster })
    this.agenda.runUntil(5000)
  }

  host(name: string): Host {
    const host = this.hosts.get(name)
    if (host === undefined) throw new Error(`nobody here is called ${name}`)
    return host
  }

  /** The operators' next policy, in all else like the one before. */
  decree(over: Partial<Policy>): void {
    const anchor = this.host(ANCHOR)
    const { hash: _hash, ...before } = anchor.core?.me.policy ?? policy({ version: 0 })
    anchor.step({ kind: 'decreed', policy: policy({ ...before, ...over, ...following(before.version) }) })
  }

  cut(name: string): void {
    this.#cut.add(name)
  }

  mend(): void {
    const before = [...this.#cut]
    this.#cut.clear()
    for (const a of before) {
      for (const b of this.hosts.keys()) {
        if (a === b) continue
        this.host(a).step({ kind: 'met', peer: b })
        this.host(b).step({ kind: 'met', peer: a })
      }
    }
  }

  /** The next tokens that this one sends are lost on the way: the words that tell of them do not arrive. */
  loseNextFrom(name: string): void {
    this.#losing.add(name)
  }

  /** What everyone holds by their own books. */
  get state(): string {
    const held: string[] = []
    for (const [name, host] of this.hosts) {
      const books = host.core?.me.books
      held.push(`${books?.account ?? name} ${host.up ? (books?.balance ?? 'is joining') : 'is off'}`)
    }
    return held.join(', ')
  }

  tell(from: Host, to: string, message: Message): void {
    const isGift = message.kind === 'rows' && to !== EVERYONE && (message.re ?? UNASKED) !== UNASKED
    if (isGift && this.#losing.delete(from.name)) {
      this.told.push(`the words of ${from.name} are lost on the way to ${to}`)
      return
    }
    for (const name of to === EVERYONE ? this.hosts.keys() : [to]) {
      if (name === from.name || this.#cut.has(name) || this.#cut.has(from.name)) continue
      const heard = { kind: 'heard', from: from.name, message } as const
      this.agenda.in(to === EVERYONE ? 20 : 2, () => this.host(name).step(heard))
    }
  }

  answered(host: Host, id: string, { decision, source }: Answer): void {
    if (decision !== 'ADMIT') this.told.push(`${host.name} turns ${id} away: ${WHY[decision]}`)
    else this.told.push(`${host.name} admits ${id}${source === 'stolen' ? ' with a token of another gate' : ''}`)
  }

  opened(host: Host, id: string): void {
    this.told.push(`${host.name} opens for ${id}`)
    this.agenda.in(100, () => host.step({ kind: 'passed', id }))
  }

  stepped(host: Host, _event: AnyEvent, effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'append') this.#wrote(host, effect.body)
      else this.#did(host, effect)
    }
  }

  released(): void {}
  durable(): void {}
  fault(): void {}

  crashed(host: Host): void {
    this.told.push(`${host.name} is off`)
  }

  booted(host: Host): void {
    for (const other of this.hosts.keys()) {
      if (other === host.name) continue
      this.agenda.in(5, () => {
        if (this.#cut.has(host.name) || this.#cut.has(other)) return
        host.step({ kind: 'met', peer: other })
        this.host(other).step({ kind: 'met', peer: host.name })
      })
    }
  }

  penFor(entries: readonly Body[]): Pen {
    return new CheapPen(entries)
  }

  /** Effects that wait for nothing, told in the order in which the core asked for them. */
  #did({ name }: Host, effect: Effect): void {
    if (effect.kind === 'let-out') this.told.push(`${name} lets ${effect.id} out`)
    else if (effect.kind === 'begin') this.told.push(`${name} begins a new ledger, ${effect.account}`)
    else if (effect.kind === 'alarm') this.told.push(`${name} alarm ${effect.code} ${effect.detail}`)
    // the anchor has no arm, and its shell does nothing about it
    else if (effect.kind === 'release' && name !== ANCHOR) this.told.push(`${name} lets its arm go`)
  }

  #wrote({ name }: Host, body: Body): void {
    const gate = (account: Account) => (nameOf(account) === ANCHOR ? 'the anchor' : nameOf(account))
    if (body.type === 'send') this.told.push(`${name} sends ${body.amount} to ${gate(body.to)} (${body.why})`)
    else if (body.type === 'receive') this.told.push(`${name} receives ${body.amount} from ${gate(body.from)}`)
    else if (body.type === 'mode') this.told.push(`${name} is in ${body.mode}, said by ${body.by}`)
    else if (body.type === 'budget') this.told.push(`${name} sets the capacity to ${body.capacity}`)
    else if (body.type === 'exit' && !body.credited) this.told.push(`${name} counts no token for it`)
    else if (body.type === 'forced') this.told.push(`${name} counts ${body.count} who came in unasked`)
  }
}

function following(version: number): Partial<Policy> {
  const next = { version: version + 1, hash: `policy ${version + 1}` }
  return version === 0 ? next : { ...next, previous: `policy ${version}` }
}
