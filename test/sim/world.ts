// World: one mall in virtual time, from one seed. A storm in which everything may break, then calm, in which everything
// must come together again. Every law is checked as things happen.

import { type Account, nameOf } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import type { Body } from '../../ledger/entry.ts'
import type { ModeStatement } from '../../ledger/mode.ts'
import type { Pen } from '../../ledger/pen.ts'
import type { Policy } from '../../ledger/policy.ts'
import { limitOf, reclaimedTotal } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import { checkLimits } from '../../mesh/limits.ts'
import { type Answer, type Effect, EVERYONE, type Message } from '../../mesh/message.ts'
import { Agenda } from './agenda.ts'
import { Crowd } from './crowd.ts'
import type { Ledger } from './disk.ts'
import { type AnyEvent, Host, type Surroundings } from './host.ts'
import { Liar, type Lie } from './liar.ts'
import { Nemesis, type Stage } from './nemesis.ts'
import { Network } from './network.ts'
import { Oracle } from './oracle.ts'
import type { Profile } from './profile.ts'
import { Random } from './random.ts'
import { checkDebts, checkTogether, checkUseful } from './reunion.ts'
import { CheapSeal, RealSeal, type Seal } from './seal.ts'
import { Sirens } from './sirens.ts'

/** How long calm may take to bring everything together; how long nobody new arrives; how old a row may then be. */
const CALM_MS = 9000
const STILL_MS = 4000
const CONVERGE_MS = 2000
/** An answer is due at the deadline; the disk may take its own time on top of it only to say no. */
const ANSWER_SLACK_MS = 1

export class World implements Surroundings, Stage {
  readonly agenda = new Agenda()
  readonly profile: Profile
  readonly oracle = new Oracle()
  readonly hosts = new Map<string, Host>()
  readonly network: Network
  readonly crowd: Crowd
  readonly faults = new Map<string, number>()
  readonly decisions = new Map<string, number>()
  readonly #gates: Host[] = []
  readonly #nemesis: Nemesis
  readonly seal: Seal
  readonly #pending = new Map<string, { at: number; host: Host }>()
  readonly #sirens = new Sirens(this.oracle)
  readonly #log: ((line: string) => void) | undefined
  #liar: Liar | undefined
  #ids = 0
  #steps = 0
  #proving: { id: string; decision?: string } | undefined

