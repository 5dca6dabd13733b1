// Remembrance: what a member reads back from its store when it starts.
//
// Laws: the counters are the fold of the entries, never something stored beside them. Notes that do not open any more
// are left out and named: without them a member is poorer, never richer. Policies are another matter: without the newest
// an anchor would mint by the one before it, so a start waits until they open; and where the one that the budget follows
// is not there at all, the ledger is given up. A ledger that another key began is closed.

import type { Account } from '../ledger/account.ts'
import type { Opened } from '../ledger/books.ts'
import { Chain } from '../ledger/chain.ts'
import { noCounters } from '../ledger/counters.ts'
import type { Body } from '../ledger/entry.ts'
import { Fault, must } from '../ledger/fault.ts'
import { fold, foldBudget } from '../ledger/fold.ts'
import { parseLine } from '../ledger/line.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import type { Store } from '../ledger/store.ts'
import type { Memory } from './joining.ts'
import type { Keyring } from './keyring.ts'
import type { Answer } from './message.ts'

/** Names of the notes that a member keeps. */
export const NOTE = {
  mode: 'mode',
  clear: 'mode-clear',
  policy: (version: number) => `policy-${version}`,
  fork: (of: Account) => `fork-${of}`,
} as const
/** Decisions remembered whatever the clock says: minutes at a busy door. */
export const RECENT_ENTRIES = 4096
const POLICY = /^policy-[1-9][0-9]*$/
const UNREAD = 'It was good when it was kept: a revision of the charter is missing, or counts since too early a policy'

/** Enough for a gate and for the anchor; each takes what it knows. */
export interface Remembrance extends Kept {
  readonly memory: Memory
  readonly opened?: Opened
  readonly recent: readonly { readonly id: string; readonly answer: Answer | 'left' }[]
  readonly enrolled: readonly { readonly id: string; readonly account: Account }[]
}

export interface Kept {
  readonly rows: readonly Row[]
  readonly proofs: readonly (readonly [Row, Row])[]
  readonly policies: readonly Policy[]
  readonly modes: readonly ModeStatement[]
  /** notes that did not open */
  readonly refused: readonly string[]
}

export interface Reading {
  readonly store: Store
  readonly ringFor: (policies: readonly Policy[]) => Keyring
  readonly charterHash: string
  /** this member's vkey */
  readonly key: string
  readonly wall: number
  readonly rememberMs: number
}

export async function remember(reading: Reading): Promise<Remembrance> {
  const { store, ringFor, charterHash, key, wall, rememberMs } = reading
  const kept = keptNotes(store, ringFor)
  const unread = kept.refused.find(what => POLICY.test(what.split(':')[0] ?? ''))
  if (unread !== undefined) throw new Fault('CHARTER', `${unread}. ${UNREAD}`)
  const { found } = store
  if (found.kind !== 'intact') return { ...withoutLedger(store), ...kept }
  // one that was begun and not written to has no end yet
  const pen = new Chain(store.end ?? charterHash)
  must(pen.size === found.size, 'a pen goes on where the ledger ends')
  const counters = noCounters()
  const recent = new Map<string, Answer | 'left'>()
  const enrolled: { id: string; account: Account }[] = []
  let budget: ReturnType<typeof foldBudget>
  let writer = key
  for await (const line of store.range(0, found.size)) {
    const body = parseLine(line)
    fold(counters, body)
    budget = foldBudget(budget, body)
    if (body.type === 'open') writer = body.key
    if (body.type === 'enrol') enrolled.push({ id: body.id, account: body.account })
    // by the clock, and the newest in any case: a clock that jumped must not make anyone a new person
    if (wall - body.at < rememberMs || body.seq >= found.size - RECENT_ENTRIES) recall(recent, body)
  }
  const { account, size, root } = found
  const told = { recent: [...recent].map(([id, answer]) => ({ id, answer })), enrolled }
  const policy = budget && kept.policies.find(p => p.version === budget?.version)
  const unfounded = budget && !policy ? [`budget of ${account}: policy ${budget.version} is not here; given up`] : []
  if (writer !== key || unfounded.length > 0) {
    const refused = [...kept.refused, ...unfounded]
    return { ...told, ...closed(store, { ...kept, refused }, ringFor(kept.policies)) }
  }
  const inForce = budget && policy ? { budget, policy: { version: policy.version, hash: policy.hash } } : {}
  return {
    memory: { kind: 'intact', account, size, root },
    opened: { account, pen, counters, ...inForce },
    ...told,
    ...kept,
  }
}

