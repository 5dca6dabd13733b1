// Evidence proof: an entry that the anchor collected, with what shows that its writer wrote it (ledger/audit/event-proof.ts).

import { ANCHOR, isAnchor, nameOf } from '../../ledger/account.ts'
import {
  type EventProof,
  PROOF_FORMAT,
  type ShownEntry,
  type ShownKey,
  type Witness,
} from '../../ledger/audit/event-proof.ts'
import { toBase64 } from '../../ledger/base64.ts'
import { parseCharter } from '../../ledger/charter-note.ts'
import { must } from '../../ledger/fault.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { parseNote } from '../../ledger/note.ts'
import { checkInclusion } from '../../ledger/proof.ts'
import type { Row } from '../../ledger/row.ts'
import { parseRow } from '../../ledger/row-note.ts'
import { textHash } from '../../ledger/text-hash.ts'
import { leafHash } from '../../ledger/tree.ts'
import type { Event } from '../../mesh/archive/archive.ts'
import { BY_HAND } from './by-hand.ts'
import type { Desk } from './ports.ts'

/** Not yet: no row that was signed covers it. */
export class Unsigned extends Error {}

/** Throws `Unsigned` where no row covers it yet, and a Fault 'PRUNED' where it was pruned meanwhile. */
export async function proveEvent(desk: Desk, event: Event): Promise<EventProof> {
  const { charterNotes, mall } = desk
  const [first = '', ...revisions] = charterNotes
  const inclusion = await include(desk, event)
  if (inclusion === undefined) {
    const { signed = 0 } = desk.archive.head(event.account) ?? {}
    const { seq } = event.entry
    throw new Unsigned(
      `no signed row covers entry ${seq} of ${event.account} yet: its rows reach ${signed} entries. ` +
        'A gate signs every second or so while it can be reached: try again in a moment',
    )
  }
  const checkpoint = isAnchor(event.account) ? undefined : await witness(desk, event)
  return {
    format: PROOF_FORMAT,
    mall,
    id: event.entry.id,
    ...inclusion,
    charter: {
      hash: textHash(parseNote(first).text),
      note: first,
      ...(revisions.length === 0 ? {} : { revisions }),
    },
    ...(checkpoint === undefined ? {} : { checkpoint }),
    instructions: BY_HAND,
  }
}

/** Undefined where no row covers it. */
async function include(desk: Desk, { account, entry, line }: Event): Promise<ShownEntry | undefined> {
  const { archive, mall } = desk
  const { row: note } = archive.head(account) ?? {}
  if (note === undefined) return undefined
  const { text, signatures } = parseNote(note)
  const row = parseRow(text, mall)
  if (row.size <= entry.seq) return undefined
  const path = await archive.path(account, entry.seq, row.size)
  const leaf = leafHash(line)
  const root = Buffer.from(row.root, 'base64')
  must(checkInclusion({ leaf, index: entry.seq, size: row.size, root, path }), 'what rows vouch for is in their tree')
  return {
    account,
    index: entry.seq,
    line,
    leafHash: toBase64(leaf),
    size: row.size,
    root: row.root,
    proof: path.map(toBase64),
    row: note,
    key: keyOf(desk, row, signatures[0]?.id ?? ''),
  }
}

/** The key of this id that the account's name has, or had once. */
function keyOf({ charterNotes, policies }: Desk, { account }: Row, id: string): ShownKey {
  const name = nameOf(account)
  const isIt = (one: { readonly name: string; readonly key: string }) =>
    one.name === name && VerifierKey.parse(one.key).id === id
  const charters = charterNotes.map(note => parseCharter(parseNote(note).text))
  const born = charters.flatMap(({ anchor, gates }) => [{ name: ANCHOR, key: anchor }, ...gates]).find(isIt)
  if (born !== undefined) return { vkey: born.key, from: 'charter' }
  for (const { gates, version, hash, note = '' } of policies()) {
    const added = gates.find(isIt)
    if (added !== undefined) return { vkey: added.key, from: 'policy', policy: { version, hash, note } }
  }
  throw new Error(`the row of ${account} is signed by a key that no policy here has`)
}

/** A row may be written down a little before its entries are collected. */
const BEFORE_MS = 15_000
/** Of the checkpoints since then; there is one every ten seconds while something happens. */
const LOOK_MAX = 20

/** The first checkpoint of the anchor's that covers the entry. */
async function witness(desk: Desk, event: Event): Promise<Witness | undefined> {
  const { archive } = desk
  const { account, entry, arrivedAt } = event
  const collected = archive.head(account)?.size ?? 0
  const from = Math.max(0, arrivedAt - BEFORE_MS)
  const { events } = await archive.find({ gate: ANCHOR, type: 'checkpoint', from, limit: LOOK_MAX })
  for (const written of events) {
    if (written.entry.type !== 'checkpoint') continue
    const [, size = 0, root = ''] = written.entry.heads.find(([name]) => name === account) ?? []
    if (size <= entry.seq || size > collected) continue
    const own = await include(desk, written)
    if (own === undefined) return undefined
    const path = await archive.path(account, entry.seq, size)
    const leaf = leafHash(event.line)
    const isIt = checkInclusion({ leaf, index: entry.seq, size, root: Buffer.from(root, 'base64'), path })
    // two histories are a matter for the evidence, and nothing to prove an entry with
    if (!isIt) return undefined
    return { ...own, at: written.entry.at, head: { size, root, proof: path.map(toBase64) } }
  }
  return undefined
}
