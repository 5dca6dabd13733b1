// Policybook: every policy of the mall so far, each standing on the one before it.

import type { CharterLine } from '../ledger/charter.ts'
import { flawOf, type Policy, type PolicyFlaw } from '../ledger/policy.ts'

export interface Learned {
  readonly adopted: readonly Policy[]
  /** the version that did not fit, and why; `gap` when one before it is missing */
  readonly stopped?: { readonly version: number; readonly why: PolicyFlaw | 'gap' }
}

export class Policybook {
  readonly #charters: Pick<CharterLine, 'of'>
  readonly #versions = new Map<number, Policy>()
  #newest: Policy | undefined

  constructor(charters: Pick<CharterLine, 'of'>) {
    this.#charters = charters
  }

  get newest(): Policy | undefined {
    return this.#newest
  }

  /** The newest version that two operators signed: what one alone does is held against it. */
  get agreed(): Policy | undefined {
    for (let version = this.#newest?.version ?? 0; version > 0; version--) {
      const policy = this.#versions.get(version)
      if (policy !== undefined && policy.signers.length >= 2) return policy
    }
    return this.#newest
  }

  get(version: number): Policy | undefined {
    return this.#versions.get(version)
  }

  /** Oldest first. */
  after(version: number): Policy[] {
    return [...this.#versions.values()].filter(policy => policy.version > version)
  }

  /** Takes policies in as far as they fit. */
  learn(policies: readonly Policy[]): Learned {
    const adopted: Policy[] = []
    for (const policy of policies) {
      const { version } = policy
      const current = this.#newest?.version ?? 0
      if (version <= current) continue
      if (version > current + 1) return { adopted, stopped: { version, why: 'gap' } }
      const why = flawOf(policy, this.#newest, this.#charters.of(version), this.agreed)
      if (why !== undefined) return { adopted, stopped: { version, why } }
      this.recall(policy)
      adopted.push(policy)
    }
    return { adopted }
  }

  /** One that was taken in before, read back from disk. */
  recall(policy: Policy): void {
    this.#versions.set(policy.version, policy)
    if (policy.version > (this.#newest?.version ?? 0)) this.#newest = policy
  }
}
