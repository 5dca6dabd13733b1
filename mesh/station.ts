// Station: one member at its post: its store, its shell and its place on the network, for a gate and the anchor alike.
//
// Order: store, network, core; it stops the other way round. Neither a disk that cannot be opened nor a port that is
// taken ends it: both are tried again for as long as it takes, and whoever leaves meanwhile is let out by the door, which
// stands in front of all this and was there first.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, nameOf } from '../ledger/account.ts'
import type { Charter } from '../ledger/charter.ts'
import { Fault } from '../ledger/fault.ts'
import { openLevelStore } from '../ledger/level-store.ts'
import type { Store, StoreOptions } from '../ledger/store.ts'
import type { Clock } from './clock.ts'
import type { MemberConfig } from './config.ts'
import { Keyring } from './keyring.ts'
import { Lan, type LanOptions, type LanPeer } from './lan/lan.ts'
import type { Question } from './lan/ledger-window.ts'
import type { Place } from './lan/place.ts'
import type { Severed } from './lan/severed.ts'
import type { LanTraffic } from './lan/traffic.ts'
import { Ledgers } from './ledgers.ts'
import { checkLimits, LIMITS, type Limits } from './limits.ts'
import type { Log } from './log.ts'
import type { Member } from './member.ts'
import type { Meter } from './meter.ts'
import type { Papers } from './papers.ts'
import type { Restoration } from './restoration.ts'
import { Roster } from './roster.ts'
import { type Core, Shell, type Transport, type Witness } from './shell.ts'

/** What a station needs of its network. */
export interface LanPort extends Transport {
  readonly places: readonly Place[]
  readonly findsByMulticast: boolean
  peers(): readonly LanPeer[]
  traffic(): LanTraffic
  /** whom a drill keeps it from; a simulated network has none */
  readonly severed?: Severed
  /** entries of a peer's ledger */
  range(peer: string, question: Question): AsyncIterable<string>
  stop(): Promise<void>
}

export interface StationOptions<Event> {
  readonly config: Pick<MemberConfig, 'name' | 'store' | 'listen' | 'peers' | 'mdns'>
  readonly papers: Papers
  readonly limits: Limits
  readonly restoration: Restoration
  readonly clock: Clock
  readonly log: Log
  readonly witness: Witness
  readonly meter?: Meter
  /** a write became durable: how long it took, and how many lines it had */
  readonly onWrite?: (ms: number, lines: number) => void
  readonly board: LanOptions['board']
  /** of others' ledgers, for whoever asks */
  readonly copies?: LanOptions['ledgers']
  readonly make: () => Core<Event>
  /** the store is open and nothing was decided yet; what fails here is tried again */
  readonly opened?: (shell: Shell<Event & { readonly kind: string }>) => Promise<void> | void
  readonly startLan?: (options: LanOptions) => Promise<LanPort>
  readonly openStore?: (options: StoreOptions) => Promise<Store>
}

const RETRY_MS = 2000
const POLL_MS = 20
/** Quiet for longer than the pause between two rows: nothing is left to be told. */
const QUIET_POLLS = Math.ceil((1.5 * LIMITS.rowEveryMs) / POLL_MS)

/** What this mall's members obey: a charter says how fast people can walk out. */
export function limitsOf({ exitsPerMinuteMax }: Charter): Limits {
  const exitBurst = Math.max(LIMITS.exitBurst, exitsPerMinuteMax)
  return checkLimits({ ...LIMITS, exitsPerMinuteMax, exitBurst })
}

export class Station<Event extends { readonly kind: string }> {
  readonly ring: Keyring
  readonly #o: StationOptions<Event>
  readonly #stopped = new AbortController()
  readonly #roster = new Roster()
  #shell: Shell<Event> | undefined
  #lan: LanPort | undefined
  #starting: Promise<void> | undefined
  #connecting: Promise<void> | undefined
  #stopping: Promise<void> | undefined

  constructor(options: StationOptions<Event>) {
    this.#o = options
    const book = () => this.me?.policies
    this.ring = Keyring.of(options.papers.charters, { newest: () => book()?.newest, all: () => book()?.after(0) ?? [] })
  }

  get shell(): Shell<Event> | undefined {
    return this.#shell
  }

  get me(): Member | undefined {
    return this.#shell?.core?.me
  }

  get lan(): LanPort | undefined {
    return this.#lan
  }

  /** Resolves once the core was started, or never will be because the station was stopped. */
  start(): Promise<void> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  step(event: Event): void {
    this.#shell?.step(event)
  }

  /**
   * The loop turns, and the core takes its turns: an idle one does so once a second. While the disk cannot be opened
   * there is no core, and a new start would not help anyone.
   */
  isWell(withinMs: number): boolean {
    const { me } = this
    return me === undefined || this.#o.clock.now() - me.now < withinMs
  }

