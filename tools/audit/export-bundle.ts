// Export bundle: takes evidence from a source and writes it as a bundle, with how that came about in its custody log.
//
// Law: what could not be had is said, to whoever asks for it and to whoever reads the bundle later.

import { readFile } from 'node:fs/promises'
import { type Account, nameOf } from '../../ledger/account.ts'
import { type About, BUNDLE_FORMAT, type Scope } from '../../ledger/audit/about.ts'
import { frontierAt, type Start, startOf } from '../../ledger/audit/start.ts'
import { Fault } from '../../ledger/fault.ts'
import { Frontier, leafHash } from '../../ledger/tree.ts'
import type { Remark } from '../../mesh/archive/inventory.ts'
import { type WrittenBundle, writeBundle } from './bundle-writer.ts'
import { type Beginning, keptSince, planExport } from './export-plan.ts'
import type { Source } from './sources/source.ts'

export interface ExportWish extends Scope {
  readonly out: string
  /** who takes it; null where nobody said */
  readonly by: string | null
  /** where the mall says it is, if that is known */
  readonly mall?: string | undefined
  /** what is being waited for */
  readonly say: (line: string) => void
  /** what whoever asked must know */
  readonly warn: (line: string) => void
  readonly onProgress: (entries: number, of: number) => void
}

export interface Exported extends WrittenBundle {
  readonly about: About
  /** what should be in it and is not */
  readonly missing: readonly Remark[]
}

const PACKAGE = new URL('../../package.json', import.meta.url)

export async function exportBundle(source: Source, wish: ExportWish): Promise<Exported> {
  const made = Date.now()
  const taken = await source.take(wish, wish.say)
  if (wish.mall !== undefined && wish.mall !== taken.mall) {
    throw new Fault('SOURCE', `this is ${taken.mall}, not ${wish.mall}`)
  }
  const gates = gatesOf(source, wish)
  const unknown = wish.gates?.find(name => ![...taken.ledgers.keys()].some(account => nameOf(account) === name))
  if (unknown !== undefined) throw new Fault('SOURCE', `there is no ledger of ${unknown} here`)
  const from = wish.from ?? keptSince(taken, gates)
  if (from !== wish.from) wish.warn(`what was before ${new Date(from ?? 0).toISOString()} was removed after its time`)
  const scope: Scope = { from, to: wish.to, gates }
  const plan = planExport(taken, scope)
  if (plan.ledgers.length === 0) throw new Fault('SOURCE', 'there is nothing to show: no ledger of what was asked for')
  const starts: Start[] = []
  for (const beginning of plan.starts) starts.push(await startFrom(source, beginning))
  const about: About = {
    format: BUNDLE_FORMAT,
    mall: taken.mall,
    made,
    source: source.kind,
    ...scope,
    ledgers: plan.ledgers,
  }
  const stretches = new Map(plan.ledgers.map(stretch => [stretch.account, stretch]))
  const of = plan.ledgers.reduce((sum, { from, to }) => sum + to - from, 0)
  const { version } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { version: string }
  const options = { from: wish.from, to: wish.to, gates: wish.gates }
  const acts = [
    { what: 'export', by: wish.by, software: `gatemesh ${version}`, options },
    ...taken.remarks,
    ...plan.missing,
  ]
  const content = {
    about,
    charters: taken.charters,
    policies: taken.policies,
    rows: plan.rows.map(({ row, note }) => ({ account: row.account, size: row.size, note })),
    forks: plan.forks,
    starts,
    custody: acts.map(act => ({ at: made, ...act })),
    lines: (account: Account) => {
      const { from, to } = stretches.get(account) ?? { from: 0, to: 0 }
      return source.lines(account, from, to)
    },
  }
  const written = await writeBundle(wish.out, content, { onProgress: entries => wish.onProgress(entries, of) })
  const missing = [...taken.remarks, ...plan.missing].filter(({ what }) => what === 'missing' || what === 'damage')
  return { ...written, about, missing }
}

/** What was asked for, as far as the source has it. */
function gatesOf({ gates }: Source, wish: ExportWish): readonly string[] | null {
  if (wish.gates === null || gates === null) return wish.gates ?? gates
  const strange = wish.gates.find(name => !gates.includes(name))
  if (strange === undefined) return wish.gates
  throw new Fault('SOURCE', `there is nothing of ${strange} here, only of ${gates.join(', ')}`)
}

async function startFrom(source: Source, { account, size, known }: Beginning): Promise<Start> {
  const tree = known.size === 0 ? new Frontier() : frontierAt({ account, ...known })
  for await (const line of source.lines(account, known.size, size)) tree.append(leafHash(line))
  return startOf(account, tree)
}
