// Lan: the members of one mall on a network. It finds them, keeps one live connection to each, and carries words.
//
// Laws: nobody but the roster gets past the handshake. A connection is believed only as long as words come over it; one
// that has gone silent is ended and called again, for ever. What is sent may be lost; whoever is met anew is told
// everything. Nothing a peer sends ends this process.

import { hash, randomInt } from 'node:crypto'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import type { Account } from '../../ledger/account.ts'
import type { Charter, GateKey } from '../../ledger/charter.ts'
import { Fault } from '../../ledger/fault.ts'
import type { SignerKey } from '../../ledger/key.ts'
import type { Clock } from '../clock.ts'
import type { Lane } from '../lane.ts'
import type { Log } from '../log.ts'
import { EVERYONE } from '../message.ts'
import type { Transport } from '../shell.ts'
import type { Verdict } from '../verdict.ts'
import { Book } from './book.ts'
import { Dialler } from './dialler.ts'
import { Discovery } from './discovery.ts'
import { gater } from './gater.ts'
import { attend, topicsOf } from './gossip.ts'
import { askRange, type LedgerShelf, LedgerWindow } from './ledger-window.ts'
import type { LineName } from './line.ts'
import { type Node, placeOf, startNode } from './node.ts'
import { messageParcel, openParcel, placesParcel } from './parcel.ts'
import { isLoopback, type Place } from './place.ts'
import { PULSE, Pulse } from './pulse.ts'
import { libp2pKeyOf, Roll } from './roll.ts'
import { Severed } from './severed.ts'
import { SparingLog } from './sparing-log.ts'
import { DEMERITS, Standing } from './standing.ts'
import { Switchboard } from './switchboard.ts'
import { type LanTraffic, noTraffic } from './traffic.ts'

export interface LanOptions {
  /** `anchor`, or a gate's name */
  readonly name: string
  readonly charter: Charter
  readonly charterHash: string
  /** the same key signs rows and proves who we are on the wire */
  readonly signer: SignerKey
  /** in force: the newest policy's gates, or the charter's */
  readonly roster: () => readonly GateKey[]
  readonly isBanned: (name: string) => boolean
  readonly listen: readonly Place[]
  readonly peers: ReadonlyMap<string, readonly Place[]>
  /** `interface` is the local address of the network card to speak on */
  readonly mdns: { readonly interface?: string } | false
  readonly clock: Clock
  readonly log: Log
  readonly ears: { hear(from: string, text: string): Verdict; meet(peer: string): void }
  readonly board: {
    meet(peer: string, send: (frame: Uint8Array) => void): void
    hear(peer: string, frame: Uint8Array): void
    part(peer: string): void
  }
  readonly ledgers: LedgerShelf
}

export interface LanPeer {
  readonly name: string
  readonly isUp: boolean
  readonly silentMs: number
  /** why the last call to it failed */
  readonly failure?: string | undefined
  readonly places: readonly Place[]
}

/** Who is banned gets this long to be told why. */
const BANNED_MS = 3000
const STOP_MS_MAX = 2000