  constructor(profile: Profile, log?: (line: string) => void) {
    this.profile = profile
    this.#log = log
    const random = new Random(`${profile.seed} hosts`)
    const names = Array.from({ length: profile.gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)
    this.seal = profile.real ? new RealSeal(names, profile.legalMax) : new CheapSeal(names, profile.legalMax)
    const { charter } = this.seal
    const limits = checkLimits(profile.limits)
    this.network = new Network(this.agenda, profile, {
      deliver: (from, to, message) => this.#deliver(from, to, message),
      meet: (a, b) => this.#meet(a, b),
      fault: kind => this.fault(kind),
    })
    for (const name of ['anchor', ...names]) {
      const identity = { name, charter, limits, key: this.seal.key(name), newId: () => this.newId() }
      const host = new Host({
        name,
        around: this,
        random: random.stream(name),
        fsyncMs: profile.fsyncMs,
        identity,
        birth: true,
        handOutMs: 100,
      })
      host.skewMs = name === 'anchor' ? 0 : (random.next() - 0.5) * profile.skewMs
      this.hosts.set(name, host)
      if (name !== 'anchor') this.#gates.push(host)
    }
    this.#nemesis = new Nemesis(this)
    if (profile.liar) this.#makeLiar(random)
    const gates = this.#gates.filter(gate => gate !== this.#liar?.host)
    const { agenda, oracle } = this
    const newId = () => this.newId()
    this.crowd = new Crowd({ agenda, profile, oracle, gates, newId, fault: kind => this.fault(kind) })
  }

  get anchor(): Host {
    return this.hosts.get('anchor') as Host
  }

  newId(): string {
    return this.seal.id(this.#ids++)
  }

  /** Storm, calm, stillness, then what must be true at the end. */
  run(): void {
    const { agenda, profile } = this
    for (const host of this.hosts.values()) host.boot()
    agenda.in(900, () => this.enact(firstPolicy(profile, this.seal.charter)))
    agenda.in(1000, () => this.crowd.start())
    this.#nemesis.schedule()
    agenda.runUntil(1000 + profile.stormMs)
    this.note('— calm —')
    this.network.calm = true
    this.#nemesis.mendAll()
    for (const host of this.hosts.values()) host.skewMs = 0
    for (let at = 500; at < CALM_MS; at += 1500) agenda.in(at, () => this.#nemesis.rearm())
    agenda.in(4000, () => {
      // lost with the power before it was on any disk: the operators bring it again
      if (this.anchor.core?.me.policy === undefined) this.enact(firstPolicy(profile, this.seal.charter))
    })
    agenda.runUntil(agenda.now + CALM_MS)
    this.crowd.arriving = false
    agenda.runUntil(agenda.now + STILL_MS - CONVERGE_MS)
    const sizes = new Map<Account, number>()
    for (const { core } of this.hosts.values()) if (core?.me.books) sizes.set(core.me.books.account, core.me.books.size)
    agenda.runUntil(agenda.now + CONVERGE_MS)
    checkTogether(this.honest, this.oracle, sizes)
    checkDebts(this.honest, this.oracle)
    checkUseful(this.honest, this.oracle, gate => this.#tryEntry(gate))
    this.oracle.checkSum()
    this.oracle.checkPeople()
    this.oracle.checkSpoils()
  }

  gateAt(who: number): Host {
    const gates = this.#gates.filter(gate => gate !== this.#liar?.host)
    return gates[Math.floor(who * gates.length)] as Host
  }

  fault(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1)
  }

  note(line: string): void {
    this.#log?.(`${this.agenda.now.toFixed(1).padStart(9)}  ${line}`)
  }

  lie(lie: Lie, much: number): boolean {
    const liar = this.#liar
    if (liar === undefined) return false
    const peers = [...this.hosts.keys()].filter(name => name !== liar.host.name && name !== 'anchor')
    liar.tell(lie, peers, much)
    return true
  }

  /** Operators sign a policy and bring it to the anchor. */
  enact(policy: Policy): void {
    if (!this.anchor.anchor?.isJoined) {
      if (policy.version === 1) this.agenda.in(300, () => this.enact(policy))
      return
    }
    const decreed = this.seal.policy(policy)
    this.oracle.decreed.set(policy.version, {
      capacities: policy.capacities.map(step => limitOf(step.capacity, policy.marginPerMille)),
      correction: policy.correction,
      reclaimed: reclaimedTotal(policy),
    })
    this.anchor.step({ kind: 'decreed', policy: decreed })
  }

  /** A statement that people carry to every machine they can reach. */
  announce(statement: ModeStatement): void {
    this.fault('rearm')
    for (const host of this.hosts.values()) {
      host.step({ kind: 'heard', from: 'console', message: { kind: 'mode', statement } })
    }
  }

  tell(from: Host, to: string, told: Message): void {
    const isLiar = from === this.#liar?.host
    let message = isLiar ? (this.#liar as Liar).twist(told) : told
    if (message.kind === 'rows') {
      const account = from.core?.me.books?.account
      const rows = message.rows.map(row => {
        // one it wrote itself just now; rows of others, and of its closed accounts, it only hands on
        if (row.account !== account || this.seal.open(row) !== undefined) return row
        if (!isLiar) this.oracle.told(row, this.#durableOf(from, row.account))
        return this.seal.sign(row)
      })
      message = { ...message, rows }
    }
    if (to === EVERYONE) for (const name of this.hosts.keys()) this.#post(from.name, name, message)
    else this.#post(from.name, to, message)
  }

  opened(host: Host, id: string): void {
    const me = host.core?.me
    if (me !== undefined && me.modes.effective !== 'NORMAL') {
      this.oracle.fail('calm', `${host.name} opened for ${id} in ${me.modes.effective}`)
    }
    const ledger = host.disk.open
    const onDisk = ledger !== undefined && (this.oracle.visits.get(id)?.admits ?? 0) > 0
    this.oracle.opened(host.name, id, onDisk)
    this.crowd.opened(host, id)
  }

  answered(host: Host, id: string, answer: Answer): void {
    const pending = this.#pending.get(id)
    const { decision } = answer
    if (this.#proving?.id === id) this.#proving.decision = decision
    if (pending === undefined) return
    this.#pending.delete(id)
    const kind = decision === 'ADMIT' ? `ADMIT ${answer.source}` : decision
    this.decisions.set(kind, (this.decisions.get(kind) ?? 0) + 1)
    const took = this.agenda.now - pending.at
    if (took > this.profile.limits.openMs + ANSWER_SLACK_MS) {
      this.oracle.fail('answered', `${host.name} took ${took.toFixed(1)} ms to answer ${id} with ${decision}`)
    }
  }

  stepped(host: Host, event: AnyEvent, effects: readonly Effect[]): void {
    if (this.#log !== undefined) this.#transcribe(host, event, effects)
    if (event.kind === 'left') {
      const first = effects[0]
      if (first?.kind !== 'let-out' || first.id !== event.id) {
        this.oracle.fail('exitFree', `${host.name} did not let ${event.id} out first of all`)
      }
    } else if (event.kind === 'asked' && !this.#pending.has(event.id) && !this.#isAnswered(event.id)) {
      this.#pending.set(event.id, { at: this.agenda.now, host })
      this.#asked.add(event.id)
    } else if (event.kind === 'heard' || event.kind === 'contact') {
      this.#sirens.check(host, this.#nemesis.closedAt(host))
    }
    if (++this.#steps % 500 === 0) this.oracle.checkSum()
    if (this.#steps % 2000 === 0) this.#checkPending()
  }

  readonly #asked = new Set<string>()

  #isAnswered(id: string): boolean {
    return this.#asked.has(id)
  }

  released(host: Host, effect: Effect): void {
    if (effect.kind === 'append' || effect.afterSize === 0) return
    if (effect.afterSize > host.durableSize) {
      const what = `${effect.kind} needs size ${effect.afterSize}, ${host.durableSize} on disk`
      this.oracle.fail('durableFirst', `${host.name}: ${what}`)
    }
  }

  durable(_host: Host, ledger: Ledger, from: number, to: number): void {
    for (let seq = from; seq < to; seq++) this.oracle.entry(ledger.account, seq, ledger.entries[seq] as Body)
  }

  crashed(host: Host, why: string): void {
    this.note(`✖ ${host.name} is off (${why})`)
    for (const [id, pending] of this.#pending) if (pending.host === host) this.#pending.delete(id)
    // whatever made it crash, somebody plugs it in again
    if (why.startsWith('after') || why.startsWith('between')) this.agenda.in(300, () => host.boot())
  }

  penFor(entries: readonly Body[]): Pen {
    return this.seal.pen(entries)
  }

  /** A host came up: it meets everyone its links reach. */
  booted(host: Host): void {
    this.note(`✔ ${host.name} is up`)
    this.#sirens.started(host)
    this.#nemesis.readContacts(host)
    for (const other of this.hosts.keys()) if (other !== host.name) this.#meet(host.name, other)
  }

  #post(from: string, to: string, message: Message): void {
    if (from !== to && this.hosts.has(to)) this.network.send(from, to, message)
  }

  #deliver(from: string, to: string, message: Message): void {
    const host = this.hosts.get(to) as Host
    if (!host.up) return
    host.step({ kind: 'heard', from, message: this.#verified(message) })
  }

  /** What the shell does before a core hears anything: rows without their owner's signature are thrown away. */
  #verified(message: Message): Message {
    if (message.kind !== 'rows' && message.kind !== 'known' && message.kind !== 'fork') return message
    const rows: Row[] = []
    for (const row of message.rows) {
      const opened = this.seal.open(row)
      if (opened !== undefined) rows.push(opened)
    }
    if (rows.length === message.rows.length) return { ...message, rows } as Message
    this.fault('forgery-refused')
    if (message.kind === 'fork') return { kind: 'rows', rows }
    return { ...message, rows }
  }

  #meet(a: string, b: string): void {
    this.agenda.in(20, () => {
      if (this.network.isCut(a, b) || this.network.isCut(b, a)) return
      const [x, y] = [this.hosts.get(a) as Host, this.hosts.get(b) as Host]
      if (!x.up || !y.up) return
      x.step({ kind: 'met', peer: b })
      y.step({ kind: 'met', peer: a })
    })
  }

  #makeLiar(random: Random): void {
    const host = this.#gates[this.#gates.length - 1] as Host
    this.oracle.liars.add(host.name)
    this.oracle.spoils = () => this.#liar?.spoils ?? 0
    this.#liar = new Liar(host, random.stream('liar'), (to, message) => {
      if (message.kind === 'rows')
        for (const row of message.rows) if (nameOf(row.account) === host.name) this.seal.sign(row)
      this.#post(host.name, to, message)
    })
  }

  #durableOf(host: Host, account: Account): number {
    const ledger = host.disk.open
    return ledger?.account === account ? ledger.synced : 0
  }

  #checkPending(): void {
    for (const [id, pending] of this.#pending) {
      if (this.agenda.now - pending.at > this.profile.limits.openMs + 50) {
        this.oracle.fail('answered', `${pending.host.name} never answered ${id}`)
      }
    }
  }

  get honest(): Host[] {
    return [...this.hosts.values()].filter(host => host !== this.#liar?.host)
  }

  #tryEntry(gate: Host): string | undefined {
    const id = this.newId()
    const proof: { id: string; decision?: string } = { id }
    this.#proving = proof
    this.oracle.asked(id)
    gate.step({ kind: 'asked', id, confidence: 990 })
    this.agenda.runUntil(this.agenda.now + 1500)
    return proof.decision
  }

  #transcribe(host: Host, event: AnyEvent, effects: readonly Effect[]): void {
    if (event.kind === 'durable' || event.kind === 'ticked' || event.kind === 'passed') {
      if (effects.every(e => e.kind === 'tell')) return
    }
    this.note(`${host.name} ${say(event)} → ${effects.map(say).join(', ') || 'nothing'}`)
  }
}

function say(x: AnyEvent | Effect): string {
  const text = JSON.stringify(x, (key, value) =>
    key === 'counters' || key === 'policies' || key === 'boot' ? undefined : value,
  )
  return text.length > 260 ? `${text.slice(0, 260)}…` : text
}

function firstPolicy(profile: Profile, charter: Charter): Policy {
  return {
    version: 1,
    capacities: [{ from: 0, capacity: profile.capacity }],
    correction: 0,
    reclaimed: [],
    gates: charter.gates,
    maxSharePerMille: 1000,
    expireAfterMs: 86_400_000,
    confidenceMin: 700,
    marginPerMille: 0,
    reason: 'opening',
    signers: ['ann', 'bob'],
    hash: '',
  }
}
