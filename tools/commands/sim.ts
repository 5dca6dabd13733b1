// `gatemesh sim`: storms in virtual time, as many as wanted. A seed that fails is printed with the one command that
// replays it, smallest storm first.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { runSeeds } from '../../test/sim/pool.ts'
import { NUISANCES, type Nuisance } from '../../test/sim/profile.ts'
import { DECISIONS, FAULTS, type Mercy, type Outcome, profileOf, runSeed, shrink } from '../../test/sim/run.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { table } from '../table.ts'

export const summary = 'run the mall in virtual time under every kind of fault, and check every law'

export const help = `
gatemesh sim [--seeds N] [--from SEED] [--minutes M] [--jobs N] [--first] [--json]
gatemesh sim --from SEED --seeds 1 --transcript [--keep 3,7,9] [--without loss,reorder]

  --seeds N        how many storms (200)
  --from SEED      the first one (1)
  --minutes M      go on for so long instead of counting seeds
  --jobs N         cores to use (all)
  --first          stop at the first seed that fails, and do not look for the smallest storm
  --json           totals as JSON
  --transcript     print what happened, event by event
  --keep LIST      of the storm's blows, strike only these (as a failing run prints them)
  --without LIST   nuisances to leave out: ${NUISANCES.join(', ')}

Exit code 1 when a law broke, or when a long run (500 seeds or more) left out a kind of fault or decision.
`

/** Fewer seeds than this may miss a rare fault by chance. */
const COVERAGE_SEEDS = 500

interface Totals {
  seeds: number
  cpuMs: number
  simulatedMs: number
  messages: number
  audited: number
  decisions: Record<string, number>
  faults: Record<string, number>
  failures: Outcome[]
}

interface Plan {
  readonly from: number
  readonly count: number
  readonly until: number
  readonly jobs: number
  readonly first: boolean
  readonly quiet: boolean
}

export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: '200' },
      from: { type: 'string', default: '1' },
      minutes: { type: 'string' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      first: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      transcript: { type: 'boolean', default: false },
      keep: { type: 'string' },
      without: { type: 'string' },
    },
  })
  const from = wholeNumber('--from', values.from, 0)
  const seeds = wholeNumber('--seeds', values.seeds, 1)
  const jobs = wholeNumber('--jobs', values.jobs, 1, 64)
  const minutes = values.minutes === undefined ? undefined : wholeNumber('--minutes', values.minutes, 1)
  if (values.transcript || values.keep !== undefined || values.without !== undefined) {
    return replay(from, mercyOf(values.keep, values.without), values.transcript)
  }
  const count = minutes === undefined ? seeds : Number.POSITIVE_INFINITY
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000
  const started = performance.now()
  const totals = await storm({ from, count, until, jobs, first: values.first, quiet: values.json })
  const seconds = (performance.now() - started) / 1000
  if (values.json) console.log(JSON.stringify(forPrograms(totals, seconds), null, 2))
  else console.log(readable(totals, seconds))
  const never = unseen(totals)
  if (never.length > 0) console.error(`never happened: ${never.join(', ')}`)
  for (const { seed, broken } of totals.failures.slice(0, values.first ? 0 : 3)) if (broken) await explain(seed, broken)
  return totals.failures.length > 0 || never.length > 0 ? EXIT.no : EXIT.fine
}

async function replay(seed: number, mercy: Mercy, transcript: boolean): Promise<number> {
  const outcome = await runSeed(seed, mercy, transcript ? line => console.log(line) : undefined)
  const { broken } = outcome
  console.log(broken ? `seed ${seed} breaks ${broken.law}: ${broken.what}` : `seed ${seed}: every law holds`)
  return broken ? EXIT.no : EXIT.fine
}

/** Hands out seeds to the workers until there are enough or time is up. */
async function storm(a: Plan): Promise<Totals> {
  const blank = { seeds: 0, cpuMs: 0, simulatedMs: 0, messages: 0, audited: 0 }
  const totals: Totals = { ...blank, decisions: {}, faults: {}, failures: [] }
  let next = a.from
  const isOver = () => a.first && totals.failures.length > 0
  const hasMore = () => next < a.from + a.count && performance.now() < a.until && !isOver()
  let saidAt = 0
  const progress = () => {
    if (a.quiet || performance.now() - saidAt < 2000) return
    saidAt = performance.now()
    const of = Number.isFinite(a.count) ? ` of ${a.count}` : ''
    process.stderr.write(
      `sim: ${totals.seeds}${of} seeds, ${sum(totals.decisions)} decisions, ${totals.failures.length} failed\n`,
    )
  }
  const cpuUs = await runSeeds(
    a.jobs,
    () => (hasMore() ? next++ : undefined),
    ({ outcome }) => {
      add(totals, outcome)
      progress()
    },
  )
  return { ...totals, cpuMs: cpuUs / 1000 }
}

