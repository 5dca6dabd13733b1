// Mint: what operators signed, taken in. The anchor adds its own name to a policy that has all signatures it needs, and
// says done once that is on disk; every gate checks all of it again.

import type { Charters } from '../ledger/charters.ts'
import { Fault } from '../ledger/fault.ts'
import type { SignerKey } from '../ledger/key.ts'
import { cosign, parseNote } from '../ledger/note.ts'
import { flawOf, type Policy } from '../ledger/policy.ts'
import type { Host } from '../mesh/host.ts'
import type { Member } from '../mesh/member.ts'
import { Refusal } from '../mesh/window/route.ts'
import type { Anchor, AnchorEvent } from './anchor.ts'
import type { Enact, Enacted } from './approvals/approvals.ts'
import type { Born } from './born.ts'

export interface MintOptions {
  readonly charters: Charters
  readonly signer: SignerKey
  readonly host: Host<AnchorEvent>
  readonly born: Born
}

const DONE: Enacted = { done: true }
const NOT_JOINED = 'the anchor has not joined yet: bring it again in a moment'

export class Mint implements Enact {
  readonly #o: MintOptions

  constructor(options: MintOptions) {
    this.#o = options
  }

  async policy(note: string): Promise<Enacted> {
    const { charters, host } = this.#o
    const me = await this.#able()
    if (typeof me === 'string') return away(me)
    let policy: Policy
    try {
      policy = charters.openPolicy(this.#signed(note))
    } catch (error) {
      // it may have waited for its second signature while the first one's key was replaced
      if (error instanceof Fault) return { done: false, code: 'refused', why: error.message }
      throw error
    }
    const flaw = flawOf(policy, me.policy, charters.of(policy.version), me.policies.agreed)
    if (flaw !== undefined) return { done: false, code: 'refused', why: `policy ${policy.version}: ${flaw}` }
    host.station.step({ kind: 'decreed', policy })
    if (me.policy?.hash !== policy.hash) return away(`policy ${policy.version} was not taken in: see the alarms`)
    try {
      await host.station.shell?.store.sync()
      return DONE
    } catch (error) {
      // nobody was told of it: what leaves waits for the same disk
      return away(`policy ${policy.version} is not on disk: ${(error as Error).message}`)
    }
  }

  async mode(note: string): Promise<Enacted> {
    const { host } = this.#o
    try {
      host.command(note, statement => host.station.step({ kind: 'commanded', statement }))
      return DONE
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.status === 503 ? away(error.message) : { done: false, code: 'refused', why: error.message }
    }
  }

  /** A ledger was opened. */
  isBorn(): void {
    const { born, host } = this.#o
    born.note().catch(error => {
      host.alarm('BORN', `born: ${(error as Error).message}; no policy is taken before that is mended`)
    })
  }

  #signed(note: string): string {
    const { signer } = this.#o
    const isMine = ({ name, id }: { name: string; id: string }) => name === signer.name && id === signer.verifier.id
    return parseNote(note).signatures.some(isMine) ? note : cosign(note, signer)
  }

  /** Nothing is minted before it is on disk that this anchor was born: without that it could be born twice. */
  async #able(): Promise<Member | string> {
    const { host, born } = this.#o
    const joined = () => {
      const anchor = host.station.shell?.core as Anchor | undefined
      return anchor?.isJoined ? anchor.me : undefined
    }
    if (joined() === undefined) return NOT_JOINED
    try {
      await born.note()
    } catch (error) {
      return `that this anchor was born is not on disk: ${(error as Error).message}`
    }
    return joined() ?? NOT_JOINED
  }
}

function away(why: string): Enacted {
  return { done: false, code: 'away', why }
}
