// Shell: one member on a real clock, a real disk and a real wire. It does what the core asks for, in the order asked,
// and tells it what came of that.
//
// Laws: entries reach the store in the order written, and nothing leaves before the entry it depends on is durable: the
// outbox sees to that. What the shell answers (`withdrawn`, `begun`) is a step of its own, never in the middle of
// another, where it would overtake entries still to be written. A core that breaks a law of its own admits nobody any
// more; people go on leaving.

import type { Account } from '../ledger/account.ts'
import { Chain } from '../ledger/chain.ts'
import type { Charters } from '../ledger/charters.ts'
import { noCounters } from '../ledger/counters.ts'
import type { Body, Mode } from '../ledger/entry.ts'
import { Fault, must } from '../ledger/fault.ts'
import type { SignerKey } from '../ledger/key.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Store, StoreOptions, StoreState } from '../ledger/store.ts'
import type { Clock } from './clock.ts'
import { Keepsakes } from './keepsakes.ts'
import { Keyring } from './keyring.ts'
import { type Lane, laneOf } from './lane.ts'
import type { Member } from './member.ts'
import type { Answer, Effect, Message } from './message.ts'
import { type Meter, NO_METER } from './meter.ts'
import { Outbox } from './outbox.ts'
import { giveUp, type Remembrance, remember, rememberLoss } from './remembrance.ts'
import { Seal } from './seal.ts'
import { firstHand, type Verdict, verdictOn } from './verdict.ts'
import { fromWire, toWire } from './wire.ts'

/** A gate or an anchor. */
export interface Core<Event> {
  readonly me: Member
  readonly wakeAt: number
  step(event: Event, now: number, wall: number): Effect[]
}

export interface Transport {
  /** To one member by name, or to all others. May lose, repeat, delay and reorder; never calls back from within. */
  send(to: string, text: string, lane: Lane): void
}

/** Who wants to know what this member does. Called in the middle of a step: take note, and act later. */
export interface Witness {
  wrote(body: Body): void
  opened(id: string): void
  answered(id: string, answer: Answer): void
  letOut(id: string): void
  mode(mode: Mode): void
  alarm(code: string, detail: string): void
  /** the core was started anew; what it had promised nobody will hear of any more */
  restarted(why: string): void
}

export interface ShellOptions<Event> {
  readonly name: string
  readonly charters: Charters
  readonly signer: SignerKey
  readonly rememberMs: number
  readonly clock: Clock
  readonly transport: Transport
  readonly witness: Witness
  readonly meter?: Meter
  readonly make: () => Core<Event>
  readonly openStore: (options: StoreOptions) => Promise<Store>
  /** must the ledger that was found, whole as it is, not be gone on with? */
  readonly isGivenUp?: (account: Account) => boolean
}

/** Between attempts to open a new ledger on a disk that fails. */
const BEGIN_RETRY_MS = 500

type Own =
  | { readonly kind: 'booted'; readonly boot: Remembrance }
  | { readonly kind: 'begun'; readonly opened: unknown }
  | { readonly kind: 'heard'; readonly from: string; readonly message: Message }
  | { readonly kind: 'met'; readonly peer: string }
  | { readonly kind: 'durable'; readonly size: number }
  | { readonly kind: 'disk'; readonly state: 'ok' | 'failed' }
  | { readonly kind: 'withdrawn'; readonly id: string }
  | { readonly kind: 'ticked' }

export class Shell<Event extends { readonly kind: string }> {
  readonly name: string
  readonly #o: ShellOptions<Event>
  readonly #ring: Keyring
  readonly #meter: Meter
  readonly #seal: Seal
  #store: Store | undefined
  #core: Core<Event> | undefined
  #outbox: Outbox | undefined
  /** counts starts of the core: what belongs to an earlier one is not for this one */
  #life = 0
  #durable = 0
  #writing: Promise<number> | undefined
  #keepsakes: Keepsakes | undefined
  #mending = false
  #broken: string | undefined
  #stepping = false
  #next: Event[] = []
  #wakeAt = Number.POSITIVE_INFINITY
  #cancelAlarm: (() => void) | undefined

