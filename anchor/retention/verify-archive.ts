// Verify archive: an offline check of all archive files of a mall, for an auditor or after a disk was moved. Needs the
// charter and the policies, and nothing that runs.
//
// Law: every file is read to its last byte. What is missing, altered or torn is named, and the rest is checked all the same.

import type { Account } from '../../ledger/account.ts'
import { toBase64 } from '../../ledger/base64.ts'
import type { Charters } from '../../ledger/charters.ts'
import { type Counters, noCounters } from '../../ledger/counters.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import { type Joint, jointBefore, type Proof, titleOf } from './proof.ts'
import { frontierOf } from './reading.ts'
import { Roster } from './roster.ts'
import { checkSegment, readProof } from './segment-file.ts'
import { SegmentFolder } from './segment-folder.ts'

export interface ArchiveFinding {
  readonly account: Account
  /** as in `2026-11-16`; undefined where it is about none */
  readonly title?: string
  readonly what: string
}

export interface ArchiveReport {
  readonly accounts: number
  readonly segments: number
  readonly entries: number
  /** segments whose lines were kept for long enough and removed */
  readonly removed: number
  /** files without a proof: a writer that was interrupted */
  readonly strays: readonly string[]
  /** none: all is as it was signed */
  readonly findings: readonly ArchiveFinding[]
}

export interface Shown {
  readonly charters: Charters
  readonly policies: readonly Policy[]
}

interface Tally {
  segments: number
  entries: number
  removed: number
  readonly findings: ArchiveFinding[]
}

/** How far an account's ledger was followed. */
interface Place {
  readonly size: number
  readonly root: string
  readonly last?: string
  readonly counters: Counters
}

export async function verifyArchive(dir: string, shown: Shown): Promise<ArchiveReport> {
  const folder = new SegmentFolder(dir, shown.charters.first.mall)
  const roster = new Roster(shown.charters, shown.policies)
  const tally: Tally = { segments: 0, entries: 0, removed: 0, findings: [] }
  const strays: string[] = []
  const accounts = await folder.accounts()
  for (const account of accounts) {
    await verifyAccount(account, { folder, roster, tally, charterHash: shown.charters.hash })
    strays.push(...(await folder.strays(account)).map(title => `${account} ${title}`))
  }
  return { accounts: accounts.length, strays, ...tally }
}

interface Bench {
  readonly folder: SegmentFolder
  readonly roster: Roster
  readonly tally: Tally
  readonly charterHash: string
}

async function verifyAccount(account: Account, bench: Bench): Promise<void> {
  const { folder, tally } = bench
  const find = (title: string | undefined, what: string) =>
    tally.findings.push({ account, ...(title === undefined ? {} : { title }), what })
  const proofs: Proof[] = []
  for (const title of await folder.titles(account)) {
    const proof = await attempt(readProof(folder.pathOf(account, title)), what => find(title, what))
    if (proof === undefined) continue
    if (proof.account === account && proof.mall === bench.roster.mall && titleOf(proof) === title) proofs.push(proof)
    else find(title, `the proof is of ${proof.mall}, ${proof.account}, ${titleOf(proof)}`)
  }
  let place: Place = {
    size: 0,
    root: rootOf({ size: 0, peaks: [], last: '' }),
    last: bench.charterHash,
    counters: noCounters(),
  }
  for (const proof of proofs.sort((a, b) => a.from - b.from || a.to - b.to)) {
    const title = titleOf(proof)
    if (proof.from > place.size) find(title, `no sound file has the entries ${place.size} to ${proof.from - 1}`)
    const before = proof.from === place.size ? place : undefined
    const reached = await attempt(reach(proof, bench, before), what => find(title, what))
    // a file that was written twice, once the index was lost, is as good as the first
    if (reached !== undefined && reached.size > place.size) place = reached
  }
}

/** Where a segment leads to; `before` is where the one before it ended, if that is where it begins. */
async function reach(proof: Proof, bench: Bench, before: Place | undefined): Promise<Place> {
  const { folder, roster, tally } = bench
  const title = titleOf(proof)
  const open = (note: string): Row => roster.open(note, { twice: true })
  if (before !== undefined && !goesOn(before, proof)) {
    throw new Fault('SEGMENT', `does not go on from where the file before it ended, at size ${before.size}`)
  }
  if (await folder.isRemoved(proof.account, title)) {
    const row = open(proof.row)
    if (row.account !== proof.account || row.size !== proof.to)
      throw new Fault('SEGMENT', 'the row is of something else')
    tally.removed++
    return { size: row.size, root: row.root, counters: row.counters }
  }
  const { joint, counters: after } = await checkSegment(folder.pathOf(proof.account, title), {
    open,
    counters: before?.counters,
  })
  tally.segments++
  tally.entries += proof.to - proof.from
  return { size: joint.size, root: rootOf(joint), last: joint.last, counters: after }
}

function goesOn({ root, last }: Place, proof: Proof): boolean {
  return rootOf(jointBefore(proof)) === root && (last === undefined || last === proof.before.last)
}

function rootOf(joint: Joint): string {
  return toBase64(frontierOf(joint).root())
}

async function attempt<T>(act: Promise<T>, say: (what: string) => void): Promise<T | undefined> {
  try {
    return await act
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    say(error.message)
    return undefined
  }
}