export class Lan implements Transport {
  readonly #o: LanOptions
  readonly #roll: Roll
  readonly #book: Book
  readonly #dialler: Dialler
  readonly #pulse = new Pulse()
  readonly #standing = new Standing()
  readonly #discovery: Discovery | undefined
  readonly #traffic: LanTraffic = noTraffic()
  readonly #complaints: SparingLog
  readonly #stopping = new AbortController()
  #node: Node | undefined
  #board: Switchboard | undefined
  #cancelTick: (() => void) | undefined
  #ticks = 0
  findsByMulticast = false
  readonly severed = new Severed(name => this.#board?.drop(name, 'severed for a drill'))

  static async start(options: LanOptions): Promise<Lan> {
    const lan = new Lan(options)
    await lan.#start()
    return lan
  }

  private constructor(options: LanOptions) {
    const { name, charter, signer, clock, mdns, charterHash } = options
    this.#o = options
    this.#roll = new Roll(name, charter.anchor)
    this.#book = new Book(options.peers)
    this.#complaints = new SparingLog(options.log, () => clock.now())
    const chance = () => randomInt(1 << 24) / (1 << 24)
    this.#dialler = new Dialler(peerIdFromPrivateKey(libp2pKeyOf(signer)).toString(), chance)
    if (mdns !== false) {
      this.#discovery = new Discovery({
        tag: `_gatemesh-${hash('sha256', charterHash, 'hex').slice(0, 16)}._udp.local`,
        interface: mdns.interface,
        clock,
        chance,
        isAnyoneMissing: () => this.#roll.names.some(peer => this.#board?.link(peer)?.isUp !== true),
        saw: (peer, addresses) => this.#saw(peer, addresses),
        warn: what => this.#complaints.warn('mdns', what, { what }),
      })
    }
    this.#follow()
  }

  /** Where we listen. */
  get places(): readonly Place[] {
    const all = (this.#node?.getMultiaddrs() ?? []).map(placeOf).filter(place => place !== undefined)
    const outside = all.filter(place => !isLoopback(place))
    return outside.length > 0 ? outside : all
  }

  peers(): readonly LanPeer[] {
    const now = this.#o.clock.now()
    return this.#roll.names.map(name => ({
      name,
      isUp: this.#board?.link(name)?.isUp ?? false,
      silentMs: this.#pulse.silentMs(name, now),
      failure: this.#dialler.failureOf(name),
      places: this.#book.places(name),
    }))
  }

  traffic(): Readonly<LanTraffic> {
    return { ...this.#traffic }
  }

  send(to: string, text: string, lane: Lane): void {
    const parcel = messageParcel(text)
    if (lane === 'gossip' || lane === 'alarm') this.#publish(lane === 'gossip' ? 'rows' : 'modes', parcel)
    if (lane === 'gossip') return
    const line = lane === 'rows' ? 'rows' : 'steal'
    if (to !== EVERYONE) return this.#put(to, line, parcel)
    for (const { name } of this.#board?.links() ?? []) this.#put(name, line, parcel)
  }

  /** Entries of a peer's ledger, as it has them on disk. */
  range(peer: string, question: { account: Account; from: number; to: number }): AsyncIterable<string> {
    const link = this.#board?.link(peer)
    if (link === undefined) throw new Fault('LAN', `${peer} is not in reach`)
    return askRange(link.connection, question)
  }

  async stop(): Promise<void> {
    this.#cancelTick?.()
    this.#discovery?.stop()
    this.#stopping.abort()
    const stopped = this.#node?.stop()
    let cancel: (() => void) | undefined
    const tooLong = new Promise<void>(resolve => {
      cancel = this.#o.clock.in(STOP_MS_MAX, resolve)
    })
    await Promise.race([stopped, tooLong])
    cancel?.()
  }

  async #start(): Promise<void> {
    const { charter, signer, listen, clock, log, ledgers } = this.#o
    const node = await startNode({
      key: libp2pKeyOf(signer),
      listen,
      discovery: this.#discovery,
      gossip: { mall: charter.mall, score: peer => this.#scoreOf(peer) },
      gater: gater({
        nameOf: peer => this.#roll.nameOf(peer),
        stranger: (peer, from) => this.#complaints.warn('stranger', peer.toString(), { peer: peer.toString(), from }),
        isCutOff: name => this.severed.has(name) || this.#standing.isCutOff(name, clock.now()),
        isCalling: name => this.#dialler.leads(name) && this.#dialler.isDialling(name),
        isBanned: name => this.#o.isBanned(name),
        now: () => clock.now(),
        drop: (name, why) => this.#board?.drop(name, why),
        upSince: name => this.#board?.link(name)?.since,
      }),
    })
    this.#node = node
    this.#board = new Switchboard({
      node,
      clock,
      log,
      ears: this.#switchboardEars(),
      window: new LedgerWindow(ledgers),
    })
    await this.#board.start()
    attend(node.services.pubsub, charter.mall, (from, data) => this.#gossiped(from, data))
    this.#discovery?.start()
    this.#tick()
  }

  #switchboardEars(): ConstructorParameters<typeof Switchboard>[0]['ears'] {
    const { clock, log, ears, board } = this.#o
    return {
      nameOf: peer => this.#roll.nameOf(peer),
      connected: name => this.#dialler.up(name),
      up: link => {
        this.#pulse.up(link.name, clock.now())
        log.info('peer-up', { peer: link.name, at: link.connection.remoteAddr.toString() })
        const places = this.#book.all(this.#roll.names).set(this.#o.name, this.places.slice(0, 4))
        this.#put(link.name, 'rows', placesParcel(places))
        ears.meet(link.name)
      },
      lineOpened: (name, line) => {
        if (line.name !== 'board') return
        board.meet(name, payload => {
          if (line.send(payload)) this.#count(name, payload.length)
        })
      },
      lineEnded: (name, line) => {
        if (line === 'board') board.part(name)
      },
      down: ({ name, isUp, ended = 'closed' }) => {
        this.#pulse.down(name)
        this.#dialler.down(name, clock.now())
        board.part(name)
        if (isUp) log.info('peer-down', { peer: name, why: ended })
        this.#discovery?.quicken()
      },
      frame: (name, line, payload) => this.#frame(name, line, payload),
      overflowed: name => {
        this.#traffic.drops++
        this.#blame(name, DEMERITS.flood)
      },
      broke: (name, why) => {
        this.#complaints.warn('frame', name, { peer: name, why })
        this.#blame(name, DEMERITS.oversized)
      },
    }
  }

  #frame(name: string, line: LineName, payload: Uint8Array): void {
    const { clock, ears, board } = this.#o
    if (!this.#accepts(name, payload.length, clock.now()) || payload.length === 0) return
    if (line === 'board') return board.hear(name, payload)
    try {
      const parcel = openParcel(payload)
      if (parcel.kind === 'places') return this.#told(name, parcel.places)
      if (ears.hear(name, parcel.text) === 'reject') this.#blame(name, DEMERITS.garbage)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#complaints.warn('parcel', name, { peer: name, why: error.message })
      this.#blame(name, DEMERITS.garbage)
    }
  }

  /** A liar cannot make us blame others: whoever hands it on is held to have looked at it. */
  #gossiped(from: PeerId, data: Uint8Array): Verdict {
    const name = this.#roll.nameOf(from)
    if (name === undefined || !this.#accepts(name, data.length, this.#o.clock.now())) return 'ignore'
    let verdict: Verdict = 'reject'
    try {
      const parcel = openParcel(data)
      if (parcel.kind === 'message') verdict = this.#o.ears.hear(name, parcel.text)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#complaints.warn('parcel', name, { peer: name, why: error.message })
    }
    if (verdict === 'reject') this.#blame(name, DEMERITS.garbage)
    return verdict
  }

  #accepts(name: string, bytes: number, now: number): boolean {
    this.#pulse.heard(name, now)
    this.#traffic.framesIn++
    this.#traffic.bytesIn += bytes
    if (this.#standing.allows(name, bytes, now)) return true
    this.#traffic.drops++
    this.#blame(name, 0)
    return false
  }

  #blame(name: string, demerits: number): void {
    const now = this.#o.clock.now()
    this.#standing.blame(name, demerits, now)
    if (!this.#standing.isTooMuch(name, now)) return
    this.#complaints.warn('cut-off', name, { peer: name, why: 'it sent too much, or too much that was wrong' })
    this.#board?.drop(name, 'cut off')
  }

  #put(name: string, lineName: LineName, payload: Uint8Array): void {
    const line = this.#board?.link(name)?.line(lineName)
    if (line?.send(payload)) this.#count(name, payload.length)
    else if (line !== undefined) this.#traffic.drops++
  }

  #count(name: string, bytes: number): void {
    this.#pulse.said(name, this.#o.clock.now())
    this.#traffic.framesOut++
    this.#traffic.bytesOut += bytes
  }

  #publish(topic: 'rows' | 'modes', parcel: Uint8Array): void {
    const pubsub = this.#node?.services.pubsub
    if (pubsub === undefined || this.#stopping.signal.aborted) return
    pubsub.publish(topicsOf(this.#o.charter.mall)[topic], parcel).then(
      ({ recipients }) => {
        for (const peer of recipients) {
          const name = this.#roll.nameOf(peer)
          if (name !== undefined) this.#count(name, parcel.length)
        }
      },
      (error: Error) => this.#complaints.warn('publish', error.message, { why: error.message }),
    )
  }

  #tick(): void {
    const { clock, isBanned } = this.#o
    this.#cancelTick = clock.in(PULSE.tickMs, () => this.#tick())
    const now = clock.now()
    this.#follow()
    const { suspects, owed } = this.#pulse.tick(now)
    for (const name of suspects) {
      this.#o.log.info('peer-silent', { peer: name })
      this.#board?.drop(name, 'silent')
    }
    for (const name of owed) if (this.#board?.link(name)?.line('steal')?.beat()) this.#pulse.said(name, now)
    for (const link of this.#board?.links() ?? []) {
      if (this.severed.has(link.name)) link.abort('severed for a drill')
      if (isBanned(link.name) && now - link.since > BANNED_MS) link.abort('banned')
    }
    for (const name of this.#dialler.due(now, peer => this.#canCall(peer, now))) void this.#dial(name)
    if (this.#ticks++ % 4 === 0) this.#tend()
  }

  #tend(): void {
    const { pubsub } = this.#node?.services ?? {}
    const hearers = new Set(pubsub?.getSubscribers(topicsOf(this.#o.charter.mall).rows).map(String))
    this.#board?.tend(peer => hearers.has(peer.toString()))
    const news = this.#book.takeNews()
    if (news.size === 0) return
    const parcel = placesParcel(news)
    for (const { name } of this.#board?.links() ?? []) this.#put(name, 'rows', parcel)
  }

  #canCall(name: string, now: number): boolean {
    if (this.#o.isBanned(name) || this.severed.has(name) || this.#standing.isCutOff(name, now)) return false
    return this.#book.places(name).length > 0
  }

  /** The roster may change under us: who is off it is cut off. */
  #follow(): void {
    if (!this.#roll.set(this.#o.roster())) return
    this.#dialler.setRoster(this.#roll.idTexts(), this.#o.clock.now())
    for (const link of this.#board?.links() ?? []) {
      if (this.#roll.nameOf(link.connection.remotePeer) === undefined) link.abort('taken off the roster')
    }
  }

  async #dial(name: string): Promise<void> {
    const { clock } = this.#o
    const id = this.#roll.peerOf(name)
    this.#traffic.dials++
    try {
      const addresses = this.#book.places(name).map(({ host, port }) => multiaddr(`/ip4/${host}/tcp/${port}/p2p/${id}`))
      await this.#node?.dial(addresses, { signal: this.#stopping.signal })
      // the connection may have come and gone by now; then it is down, and called again
      if (this.#board?.link(name) === undefined) this.#dialler.failed(name, clock.now())
    } catch (error) {
      this.#dialler.failed(name, clock.now(), (error as Error).message)
    }
  }

  #saw(peer: PeerId, addresses: readonly Multiaddr[]): void {
    const name = this.#roll.nameOf(peer)
    if (name === undefined) return
    this.findsByMulticast = true
    const places = addresses.map(placeOf).filter(place => place !== undefined)
    if (places.length === 0) return
    this.#book.sawItself(name, places)
    this.#dialler.heardOf(name, this.#o.clock.now())
  }

  #told(from: string, places: ReadonlyMap<string, readonly Place[]>): void {
    const at = this.#board?.link(from)?.connection.remoteAddr
    const place = at && placeOf(at)
    const members = new Map([...places].filter(([name]) => this.#roll.peerOf(name) !== undefined))
    const worth = this.#book.heard(from, members, place !== undefined && isLoopback(place))
    for (const name of worth) this.#dialler.heardOf(name, this.#o.clock.now())
  }

  #scoreOf(peer: string): number {
    const name = this.#roll.nameOfText(peer)
    return name === undefined ? 0 : this.#standing.score(name, this.#o.clock.now())
  }
}
