// Node: libp2p as a mall needs it. Its defaults do not survive a mall (LIBP2P.md): each setting here is one of those.

import type { GossipSub } from '@libp2p/gossipsub'
import { type Identify, identify } from '@libp2p/identify'
import type { ConnectionGater, Libp2p, PrivateKey } from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import type { Multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { Fault } from '../../ledger/fault.ts'
import type { Discovery } from './discovery.ts'
import { type GossipOptions, gossipService } from './gossip.ts'
import { type Place, placeText } from './place.ts'

export type Node = Libp2p<{ identify: Identify; pubsub: GossipSub }>

export interface NodeOptions {
  readonly key: PrivateKey
  readonly listen: readonly Place[]
  readonly gater: ConnectionGater
  readonly discovery: Discovery | undefined
  readonly gossip: GossipOptions
}

/** For the first packet to be answered: a second try of it is sent after one second. */
const CONNECT_MS_MAX = 2000
/** For the whole handshake. A machine that is starting thirty gates takes long, and giving up makes it take longer. */
const HANDSHAKE_MS_MAX = 10_000
/** A socket's silence is our own heartbeat's business. */
const IDLE_MS_MAX = 86_400_000

export async function startNode(options: NodeOptions): Promise<Node> {
  const socket = { noDelay: true, keepAlive: true, timeout: CONNECT_MS_MAX }
  const node = await createLibp2p({
    privateKey: options.key,
    start: false,
    nodeInfo: { userAgent: 'gatemesh/1' },
    addresses: { listen: options.listen.map(({ host, port }) => `/ip4/${host}/tcp/${port}`) },
    transports: [
      tcp({
        dialOpts: socket,
        outboundSocketInactivityTimeout: IDLE_MS_MAX,
        inboundSocketInactivityTimeout: IDLE_MS_MAX,
      }),
    ],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux({ enableKeepAlive: false })],
    connectionGater: options.gater,
    peerDiscovery: options.discovery === undefined ? [] : [options.discovery.module],
    connectionMonitor: { enabled: false },
    connectionManager: {
      maxParallelDials: 8,
      dialTimeout: HANDSHAKE_MS_MAX,
      addressDialTimeout: HANDSHAKE_MS_MAX,
      inboundUpgradeTimeout: HANDSHAKE_MS_MAX,
      maxIncomingPendingConnections: 64,
      // per second and address: a whole mall may start on one machine
      inboundConnectionThreshold: 60,
      outboundStreamProtocolNegotiationTimeout: HANDSHAKE_MS_MAX,
      inboundStreamProtocolNegotiationTimeout: HANDSHAKE_MS_MAX,
      connectionCloseTimeout: 500,
      reconnectRetries: 0,
    },
    services: { identify: identify(), pubsub: gossipService(options.gossip) },
  })
  try {
    await node.start()
  } catch (cause) {
    const at = options.listen.map(placeText).join(', ')
    throw new Fault('LAN', `cannot listen on ${at}: ${(cause as Error).message}`, { cause })
  }
  return node as unknown as Node
}

/** The place in a libp2p address, where it is one that we use. */
export function placeOf(address: Multiaddr): Place | undefined {
  const [ip, port, ...rest] = address.getComponents()
  if (ip?.name !== 'ip4' || port?.name !== 'tcp' || rest.some(part => part.name !== 'p2p')) return undefined
  return { host: ip.value as string, port: Number(port.value) }
}
