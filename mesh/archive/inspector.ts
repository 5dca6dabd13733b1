// Inspector: is what was handed over the next part of a ledger, and is it what the ledger's owner signed?
//
// Law: a line counts only if it is spelled in the one way and follows the line before it by hash; a row vouches only if
// the tree over all lines has its root and their fold is its counters. Whatever else it is, it is told what.

import type { Account } from '../../ledger/account.ts'
import { fromBase64, toBase64 } from '../../ledger/base64.ts'
import { type Counters, copyCounters, noCounters, type Tally } from '../../ledger/counters.ts'
import type { Entry } from '../../ledger/entry.ts'
import { Fault, must } from '../../ledger/fault.ts'
import { fold } from '../../ledger/fold.ts'
import { parseLine } from '../../ledger/line.ts'
import type { Row } from '../../ledger/row.ts'
import { Frontier, type Hash, leafHash } from '../../ledger/tree.ts'
import type { CollectedHead, Evidence } from './archive.ts'

export interface Flaw {
  readonly what: Evidence['what']
  readonly detail: string
  /** the line that does not fit */
  readonly line?: string
}

export type Taken = { readonly entry: Entry; readonly flaw?: undefined } | { readonly flaw: Flaw }

export class Inspector {
  readonly #account: Account
  readonly #kept: number
  readonly #tree: Frontier
  readonly #counters: Counters
  #last: string
  #signed: number
  #row: string | undefined

  /** Goes on after what was collected; where that is nothing, the first line follows the charter. */
  constructor(account: Account, charterHash: string, head?: CollectedHead) {
    this.#account = account
    this.#kept = head?.kept ?? 0
    this.#tree = head === undefined ? new Frontier() : new Frontier(head.size, head.peaks.map(hashOf))
    this.#counters = head === undefined ? noCounters() : copyCounters(head.counters)
    this.#last = head?.last ?? charterHash
    this.#signed = head?.signed ?? 0
    this.#row = head?.row
  }

  get size(): number {
    return this.#tree.size
  }

  /** The next line, or why it is none; then nothing has changed. */
  take(line: string): Taken {
    const { size } = this
    const flaw = (what: Flaw['what'], why: string): Taken => ({
      flaw: { what, detail: `entry ${size} of ${this.#account}: ${why}`, line },
    })
    let entry: Entry
    try {
      entry = parseLine(line)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return flaw('spelling', error.message)
    }
    if (entry.seq !== size) return flaw('chain', `says that it is entry ${entry.seq}`)
    if (entry.prev !== this.#last) {
      if (size === 0) return flaw('chain', 'does not begin at this charter')
      // its owner signed what it is said to follow, and now says that it follows something else
      return flaw(this.#signed === size ? 'fork' : 'chain', 'is not written after the entry before it')
    }
    const opens = entry.type === 'open' && entry.account === this.#account
    if (size === 0 && !opens) return flaw('chain', 'does not open this ledger')
    const leaf = leafHash(line)
    this.#tree.append(leaf)
    this.#last = toBase64(leaf)
    fold(this.#counters, entry)
    return { entry }
  }

  /** A signed row of this very size: from here on it vouches, or it contradicts what was taken. */
  meet(row: Row): Flaw | undefined {
    must(row.account === this.#account && row.size === this.size, 'a row is met at its size')
    const root = toBase64(this.#tree.root())
    if (row.root !== root) {
      const what = this.#signed === row.size ? 'fork' : 'root'
      return { what, detail: `${this.#account} at size ${row.size}: its row has root ${row.root}, its entries ${root}` }
    }
    const differs = difference(row.counters, this.#counters)
    if (differs !== undefined) {
      return { what: 'counters', detail: `${this.#account} at size ${row.size}: ${differs}` }
    }
    this.#signed = row.size
    this.#row = row.note
    return undefined
  }

  head(): CollectedHead {
    return {
      account: this.#account,
      size: this.size,
      signed: this.#signed,
      kept: this.#kept,
      last: this.#last,
      peaks: this.#tree.peaks.map(toBase64),
      counters: copyCounters(this.#counters),
      ...(this.#row === undefined ? {} : { row: this.#row }),
    }
  }
}

function hashOf(text: string): Hash {
  const hash = fromBase64(text, 32)
  must(hash !== undefined, 'a peak is a hash in base64')
  return hash
}

/** What the row says otherwise than its entries, in words. */
function difference(row: Counters, entries: Counters): string | undefined {
  for (const name of ['admitted', 'forced', 'exited', 'lapsed'] as const) {
    if (row[name] !== entries[name]) return `its row says ${name} ${row[name]}, its entries ${entries[name]}`
  }
  for (const name of ['sent', 'received'] as const) {
    const account = differing(row[name], entries[name])
    if (account === undefined) continue
    const [said, meant] = [row[name][account] ?? 0, entries[name][account] ?? 0]
    return `its row says ${name} ${account} ${said}, its entries ${meant}`
  }
  return undefined
}

function differing(a: Tally, b: Tally): Account | undefined {
  return [...Object.keys(a), ...Object.keys(b)].find(account => (a[account] ?? 0) !== (b[account] ?? 0))
}
