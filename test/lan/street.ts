// Street: members of one mall on real sockets of this machine, all in this process, with ears that write down.
//
// Law: everything a test starts here is ended with it, whatever came of the test.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify } from '@libp2p/identify'
import type { Connection, Libp2p } from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p, type Libp2pOptions } from 'libp2p'
import type { Charter } from '../../ledger/charter.ts'
import { SecretKey } from '../../ledger/ed25519.ts'
import { SignerKey } from '../../ledger/key.ts'
import { originOf } from '../../ledger/origin.ts'
import { Lan, type LanOptions } from '../../mesh/lan/lan.ts'
import type { Place } from '../../mesh/lan/place.ts'
import { libp2pKeyOf } from '../../mesh/lan/roll.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import type { Verdict } from '../../mesh/verdict.ts'

export interface Line {
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>>
}

export const HERE = '127.0.0.1'
/** long enough for a starved machine; a test that needs less passes sooner */
export const SOON_MS = 15_000

/** One member, what it heard and what it logged. */
export class Neighbour {
  readonly name: string
  readonly heard: { readonly from: string; readonly text: string; readonly at: number }[] = []
  readonly met: string[] = []
  readonly logs: Line[] = []
  readonly boardHeard: { readonly from: string; readonly bytes: number }[] = []
  verdict: (from: string, text: string) => Verdict = () => 'accept'
  #lan: Lan | undefined

  constructor(name: string) {
    this.name = name
  }

  get lan(): Lan {
    assert.ok(this.#lan, `${this.name} was started`)
    return this.#lan
  }

  get place(): Place {
    const [place] = this.lan.places
    assert.ok(place, `${this.name} listens`)
    return place
  }

  get isStarted(): boolean {
    return this.#lan !== undefined
  }

  async start(options: Omit<LanOptions, 'ears' | 'log' | 'name'> & Partial<LanOptions>): Promise<void> {
    const say = (event: string, fields = {}) => void this.logs.push({ event, fields: { ...fields } })
    this.#lan = await Lan.start({
      log: { info: say, warn: say, error: say },
      ears: {
        hear: (from, text) => {
          this.heard.push({ from, text, at: performance.now() })
          return this.verdict(from, text)
        },
        meet: peer => void this.met.push(peer),
      },
      ...options,
      name: this.name,
    })
  }

  isUp(peer: string): boolean {
    return this.lan.peers().some(({ name, isUp }) => name === peer && isUp)
  }

  texts(from?: string): string[] {
    return this.heard.filter(word => from === undefined || word.from === from).map(({ text }) => text)
  }

  logged(event: string): Line[] {
    return this.logs.filter(line => line.event === event)
  }
}

let streets = 0

export class Street {
  readonly mall: string
  readonly keys = new Map<string, SignerKey>()
  readonly charter: Charter
  readonly #running = new Set<{ stop(): unknown }>()
  roster: Charter['gates']

  /** Names in the order of their libp2p ids: the first one has the lowest, and calls all others. */
  constructor(names: readonly string[]) {
    const mall = `m${process.pid}-${++streets}`
    this.mall = mall
    const secrets = names.map(() => SecretKey.generate()).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
    names.forEach((name, k) => {
      this.keys.set(name, new SignerKey(originOf(mall, name), secrets[k] as SecretKey))
    })
    if (!names.includes('anchor')) this.keys.set('anchor', SignerKey.generate(originOf(mall, 'anchor')))
    const gates = names.filter(name => name !== 'anchor').map(name => ({ name, key: `${this.key(name).verifier}` }))
    this.charter = {
      mall,
      legalMax: 100,
      anchor: `${this.key('anchor').verifier}`,
      operators: [],
      gates,
      exitsPerMinuteMax: 240,
      aloneMovePerMille: 200,
    }
    this.roster = gates
  }

  key(name: string): SignerKey {
    const key = this.keys.get(name)
    assert.ok(key, `${name} is of this street`)
    return key
  }