  /** Opens the store and reads it; `boot` then starts the core. */
  static async open<Event extends { readonly kind: string }>(
    options: ShellOptions<Event>,
  ): Promise<{ shell: Shell<Event>; boot: () => void }> {
    const shell = new Shell(options)
    try {
      const memory = await shell.#read()
      return { shell, boot: () => shell.#boot(memory) }
    } catch (error) {
      // whoever tries again must not find it locked by us
      await shell.close()
      throw error
    }
  }

  private constructor(options: ShellOptions<Event>) {
    this.name = options.name
    this.#o = options
    this.#meter = options.meter ?? NO_METER
    const book = () => this.#core?.me.policies
    this.#ring = Keyring.of(options.charters, { newest: () => book()?.newest, all: () => book()?.after(0) ?? [] })
    this.#seal = new Seal({
      name: options.name,
      mall: options.charters.first.mall,
      signer: options.signer,
      books: () => this.#core?.me.books,
      durable: () => this.#durable,
    })
  }

  get core(): Core<Event> | undefined {
    return this.#core
  }

  get store(): Store {
    must(this.#store !== undefined, 'a shell that was opened has a store')
    return this.#store
  }

  /** Why this member decides nothing any more, where one of its own laws was broken. */
  get broken(): string | undefined {
    return this.#broken
  }

  /** Nothing waits for the disk. */
  get isQuiet(): boolean {
    return this.store.waiting === 0 && (this.#outbox?.waiting ?? 0) === 0
  }

  /** A row that only waits for others is nobody's fault; a wrong signature is the sender's, and a fork its author's. */
  hear(from: string, text: string): Verdict {
    const me = this.#core?.me
    if (me === undefined) return 'ignore'
    try {
      const { message, refused } = fromWire(text, this.#ring, from)
      this.#meter.heard(from, message, text.length)
      if (refused.length > 0) {
        this.#meter.refused(from, refused.length)
        this.#o.witness.alarm('REFUSED', `from ${from}: ${refused[0]}`)
      }
      this.#own({ kind: 'heard', from, message: firstHand(from, message) })
      // a key that we do not know may be of a policy that we do not know yet
      const isGuilty = refused.some(what => !what.startsWith('ROSTER'))
      return isGuilty ? 'reject' : verdictOn(from, message, me)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#meter.garbage(from)
      this.#o.witness.alarm('GARBAGE', `from ${from}: ${error.message}`)
      return 'reject'
    }
  }

  meet(peer: string): void {
    this.#own({ kind: 'met', peer })
  }

  step(event: Event): void {
    if (this.#core === undefined) return
    if (this.#broken !== undefined && event.kind === 'asked') {
      const { id } = event as unknown as { id: string }
      this.#o.witness.answered(id, { decision: 'REJECT_FAULT', reason: 'broken-law' })
      return
    }
    this.#next.push(event)
    if (this.#stepping) return
    this.#stepping = true
    try {
      for (let next = this.#next.shift(); next !== undefined; next = this.#next.shift()) this.#act(next)
    } finally {
      this.#stepping = false
      // also when this step broke: without its alarm the core would sleep until somebody speaks to it
      this.#setAlarm()
    }
  }

  /** Ends the core, then waits for the disk. Safe to repeat. */
  async close(): Promise<void> {
    this.#life++
    this.#core = undefined
    this.#next = []
    this.#cancelAlarm?.()
    await this.#store?.close()
  }

  #own(event: Own): void {
    this.step(event as unknown as Event)
  }

  async #read(): Promise<Remembrance> {
    const { name, clock, openStore, rememberMs, charters, signer, witness } = this.#o
    this.#store = await openStore({
      name,
      seal: head => this.#seal.at(head, clock.wall()),
      onFault: fault => witness.alarm(fault.code, fault.message),
      onState: state => this.#stored(state),
    })
    const wall = clock.wall()
    const ringFor = (policies: readonly Policy[]) => this.#ringOf(policies)
    const key = signer.verifier.toString()
    const { hash: charterHash } = charters
    const memory = await remember({ store: this.#store, ringFor, charterHash, key, wall, rememberMs })
    return memory.opened !== undefined && this.#o.isGivenUp?.(memory.opened.account) ? giveUp(memory) : memory
  }

  #boot(memory: Remembrance): void {
    const { witness, make } = this.#o
    this.#life++
    this.#next = []
    this.#cancelAlarm?.()
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#mending = false
    this.#writing = undefined
    this.#durable = memory.opened === undefined ? 0 : this.store.durable.size
    this.#outbox = new Outbox(this.#durable, effect => this.#release(effect))
    this.#keepsakes = new Keepsakes(this.store, this.#seal, memory.policies.at(-1)?.version ?? 0)
    this.#core = make()
    for (const what of memory.refused) witness.alarm('NOTE', what)
    this.#own({ kind: 'booted', boot: memory })
  }

  #act(event: Event): void {
    const core = this.#core
    if (core === undefined) return
    const life = this.#life
    const effects = this.#ask(core, event)
    this.#keepsakes?.policies(core.me)
    let wrote = false
    for (const effect of effects) {
      if (this.#life !== life) return
      if (effect.kind === 'append') {
        wrote = true
        this.#append(effect.line, effect.body)
      } else if (effect.kind === 'withdraw') {
        if (this.#outbox?.withdraw(effect.id)) this.#queue({ kind: 'withdrawn', id: effect.id })
      } else this.#outbox?.put(effect)
    }
    // no ledger yet: kept with its first entry
    if (this.#keepsakes?.takeUnsaved() && !wrote) this.store.sync().catch(() => undefined)
  }

  /**
   * One step of the core. When it breaks, what it had written by then is in its chain and must go to the store; people
   * it let out are out; all else it asked for is dropped, as if the wire had lost it.
   */
  #ask(core: Core<Event>, event: Event): Effect[] {
    try {
      return core.step(event, this.#o.clock.now(), this.#o.clock.wall())
    } catch (error) {
      this.#broken ??= (error as Error).message
      this.#o.witness.alarm('BROKEN_LAW', `${event.kind}: ${(error as Error).stack ?? error}`)
      return core.me.finish().filter(effect => effect.kind === 'append' || effect.kind === 'let-out')
    }
  }

  #append(line: string, body: Body): void {
    const life = this.#life
    this.#o.witness.wrote(body)
    // whoever is turned away is told at once, and nothing stands on the entry
    const written = this.store.append(line, body.type === 'reject' ? 'soon' : 'now')
    // all lines of one write have one promise
    if (written === this.#writing) return
    this.#writing = written
    written.then(
      size => this.#written(life, size),
      // lost or closed: the store has said so, and a new life begins or none
      () => undefined,
    )
  }

  #written(life: number, size: number): void {
    if (this.#life !== life || size <= this.#durable) return
    this.#durable = size
    this.#own({ kind: 'durable', size })
    if (this.#life === life) this.#outbox?.durable(size)
  }

  #release(effect: Exclude<Effect, { kind: 'append' }>): void {
    const { witness } = this.#o
    switch (effect.kind) {
      case 'tell':
        return this.#tell(effect.to, effect.message)
      case 'open':
        return witness.opened(effect.id)
      case 'answer':
        return witness.answered(effect.id, effect.answer)
      case 'let-out':
        return witness.letOut(effect.id)
      case 'alarm':
        return witness.alarm(effect.code, effect.detail)
      case 'begin':
        return this.#begin(effect.account)
      case 'keep':
        return this.#keepsakes?.row(effect.row)
      case 'proof':
        return this.#keepsakes?.proof(effect.rows)
      case 'mode':
        if (this.#core !== undefined) this.#keepsakes?.modes(this.#core.me)
        return witness.mode(effect.mode)
      case 'release':
      case 'withdraw':
        return
    }
  }

  #tell(to: string, message: Message): void {
    const text = this.#textOf(message)
    if (text === undefined) return
    this.#meter.told(to, message, text.length)
    const send = () => this.#o.transport.send(to, text, laneOf(to, message))
    // whoever asks what we remember relies on it: not before it is on disk, unless there is no ledger to keep it in
    if (message.kind === 'known' && message.rows.length > 0) this.store.sync().then(send, send)
    else send()
  }

  /** A row that grew too long to be told is silence, which others know how to live with. */
  #textOf(message: Message): string | undefined {
    try {
      return toWire(message, this.#seal)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#o.witness.alarm(error.code, error.message)
      return undefined
    }
  }

  #begin(account: string): void {
    const life = this.#life
    const { charters, clock, witness } = this.#o
    const { hash: charterHash } = charters
    this.store.begin(account, charterHash).then(
      () => {
        if (this.#life !== life) return
        this.#durable = 0
        this.#outbox = new Outbox(0, effect => this.#release(effect))
        this.#own({ kind: 'begun', opened: { account, pen: new Chain(charterHash), counters: noCounters() } })
      },
      (error: Error) => {
        witness.alarm('BEGIN', `${account}: ${error.message}`)
        clock.in(BEGIN_RETRY_MS, () => {
          if (this.#life === life) this.#begin(account)
        })
      },
    )
  }

  #stored(state: StoreState): void {
    if (this.#core === undefined) return
    if (state === 'lost') {
      this.#o.witness.restarted('the disk lost entries that had been acknowledged')
      return this.#boot(rememberLoss(this.store, policies => this.#ringOf(policies)))
    }
    if (state !== 'mending' && state !== 'ok') return
    if (this.#mending === (state === 'mending')) return
    this.#mending = state === 'mending'
    this.#own({ kind: 'disk', state: this.#mending ? 'failed' : 'ok' })
  }

  #ringOf(policies: readonly Policy[]): Keyring {
    return Keyring.of(this.#o.charters, { newest: () => policies.at(-1), all: () => policies })
  }

  #queue(event: Own): void {
    this.#next.push(event as unknown as Event)
  }

  #setAlarm(): void {
    const at = this.#core?.wakeAt ?? Number.POSITIVE_INFINITY
    if (at >= this.#wakeAt) return
    this.#cancelAlarm?.()
    this.#wakeAt = at
    this.#cancelAlarm = this.#o.clock.in(at - this.#o.clock.now(), () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#own({ kind: 'ticked' })
    })
  }
}
