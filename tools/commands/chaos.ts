// `gatemesh chaos`: a mall of real processes on a network and disks of its own, played people, and everything that can go
// wrong, from a seed. What a run did is checked from outside; one that fails is kept, with the command that plays it again.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BROKEN, BROKEN_NAMES, breakTree } from '../../test/chaos/broken.ts'
import { type Deed, FAULTS } from '../../test/chaos/fault.ts'
import { whyNoField } from '../../test/chaos/field/field.ts'
import { flawOf } from '../../test/chaos/nemesis.ts'
import { type Live, type Outcome, type RunOptions, runStorm } from '../../test/chaos/run.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { table } from '../table.ts'

export const summary = 'play a mall of real processes under every kind of fault, and check it from outside'

export const help = `
gatemesh chaos [--minutes M] [--seed S] [--seeds N] [--gates G] [--capacity C] [--keep] [--json]
gatemesh chaos --seed S --schedule FILE
gatemesh chaos --mutant ${BROKEN_NAMES.join('|')}

  --minutes M      how long each storm lasts (3)
  --seed S         which storm (1)
  --seeds N        so many storms, one after the other, from S on (1)
  --gates G        gates, from 3 on (6)
  --capacity C     people that may be inside (90): few enough that places are always short
  --schedule FILE  the faults in this file instead of the seed's own, as a kept run has them in schedule.json
  --build DIR      members run the code of this tree
  --mutant NAME    members run a copy of this tree with one promise taken out; each must be found out:
${BROKEN_NAMES.map(name => `                     ${name.padEnd(10)} ${BROKEN[name].what}`).join('\n')}
  --first          end a storm as soon as a law is seen broken
  --keep           keep journal, ledgers, logs, schedule and plot also of a run without findings
  --dir DIR        where runs are kept (a folder of the system's for temporary files)
  --json           totals as JSON

Needs root on Linux, network namespaces, loop devices, gcc and libfaketime. Exit code 1 with findings, 3 where it cannot run.
`

const OPTIONS = {
  minutes: { type: 'string', default: '3' },
  seed: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '1' },
  gates: { type: 'string', default: '6' },
  capacity: { type: 'string', default: '90' },
  schedule: { type: 'string' },
  build: { type: 'string' },
  mutant: { type: 'string' },
  first: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  dir: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

const ROOT = resolve(import.meta.dirname, '../..')

export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS })
  const minutes = wholeNumber('--minutes', values.minutes, 1, 24 * 60)
  const from = wholeNumber('--seed', values.seed, 0)
  const seeds = wholeNumber('--seeds', values.seeds, 1, 10_000)
  const gates = wholeNumber('--gates', values.gates, 3, 30)
  const capacity = wholeNumber('--capacity', values.capacity, 10, 100_000)
  const mutant = BROKEN_NAMES.find(name => name === values.mutant)
  if (values.mutant !== undefined && mutant === undefined) throw new Usage(`--mutant takes ${BROKEN_NAMES.join(', ')}`)
  const schedule = values.schedule === undefined ? undefined : readSchedule(values.schedule, gates)
  const why = await whyNoField()
  if (why !== undefined) {
    console.error(`gatemesh chaos: there can be no field here: ${why}`)
    return EXIT.fault
  }
  const runs = values.dir === undefined ? mkdtempSync(join(tmpdir(), 'chaos-')) : resolve(values.dir)
  mkdirSync(runs, { recursive: true })
  const broken = mutant === undefined ? undefined : join(runs, `build-${mutant}`)
  if (mutant !== undefined && broken !== undefined) breakTree(mutant, broken)
  const build = broken ?? resolve(values.build ?? ROOT)
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const outcomes: Outcome[] = []
  try {
    for (let seed = from; seed < from + seeds; seed++) {
      say(
        `seed ${seed}: ${minutes} min, ${gates} gates, ${capacity} people${mutant === undefined ? '' : `, ${mutant}`}`,
      )
      const dir = join(runs, `seed-${seed}`)
      const first = values.first || mutant !== undefined
      const live = (now: Live) => say(liveLine(now))
      const options: RunOptions = {
        seed,
        minutes,
        gates,
        capacity,
        build,
        dir,
        schedule,
        keep: values.keep,
        first,
        say,
        live,
      }
      const outcome = await runStorm(options)
      outcomes.push(outcome)
      say(verdictOf(outcome, mutant))
      if (mutant !== undefined && outcome.findings.length > 0) break
    }
  } finally {
    if (broken !== undefined) rmSync(broken, { recursive: true, force: true })
  }
  if (values.json) console.log(JSON.stringify(outcomes.length === 1 ? outcomes[0] : outcomes, null, 1))
  else console.log(readable(outcomes))
  const isFound = outcomes.some(({ findings }) => findings.length > 0)
  if (!isFound && !values.keep && values.dir === undefined) rmSync(runs, { recursive: true, force: true })
  return isFound ? EXIT.no : EXIT.fine
}

