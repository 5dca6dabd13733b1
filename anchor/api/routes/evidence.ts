// Evidence: what `gatemesh audit export` takes away: what there is, every row that is kept, and the ledgers as they were
// written, from the database or from the files of closed days alike.
//
// Laws: a ledger is read at the pace of whoever reads it, one portion in memory at a time. What breaks off goes on from
// where it ended: lines have numbers, and nothing that was told changes.

import { gatherForks, type Inventory, type Remark } from '../../../mesh/archive/inventory.ts'
import { removedStretches } from '../../retention/whole-ledger.ts'
import { type Endpoint, ofMall, ok, type Reader, refusal, streamed } from '../endpoint.ts'
import type { Desk } from '../ports.ts'
import { ApiRefusal } from '../refusal.ts'
import { AccountName, Limit, limitOf, MallPath, Moment, Name, only } from '../shape.ts'
import { Type } from '../type.ts'
import { alone } from './export.ts'

const Size = Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 })
const Peaks = Type.Array(Type.String(), { description: 'roots of the perfect subtrees, largest first, base64' })
const Note = Type.String({ description: 'a signed note' })

const InventoryShape = Type.Object({
  mall: Name,
  name: Name,
  key: Type.String({ description: 'the vkey of whoever tells this' }),
  at: Moment,
  charters: Type.Array(Note, { description: 'the first charter, then its revisions' }),
  policies: Type.Array(Type.Object({ version: Type.Integer(), note: Note })),
  ledgers: Type.Array(Type.Object({ account: Type.String(), first: Size, peaks: Peaks, size: Size }), {
    description: 'entries [first, size) of each account are here',
  }),
  rows: Type.Array(Note, { description: 'the newest of every account in view, at one moment' }),
  forks: Type.Array(Type.Object({ account: Type.String(), notes: Type.Array(Note) })),
  remarks: Type.Array(Type.Object({ what: Type.String() }, { additionalProperties: true })),
})

/** What somebody's line holds up for longer is asked for again. */
const UNREAD_MS_MAX = 60_000
const PORTION_CHARS = 32 * 1024

export const EVIDENCE: readonly Endpoint[] = [
  ofMall({
    operation: 'getInventory',
    method: 'GET',
    url: '/malls/:mall/evidence/inventory',
    tag: 'audit',
    summary: 'What evidence there is: charter, policies, how far each ledger is here, the rows of this moment, forks',
    shapes: { path: MallPath },
    replies: { 200: { description: 'all there is', schema: InventoryShape } },
    answer: async ({ desk, service }) => ok(await inventoryOf(desk, service.wall())),
  }),
  ofMall({
    operation: 'listRows',
    method: 'GET',
    url: '/malls/:mall/evidence/rows',
    tag: 'audit',
    summary: 'Signed rows of one account that are kept, smallest ledger first: one of each day, and the newest',
    shapes: { path: MallPath, query: only({ account: AccountName, after: Type.Optional(Size), limit: Limit }) },
    replies: {
      200: {
        description: 'a page; the next one is after the size of the last row of this one, until there are none',
        schema: Type.Object({
          rows: Type.Array(Type.Object({ size: Size, note: Note, peaks: Type.Optional(Peaks) })),
        }),
      },
      404: refusal(404, 'there is no such mall, or nothing of this account was collected'),
    },
    answer: async ({ desk, query }) => {
      await reachOf(desk, query.account)
      const a = { after: query.after ?? 0, limit: limitOf(query) }
      return ok({ rows: await desk.retention.whole.rows(query.account, a) })
    },
  }),
  streamed({
    operation: 'exportLedger',
    method: 'GET',
    url: '/malls/:mall/evidence/ledger',
    tag: 'audit',
    summary: 'Entries [from, to) of one ledger, a line each, the very bytes that are hashed',
    shapes: {
      path: MallPath,
      query: only({ account: AccountName, from: Type.Optional(Size), to: Type.Optional(Size) }),
    },
    replies: {
      200: {
        description: 'the lines, as far as they are here; fewer than asked for where the ledger ends before',
        type: 'application/x-ndjson',
        schema: Type.String(),
      },
      404: refusal(404, 'there is no such mall, nothing of this account was collected, or not from there on any more'),
    },
    heading: ({ query }) => ({
      type: 'application/x-ndjson; charset=utf-8',
      file: `${query.account.replace('/', '-')}.jsonl`,
      unreadMsMax: UNREAD_MS_MAX,
    }),
    stream: async ({ desk, query }, reader) => {
      const { first, size } = await reachOf(desk, query.account)
      const { account, from = 0, to = size } = query
      if (from < first) {
        throw new ApiRefusal(404, 'removed', `${account} begins at entry ${first} here: what was before is not kept`)
      }
      await alone(desk.archive, () => pour(desk.retention.whole.lines(account, from, Math.min(to, size)), reader))
    },
  }),
]

async function reachOf({ retention }: Desk, account: string) {
  const reach = await retention.whole.of(account)
  if (reach === undefined) throw new ApiRefusal(404, 'not-found', `nothing of ${account} was collected`)
  return reach
}

async function pour(lines: AsyncIterable<string>, reader: Reader): Promise<void> {
  let portion = ''
  for await (const line of lines) {
    portion += `${line}\n`
    if (portion.length < PORTION_CHARS) continue
    await reader.write(portion)
    portion = ''
  }
  await reader.write(portion)
}

async function inventoryOf(desk: Desk, at: number): Promise<Inventory> {
  const { archive, charter, charterNotes, retention, mall } = desk
  // in one breath: the rows of one moment belong together
  const rows = rowsOf(desk)
  const banned = [...(desk.me()?.banned.values() ?? [])]
  const evidence = await archive.evidence()
  const proofs = [
    ...banned.map(pair => ({ account: pair[0].account, notes: pair.map(row => row.note) })),
    ...evidence.filter(({ what }) => what === 'fork').map(({ account, rows: notes }) => ({ account, notes })),
  ]
  const remarks: Remark[] = []
  for (const { account, at: when, what, detail, by } of evidence) {
    remarks.push({
      what: 'contradiction',
      account,
      kind: what,
      detail,
      seen: when,
      ...(by === undefined ? {} : { by }),
    })
  }
  for (const hold of retention.holds()) remarks.push({ what: 'hold', hold })
  remarks.push(...(await removedStretches(retention.removed())))
  const policies = desk.policies().flatMap(({ version, note }) => (note === undefined ? [] : [{ version, note }]))
  return {
    mall,
    name: 'anchor',
    key: charter.anchor,
    at,
    charters: [...charterNotes],
    policies,
    ledgers: await retention.whole.all(),
    rows,
    forks: gatherForks(proofs),
    remarks,
  }
}

/** Of each account in view the newest, and what was collected of those that are in nobody's view any more. */
function rowsOf(desk: Desk): string[] {
  const { archive } = desk
  const own = desk.checkpoint()
  const notes = own === undefined ? [] : [own]
  const seen = new Set(own === undefined ? [] : [accountOf(own)])
  for (const { row } of desk.me()?.view.others() ?? []) {
    const { signed = 0, row: collected } = archive.head(row.account) ?? {}
    // after a restart the view may know less than was collected before
    const note = signed > row.size ? collected : row.note
    if (note !== undefined) notes.push(note)
    seen.add(row.account)
  }
  for (const account of archive.accounts()) {
    const note = archive.head(account)?.row
    if (note !== undefined && !seen.has(account)) notes.push(note)
  }
  return notes
}

/** Ours, so it needs no more than to be read. */
function accountOf(note: string): string {
  return note.slice(0, note.indexOf('\n')).split('/').slice(2).join('/')
}
