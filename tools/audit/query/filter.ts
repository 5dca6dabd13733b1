// Filter: which entries somebody asks for. The same question is put to a line as it is read, and to DuckDB in its own words.

import { type Account, isAccount, nameOf } from '../../../ledger/account.ts'
import { DECISIONS, FIELDS } from '../../../ledger/entry.ts'
import { isUuid7 } from '../../../ledger/line.ts'
import { isName } from '../../../ledger/origin.ts'
import { Usage } from '../../command.ts'
import { parseEdge } from '../edge.ts'
import type { Piece } from './pieces.ts'

export interface Filter {
  /** each: one of these; anything where there are none */
  readonly gates: readonly string[]
  readonly accounts: readonly Account[]
  readonly types: readonly string[]
  readonly decisions: readonly string[]
  readonly ids: readonly string[]
  /** from ≤ at < to, ms */
  readonly from: number | undefined
  readonly to: number | undefined
}

/** What the beginning of a line says. */
export interface Head {
  readonly seq: number
  readonly id: string
  readonly at: number
  readonly type: string
  readonly decision: string | undefined
}

export const FILTER_OPTIONS = {
  gate: { type: 'string', multiple: true },
  account: { type: 'string', multiple: true },
  type: { type: 'string', multiple: true },
  decision: { type: 'string', multiple: true },
  id: { type: 'string', multiple: true },
  from: { type: 'string' },
  to: { type: 'string' },
} as const

export interface FilterValues {
  readonly gate?: string[] | undefined
  readonly account?: string[] | undefined
  readonly type?: string[] | undefined
  readonly decision?: string[] | undefined
  readonly id?: string[] | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Any of the reasons for which somebody is kept out. */
const ANY_REJECT = 'REJECT'

export function parseFilter(values: FilterValues): Filter {
  const { gate = [], account = [], type = [], decision = [], id = [] } = values
  refuseOdd('--gate', gate, isName, 'a gate’s name, as in east')
  refuseOdd('--account', account, isAccount, 'a ledger, as in east/1')
  refuseOdd('--type', type, one => Object.hasOwn(FIELDS, one), `one of ${Object.keys(FIELDS).join(', ')}`)
  const decisions = [...DECISIONS, ANY_REJECT]
  refuseOdd('--decision', decision, one => decisions.some(known => known === one), `one of ${decisions.join(', ')}`)
  refuseOdd('--id', id, isUuid7, 'the id of an event (a UUID of version 7, lower case)')
  const from = values.from === undefined ? undefined : parseEdge('--from', values.from)
  const to = values.to === undefined ? undefined : parseEdge('--to', values.to)
  if (from !== undefined && to !== undefined && to <= from) throw new Usage('--to is not after --from')
  return { gates: gate, accounts: account, types: type, decisions: decision, ids: id, from, to }
}

export function passes({ types, decisions, ids, from, to }: Filter, { id, at, type, decision }: Head): boolean {
  if ((from !== undefined && at < from) || (to !== undefined && at >= to)) return false
  if (types.length > 0 && !types.includes(type)) return false
  if (ids.length > 0 && !ids.includes(id)) return false
  if (decisions.length === 0) return true
  return (
    decision !== undefined && (decisions.includes(decision) || (decisions.includes(ANY_REJECT) && type === 'reject'))
  )
}

/** May there be such an entry in it? */
export function mayHold({ gates, accounts, from, to }: Filter, { account, oldest, newest }: Piece): boolean {
  if (gates.length > 0 && !gates.includes(nameOf(account))) return false
  if (accounts.length > 0 && !accounts.includes(account)) return false
  return (
    (from === undefined || newest === undefined || newest >= from) &&
    (to === undefined || oldest === undefined || oldest < to)
  )
}

/** The same of columns `at_ms`, `type`, `id`, `decision`; gates and accounts are chosen with the files. */
export function conditionOf({ types, decisions, ids, from, to }: Filter): string {
  const oneOf = (column: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`${column} IN (${values.map(literal).join(', ')})`]
  const any = decisions.includes(ANY_REJECT) ? ` OR type = 'reject'` : ''
  const conditions = [
    ...(from === undefined ? [] : [`at_ms >= ${from}`]),
    ...(to === undefined ? [] : [`at_ms < ${to}`]),
    ...oneOf('type', types),
    ...oneOf('id', ids),
    ...oneOf('decision', decisions).map(condition => `(${condition}${any})`),
  ]
  return conditions.length === 0 ? 'true' : conditions.join(' AND ')
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function refuseOdd(option: string, values: readonly string[], isIt: (value: string) => boolean, what: string): void {
  const odd = values.find(value => !isIt(value))
  if (odd !== undefined) throw new Usage(`${option} takes ${what}, not ${JSON.stringify(odd.slice(0, 60))}`)
}
