// Exchange: what members say to each other, within this process and to others. Instead of encrypted connections and
// gossip of libp2p it is function calls a turn of the loop later, and between processes one TCP connection with a line
// for each message:
//
//     FROM TO TEXT        TO is a name or `*`, everybody at the other end
//
// Law: nothing is delivered from within `send`; what one says to another arrives in order, and so does what one tells all.
// What all are told is heard by one after the other with turns of the loop in between: in a mall no gate waits while
// others listen. Whoever is spoken to hears that first: in a mall it comes by a stream of its own.

import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../../ledger/account.ts'
import type { LanOptions, LanPeer } from '../../../mesh/lan/lan.ts'
import { type LanTraffic, noTraffic } from '../../../mesh/lan/traffic.ts'
import { EVERYONE } from '../../../mesh/message.ts'
import type { LanPort } from '../../../mesh/station.ts'

type Ears = LanOptions['ears']

interface Parcel {
  readonly dueAt: number
  readonly from: string
  readonly to: string
  readonly text: string
  /** where it leaves this process; here without one */
  readonly by?: Socket
}

interface Hearing {
  readonly to: string
  readonly from: string
  readonly text: string
}

/** Hearing goes on for so long before others have their turn, and longer the more there is to be heard. */
const TURN_MS = { min: 0.1, perMessage: 0.02, max: 8 }
/** A process that does not read for so long is not told more, as on a real line. */
const BEHIND_BYTES_MAX = 8 << 20
const DIAL_AGAIN_MS = 200

export class Exchange {
  readonly #ears = new Map<string, Ears>()
  readonly #links = new Map<Socket, Set<string>>()
  readonly #delayMs: number
  #queue: Parcel[] = []
  /** said to one, and told to all */
  #direct: Hearing[] = []
  #gossip: Hearing[] = []
  #isHearing = false
  /** what is said in one turn of the loop leaves together */
  readonly #unsent = new Map<Socket, string>()
  #isDraining = false
  #server: Server | undefined
  #isClosed = false

  /** `delayMs`: how long a message is under way from one gate to another. */
  constructor(delayMs = 0) {
    this.#delayMs = delayMs
  }

