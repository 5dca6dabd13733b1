// Books: every ledger that is left of a mall after a run, exported from its disks as for an auditor, verified, and read.

import { readFile } from 'node:fs/promises'
import type { Account } from '../../ledger/account.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { exportBundle } from '../../tools/audit/export-bundle.ts'
import { type DiskPlace, DiskSource } from '../../tools/audit/sources/disk-source.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { Free, type Moved } from './free.ts'

/** Where an entry stands. */
export interface Kept {
  readonly account: Account
  readonly seq: number
  /** of exits: did it give a token back? */
  readonly credited: boolean
}

export interface Books {
  readonly admits: ReadonlyMap<string, readonly Kept[]>
  readonly exits: ReadonlyMap<string, readonly Kept[]>
  /** admissions that were taken back */
  readonly lapses: ReadonlySet<string>
  /** what the auditor has to say, one line each */
  readonly audit: readonly string[]
  readonly entries: number
  readonly maxOccupancy: number | null
  readonly epochs: readonly Account[]
  /** tokens that somebody can still let people in with: those of accounts that were lost come back by a head count only */
  readonly free: number
}

export interface Disks {
  readonly places: readonly DiskPlace[]
  /** the file with the owner's key */
  readonly owner: string
  /** the folder to make */
  readonly out: string
}

interface Entry extends Moved {
  readonly seq: number
  readonly id: string
  readonly admit?: string
  readonly credited?: boolean
}

const UNREAD = {
  admits: new Map(),
  exits: new Map(),
  lapses: new Set<string>(),
  entries: 0,
  maxOccupancy: null,
  epochs: [],
  free: 0,
}

/** Disks that cannot be read at all are a finding like any other. */
export async function readBooks(disks: Disks): Promise<Books> {
  try {
    return await read(disks)
  } catch (error) {
    return { ...UNREAD, audit: [`the ledgers cannot be read: ${(error as Error).message}`] }
  }
}

async function read({ places, owner, out }: Disks): Promise<Books> {
  const source = new DiskSource(places, true)
  const quiet = () => undefined
  const wish = { out, from: null, to: null, gates: null, by: 'chaos', say: quiet, warn: quiet, onProgress: quiet }
  try {
    await exportBundle(source, wish)
  } finally {
    await source.close()
  }
  const key = VerifierKey.parse((await readFile(owner, 'utf8')).trim())
  const { findings, bundle, maxOccupancy, accounts } = await verifyBundle(out, key, { threads: 0 })
  const admits = new Map<string, Kept[]>()
  const exits = new Map<string, Kept[]>()
  const lapses = new Set<string>()
  const free = new Free(accounts)
  let entries = 0
  for (const [account, { path }] of bundle.ledgers) {
    for (const line of (await readFile(path, 'utf8')).split('\n')) {
      if (line === '') continue
      entries++
      const entry = JSON.parse(line) as Entry
      const { seq, id, type, admit = '', credited = false } = entry
      const into = type === 'admit' ? admits : type === 'exit' ? exits : undefined
      into?.set(id, [...(into.get(id) ?? []), { account, seq, credited }])
      if (type === 'lapse') lapses.add(admit)
      free.take(account, entry)
    }
  }
  const audit = findings.map(
    ({ kind, account, seq, what }) => `${kind} ${account}${seq === undefined ? '' : ` entry ${seq}`}: ${what}`,
  )
  return { admits, exits, lapses, audit, entries, maxOccupancy, epochs: [...bundle.ledgers.keys()], free: free.total }
}