/** Nobody goes on with it. What it came to is told by its last row, which the next epoch cites. */
function closed(store: Store, kept: Kept, ring: Keyring): Kept & Pick<Remembrance, 'memory'> {
  const { found } = store
  must(found.kind === 'intact', 'what another key wrote was read whole')
  const { account, row: note } = found
  const refused = [...kept.refused]
  const [last] = note === undefined ? [] : opened(refused, `last row of ${account}`, () => ring.row(note))
  if (last === undefined) return { ...kept, refused, memory: { kind: 'lost', account } }
  store.keepRow(account, note as string)
  return { ...kept, rows: [...kept.rows, last], refused, memory: { kind: 'lost', account, last } }
}

/** The store lost its ledger while it was in use: all but the notes is gone. */
export function rememberLoss(store: Store, ringFor: Reading['ringFor']): Remembrance {
  return { ...withoutLedger(store), ...keptNotes(store, ringFor) }
}

/** A ledger that is whole and must not be gone on with all the same: a copy that somebody put back by hand. */
export function giveUp({ opened: _, ...rest }: Remembrance): Remembrance {
  if (rest.memory.kind !== 'intact') return rest
  return { ...rest, memory: { kind: 'lost', account: rest.memory.account }, recent: [], enrolled: [] }
}

function withoutLedger({ found }: Store): Pick<Remembrance, 'memory' | 'recent' | 'enrolled'> {
  must(found.kind !== 'intact', 'what is intact is gone on with')
  const memory: Memory = found.kind === 'lost' ? { kind: 'lost', account: found.account } : { kind: 'blank' }
  return { memory, recent: [], enrolled: [] }
}

function recall(recent: Map<string, Answer | 'left'>, body: Body): void {
  if (body.type === 'admit') recent.set(body.id, { decision: 'ADMIT', reason: '', source: body.source })
  else if (body.type === 'exit') recent.set(body.id, 'left')
  // its token went back: the same id must not be told ADMIT again
  else if (body.type === 'lapse') recent.set(body.admit, { decision: 'REJECT_FAULT', reason: 'lapsed' })
}

function keptNotes(store: Store, ringFor: Reading['ringFor']): Kept {
  const refused: string[] = []
  const open = <T>(what: string, act: () => T): T[] => opened(refused, what, act)
  const notes = store.notes()
  const ring = ringFor([])
  const policies = [...notes]
    .filter(([name]) => POLICY.test(name))
    .flatMap(([name, note]) => open(name, () => ring.policy(note)))
    .sort((a, b) => a.version - b.version)
  const full = ringFor(policies)
  const modes = [NOTE.clear, NOTE.mode].flatMap(name => {
    const note = notes.get(name)
    return note === undefined ? [] : open(name, () => full.mode(note, true))
  })
  const rows = [...store.rows()].flatMap(([account, note]) => open(`row of ${account}`, () => full.row(note)))
  const proofs = [...notes]
    .filter(([name]) => name.startsWith(NOTE.fork('')))
    .flatMap(([name, note]) => open(name, () => proofOf(note, full)))
  return { rows, proofs, policies, modes, refused }
}

/** None where it does not open, which is then told. */
function opened<T>(refused: string[], what: string, act: () => T): T[] {
  try {
    return [act()]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    refused.push(`${what}: ${error.message}`)
    return []
  }
}

function proofOf(note: string, ring: Keyring): readonly [Row, Row] {
  const [a, b, ...more] = JSON.parse(note) as unknown[]
  if (typeof a === 'string' && typeof b === 'string' && more.length === 0) return [ring.row(a), ring.row(b)]
  throw new Fault('PROOF', 'a proof of two histories is two signed rows')
}