  /** Starts a member that knows the places given; without multicast unless said otherwise. */
  async start(
    name: string,
    knows: Readonly<Record<string, readonly Place[]>> = {},
    over: Partial<LanOptions> = {},
  ): Promise<Neighbour> {
    const neighbour = new Neighbour(name)
    await neighbour.start({
      charter: this.charter,
      charterHash: this.mall,
      signer: this.key(name),
      roster: () => this.roster,
      isBanned: () => false,
      listen: [{ host: HERE, port: 0 }],
      peers: new Map(Object.entries(knows)),
      mdns: false,
      clock: REAL_CLOCK,
      board: {
        meet: () => undefined,
        hear: (from, frame) => void neighbour.boardHeard.push({ from, bytes: frame.length }),
        part: () => undefined,
      },
      ledgers: { accounts: async () => [], size: async () => undefined, range: async function* () {} },
      ...over,
    })
    this.#running.add(neighbour.lan)
    return neighbour
  }

  /** All of them. Those who call know whom to call, so that nobody waits for them in vain. */
  async startAll(names: readonly string[], over: Partial<LanOptions> = {}): Promise<Neighbour[]> {
    const all: Neighbour[] = []
    const order = [...this.keys.keys()]
    for (const name of [...names].sort((a, b) => order.indexOf(b) - order.indexOf(a))) {
      const knows = Object.fromEntries(all.map(({ name: other, place }) => [other, [place]]))
      all.push(await this.start(name, knows, over))
    }
    await everyoneUp(all)
    return names.map(name => all.find(one => one.name === name) as Neighbour)
  }

  /** A libp2p node that is none of ours. */
  async node(key: SignerKey, over: Libp2pOptions = {}): Promise<Libp2p> {
    const node = await createLibp2p({
      privateKey: libp2pKeyOf(key),
      addresses: { listen: [`/ip4/${HERE}/tcp/0`] },
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux({ enableKeepAlive: false })],
      connectionMonitor: { enabled: false },
      connectionManager: { reconnectRetries: 0, maxParallelDials: 100 },
      services: { identify: identify() },
      ...over,
    })
    this.#running.add(node)
    return node
  }

  async stop(neighbour: Neighbour): Promise<void> {
    this.#running.delete(neighbour.lan)
    await neighbour.lan.stop()
  }

  async end(): Promise<void> {
    await Promise.all([...this.#running].map(each => each.stop()))
    this.#running.clear()
  }
}

export async function onStreet<T>(names: readonly string[], act: (street: Street) => Promise<T>): Promise<T> {
  const street = new Street(names)
  try {
    return await act(street)
  } finally {
    await street.end()
  }
}

/** Calls; the connection is there, or the call failed. */
export async function call(node: Libp2p, { host, port }: Place): Promise<Connection> {
  return node.dial(multiaddr(`/ip4/${host}/tcp/${port}`), { signal: AbortSignal.timeout(5000) })
}

export function placeOfNode(node: Libp2p): Place {
  const [address] = node.getMultiaddrs()
  assert.ok(address)
  const { host, port } = { host: HERE, port: Number(address.toString().split('/')[4]) }
  return { host, port }
}

export async function until(isSo: () => boolean, what: string, withinMs = SOON_MS): Promise<number> {
  const since = performance.now()
  while (!isSo()) {
    if (performance.now() - since > withinMs) assert.fail(`not within ${withinMs} ms: ${what}`)
    await sleep(10)
  }
  return performance.now() - since
}

export async function everyoneUp(all: readonly Neighbour[], withinMs = SOON_MS): Promise<void> {
  await until(() => all.every(one => all.every(other => one === other || one.isUp(other.name))), 'all up', withinMs)
}

/**
 * Everyone says a word by gossip, again and again as rows are, until everyone has heard everyone; how long that took.
 * What is said in the first moments of a connection is lost: the far end has not yet said what it listens to.
 */
export async function gossipAround(all: readonly Neighbour[], word: string, withinMs = SOON_MS): Promise<number> {
  const since = performance.now()
  const isDeafTo = (one: Neighbour, other: Neighbour) =>
    one !== other && !one.texts().some(text => text.startsWith(`${word} of ${other.name} `))
  for (let k = 0; ; k++) {
    for (const one of all) one.lan.send('*', `${word} of ${one.name} ${k}`, 'gossip')
    await sleep(50)
    const deaf = all.flatMap(one =>
      all.filter(other => isDeafTo(one, other)).map(other => `${one.name} to ${other.name}`),
    )
    if (deaf.length === 0) return performance.now() - since
    if (performance.now() - since > withinMs) assert.fail(`deaf after ${withinMs} ms: ${deaf.join(', ')}`)
    await sleep(100)
  }
}

function idOf(secret: SecretKey): string {
  return peerIdFromPrivateKey(libp2pKeyOf(new SignerKey('any', secret))).toString()
}
