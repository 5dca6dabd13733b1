import assert from 'node:assert/strict'
import type { MultiaddrConnection, PeerId } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { SignerKey } from '../../ledger/key.ts'
import { type Doorman, gater } from '../../mesh/lan/gater.ts'
import { libp2pKeyOf, Roll } from '../../mesh/lan/roll.ts'
import { suite } from '../suite.ts'

const test = suite('lan/gater')

const key = (name: string) => SignerKey.generate(`gatemesh/m/${name}`)
const peerOf = (signer: SignerKey) => peerIdFromPrivateKey(libp2pKeyOf(signer))
const [east, stranger] = [peerOf(key('east')), peerOf(key('stranger'))]
const connection = { remoteAddr: multiaddr('/ip4/10.0.0.9/tcp/5') } as MultiaddrConnection

class Hall implements Doorman {
  time = 100_000
  banned = false
  cutOff = false
  calling = false
  since: number | undefined
  readonly strangers: string[] = []
  readonly dropped: string[] = []
  readonly #gater = gater(this)

  nameOf = (peer: PeerId) => (peer.equals(east) ? 'east' : undefined)
  stranger = (_: PeerId, from: string) => void this.strangers.push(from)
  isCutOff = () => this.cutOff
  isCalling = () => this.calling
  isBanned = () => this.banned
  now = () => this.time
  drop = (name: string) => void this.dropped.push(name)
  upSince = () => this.since

  lets(way: 'dial' | 'in' | 'out', peer = east): boolean {
    if (way === 'dial') return !this.#gater.denyDialPeer?.(peer)
    if (way === 'in') return !this.#gater.denyInboundEncryptedConnection?.(peer, connection)
    return !this.#gater.denyOutboundEncryptedConnection?.(peer, connection)
  }
}

test('a rostered key is let in, another one is not, in either direction, and is told of', () => {
  const hall = new Hall()
  for (const way of ['dial', 'in', 'out'] as const) {
    assert.equal(hall.lets(way), true, way)
    assert.equal(hall.lets(way, stranger), false, way)
  }
  assert.deepEqual(hall.strangers, ['/ip4/10.0.0.9/tcp/5', '/ip4/10.0.0.9/tcp/5'])
})

test('whoever is cut off stays out both ways until it is not', () => {
  const hall = new Hall()
  hall.cutOff = true
  assert.deepEqual([hall.lets('in'), hall.lets('out')], [false, false])
  hall.cutOff = false
  assert.deepEqual([hall.lets('in'), hall.lets('out')], [true, true])
})

test('while our call counts and is under way, its call is refused', () => {
  const hall = new Hall()
  hall.calling = true
  assert.deepEqual([hall.lets('in'), hall.lets('out')], [false, true])
})

test('a new connection takes the place of an old one, but not more often than once a second', () => {
  const hall = new Hall()
  hall.since = hall.time - 999
  assert.equal(hall.lets('in'), false)
  assert.deepEqual(hall.dropped, [])
  hall.since = hall.time - 1000
  assert.equal(hall.lets('in'), true)
  assert.deepEqual(hall.dropped, ['east'])
})

test('whoever is banned is let in now and then to be told why', () => {
  const hall = new Hall()
  hall.banned = true
  assert.equal(hall.lets('in'), true)
  hall.time += 9999
  assert.equal(hall.lets('in'), false)
  hall.time += 1
  assert.equal(hall.lets('in'), true)
  hall.banned = false
  assert.equal(hall.lets('in'), true)
})

test('the roll knows everyone but us, and our own key as a stranger', () => {
  const [anchor, me, other] = [key('anchor'), key('east'), key('west')]
  const gates = [me, other].map((signer, k) => ({ name: ['east', 'west'][k] as string, key: `${signer.verifier}` }))
  const roll = new Roll('east', `${anchor.verifier}`)
  assert.equal(roll.set(gates), true)
  assert.equal(roll.set(gates), false)
  assert.deepEqual(roll.names, ['anchor', 'west'])
  assert.equal(roll.nameOf(peerOf(me)), undefined)
  assert.equal(roll.nameOf(peerOf(other)), 'west')
  assert.equal(roll.nameOfText(peerOf(anchor).toString()), 'anchor')
  assert.equal(roll.peerOf('west')?.toString(), peerOf(other).toString())
  assert.equal(roll.set(gates.slice(0, 1)), true)
  assert.equal(roll.nameOf(peerOf(other)), undefined)
})

test('the libp2p identity of a member is the very key it signs with', () => {
  const signer = key('east')
  assert.deepEqual(Buffer.from(libp2pKeyOf(signer).publicKey.raw), Buffer.from(signer.verifier.publicKey.bytes))
})

test.run()
