// Export plan: what of the evidence that was taken goes into a bundle.
//
// Law: a ledger is shown without a gap, from a row to a row: a stretch of time begins at the newest row before it and ends at
// the first one after it. By rows, and not by the clocks of single entries: a clock that jumped must not cut anything out.

import { type Account, isAnchor, nameOf } from '../../ledger/account.ts'
import type { Scope, Stretch } from '../../ledger/audit/about.ts'
import { formatRow } from '../../ledger/row-note.ts'
import type { Inventory, Reach, Remark } from '../../mesh/archive/inventory.ts'
import type { ShownRow, Taken } from './sources/source.ts'

export interface Plan {
  readonly ledgers: readonly Stretch[]
  readonly rows: readonly ShownRow[]
  readonly forks: Inventory['forks']
  /** ledgers shown from the middle: where, and the nearest place before it at which the tree is known */
  readonly starts: readonly Beginning[]
  /** what should be shown and is not there */
  readonly missing: readonly Remark[]
}

export interface Beginning {
  readonly account: Account
  readonly size: number
  readonly known: { readonly size: number; readonly peaks: readonly string[] }
}

/**
 * From when on everything is still there; null where nothing was removed after its time. Whoever asks for everything then
 * gets a stretch of time that says where it begins: a beginning that is missing for another reason stays a finding.
 */
export function keptSince(taken: Taken, gates: Scope['gates']): number | null {
  let since: number | null = null
  for (const { account, first } of taken.ledgers.values()) {
    const isRemoved = taken.remarks.some(
      one => one.what === 'removed' && one.account === account && Number(one.to) >= first,
    )
    if (first === 0 || !isRemoved || !isShown(account, gates)) continue
    const rows = taken.rows.filter(({ row }) => row.account === account && row.size >= first)
    const [begin] = rows.sort((a, b) => a.row.size - b.row.size)
    if (begin !== undefined) since = Math.max(since ?? 0, begin.row.at + 1)
  }
  return since
}

export function planExport(taken: Taken, scope: Scope): Plan {
  const rows = new Map<Account, ShownRow[]>()
  const forks = new Map(taken.forks.map(({ account, notes }) => [account, new Set(notes)]))
  for (const shown of taken.rows) {
    const other = put(rows, shown, taken.mall)
    if (other === undefined) continue
    const notes = forks.get(shown.row.account) ?? new Set()
    forks.set(shown.row.account, notes.add(other.note).add(shown.note))
  }
  const parts = [...new Set([...taken.ledgers.keys(), ...rows.keys()])].sort().map(account => {
    const reach = taken.ledgers.get(account)
    return partOf({ account, reach, rows: rows.get(account) ?? [], end: taken.ends.get(account), scope })
  })
  return {
    ledgers: parts.flatMap(({ stretch }) => stretch ?? []),
    rows: parts.flatMap(part => part.rows),
    forks: [...forks].map(([account, notes]) => ({ account, notes: [...notes] })),
    starts: parts.flatMap(({ start }) => start ?? []),
    missing: parts.flatMap(({ missing }) => missing ?? []),
  }
}

/** By size, each once; the other one where two of a size say different things. */
function put(all: Map<Account, ShownRow[]>, shown: ShownRow, mall: string): ShownRow | undefined {
  const { account, size } = shown.row
  const rows = all.get(account) ?? []
  all.set(account, rows)
  const at = rows.findIndex(({ row }) => row.size >= size)
  const same = rows[at]
  if (same?.row.size !== size) {
    rows.splice(at < 0 ? rows.length : at, 0, shown)
    return undefined
  }
  const text = ({ row }: ShownRow) => formatRow({ ...row, at: 0 }, mall)
  if (text(same) !== text(shown)) return same
  if (same.peaks === undefined && shown.peaks !== undefined) rows[at] = { ...same, peaks: shown.peaks }
  return undefined
}