function add(totals: Totals, outcome: Outcome): void {
  totals.seeds++
  totals.simulatedMs += outcome.simulatedMs
  totals.messages += outcome.messages
  totals.audited += outcome.audited
  for (const kind in outcome.decisions) bump(totals.decisions, kind, outcome.decisions[kind] ?? 0)
  for (const kind in outcome.faults) bump(totals.faults, kind, outcome.faults[kind] ?? 0)
  if (outcome.broken) totals.failures.push(outcome)
}

function bump(counts: Record<string, number>, kind: string, by: number): void {
  counts[kind] = (counts[kind] ?? 0) + by
}

function unseen(totals: Totals): string[] {
  if (totals.seeds < COVERAGE_SEEDS) return []
  return [...FAULTS.filter(kind => !totals.faults[kind]), ...DECISIONS.filter(kind => !totals.decisions[kind])]
}

/** What to tell the person who has to mend it. */
async function explain(seed: number, broken: { law: string; what: string }): Promise<void> {
  console.error(`\nseed ${seed} breaks ${broken.law}: ${broken.what}`)
  if (broken.law === 'hang') return
  console.error('  looking for the smallest storm that does …')
  const { keep = [], without = [] } = await shrink(seed, broken.law)
  const { script } = profileOf(seed)
  for (const i of keep) {
    const blow = script[i]
    if (blow) console.error(`  ${String(i).padStart(3)}. at ${blow.at} ms: ${blow.strike}`)
  }
  const spared = without.length > 0 ? ` --without ${without.join(',')}` : ''
  console.error(`  npx gatemesh sim --from ${seed} --transcript --keep ${keep.join(',') || 'none'}${spared}`)
}

function readable(totals: Totals, seconds: number): string {
  const f = forPrograms(totals, seconds)
  const rows = (counts: Record<string, number>) =>
    Object.keys(counts)
      .sort()
      .map(kind => ({ kind, count: counts[kind] ?? 0 }))
  return [
    `${totals.seeds} seeds, ${f.simulatedHours} simulated hours in ${f.seconds} s: ${totals.failures.length} failed`,
    `${f.decisionCount.toLocaleString('en')} decisions, ${f.decisionsPerCpuSecond.toLocaleString('en')} per second of one core`,
    `${totals.audited.toLocaleString('en')} entries of real ledgers verified by the auditor`,
    '',
    table(rows(totals.decisions)),
    '',
    table(rows(totals.faults)),
  ].join('\n')
}

function forPrograms(totals: Totals, seconds: number) {
  const decisionCount = sum(totals.decisions)
  return {
    seeds: totals.seeds,
    seconds: Number(seconds.toFixed(1)),
    simulatedHours: Number((totals.simulatedMs / 3_600_000).toFixed(1)),
    decisionCount,
    decisionsPerCpuSecond: Math.round((decisionCount * 1000) / Math.max(1, totals.cpuMs)),
    messages: totals.messages,
    audited: totals.audited,
    decisions: totals.decisions,
    faults: totals.faults,
    failures: totals.failures.map(({ seed, broken }) => ({ seed, ...broken })),
  }
}

function mercyOf(keep: string | undefined, without: string | undefined): Mercy {
  const mercy: { keep?: number[]; without?: Nuisance[] } = {}
  if (keep !== undefined) mercy.keep = keep === 'none' ? [] : keep.split(',').map(n => wholeNumber('--keep', n, 0))
  if (without !== undefined) {
    mercy.without = without.split(',').map(word => {
      const known = NUISANCES.find(nuisance => nuisance === word)
      if (known === undefined) throw new Usage(`--without takes ${NUISANCES.join(', ')}, not ${JSON.stringify(word)}`)
      return known
    })
  }
  return mercy
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((a, b) => a + b, 0)
}
