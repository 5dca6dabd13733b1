// Gossip: what everyone should hear, rows and modes. On a mall's LAN everyone is connected to everyone, so the author
// sends to all and nobody forwards; the library's digests fill in where two members cannot reach each other.

import { hash } from 'node:crypto'
import { type GossipSub, type GossipsubOpts, gossipsub, StrictNoSign, TopicValidatorResult } from '@libp2p/gossipsub'
import type { PeerId } from '@libp2p/interface'
import type { Verdict } from '../verdict.ts'

export interface GossipOptions {
  readonly mall: string
  readonly score: (peer: string) => number
}

export interface Topics {
  readonly rows: string
  readonly modes: string
}

const MESSAGE_BYTES_MAX = 256 << 10
const VERDICT = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
} as const satisfies Record<Verdict, TopicValidatorResult>

export function topicsOf(mall: string): Topics {
  return { rows: `/gatemesh/${mall}/rows/1`, modes: `/gatemesh/${mall}/modes/1` }
}

/** Measured on a LAN of thirty (LIBP2P.md): no mesh to maintain, one send per member, ids by content. */
export function gossipService({ mall, score }: GossipOptions): ReturnType<typeof gossipsub> {
  const { rows, modes } = topicsOf(mall)
  const idOf = (message: { data?: Uint8Array | undefined }) => hash('sha1', message.data ?? new Uint8Array(0), 'buffer')
  const options: Partial<GossipsubOpts> = {
    D: 0,
    Dlo: 0,
    Dhi: 0,
    Dout: 0,
    Dscore: 0,
    Dlazy: 2,
    gossipFactor: 0.01,
    floodPublish: true,
    batchPublish: true,
    fallbackToFloodsub: false,
    tagMeshPeers: false,
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    allowedTopics: [rows, modes],
    maxOutboundBufferSize: 4 << 20,
    maxInboundDataLength: MESSAGE_BYTES_MAX,
    globalSignaturePolicy: StrictNoSign,
    msgIdFn: message => idOf(message),
    fastMsgIdFn: message => idOf(message).toString('base64'),
    seenTTL: 30_000,
    scoreParams: {
      // gates may share an address, at the very least when a whole mall runs on one machine
      IPColocationFactorWeight: 0,
      appSpecificScore: score,
      appSpecificWeight: 1,
      behaviourPenaltyWeight: 0,
    },
    scoreThresholds: { gossipThreshold: -50, publishThreshold: -60, graylistThreshold: -90 },
  }
  return gossipsub(options)
}

/** Every message goes to `hear`, whose verdict is the validation. */
export function attend(pubsub: GossipSub, mall: string, hear: (from: PeerId, data: Uint8Array) => Verdict): void {
  for (const topic of Object.values(topicsOf(mall))) {
    pubsub.topicValidators.set(topic, (from, message) => VERDICT[hear(from, message.data)])
    pubsub.subscribe(topic)
  }
}
