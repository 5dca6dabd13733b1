// Segment index: which stretches of which ledgers lie in files. The files are the truth; this is how they are found
// without opening them all.
//
//     segment/kept/<account>/<from>     in a file
//     segment/gone/<account>/<from>     was in a file that is removed by now
//     segment/end/<account>             where the newest file leaves the ledger

import type { Account } from '../../ledger/account.ts'
import type { Cabinet, Edit } from '../../mesh/archive/cabinet.ts'
import { endOf } from './day.ts'
import type { Joint, Proof } from './proof.ts'
import type { Segment } from './segment-file.ts'

export interface SegmentRecord
  extends Pick<
    Proof,
    'account' | 'day' | 'part' | 'from' | 'to' | 'oldest' | 'newest' | 'closedAt' | 'bytes' | 'gzSha256'
  > {
  readonly removedAt?: number
}

/** Where the next file begins. */
export interface End {
  readonly joint: Joint
  /** of the newest file, which has the counters there */
  readonly row: string
  /** of the newest file */
  readonly day: string
  readonly part: number
}

const DIGITS = 16

export class SegmentIndex {
  readonly #cabinet: Cabinet

  constructor(cabinet: Cabinet) {
    this.#cabinet = cabinet
  }

  async end(account: Account): Promise<End | undefined> {
    const value = await this.#cabinet.get(`segment/end/${account}`)
    return value === undefined ? undefined : (JSON.parse(value) as End)
  }

  /** One that replaces a damaged one may end later than it did. */
  async add({ proof, joint }: Segment, a: { readonly isLast: boolean }): Promise<SegmentRecord> {
    const record = recordOf(proof)
    const end: End = { joint, row: proof.row, day: proof.day, part: proof.part }
    const edits: Edit[] = [[keyOf('kept', record), JSON.stringify(record)]]
    if (a.isLast) edits.push([`segment/end/${proof.account}`, JSON.stringify(end)])
    await this.#cabinet.write(edits)
    return record
  }

  async removed(record: SegmentRecord, removedAt: number): Promise<void> {
    await this.#cabinet.write([
      [keyOf('gone', record), JSON.stringify({ ...record, removedAt })],
      [keyOf('kept', record), undefined],
    ])
  }

  /** The first segment in a file that begins at `from` or later. */
  async next(account: Account, from: number): Promise<SegmentRecord | undefined> {
    const prefix = `segment/kept/${account}/`
    const span = { from: prefix + padded(from), to: after(prefix), limit: 1 }
    for await (const [item] of this.#cabinet.read(span)) if (item !== undefined) return JSON.parse(item[1])
    return undefined
  }

  /** The last segment that begins before this entry; in a file, or removed. */
  async last(account: Account, before: number): Promise<SegmentRecord | undefined> {
    for (const where of ['kept', 'gone']) {
      const prefix = `segment/${where}/${account}/`
      const span = { from: prefix, to: prefix + padded(before), reverse: true, limit: 1 }
      for await (const [item] of this.#cabinet.read(span)) if (item !== undefined) return JSON.parse(item[1])
    }
    return undefined
  }

  /** All of one account that begin at `from` or later, in files or removed, in the order of its ledger. */
  async list(account: Account, from = 0): Promise<readonly SegmentRecord[]> {
    const found: SegmentRecord[] = []
    for (const where of ['kept', 'gone']) {
      const prefix = `segment/${where}/${account}/`
      for await (const items of this.#cabinet.read({ from: prefix + padded(from), to: after(prefix) })) {
        for (const [, value] of items) found.push(JSON.parse(value))
      }
    }
    return found.sort((a, b) => a.from - b.from)
  }

  /** Segments of all accounts, in files or removed, that hold something of this time; so many at most. */
  async at(time: { readonly from: number; readonly to: number }, limit: number): Promise<readonly SegmentRecord[]> {
    const found: SegmentRecord[] = []
    for (const prefix of ['segment/kept/', 'segment/gone/']) {
      for await (const items of this.#cabinet.read({ from: prefix, to: after(prefix) })) {
        for (const [, value] of items) {
          const record: SegmentRecord = JSON.parse(value)
          if (record.oldest <= time.to && record.newest >= time.from) found.push(record)
          if (found.length >= limit) return found
        }
      }
    }
    return found
  }

  /** What was removed, of all accounts. */
  async *gone(): AsyncGenerator<SegmentRecord> {
    const prefix = 'segment/gone/'
    for await (const items of this.#cabinet.read({ from: prefix, to: after(prefix) })) {
      for (const [, value] of items) yield JSON.parse(value) as SegmentRecord
    }
  }
}

/** Since when a segment has been closed. A gate's clock may be years behind, so its own word for it is not enough. */
export function closingOf({ day, closedAt }: Pick<SegmentRecord, 'day' | 'closedAt'>): number {
  return Math.max(endOf(day), closedAt)
}

export function recordOf(proof: Proof): SegmentRecord {
  const { account, day, part, from, to, oldest, newest, closedAt, bytes, gzSha256 } = proof
  return { account, day, part, from, to, oldest, newest, closedAt, bytes, gzSha256 }
}

function keyOf(where: 'kept' | 'gone', { account, from }: Pick<SegmentRecord, 'account' | 'from'>): string {
  return `segment/${where}/${account}/${padded(from)}`
}

function padded(n: number): string {
  return String(n).padStart(DIGITS, '0')
}

/** The first text after all that begin with this prefix, which ends in a slash. */
function after(prefix: string): string {
  return `${prefix.slice(0, -1)}0`
}
