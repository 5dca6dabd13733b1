// Cut: where the ledgers of a mall that goes on are to end, so that they belong together.
//
// Law: nothing shown speaks of an entry that is not. The rows in one member's view at one moment are nearly that already: a
// row joins a view only with the sends behind all it received. But a gate may have learnt of those from a later row of the
// donor than the view has, and cites that one; then the donor is shown up to a row that reaches so far. Rows are watched
// for a while, and the smallest that does is taken: a later one might cite yet more.

import type { Account } from '../../../ledger/account.ts'
import type { Entry } from '../../../ledger/entry.ts'
import type { Reach } from '../../../mesh/archive/inventory.ts'
import type { ShownRow } from './source.ts'

export interface Sighting {
  readonly rows: readonly ShownRow[]
  readonly ledgers: readonly Reach[]
}

export interface CutOptions {
  /** what there is now */
  readonly look: () => Promise<Sighting>
  readonly lines: (account: Account, from: number, to: number) => AsyncIterable<string>
  /** must nothing cite beyond the end? Where only some of it is shown, that is not asked for */
  readonly isClosed: boolean
  /** whose entries are wanted */
  readonly wants: (account: Account) => boolean
  readonly waitMsMax: number
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** entries that rows show and that were not there yet */
  readonly onWait: (missing: number) => void
}

/** Ends of ledgers that belong together; and of which of them not everything was there in time. */
export interface Cut {
  readonly rows: ReadonlyMap<Account, ShownRow>
  readonly short: readonly { readonly account: Account; readonly have: number; readonly want: number }[]
}

const LOOK_EVERY_MS = 250
/** More than a gate writes while its row is on its way. */
const TAIL = 400

export async function settle(o: CutOptions): Promise<Cut> {
  const cut = new Settling(o)
  const until = o.now() + o.waitMsMax
  for (;;) {
    cut.see(await o.look())
    const isOpen = o.isClosed && (await cut.raise())
    const short = cut.short()
    if ((short.length === 0 && !isOpen) || o.now() >= until) return { rows: cut.ends, short }
    o.onWait(short.reduce((sum, { have, want }) => sum + want - have, 0))
    await o.sleep(LOOK_EVERY_MS)
  }
}

class Settling {
  readonly ends = new Map<Account, ShownRow>()
  readonly #o: CutOptions
  readonly #seen = new Map<Account, ShownRow[]>()
  readonly #sizes = new Map<Account, number>()
  readonly #read = new Map<Account, number>()

  constructor(options: CutOptions) {
    this.#o = options
  }

  see({ rows, ledgers }: Sighting): void {
    const isFirst = this.#seen.size === 0
    for (const shown of rows) {
      const { account, size } = shown.row
      const seen = this.#seen.get(account) ?? []
      if (!seen.some(({ row }) => row.size === size)) seen.push(shown)
      this.#seen.set(account, seen)
      if (isFirst && size > (this.ends.get(account)?.row.size ?? 0)) this.ends.set(account, shown)
    }
    for (const { account, size } of ledgers) this.#sizes.set(account, size)
  }

  short(): Cut['short'] {
    const found: Cut['short'][number][] = []
    for (const [account, { row }] of this.ends) {
      const have = this.#sizes.get(account) ?? 0
      if (have < row.size && this.#o.wants(account)) found.push({ account, have, want: row.size })
    }
    return found
  }

  /** Reads the ends of ledgers that are there; true while something in them reaches beyond the end of another. */
  async raise(): Promise<boolean> {
    let isOpen = false
    for (const [account, { row }] of [...this.ends]) {
      const read = this.#read.get(account) ?? 0
      if (read >= row.size || (this.#sizes.get(account) ?? 0) < row.size) continue
      let isMet = true
      for await (const line of this.#o.lines(account, Math.max(read, row.size - TAIL), row.size)) {
        for (const [other, size] of cites(JSON.parse(line) as Entry)) {
          const reach = this.#reach(other, size)
          if (reach !== 'there') isOpen = true
          if (reach === 'unseen') isMet = false
        }
      }
      if (isMet) this.#read.set(account, row.size)
    }
    return isOpen
  }

  #reach(account: Account, size: number): 'there' | 'moved' | 'unseen' {
    if ((this.ends.get(account)?.row.size ?? 0) >= size) return 'there'
    const later = (this.#seen.get(account) ?? []).filter(({ row }) => row.size >= size)
    const [next] = later.sort((a, b) => a.row.size - b.row.size)
    if (next === undefined) return 'unseen'
    this.ends.set(account, next)
    return 'moved'
  }
}

/** Which sizes of which ledgers an entry speaks of. */
function cites(entry: Entry): readonly (readonly [Account, number])[] {
  if (entry.type === 'receive') return [[entry.from, entry.size]]
  if (entry.type === 'checkpoint') return entry.heads.map(([account, size]) => [account, size] as const)
  if (entry.type === 'open' && entry.after !== undefined) return [[entry.after, entry.afterSize ?? 0]]
  return []
}
