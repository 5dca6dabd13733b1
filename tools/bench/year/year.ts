// Year: a mall of thirty gates over 365 days, as the bundle that its anchor would hand to an auditor.
//
// Law: nothing of it is made up for the verifier. Gates and anchor are the real ones and write what they would; only the
// people, the wire, the clocks and the power plugs are invented. The same entries and seed give the same bytes.

import { createReadStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Account } from '../../../ledger/account.ts'
import { BUNDLE_FORMAT, WHOLE } from '../../../ledger/audit/about.ts'
import type { EntryType } from '../../../ledger/entry.ts'
import { type BundleContent, writeBundle } from '../../audit/bundle-writer.ts'
import { weightOf } from './calendar.ts'
import { Fate } from './fate.ts'
import { Mall } from './mall.ts'
import { MALL } from './papers.ts'
import { ENTRIES_A_VISITOR, scaleOf } from './scale.ts'
import type { Spool } from './spool.ts'

export interface YearOptions {
  /** at least so many */
  readonly entries: number
  readonly seed: number
  /** the bundle will be here, and the owner's key beside it, as `DIR.vkey` */
  readonly dir: string
  readonly onDay?: (told: { readonly day: number; readonly days: number; readonly entries: number }) => void
}

export interface Year {
  readonly entries: number
  readonly days: number
  readonly accounts: readonly Account[]
  readonly rows: number
  readonly policies: number
  readonly bytes: number
  readonly visitors: number
  readonly capacity: number
  readonly types: ReadonlyMap<EntryType, number>
  readonly seal: string
}

/** Where the owner's key of a year lies: beside the bundle, since nothing in it is to be trusted. */
export function vkeyPath(dir: string): string {
  return `${dir}.vkey`
}

export async function makeYear(options: YearOptions): Promise<Year> {
  const { dir, seed } = options
  const spoolDir = `${dir}.spool`
  await rm(spoolDir, { recursive: true, force: true })
  await mkdir(spoolDir, { recursive: true })
  try {
    const mall = new Mall({ scale: scaleOf(options.entries), seed, dir: spoolDir })
    const days = live(mall, options)
    for (const spool of mall.spools) spool.end()
    const { entries, bytes, seal } = await writeBundle(dir, contentOf(mall))
    await writeFile(vkeyPath(dir), `${mall.papers.owner}\n`)
    return {
      entries,
      days,
      accounts: mall.spools.map(({ account }) => account).sort(),
      rows: mall.rows.length,
      policies: mall.papers.policies.length,
      bytes,
      visitors: mall.crowd.visitors,
      capacity: mall.scale.capacity,
      types: mall.types,
      seal,
    }
  } finally {
    await rm(spoolDir, { recursive: true, force: true })
  }
}

/** Day after day, each as busy as its weight says and as the entries still to come ask for. */
function live(mall: Mall, { onDay }: YearOptions): number {
  const { scale, clock, random } = mall
  const fate = new Fate(mall)
  clock.begin(0)
  mall.found()
  // what the last day brings is never quite what was expected
  const aim = scale.entries * (1 + 0.3 / scale.days)
  let perVisitor = ENTRIES_A_VISITOR
  let left = 0
  for (let day = 0; day < scale.days; day++) left += weightOf(day, random)
  let day = 0
  for (; day < scale.days || mall.entries < scale.entries; day++) {
    const weight = weightOf(day, random)
    // an extra day or two, where the last ones were quieter than expected
    const share = day < scale.days ? weight / left : 1
    const wanted = (aim - mall.entries) * share
    const visitors = Math.max(1, Math.ceil(wanted / perVisitor))
    left -= weight
    const before = mall.entries
    if (day > 0) clock.begin(day)
    fate.morning(day)
    mall.day(visitors)
    fate.evening(day)
    mall.keepRows()
    if (visitors > 100) perVisitor += ((mall.entries - before) / visitors - perVisitor) * 0.1
    onDay?.({ day: day + 1, days: scale.days, entries: mall.entries })
  }
  return day
}

function contentOf(mall: Mall): BundleContent {
  const { papers, rows, clock } = mall
  const spools = new Map(mall.spools.map(spool => [spool.account, spool]))
  const ledgers = mall.spools
    .map(({ account, size }) => ({ account, from: 0, to: size }))
    .sort((a, b) => (a.account < b.account ? -1 : 1))
  const made = clock.wall
  return {
    about: { format: BUNDLE_FORMAT, mall: MALL, made, source: 'anchor', ...WHOLE, ledgers },
    charters: [papers.charterNote],
    policies: papers.policies,
    rows,
    forks: [],
    starts: [],
    custody: [{ at: made, what: 'generated', by: 'gatemesh bench verify' }],
    lines: account => createInterface({ input: createReadStream((spools.get(account) as Spool).path, 'utf8') }),
  }
}

/** The ledgers of a bundle, for whoever reads its lines. */
export function ledgerPath(dir: string, account: Account): string {
  return join(dir, 'data', 'ledgers', `${account}.jsonl`)
}
