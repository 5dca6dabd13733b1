// Duck view: `entries`, the ledgers as DuckDB sees them. One column for each thing that entries say, and the line itself.
//
// Names are those of the ledger's fields, where SQL has no other use for them: `at` is `time`, `by` is `person`, `in` and
// `out` are `people_in` and `people_out`.

import { epochOf, nameOf } from '../../../ledger/account.ts'
import { conditionOf, type Filter, literal } from './filter.ts'
import type { Piece } from './pieces.ts'

/** What is read of a line. */
const FIELDS = {
  seq: 'BIGINT',
  id: 'VARCHAR',
  at: 'BIGINT',
  type: 'VARCHAR',
  code: 'VARCHAR',
  source: 'VARCHAR',
  confidence: 'INTEGER',
  credited: 'BOOLEAN',
  count: 'BIGINT',
  amount: 'BIGINT',
  to: 'VARCHAR',
  from: 'VARCHAR',
  account: 'VARCHAR',
  size: 'BIGINT',
  admit: 'VARCHAR',
  reason: 'VARCHAR',
  why: 'VARCHAR',
  detail: 'VARCHAR',
  mode: 'VARCHAR',
  by: 'VARCHAR',
  in: 'BIGINT',
  out: 'BIGINT',
  capacity: 'BIGINT',
  correction: 'BIGINT',
  reclaimed: 'BIGINT',
  carried: 'BIGINT',
  version: 'BIGINT',
  policy: 'BIGINT',
  what: 'VARCHAR',
  before: 'VARCHAR',
  after: 'VARCHAR',
  actual: 'BIGINT',
  counted: 'BIGINT',
  residual: 'BIGINT',
  lane: 'VARCHAR',
  truthIn: 'BIGINT',
  truthOut: 'BIGINT',
  seenIn: 'BIGINT',
  seenOut: 'BIGINT',
  ok: 'BOOLEAN',
} as const satisfies Record<string, string>

const TIME = 'CASE WHEN e."at" BETWEEN 0 AND 9007199254740991 THEN make_timestamp(e."at" * 1000) END'

/** What is not in its lines is in the name of a file: number, mall, gate, epoch, and the entry it is read from. */
export function linkName({ mall, account, path, skip }: Piece, number: number): string {
  return `${[number, mall, nameOf(account), epochOf(account), skip].join('~')}.jsonl${path.endsWith('.gz') ? '.gz' : ''}`
}

const inName = (part: number) => `split_part(parse_filename(r.filename), '~', ${part})`

interface Column {
  readonly is: string
  readonly means: string
}

export const COLUMNS = {
  mall: { is: inName(2), means: 'whose ledger it is' },
  account: { is: `${inName(3)} || '/' || ${inName(4)}`, means: 'the ledger, as in east/1' },
  gate: { is: inName(3), means: 'who wrote it, or anchor' },
  epoch: { is: `CAST(${inName(4)} AS INTEGER)`, means: 'which life of that ledger' },
  seq: { is: 'e.seq', means: 'place in the ledger, from 0' },
  id: { is: 'e.id', means: '' },
  time: { is: TIME, means: 'TIMESTAMP in UTC, by the writer’s clock' },
  at_ms: { is: 'e."at"', means: 'the same, ms since 1970' },
  day: { is: `CAST(${TIME} AS DATE)`, means: 'of that time, in UTC' },
  type: { is: 'e.type', means: 'admit, reject, exit, forced, lapse, send, receive, …' },
  decision: {
    is: `CASE e.type WHEN 'admit' THEN 'ADMIT' WHEN 'reject' THEN e.code END`,
    means: 'ADMIT, REJECT_AT_CAPACITY, …',
  },
  reason: { is: 'coalesce(e.reason, e.why, e.detail)', means: '' },
  source: { is: 'e.source', means: 'of an admission: local or stolen' },
  confidence: { is: 'e.confidence', means: 'of the sensor, per mille' },
  credited: { is: 'e.credited', means: 'of an exit' },
  count: { is: 'e."count"', means: 'people forced in; decisions that went unlogged' },
  amount: { is: 'e.amount', means: 'tokens sent or received' },
  counterpart: {
    is: `coalesce(e."to", e."from", CASE WHEN e.type <> 'open' THEN e.account END)`,
    means: 'the other ledger of a send, receive, enrol or fork',
  },
  size: { is: 'e.size', means: 'of the other ledger, in a receive or fork' },
  admit: { is: 'e.admit', means: 'id of the admission that a lapse takes back' },
  mode: { is: 'e.mode', means: '' },
  person: { is: 'e."by"', means: 'who did it (`by`)' },
  code: { is: `CASE WHEN e.type = 'fault' THEN e.code END`, means: 'of a fault' },
  people_in: { is: 'e."in"', means: 'that the optical counter saw' },
  people_out: { is: 'e."out"', means: '' },
  capacity: { is: 'e.capacity', means: 'of a budget, as the next three' },
  correction: { is: 'e.correction', means: '' },
  reclaimed: { is: 'e.reclaimed', means: '' },
  carried: { is: 'e.carried', means: '' },
  policy: { is: 'coalesce(e.policy, e.version)', means: 'version that an entry names' },
  what: { is: 'e.what', means: 'of a change, as the next two, or of a check' },
  before: { is: 'e.before', means: '' },
  after: { is: 'e.after', means: '' },
  actual: { is: 'e.actual', means: 'people found at a head count' },
  counted: { is: 'e.counted', means: 'people counted at that time' },
  residual: { is: 'e.residual', means: 'the one less the other' },
  lane: { is: 'e.lane', means: 'of a check, as the next five' },
  truth_in: { is: 'e.truthIn', means: 'people who truly came in' },
  truth_out: { is: 'e.truthOut', means: '' },
  seen_in: { is: 'e.seenIn', means: 'people whom the sensors told of' },
  seen_out: { is: 'e.seenOut', means: '' },
  ok: { is: 'e.ok', means: '' },
  line: { is: 'CAST(r.json AS VARCHAR)', means: 'all of it, as it stands in the ledger' },
} as const satisfies Record<string, Column>

interface Read {
  /** with names as `linkName` makes them */
  readonly files: readonly string[]
  /** do some of them begin with entries that are read from another? */
  readonly overlaps: boolean
  /** no line is longer */
  readonly bytesMax: number
}

export function entriesView({ files, overlaps, bytesMax }: Read, filter: Filter): string {
  const columns = Object.entries(COLUMNS).map(([name, { is }]) => `${is} AS ${name}`)
  const list = `[${files.map(literal).join(', ')}]`
  const lines =
    files.length === 0
      ? `(SELECT '' AS filename, CAST('{}' AS JSON) AS json WHERE false)`
      : `read_ndjson_objects(${list}, filename = true, maximum_object_size = ${bytesMax})`
  const skip = overlaps ? `WHERE e.seq >= CAST(split_part(${inName(5)}, '.', 1) AS BIGINT)` : ''
  const shape = literal(JSON.stringify(FIELDS))
  return `
    CREATE VIEW entries AS SELECT * FROM (
      SELECT ${columns.join(', ')}
      FROM (SELECT filename, json, json_transform(json, ${shape}) AS e FROM ${lines}) AS r ${skip}
    ) WHERE ${conditionOf(filter)}`
}
