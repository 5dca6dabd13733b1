// Roll: which libp2p peer is which member. A member's libp2p identity is the very key it signs rows with.

import { privateKeyFromRaw, publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PeerId, PrivateKey } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { ANCHOR } from '../../ledger/account.ts'
import type { GateKey } from '../../ledger/charter.ts'
import { type SignerKey, VerifierKey } from '../../ledger/key.ts'

export function libp2pKeyOf(signer: SignerKey): PrivateKey {
  return privateKeyFromRaw(Buffer.concat([signer.secret.seed, signer.verifier.publicKey.bytes]))
}

export class Roll {
  readonly #me: string
  readonly #anchor: string
  readonly #parsed = new Map<string, PeerId>()
  #gates: readonly GateKey[] | undefined
  #names = new Map<string, string>()
  #ids = new Map<string, PeerId>()

  constructor(me: string, anchor: string) {
    this.#me = me
    this.#anchor = anchor
  }

  /** Who belongs here. True when that changed. */
  set(gates: readonly GateKey[]): boolean {
    if (gates === this.#gates) return false
    this.#gates = gates
    const everyone = [{ name: ANCHOR, key: this.#anchor }, ...gates].filter(({ name }) => name !== this.#me)
    this.#ids = new Map(everyone.map(({ name, key }) => [name, this.#peerIdOf(key)]))
    this.#names = new Map([...this.#ids].map(([name, id]) => [id.toString(), name]))
    return true
  }

  /** Everyone but ourselves. */
  get names(): string[] {
    return [...this.#ids.keys()]
  }

  /** Undefined for a stranger, and for our own key: that would be a copy of us. */
  nameOf(peer: PeerId): string | undefined {
    return this.#names.get(peer.toString())
  }

  nameOfText(peer: string): string | undefined {
    return this.#names.get(peer)
  }

  peerOf(name: string): PeerId | undefined {
    return this.#ids.get(name)
  }

  idTexts(): Map<string, string> {
    return new Map([...this.#ids].map(([name, id]) => [name, id.toString()]))
  }

  #peerIdOf(vkey: string): PeerId {
    const known = this.#parsed.get(vkey)
    if (known !== undefined) return known
    const id = peerIdFromPublicKey(publicKeyFromRaw(VerifierKey.parse(vkey).publicKey.bytes))
    this.#parsed.set(vkey, id)
    return id
  }
}
