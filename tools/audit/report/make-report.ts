// Make report: reads a bundle, verifies it, and puts the report together. The only file here that touches a disk.

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ANCHOR, epochOf } from '../../../ledger/account.ts'
import { type Bundle, type LedgerFile, openBundle } from '../../../ledger/audit/folder.ts'
import { Charters } from '../../../ledger/charters.ts'
import { Fault } from '../../../ledger/fault.ts'
import type { VerifierKey } from '../../../ledger/key.ts'
import { originOf } from '../../../ledger/origin.ts'
import { limitOf, type Policy } from '../../../ledger/policy.ts'
import type { Row } from '../../../ledger/row.ts'
import { openRow } from '../../../ledger/row-note.ts'
import { portionsOf } from '../query/line-file.ts'
import { verifyBundle } from '../verify-bundle.ts'
import { type BudgetTold, Facts } from './facts.ts'
import { lostEpochs, outagesOf } from './outages.ts'
import type { Period } from './period.ts'
import { daysOf, type Evidence, type Report, type Rules } from './report.ts'
import { type InForce, type Rulings, rulingsOf } from './rulings.ts'
import { Series } from './series.ts'

export interface MakeOptions {
  readonly period: Period
  /** ms, by the clock of whoever asks */
  readonly madeAt: number
  /** for the verifier; as many as help unless it is said */
  readonly threads?: number
  /** bytes that the verifier has read, of how many */
  readonly onProgress?: (done: number, all: number) => void
}

export async function makeReport(dir: string, owner: VerifierKey, options: MakeOptions): Promise<Report> {
  const { period, madeAt, ...rest } = options
  const { papers, facts, anchorRows, rulings, rules, legalMax, rostered } = await survey(dir, owner, period)
  const series = new Series({ ...period, legalMax: legalMax ?? Number.POSITIVE_INFINITY })
  const verification = await verifyBundle(dir, owner, { ...rest, onCut: cut => series.add(cut) })
  const { bundle, ok, proved, findings, accounts, lost } = verification
  const newest = anchorRows.at(-1)
  const curve = series.close(newest?.at ?? Number.NEGATIVE_INFINITY, minute => facts.activity.hasMoved(minute))
  const { gates: tallies, activity, reopenings } = facts
  const policy = papers.policies.get(rules?.version ?? 0)
  const unsigned = accounts.reduce((sum, { size, signed }) => sum + Math.max(0, size - signed), 0)
  return {
    period,
    madeAt,
    mall: papers.charters?.first.mall ?? bundle.about?.mall,
    legalMax,
    rules,
    roles: rolesOf(papers),
    verdict: { ok, findings, ...proved, ledgers: bundle.ledgers.size, unsigned },
    evidence: await evidenceOf(bundle, owner, newest, facts),
    isWhole: bundle.scope.gates === null,
    entries: facts.entries,
    unread: facts.unread,
    curve,
    days: daysOf(period, curve),
    gates: tallies,
    rostered,
    outages: outagesOf({ period, tallies, activity, rostered, reopenings }),
    emergencies: facts.emergencies.between(period.from, period.to),
    rulings,
    checks: facts.checks.list,
    drift: { slots: facts.drift.slots.map(({ name }) => name), gates: facts.drift.gates() },
    lost: lostEpochs({ lost, reopenings, accounts, policy }),
    clocks: facts.clockDoubts,
    forks: facts.forks,
  }
}

interface Surveyed {
  readonly papers: Papers
  readonly facts: Facts
  readonly anchorRows: readonly Row[]
  readonly rulings: Rulings
  readonly rules: Rules | undefined
  readonly legalMax: number | undefined
  readonly rostered: readonly string[]
}

/** All that does not wait for the verifier. The bundle's thousands of rows are let go when it is done. */
async function survey(dir: string, owner: VerifierKey, period: Period): Promise<Surveyed> {
  const bundle = await openBundle(dir)
  const papers = papersOf(bundle, owner)
  const facts = new Facts(period)
  for (const ledger of bundle.ledgers.values()) await read(ledger, facts)
  const anchorRows = anchorRowsOf(bundle, papers)
  const first = firstInForce(bundle, anchorRows)
  const rulings = rulingsOf({ period, policies: papers.policies, budgets: facts.budgets, first })
  const rules = rulesOf(papers, rulings, facts.budgets)
  const { gates } = bundle.scope
  const rostered = (papers.policies.get(rules?.version ?? 0)?.gates ?? [])
    .map(({ name }) => name)
    .filter(name => gates === null || gates.includes(name))
  return { papers, facts, anchorRows, rulings, rules, legalMax: legalMaxOf(papers, rulings), rostered }
}

/** A file that cannot be read to its end is in the findings; what it says up to there is counted. */
async function read({ account, path }: LedgerFile, facts: Facts): Promise<void> {
  try {
    for await (const lines of portionsOf(path)) for (const line of lines) facts.add(account, line.toString('utf8'))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    facts.unread++
  }
}