interface Question {
  readonly account: Account
  readonly reach: Reach | undefined
  /** by size */
  readonly rows: readonly ShownRow[]
  readonly end: number | undefined
  readonly scope: Scope
}

interface Part {
  readonly stretch?: Stretch
  readonly rows: readonly ShownRow[]
  readonly start?: Beginning
  readonly missing?: Remark
}

/** A gate's ledgers are nothing without the anchor's, which says how many tokens there are. */
function isShown(account: Account, gates: Scope['gates']): boolean {
  return gates === null || isAnchor(account) || gates.includes(nameOf(account))
}

function partOf(q: Question): Part {
  const { account, reach, rows, scope } = q
  const begin = beginOf(q)
  const end = endOf(q)
  const kept = rows.filter(({ row }) => row.size >= begin && (scope.to === null || row.size <= Math.max(begin, end)))
  if (!isShown(account, scope.gates)) return { rows: kept }
  if (isTornCopy(q)) {
    const why = 'a copy that does not go back to the beginning: left out, its rows are shown'
    return { rows, missing: { what: 'missing', account, from: 0, to: rows.at(-1)?.row.size ?? 0, why } }
  }
  const isBefore = scope.from !== null && (rows.at(-1)?.row.at ?? Number.POSITIVE_INFINITY) < scope.from
  const last = rows.at(-1)?.row.size ?? 0
  if (isBefore && last > 0) return { stretch: { account, from: last, to: last }, rows: rows.slice(-1) }
  if (begin >= end) {
    if (rows.some(({ row }) => row.size === begin) && reach !== undefined) {
      return { stretch: { account, from: begin, to: begin }, rows: kept }
    }
    const why = 'nothing of it is here, only what it signed'
    return { rows: kept, missing: { what: 'missing', account, from: 0, to: last, why } }
  }
  const stretch = { account, from: begin, to: end }
  const part = { stretch, rows: kept, ...(begin === 0 ? {} : { start: startAt(q, begin) }) }
  if ((reach?.first ?? 0) === 0 || scope.from !== null) return part
  const why = 'removed after its time, or not readable any more'
  return { ...part, missing: { what: 'missing', account, from: 0, to: begin, why } }
}

/** A gate keeps the newest months of the anchor's ledger. Of a ledger that is shown, all of the beginning would be owed. */
function isTornCopy({ account, reach, scope }: Question): boolean {
  const isCopy = scope.gates !== null && !scope.gates.includes(nameOf(account))
  return isCopy && scope.from === null && (reach?.first ?? 0) > 0
}

/** Always a row, or 0: a ledger that is here from the middle begins at the first row in it. */
function beginOf({ reach, rows, scope }: Question): number {
  const { first = 0 } = reach ?? {}
  const least = first === 0 ? 0 : (rows.find(({ row }) => row.size >= first)?.row.size ?? Number.MAX_SAFE_INTEGER)
  const { from } = scope
  if (from === null) return least
  const after = rows.findIndex(({ row }) => row.at >= from)
  const before = rows.slice(0, after < 0 ? rows.length : after).findLast(({ row }) => row.size >= least)
  return before?.row.size ?? least
}

function endOf({ reach, rows, end, scope }: Question): number {
  const held = Math.min(end ?? Number.MAX_SAFE_INTEGER, reach?.size ?? 0)
  const { to } = scope
  if (to === null) return held
  const bound = rows[rows.findLastIndex(({ row }) => row.at < to) + 1]
  return Math.min(held, bound?.row.size ?? held)
}

function startAt({ account, reach, rows }: Question, size: number): Beginning {
  const known = { size: reach?.first ?? 0, peaks: reach?.peaks ?? [] }
  const nearer = rows.findLast(({ row, peaks }) => peaks !== undefined && row.size <= size && row.size > known.size)
  const best = nearer?.peaks === undefined ? known : { size: nearer.row.size, peaks: nearer.peaks }
  return { account, size, known: best }
}