  /** For a station's `startLan`. */
  readonly startLan = async (options: LanOptions): Promise<LanPort> => {
    const { name, ears } = options
    const local = [...this.#ears.keys()]
    this.#ears.set(name, ears)
    setImmediate(() => {
      for (const peer of local) this.#meet(peer, name)
      for (const [link, there] of this.#links) {
        this.#write(link, '+', name, '')
        for (const peer of there) ears.meet(peer)
      }
    })
    return {
      places: [],
      findsByMulticast: false,
      peers: () => this.#peers(name),
      traffic: (): LanTraffic => noTraffic(),
      send: (to, text) => this.#send(name, to, text),
      range: nothing,
      stop: async () => {
        this.#ears.delete(name)
      },
    }
  }

  /** On any free port, which it says. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      const server = createServer(socket => this.#link(socket))
      this.#server = server
      server.once('error', reject).listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  }

  /** Connects to another exchange, and again whenever that ends. */
  async dial(port: number): Promise<void> {
    while (!this.#isClosed) {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => this.#link(socket))
      await new Promise<void>(resolve => socket.once('close', () => resolve()).once('error', () => undefined))
      await sleep(DIAL_AGAIN_MS)
    }
  }

  close(): void {
    this.#isClosed = true
    for (const link of this.#links.keys()) link.destroy()
    this.#server?.close()
  }

  #peers(name: string): LanPeer[] {
    const names = new Set([...this.#ears.keys(), ...[...this.#links.values()].flatMap(there => [...there])])
    names.delete(name)
    return [...names].map(peer => ({ name: peer, isUp: true, silentMs: 0, places: [] }))
  }

  #meet(a: string, b: string): void {
    this.#ears.get(a)?.meet(b)
    this.#ears.get(b)?.meet(a)
  }

  #link(socket: Socket): void {
    const there = new Set<string>()
    let rest = ''
    this.#links.set(socket, there)
    socket.setNoDelay(true)
    socket.setEncoding('utf8')
    socket.on('error', () => undefined)
    socket.on('close', () => this.#links.delete(socket))
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#read(line, there)
    })
    for (const name of this.#ears.keys()) this.#write(socket, '+', name, '')
  }

  #read(line: string, there: Set<string>): void {
    const first = line.indexOf(' ')
    const second = line.indexOf(' ', first + 1)
    const from = line.slice(0, first)
    const to = line.slice(first + 1, second)
    if (from === '+') {
      there.add(to)
      for (const ears of this.#ears.values()) ears.meet(to)
    } else this.#deliver(from, to, line.slice(second + 1))
  }

  #send(from: string, to: string, text: string): void {
    const dueAt = performance.now() + this.#delayMs
    for (const [link, there] of this.#links) {
      if (to !== EVERYONE && !there.has(to)) continue
      // the line to the centre has its own delay, wherever it comes from
      if (this.#delayMs === 0 || there.has(ANCHOR)) this.#write(link, from, to, text)
      else this.#queue.push({ dueAt, from, to, text, by: link })
    }
    if (to === EVERYONE || this.#ears.has(to)) this.#queue.push({ dueAt, from, to, text })
    if (this.#queue.length > 0) this.#drainLater()
  }

  #write(link: Socket, from: string, to: string, text: string): void {
    const before = this.#unsent.get(link) ?? ''
    if (link.writableLength + before.length >= BEHIND_BYTES_MAX) return
    if (this.#unsent.size === 0) setImmediate(() => this.#flush())
    this.#unsent.set(link, `${before}${from} ${to} ${text}\n`)
  }

  #flush(): void {
    const unsent = [...this.#unsent]
    this.#unsent.clear()
    for (const [link, text] of unsent) if (!link.destroyed) link.write(text)
  }

  #drainLater(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    const waitMs = (this.#queue[0]?.dueAt ?? 0) - performance.now()
    if (waitMs < 0.5) setImmediate(() => this.#drain())
    else setTimeout(() => this.#drain(), waitMs)
  }

  #drain(): void {
    this.#isDraining = false
    const now = performance.now() + 0.5
    const later = this.#queue.findIndex(({ dueAt }) => dueAt > now)
    const due = this.#queue.splice(0, later < 0 ? this.#queue.length : later)
    for (const { from, to, text, by } of due) {
      if (by === undefined) this.#deliver(from, to, text)
      else this.#write(by, from, to, text)
    }
    if (this.#queue.length > 0) this.#drainLater()
  }

  #deliver(from: string, to: string, text: string): void {
    if (to !== EVERYONE) this.#direct.push({ to, from, text })
    else for (const name of this.#ears.keys()) if (name !== from) this.#gossip.push({ to: name, from, text })
    if (this.#isHearing) return
    this.#isHearing = true
    setImmediate(() => this.#hear())
  }

  #hear(): void {
    const { min, perMessage, max } = TURN_MS
    const count = this.#direct.length + this.#gossip.length
    const until = performance.now() + Math.min(max, Math.max(min, perMessage * count))
    this.#direct = this.#heard(this.#direct, until)
    this.#gossip = this.#heard(this.#gossip, until)
    this.#isHearing = this.#direct.length + this.#gossip.length > 0
    if (this.#isHearing) setImmediate(() => this.#hear())
  }

  /** What is left when the time is over. */
  #heard(hearings: Hearing[], until: number): Hearing[] {
    let done = 0
    while (done < hearings.length && performance.now() < until) {
      const { to, from, text } = hearings[done++] as Hearing
      this.#ears.get(to)?.hear(from, text)
    }
    return done === 0 ? hearings : hearings.slice(done)
  }
}

async function* nothing(): AsyncGenerator<string> {}