function readSchedule(path: string, gates: number): readonly Deed[] {
  let deeds: unknown
  try {
    deeds = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Usage(`--schedule: ${path} cannot be read: ${(error as Error).message}`)
  }
  if (!Array.isArray(deeds)) throw new Usage(`--schedule: ${path} is no list of deeds`)
  const members = ['anchor', ...Array.from({ length: gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)]
  const flaw = flawOf(deeds as Deed[], members)
  if (flaw !== undefined) throw new Usage(`--schedule: ${path}: ${flaw}`)
  return deeds as Deed[]
}

function liveLine({ t, inside, capacity, decisions, exits, active, findings }: Live): string {
  const found = findings.length === 0 ? '' : `  ${findings.length} FOUND: ${findings[0]?.law}`
  const clock = `${Math.floor(t / 1000)} s`.padStart(6)
  const struck = active.join(' ') || '(quiet)'
  return `${clock}  ${inside}/${capacity} inside  ${decisions} decisions  ${exits} exits  ${struck}${found}`
}

function verdictOf({ seed, findings, dir, minutes, gates, capacity, foundAfterMs }: Outcome, mutant?: string): string {
  if (findings.length === 0) return `seed ${seed}: nothing found`
  const shown = findings.slice(0, 8).map(({ law, t, what }) => `  ${law} at ${(t / 1000).toFixed(1)} s: ${what}`)
  const more = findings.length > 8 ? [`  and ${findings.length - 8} more, in ${dir}/findings.json`] : []
  const options = `--seed ${seed} --minutes ${minutes} --gates ${gates} --capacity ${capacity}`
  const which = mutant === undefined ? '' : ` --mutant ${mutant}`
  return [
    `seed ${seed}: ${findings.length} found, the first after ${((foundAfterMs ?? 0) / 1000).toFixed(0)} s`,
    ...shown,
    ...more,
    `  kept: ${dir}; to play the same storm again:`,
    `  npm run chaos -- ${options}${which} --schedule ${dir}/schedule.json`,
  ].join('\n')
}

function readable(outcomes: readonly Outcome[]): string {
  const total = (of: (outcome: Outcome) => Readonly<Record<string, number>>) => {
    const sums = new Map<string, number>()
    for (const outcome of outcomes) {
      for (const [kind, n] of Object.entries(of(outcome))) sums.set(kind, (sums.get(kind) ?? 0) + n)
    }
    return sums
  }
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((n, outcome) => n + of(outcome), 0)
  const decisions = total(outcome => outcome.decisions)
  const faults = total(outcome => outcome.faults)
  const findings = outcomes.flatMap(outcome => outcome.findings)
  const never = FAULTS.filter(kind => !faults.has(kind))
  return [
    table(
      outcomes.map(o => ({
        seed: o.seed,
        minutes: o.minutes,
        decisions: Object.values(o.decisions).reduce((a, b) => a + b, 0),
        exits: o.exits,
        faults: Object.values(o.faults).reduce((a, b) => a + b, 0),
        'most inside': o.mostInside,
        capacity: o.capacity,
        'exit ms p50': o.exitMs.p50,
        p99: o.exitMs.p99,
        findings: o.findings.length,
      })),
    ),
    '',
    table([...decisions].sort().map(([decision, count]) => ({ decision, count }))),
    '',
    table([...faults].sort().map(([fault, count]) => ({ fault, count }))),
    ...(never.length === 0 ? [] : [`never: ${never.join(', ')}`]),
    '',
    `${sum(o => o.exits)} exits, ${sum(o => o.unanswered)} questions without an answer, ${sum(o => o.statuses)} status pages, ` +
      `${sum(o => o.entries)} entries of ledgers verified`,
    findings.length === 0 ? 'nothing found' : `${findings.length} found`,
  ].join('\n')
}
