import assert from 'node:assert/strict'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createLibp2p } from 'libp2p'
import { teachThrift } from '../../mesh/lan/thrift.ts'
import { suite } from '../suite.ts'

const test = suite('lan/thrift')
const ECHO = '/test/echo/1'
const WINDOW_UPDATE = 1

const node = () =>
  createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
  })

interface Sending {
  sendFrame(header: { type: number }, body?: unknown): boolean
}

/** Sends `count` chunks of `bytes` from one node to another; how many arrived, and how many frames went back for them. */
async function poured(count: number, bytes: number): Promise<{ arrived: number; updates: number }> {
  const [from, to] = await Promise.all([node(), node()])
  let arrived = 0
  let updates = 0
  const all = Promise.withResolvers<void>()
  try {
    await to.handle(ECHO, stream => {
      teachThrift(stream)
      const sending = stream as unknown as Sending
      const send = sending.sendFrame
      sending.sendFrame = (header, body) => {
        if (header.type === WINDOW_UPDATE) updates++
        return send(header, body)
      }
      stream.addEventListener('message', event => {
        arrived += event.data.byteLength
        if (arrived === count * bytes) all.resolve()
      })
    })
    const stream = await from.dialProtocol(to.getMultiaddrs(), ECHO)
    for (let k = 0; k < count; k++) if (!stream.send(new Uint8Array(bytes))) await stream.onDrain()
    await all.promise
    return { arrived, updates }
  } finally {
    await Promise.all([from.stop(), to.stop()])
  }
}

test('small messages are not each answered with a frame of their own', async () => {
  const { updates } = await poured(200, 600)
  assert.ok(updates <= 2, `${updates} of 200`)
})

test('a flow much larger than the window still arrives whole', async () => {
  const { arrived, updates } = await poured(300, 64 << 10)
  assert.equal(arrived, 300 * (64 << 10))
  assert.ok(updates > 0)
})

test.run()
