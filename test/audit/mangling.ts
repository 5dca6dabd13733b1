// Mangling: one bundle, spoilt in one way after another, and both verifiers asked each time.
//
// Law: whatever was done, neither verifier throws, both say that something is wrong, and they agree on a kind of finding and
// the account it is about. A clumsy forger leaves the manifests as they were, and is caught by them alone; a careful one
// writes them anew, and is caught by signatures, chains and laws wherever something signed speaks of what was changed.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PublicKey } from '../../ledger/ed25519.ts'
import type { VerifierKey } from '../../ledger/key.ts'
import { type BundleContent, writeBundle } from '../../tools/audit/bundle-writer.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import type { Suite } from '../suite.ts'
import type { Told } from './agreed.ts'
import { Copy } from './copy.ts'
import { second } from './second.ts'

// A signature that was looked at twice is good or bad for ever, and looking is nearly all the time that a small bundle takes:
// what has been asked before is answered from memory. Anything turned over is something else, and asked anew.
const known = new Map<string, boolean>()
const { verifyTwice } = PublicKey.prototype
PublicKey.prototype.verifyTwice = function (message, signature) {
  const asked = [this.bytes, signature, message].map(part => Buffer.from(part).toString('base64')).join()
  const said = known.get(asked) ?? verifyTwice.call(this, message, signature)
  known.set(asked, said)
  return said
}

/** Spoilt in memory where that can be: a disk has nothing to do with what is found, and takes its time. */
const MEMORY = '/dev/shm'

export type Forger = 'clumsy' | 'careful'

export interface Mangling {
  readonly name: string
  readonly forgers: readonly Forger[]
  readonly mangle: (copy: Copy) => void
  /** `kind account`: what a careful forger must be told, by both */
  readonly expect?: string
  /** nothing signed speaks of it: the two need only agree */
  readonly open?: boolean
}

export class Mangler {
  readonly #owner: VerifierKey
  readonly #folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'gatemesh-mangle-'))
  readonly #disagreed: string[] = []
  #copy: Copy | undefined
  #count = 0

  constructor(test: Suite, content: BundleContent, owner: VerifierKey) {
    this.#owner = owner
    test.before(async () => {
      const dir = join(this.#folder, 'true')
      await writeBundle(dir, content)
      this.#copy = new Copy(dir, join(this.#folder, 'copy'))
    })
    test.after(() => {
      rmSync(this.#folder, { recursive: true })
      console.log(`\n${this.#count} manglings; of ${this.#disagreed.length} the two told different sets of findings`)
      if (process.env.GATEMESH_DISAGREED !== undefined) console.log(this.#disagreed.join('\n'))
    })
  }

  get copy(): Copy {
    assert.ok(this.#copy !== undefined)
    return this.#copy
  }

  /** What the two say of it as it was made. */
  async untouched(): Promise<readonly [Told, Told]> {
    return this.#ask()
  }

  async all(manglings: Iterable<Mangling>): Promise<void> {
    const missed: string[] = []
    for (const mangling of manglings) {
      for (const forger of mangling.forgers) {
        const miss = await this.#one(mangling, forger)
        if (miss !== undefined) missed.push(`${mangling.name}, by a ${forger} forger: ${miss}`)
      }
    }
    assert.deepEqual(missed, [])
  }

  async #one({ name, mangle, expect, open = false }: Mangling, forger: Forger): Promise<string | undefined> {
    const { copy } = this
    try {
      mangle(copy)
      if (forger === 'careful') copy.seal()
      this.#count++
      const [ours, theirs] = await this.#ask()
      const [a, b] = [told(ours), told(theirs)]
      const both = a.filter(finding => b.includes(finding))
      if (a.join() !== b.join()) this.#disagreed.push(`${name} (${forger}): ours [${a}] theirs [${b}]`)
      const said = `ours ${ours.ok ? 'ok' : ''}[${a}] theirs ${theirs.ok ? 'ok' : ''}[${b}]`
      if (open && forger === 'careful') return ours.ok === theirs.ok ? undefined : said
      if (ours.ok || theirs.ok || both.length === 0) return said
      const wanted = forger === 'clumsy' ? 'bag' : expect
      if (wanted !== undefined && !both.some(finding => finding.startsWith(wanted))) return `not ${wanted}, but ${said}`
      return undefined
    } catch (error) {
      return `thrown: ${(error as Error).stack}`
    } finally {
      copy.mend()
    }
  }

  async #ask(): Promise<readonly [Told, Told]> {
    const { dir } = this.copy
    return [await verifyBundle(dir, this.#owner, { threads: 0 }), await second(dir, this.#owner.toString())]
  }
}

export const BOTH: readonly Forger[] = ['clumsy', 'careful']

function told({ findings }: Told): string[] {
  return [...new Set(findings.map(({ kind, account }) => `${kind} ${account}`.trimEnd()))].sort()
}