interface Papers {
  /** undefined where the owner's key does not open them */
  readonly charters: Charters | undefined
  /** those that are signed as they must be */
  readonly policies: ReadonlyMap<number, Policy>
}

function papersOf(bundle: Bundle, owner: VerifierKey): Papers {
  const charters = attempt(() =>
    Charters.open(
      bundle.charters.map(({ note }) => note),
      owner,
    ),
  )
  const policies = new Map<number, Policy>()
  for (const { note } of bundle.policies) {
    const policy = attempt(() => charters?.openPolicy(note))
    if (policy !== undefined) policies.set(policy.version, policy)
  }
  return { charters, policies }
}

/** Those that verify, the newest last. */
function anchorRowsOf(bundle: Bundle, { charters }: Papers): Row[] {
  if (charters === undefined) return []
  const { mall } = charters.first
  const origin = originOf(mall, ANCHOR)
  const found: Row[] = []
  for (const { note } of bundle.rows) {
    if (!note.startsWith(`${origin}/`)) continue
    for (const key of charters.keysOf(ANCHOR)) {
      const row = attempt(() => openRow(note, mall, () => key))
      if (row !== undefined) found.push(row)
    }
  }
  return found.sort((a, b) => epochOf(a.account) - epochOf(b.account) || a.size - b.size)
}

/** What was in force where the anchor's ledger is shown from the middle. */
function firstInForce(bundle: Bundle, rows: readonly Row[]): InForce | undefined {
  const row = rows.find(({ account, size }) => bundle.ledgers.get(account)?.from === size)
  if (row?.budget === undefined || row.policy === undefined) return undefined
  const { capacity, correction } = row.budget
  return { at: undefined, limit: capacity, correction, policy: row.policy.version }
}

/** The smallest that any policy in force was held to. */
function legalMaxOf({ charters }: Papers, { inForce }: Rulings): number | undefined {
  if (charters === undefined) return undefined
  if (inForce.length === 0) return charters.first.legalMax
  return Math.min(...inForce.map(({ policy }) => charters.of(policy).legalMax))
}

function rulesOf({ policies }: Papers, { inForce }: Rulings, budgets: readonly BudgetTold[]): Rules | undefined {
  const last = inForce.at(-1)
  const policy = policies.get(last?.policy ?? 0)
  if (last === undefined || policy === undefined) return undefined
  const signed = ({ version, signers, reason }: Policy) => {
    return { version, signers, reason, inForceSince: budgets.find(one => one.policy === version)?.at }
  }
  const { marginPerMille, confidenceMin, maxSharePerMille, expireAfterMs } = policy
  const current = policy.capacities.findLast(({ from }, i) => i === 0 || from <= (last.at ?? 0))
  // a limit in reserve may be in force in place of the step whose time it is
  const isLimit = ({ capacity }: { capacity: number }) => limitOf(capacity, marginPerMille) === last.limit
  const step = current !== undefined && isLimit(current) ? current : (policy.capacities.find(isLimit) ?? current)
  return {
    ...signed(policy),
    limitBy: signed(limitSetter(policy, policies)),
    limit: last.limit,
    capacity: step?.capacity ?? last.limit,
    marginPerMille,
    confidenceMin,
    maxSharePerMille,
    expireAfterMs,
  }
}

/** The first of the versions up to this one that have its schedule and its margin. */
function limitSetter(policy: Policy, policies: ReadonlyMap<number, Policy>): Policy {
  const terms = ({ capacities, marginPerMille }: Policy) => JSON.stringify([capacities, marginPerMille])
  let setter = policy
  for (;;) {
    const before = policies.get(setter.version - 1)
    if (before === undefined || terms(before) !== terms(policy)) return setter
    setter = before
  }
}

function rolesOf({ charters }: Papers): Report['roles'] {
  const operators = charters?.all.flatMap(charter => charter.operators) ?? []
  return Object.fromEntries(operators.map(({ name, role }) => [name, role]))
}

async function evidenceOf(
  bundle: Bundle,
  owner: VerifierKey,
  newest: Row | undefined,
  { checkpoint }: Facts,
): Promise<Evidence> {
  const { profile, about, scope } = bundle
  const tags = profile === 0 ? undefined : await readFile(join(bundle.dir, TAGS)).catch(() => undefined)
  return {
    profile,
    madeAt: about?.made,
    source: about?.source,
    scope: { from: scope.from, to: scope.to, gates: scope.gates },
    seal: tags === undefined ? undefined : hash('sha256', tags),
    owner: { name: owner.name, id: owner.id, fingerprint: owner.fingerprint },
    anchor: newest && { account: newest.account, size: newest.size, root: newest.root, at: newest.at },
    checkpoint,
  }
}

const TAGS = 'tagmanifest-sha256.txt'

/** What does not open is in the findings; the report goes on without it. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
