// Proofs: each entry with what shows that its writer wrote it, in one answer that can be kept and checked anywhere.

import { PROOF_FORMAT } from '../../../ledger/audit/event-proof.ts'
import { Fault } from '../../../ledger/fault.ts'
import { type Endpoint, ofMall, ok, refusal } from '../endpoint.ts'
import { isoOf } from '../event-sheet.ts'
import { proveEvent, Unsigned } from '../evidence-proof.ts'
import type { Desk } from '../ports.ts'
import { ApiRefusal } from '../refusal.ts'
import { AccountName, Moment, Name, only } from '../shape.ts'
import { Type } from '../type.ts'
import { EventId } from './events.ts'

const Hash = Type.String({ description: '32 bytes in base64' })
const Path = Type.Array(Hash, { description: 'sibling hashes from the leaf up (RFC 9162, 2.1.3.2)' })
const Count = Type.Integer({ minimum: 0 })

const Inclusion = {
  account: Type.String(),
  index: Count,
  line: Type.String({ description: 'the very bytes that are hashed' }),
  leafHash: Hash,
  size: Count,
  root: Hash,
  proof: Path,
  row: Type.String({ description: 'the signed note that states size and root' }),
  key: Type.Object(
    {
      vkey: Type.String(),
      from: Type.Enum(['charter', 'policy']),
      policy: Type.Optional(Type.Object({ version: Type.Integer(), hash: Hash, note: Type.String() })),
    },
    { description: 'whose signature is on the row, and what says so' },
  ),
}

const ProofShape = Type.Object({
  format: Type.Literal(PROOF_FORMAT),
  mall: Name,
  id: Type.String(),
  ...Inclusion,
  charter: Type.Object({
    hash: Hash,
    note: Type.String(),
    revisions: Type.Optional(Type.Array(Type.String(), { description: 'the charters that follow the first' })),
  }),
  checkpoint: Type.Optional(
    Type.Object(
      { ...Inclusion, at: Moment, head: Type.Object({ size: Count, root: Hash, proof: Path }) },
      { description: 'the anchor’s line that states the head of this ledger, proved in the anchor’s own' },
    ),
  ),
  instructions: Type.Array(Type.String(), { description: 'how to check it without our software' }),
})

export const PROOFS: readonly Endpoint[] = [
  ofMall({
    operation: 'getProof',
    method: 'GET',
    url: '/malls/:mall/events/:id/proof',
    tag: 'events',
    summary: 'That an entry stands in its ledger, as its writer signed it; complete by itself',
    shapes: {
      path: only({ mall: Name, id: EventId }),
      query: only({ account: Type.Optional(AccountName) }),
    },
    replies: {
      200: { description: 'the proof', schema: ProofShape },
      404: refusal(404, 'there is no such mall, or no such entry here; where files may have it, they are named'),
      409: refusal(409, 'the entry is here and no signed row covers it yet'),
    },
    answer: async ({ desk, path, query }) => {
      const event = await desk.archive.byId(path.id, query.account)
      if (event === undefined) throw await missing(desk, path.id)
      try {
        return ok(await proveEvent(desk, event))
      } catch (error) {
        if (error instanceof Unsigned) throw new ApiRefusal(409, 'unsigned', error.message)
        if (error instanceof Fault && error.code === 'PRUNED') throw await missing(desk, path.id)
        throw error
      }
    },
  }),
]

/** The clock of whoever made an id is not the one that entries are filed by. */
const ABOUT_MS = 300_000
const FILES_MAX = 20

/** An id says when it was made; what was pruned of that time is in files. */
async function missing({ retention }: Desk, id: string): Promise<ApiRefusal> {
  const at = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  const files = await retention.filesAt({ from: at - ABOUT_MS, to: at + ABOUT_MS }, FILES_MAX)
  if (files.length === 0) return new ApiRefusal(404, 'not-found', `no entry ${id} was collected`)
  const names = files.map(({ name, isRemoved }) => (isRemoved ? `${name} (removed after its time)` : name))
  const message =
    `no entry ${id} is in the database. By its id it is of ${isoOf(at)}, and closed days of that time are in the ` +
    `archive: ${names.join(', ')}. Beside each file lies its proof`
  return new ApiRefusal(404, 'archived', message)
}
