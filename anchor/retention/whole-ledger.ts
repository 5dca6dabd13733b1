// Whole ledger: an account's ledger as its owner wrote it, put together from the files of closed days and the database.
//
// Law: what is given is in order and without a gap. Where a part was removed after its time, or cannot be read any more,
// the ledger begins after it, and the signed row and the peaks of the tree at that place are still there.

import type { Account } from '../../ledger/account.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Archive } from '../../mesh/archive/archive.ts'
import type { KeptRow, Reach, Remark } from '../../mesh/archive/inventory.ts'
import { titleOf } from './proof.ts'
import { readProof, segmentLines } from './segment-file.ts'
import type { SegmentFolder } from './segment-folder.ts'
import type { SegmentIndex, SegmentRecord } from './segment-index.ts'

export interface WholeLedgerOptions {
  readonly archive: Pick<Archive, 'accounts' | 'head' | 'range' | 'dayRows'>
  readonly index: SegmentIndex
  /** undefined where there are no files */
  readonly folder: SegmentFolder | undefined
}

export class WholeLedgers {
  readonly #o: WholeLedgerOptions

  constructor(options: WholeLedgerOptions) {
    this.#o = options
  }

  async all(): Promise<readonly Reach[]> {
    const found: Reach[] = []
    for (const account of this.#o.archive.accounts()) {
      const reach = await this.of(account)
      if (reach !== undefined) found.push(reach)
    }
    return found
  }

  async of(account: Account): Promise<Reach | undefined> {
    const head = this.#o.archive.head(account)
    if (head === undefined) return undefined
    const { size, kept, keptPeaks = [] } = head
    const [first] = kept === 0 ? [] : await this.#upTo(account, kept)
    if (first === undefined) return { account, first: kept, peaks: keptPeaks, size }
    const proof = await readProof(this.#pathOf(first))
    return { account, first: first.from, peaks: proof.before.peaks, size }
  }

  /** By size, each once: those of closed files, then those of days in the database. So many at most, above `after`. */
  async rows(account: Account, a: { readonly after: number; readonly limit: number }): Promise<readonly KeptRow[]> {
    const found: KeptRow[] = []
    const records = await this.#o.index.list(account)
    const isDone = () => found.length >= a.limit
    for (const record of records) {
      if (record.to <= a.after || isDone()) continue
      const row = await this.#rowOf(record, records)
      if (row !== undefined) found.push(row)
    }
    const { kept = 0, keptPeaks = [], row, signed = 0 } = this.#o.archive.head(account) ?? {}
    const days = [...(await this.#o.archive.dayRows(account))].sort((x, y) => x.size - y.size)
    for (const { size, note } of [...days, ...(row === undefined ? [] : [{ size: signed, note: row }])]) {
      if (size <= Math.max(a.after, found.at(-1)?.size ?? 0) || isDone()) continue
      found.push({ size, note, ...(size === kept ? { peaks: keptPeaks } : {}) })
    }
    return found
  }

  /** Lines of [from, to), as far as they are here. */
  async *lines(account: Account, from: number, to: number): AsyncGenerator<string> {
    const kept = this.#o.archive.head(account)?.kept ?? 0
    let next = from
    if (next < Math.min(kept, to)) {
      for (const record of await this.#upTo(account, kept)) {
        if (record.to <= next || record.from >= to) continue
        if (record.from > next) break
        let seq = record.from
        for await (const line of segmentLines(this.#pathOf(record))) {
          if (seq >= next && seq < to) yield line
          seq++
        }
        next = seq
      }
      if (next < Math.min(kept, to)) throw new Fault('PRUNED', `${account}: entry ${next} is not kept any more`)
    }
    if (next < to) yield* this.#o.archive.range(account, next, to)
  }

  /** Files that lead up to this entry without a gap. */
  async #upTo(account: Account, end: number): Promise<readonly SegmentRecord[]> {
    const { folder, index } = this.#o
    const chain: SegmentRecord[] = []
    if (folder === undefined) return chain
    let to = end
    for (const record of [...(await index.list(account))].reverse()) {
      if (record.from >= to) continue
      if (record.to !== to || record.removedAt !== undefined) break
      if (!(await folder.isKept(account, titleOf(record)))) break
      chain.unshift(record)
      to = record.from
    }
    return chain
  }

  async #rowOf(record: SegmentRecord, all: readonly SegmentRecord[]): Promise<KeptRow | undefined> {
    if (this.#o.folder === undefined) return undefined
    const { row } = (await readProof(this.#pathOf(record)).catch(unreadable)) ?? {}
    if (row === undefined) return undefined
    const next = all.find(({ from }) => from === record.to)
    const before = next && (await readProof(this.#pathOf(next)).catch(unreadable))?.before
    return { size: record.to, note: row, ...(before === undefined ? {} : { peaks: before.peaks }) }
  }

  #pathOf(record: SegmentRecord): string {
    return (this.#o.folder as SegmentFolder).pathOf(record.account, titleOf(record))
  }
}

/** Entries that were taken out of the archive: neighbours as one. */
export async function removedStretches(records: AsyncIterable<SegmentRecord>): Promise<readonly Remark[]> {
  const found: { what: 'removed'; account: Account; from: number; to: number; files: number; lastRemoved: number }[] =
    []
  for await (const { account, from, to, removedAt = 0 } of records) {
    const last = found.at(-1)
    if (last?.account !== account || last.to !== from) {
      found.push({ what: 'removed', account, from, to, files: 1, lastRemoved: removedAt })
      continue
    }
    last.to = to
    last.files++
    last.lastRemoved = Math.max(last.lastRemoved, removedAt)
  }
  return found
}

/** One proof that is gone costs a row, and nothing else. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof Fault)) throw error
}
