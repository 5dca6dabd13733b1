// Switchboard: connections to members and the lines that run over them. Whoever called opens the lines; both use them.
//
// Law: of each member there is one link. One that stays without a line that both ends speak, or deaf to gossip, is ended:
// the library would leave it so for ever.

import type { Connection, PeerId, Stream } from '@libp2p/interface'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { LEDGER_PROTOCOL, type LedgerWindow } from './ledger-window.ts'
import { LINES, Line, type LineName, PROTOCOL } from './line.ts'
import { Link } from './link.ts'
import type { Node } from './node.ts'
import { teachThrift } from './thrift.ts'

export interface SwitchboardEars {
  nameOf(peer: PeerId): string | undefined
  /** a connection is there; nothing can be said yet */
  connected(name: string): void
  /** tokens and rows can be exchanged */
  up(link: Link): void
  lineOpened(name: string, line: Line): void
  lineEnded(name: string, line: LineName): void
  down(link: Link): void
  frame(name: string, line: LineName, payload: Uint8Array): void
  overflowed(name: string): void
  broke(name: string, why: string): void
}

export interface SwitchboardOptions {
  readonly node: Node
  readonly clock: Clock
  readonly log: Log
  readonly ears: SwitchboardEars
  readonly window: LedgerWindow
}

/** Streams of one kind that a peer may open on one connection: a new one replaces the old. */
const INBOUND_MAX = 4
/** Longer than opening all lines takes on a machine that is starting thirty gates. */
const AMISS_MS_MAX = 10_000
const OPEN_MS_MAX = 8000
/** A caller that opens no lines may speak none of ours: after this we ask, and know. */
const LEFT_TO_CALLER_MS = 4000

export class Switchboard {
  readonly #o: SwitchboardOptions
  readonly #links = new Map<string, Link>()
  /** what was refused is told of once, however often that peer comes back */
  readonly #refusals = new Set<string>()

  constructor(options: SwitchboardOptions) {
    this.#o = options
  }

  async start(): Promise<void> {
    const { node, window, ears } = this.#o
    const limits = { maxInboundStreams: INBOUND_MAX, maxOutboundStreams: INBOUND_MAX }
    for (const name of LINES) {
      await node.handle(PROTOCOL[name], (stream, connection) => this.#attach(name, stream, connection), limits)
    }
    await node.handle(LEDGER_PROTOCOL, (stream, connection) => {
      const peer = ears.nameOf(connection.remotePeer)
      return peer === undefined ? stream.abort(new Error('a stranger')) : window.answer(stream, peer)
    })
    node.addEventListener('connection:open', event => this.#opened(event.detail))
    node.addEventListener('connection:close', event => this.#closed(event.detail))
  }

  link(name: string): Link | undefined {
    return this.#links.get(name)
  }

  links(): IterableIterator<Link> {
    return this.#links.values()
  }

  /** The link itself goes when the library says that the connection is closed, which it does at once. */
  drop(name: string, why: string): void {
    this.#links.get(name)?.abort(why)
  }

  /** Looks after links that are not as they should be. `hearsGossip`: is that peer among those who get our gossip? */
  tend(hearsGossip: (peer: PeerId) => boolean): void {
    const now = this.#o.clock.now()
    for (const link of this.#links.values()) {
      // one that speaks another version has nothing to hear; it stays as it is
      const isWell = link.isWhole && (!link.isUp || hearsGossip(link.connection.remotePeer))
      if (isWell) link.amissSince = undefined
      else link.amissSince ??= now
      if (!link.isUp && now - link.since > LEFT_TO_CALLER_MS) this.#openMissing(link)
      if (link.amissSince !== undefined && now - link.amissSince > AMISS_MS_MAX) link.abort('a line of it is missing')
    }
  }

  #opened(connection: Connection): void {
    const { clock, ears } = this.#o
    const name = ears.nameOf(connection.remotePeer)
    if (name === undefined) return connection.abort(new Error('not on the roster'))
    const before = this.#links.get(name)
    const link = new Link(name, connection, clock.now())
    this.#links.set(name, link)
    // both called at the same moment: gossip sits on the one that will go, so neither is kept
    if (before !== undefined && before.connection.status === 'open') {
      before.abort('two connections')
      return link.abort('two connections')
    }
    ears.connected(name)
    if (connection.direction === 'outbound') for (const line of LINES) void this.#open(link, line)
  }

  #openMissing(link: Link): void {
    if (link.connection.direction === 'outbound' || link.wasAsked) return
    link.wasAsked = true
    for (const line of LINES) if (link.line(line) === undefined) void this.#open(link, line)
  }

  async #open(link: Link, name: LineName): Promise<void> {
    try {
      const stream = await link.connection.newStream([PROTOCOL[name]], { signal: AbortSignal.timeout(OPEN_MS_MAX) })
      this.#attach(name, stream, link.connection)
    } catch (error) {
      if (link.connection.status !== 'open') return
      if ((error as Error).name === 'UnsupportedProtocolError') {
        link.refused.add(name)
        this.#logRefusal(link.name, PROTOCOL[name])
      } else this.#o.log.warn('line-failed', { peer: link.name, line: name, why: (error as Error).message })
    }
  }

  #logRefusal(peer: string, protocol: string): void {
    const key = `${peer} ${protocol}`
    if (this.#refusals.has(key)) return
    this.#refusals.add(key)
    this.#o.log.warn('protocol-refused', { peer, protocol })
  }

  #attach(name: LineName, stream: Stream, connection: Connection): void {
    teachThrift(stream)
    const { ears } = this.#o
    const peer = ears.nameOf(connection.remotePeer)
    const link = peer === undefined ? undefined : this.#links.get(peer)
    if (link === undefined || link.connection !== connection) return stream.abort(new Error('no such link'))
    const line = new Line({
      name,
      stream,
      connection,
      ears: {
        frame: payload => ears.frame(link.name, name, payload),
        overflowed: () => ears.overflowed(link.name),
        broke: why => ears.broke(link.name, why),
        ended: () => ears.lineEnded(link.name, name),
      },
    })
    link.set(line)
    ears.lineOpened(link.name, line)
    if (link.isUp || link.line('steal') === undefined || link.line('rows') === undefined) return
    link.isUp = true
    ears.up(link)
  }

  #closed(connection: Connection): void {
    const { ears } = this.#o
    const name = ears.nameOf(connection.remotePeer) ?? this.#nameBy(connection)
    const link = name === undefined ? undefined : this.#links.get(name)
    if (name === undefined || link?.connection !== connection) return
    this.#links.delete(name)
    ears.down(link)
  }

  /** Of one who was taken off the roster since. */
  #nameBy(connection: Connection): string | undefined {
    for (const link of this.#links.values()) if (link.connection === connection) return link.name
    return undefined
  }
}
