// Gater: who may connect. Asked by libp2p in the middle of the handshake, as soon as the far end has proved its key.
//
// Laws: only keys on the roster get past the handshake. Of one member there is one connection: a new one from it means
// that the old one is dead at its end, so the old one is ended first, and gossip never has two of which one is deaf.

import type { ConnectionGater, PeerId } from '@libp2p/interface'

export interface Doorman {
  nameOf(peer: PeerId): string | undefined
  /** somebody whose key is on no roster, or is our own */
  stranger(peer: PeerId, from: string): void
  isCutOff(name: string): boolean
  /** Is it our call that counts, and under way? */
  isCalling(name: string): boolean
  isBanned(name: string): boolean
  now(): number
  /** ends what is there of it */
  drop(name: string, why: string): void
  /** mono ms since when a connection to it is open */
  upSince(name: string): number | undefined
}

/** Two machines with one key would throw each other out for ever, as fast as they can. */
const REPLACE_MS_MIN = 1000
/** Who is banned is let in for a moment now and then, to be told why. */
const BANNED_EVERY_MS = 10_000

export function gater(door: Doorman): ConnectionGater {
  const toldAt = new Map<string, number>()
  const isDenied = (peer: PeerId, from: string): boolean => {
    const name = door.nameOf(peer)
    if (name === undefined) {
      door.stranger(peer, from)
      return true
    }
    if (door.isCutOff(name) || !mayBeTold(name)) return true
    return false
  }
  const mayBeTold = (name: string): boolean => {
    if (!door.isBanned(name)) return true
    if (door.now() - (toldAt.get(name) ?? Number.NEGATIVE_INFINITY) < BANNED_EVERY_MS) return false
    toldAt.set(name, door.now())
    return true
  }
  return {
    denyDialPeer: peer => door.nameOf(peer) === undefined,
    denyOutboundEncryptedConnection: (peer, connection) => isDenied(peer, connection.remoteAddr.toString()),
    denyInboundEncryptedConnection: (peer, connection) => {
      if (isDenied(peer, connection.remoteAddr.toString())) return true
      const name = door.nameOf(peer) as string
      if (door.isCalling(name)) return true
      const since = door.upSince(name)
      if (since === undefined) return false
      if (door.now() - since < REPLACE_MS_MIN) return true
      door.drop(name, 'it called anew')
      return false
    },
  }
}
