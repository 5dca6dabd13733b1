// Discovery: finding members by multicast DNS. The library's part is the packets; when to ask is ours.
//
// Asked every ten seconds by everyone, thirty members spend a twentieth of a core each on hearing thirty answers to
// thirty questions. So: quickly while somebody is missing and the mall is young, then ever more slowly; and whoever hears
// somebody else ask need not ask, because the answers are for all.

import type { PeerId } from '@libp2p/interface'
import { mdns } from '@libp2p/mdns'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Libp2pOptions } from 'libp2p'
import multicastDns from 'multicast-dns'
import type { Clock } from '../clock.ts'

const PORT = 5353
const GROUP = '224.0.0.251'
const NEVER_MS = 0x7fffffff
const ASK_MS_MIN = 1000
/** Questions this close together get the same answers. */
const SAME_MS = 200
/** while somebody is missing, who may be gone for good */
const ASK_MS_MAX = 60_000
/** while everyone is here */
const REST_MS = 300_000

/** The library's own object, as far as we hold it. */
interface Service extends EventTarget {
  mdns?: ReturnType<typeof multicastDns> | undefined
  start(): Promise<void>
  _onMdnsQuery(event: unknown): void
  _onMdnsResponse(event: unknown): void
}

export interface DiscoveryOptions {
  /** one per mall: neighbours do not hear of each other */
  readonly tag: string
  /** the address of the network card to speak on; the default route's otherwise */
  readonly interface?: string | undefined
  readonly clock: Clock
  readonly chance: () => number
  readonly isAnyoneMissing: () => boolean
  readonly saw: (peer: PeerId, addresses: readonly Multiaddr[]) => void
  readonly warn: (what: string) => void
}

export class Discovery {
  readonly #o: DiscoveryOptions
  #service: Service | undefined
  #pauseMs = ASK_MS_MIN
  #cancel: (() => void) | undefined
  #isOver = false
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(options: DiscoveryOptions) {
    this.#o = options
  }

  /** For libp2p's list of discovery modules. */
  get module(): NonNullable<Libp2pOptions['peerDiscovery']>[number] {
    return components => {
      const made = mdns({ serviceTag: this.#o.tag, interval: NEVER_MS })(components)
      const service = made as unknown as Service
      this.#service = service
      service.addEventListener('peer', event => {
        const { id, multiaddrs } = (event as CustomEvent<{ id: PeerId; multiaddrs: Multiaddr[] }>).detail
        this.#o.saw(id, multiaddrs)
      })
      const start = service.start.bind(service)
      service.start = async () => {
        this.#bind(service)
        await start()
        this.#listen(service)
      }
      return made
    }
  }

  start(): void {
    this.quicken()
  }

  /** Somebody went missing. */
  quicken(): void {
    this.#pauseMs = ASK_MS_MIN
    this.#plan()
  }

  /** Whoever goes missing while we stop is not looked for. */
  stop(): void {
    this.#isOver = true
    this.#cancel?.()
  }

  /** The library cannot be told which card to use; it takes a socket that is there already. */
  #bind(service: Service): void {
    if (this.#o.interface === undefined) return
    service.mdns = multicastDns({ port: PORT, ip: GROUP, interface: this.#o.interface, bind: '0.0.0.0' })
    service.mdns.on('query', packet => service._onMdnsQuery(packet))
    service.mdns.on('response', packet => service._onMdnsResponse(packet))
  }

  /** Without a listener an error of the socket would end the process. */
  #listen(service: Service): void {
    service.mdns?.on('error', (error: Error) => this.#o.warn(error.message))
    service.mdns?.on('warning', (error: Error) => this.#o.warn(error.message))
    service.mdns?.on('query', ({ questions = [] }) => {
      if (questions.some(question => question.name === this.#o.tag)) this.asked()
    })
  }

  /** Somebody asked, we or another: the answers are on their way to everyone. */
  asked(): void {
    const now = this.#o.clock.now()
    if (now - this.#askedAt < SAME_MS) return
    this.#askedAt = now
    this.#pauseMs = this.#o.isAnyoneMissing() ? Math.min(ASK_MS_MAX, this.#pauseMs * 1.5) : REST_MS
    this.#plan()
  }

  #plan(): void {
    this.#cancel?.()
    if (this.#isOver) return
    this.#cancel = this.#o.clock.in(this.#pauseMs * (0.5 + this.#o.chance() / 2), () => {
      this.#service?.mdns?.query({ questions: [{ name: this.#o.tag, type: 'PTR' }] })
      this.asked()
    })
  }
}