  /** Until all that was asked for is on disk and told, and what was given away has been taken; or for so long. */
  async drain(msMax: number): Promise<void> {
    const { clock } = this.#o
    const until = clock.now() + msMax
    for (let quiet = 0; quiet < QUIET_POLLS && clock.now() < until; quiet = this.#isQuiet() ? quiet + 1 : 0)
      await sleep(POLL_MS)
  }

  /** Leaves the network, then waits for the disk. Safe to repeat. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #start(): Promise<void> {
    const { log, restoration } = this.#o
    const ready = await this.#persist('store', async () => this.#open())
    if (ready === undefined) return
    this.#shell = ready.shell
    const { found } = ready.shell.store
    const account = found.kind === 'blank' ? undefined : found.account
    const givenUp = account !== undefined && restoration.isGivenUp(account)
    log.info('store', { found: found.kind, account, ...(givenUp ? { givenUp } : {}) })
    // once is waited for: a first question that nobody hears costs half a second
    this.#connecting = this.#connect(ready.shell)
    await Promise.race([this.#connecting, sleep(RETRY_MS, undefined, { ref: false })])
    if (!this.#stopped.signal.aborted) ready.boot()
  }

  async #open(): Promise<{ shell: Shell<Event>; boot: () => void }> {
    const { config, papers, limits, restoration, clock, witness, meter, make, opened } = this.#o
    const onDisk = (options: StoreOptions) => openLevelStore({ ...options, dir: config.store })
    const { openStore = onDisk, onWrite } = this.#o
    if (papers.flaw !== undefined) throw new Fault('CHARTER', papers.flaw)
    const ready = await Shell.open<Event>({
      name: config.name,
      charters: papers.charters,
      signer: papers.signer,
      rememberMs: limits.rememberMs,
      clock,
      transport: { send: (to, text, lane) => this.#lan?.send(to, text, lane) },
      witness,
      ...(meter === undefined ? {} : { meter }),
      make,
      openStore: options => openStore(onWrite === undefined ? options : { ...options, onWrite }),
      isGivenUp: (account: Account) => restoration.isGivenUp(account),
    })
    try {
      await restoration.settle(ready.shell.store.found)
      await opened?.(ready.shell)
      return ready
    } catch (error) {
      await ready.shell.close()
      throw error
    }
  }

  async #connect(shell: Shell<Event>): Promise<void> {
    const { config, papers, clock, log, board, copies, startLan = Lan.start } = this.#o
    const options: LanOptions = {
      name: config.name,
      charter: papers.charter,
      charterHash: papers.charterHash,
      signer: papers.signer,
      roster: () => this.#gates(),
      isBanned: name => this.me?.banned.has(name) ?? false,
      listen: config.listen,
      peers: config.peers,
      mdns: config.mdns,
      clock,
      log,
      ears: shell,
      board,
      ledgers: new Ledgers(() => shell.store, copies),
    }
    const lan = await this.#persist('lan', () => startLan(options))
    if (lan === undefined) return
    this.#lan = lan
    log.info('lan', { places: lan.places.map(({ host, port }) => `${host}:${port}`) })
  }

  /** Again and again until it works, saying what is wrong when that changes; undefined when nobody wants it any more. */
  async #persist<T>(what: string, act: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#stopped
    let said = ''
    while (!signal.aborted) {
      try {
        const done = await act()
        if (said !== '') this.#o.log.info(`${what} mended`)
        return done
      } catch (error) {
        const { message } = error as Error
        const code = error instanceof Fault ? error.code : undefined
        if (message !== said) this.#o.log.error(`${what} failed`, { code, error: message, againMs: RETRY_MS })
        if (message !== said) this.#o.witness.alarm(code ?? what.toUpperCase(), `${what}: ${message}`)
        said = message
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
    }
    return undefined
  }

  async #stop(): Promise<void> {
    this.#stopped.abort()
    await this.#starting?.catch(() => undefined)
    await this.#connecting?.catch(() => undefined)
    await this.#lan?.stop()
    await this.#shell?.close()
  }

  #isQuiet(): boolean {
    return this.#shell === undefined || (this.#shell.isQuiet && this.#isTaken())
  }

  /** Whoever is in reach and was given tokens has said that it has them. */
  #isTaken(): boolean {
    const { me } = this
    const own = me?.books
    if (me === undefined || own === undefined) return true
    const up = new Set((this.#lan?.peers() ?? []).filter(({ isUp }) => isUp).map(({ name }) => name))
    return Object.keys(own.counters.sent).every(to => {
      return !up.has(nameOf(to)) || !me.view.isCurrent(to) || me.view.inFlight(own.account, to) === 0
    })
  }

  #gates() {
    const { papers, clock } = this.#o
    const isTold = this.#shell?.core === undefined || this.#shell.isQuiet
    return this.#roster.at(clock.now(), this.me?.policy?.gates ?? papers.charter.gates, isTold)
  }
}
