// Bench of the flash crowd: 25,000 people a second come to the doors of a mall that has 10,000 places. They come by the
// clock, whether those before them were answered or not, and each one's wait counts from the moment they were due. Once
// thirty gates share this machine, and once every gate has a core of its own, as in a mall.
//
// Law: exactly as many are let in as there are places, and everyone is told.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { latencyPlot } from './plot/latency.ts'
import { type Contender, field, WHAT_IS_REAL } from './rivals/contender.ts'
import type { Standing } from './rivals/gates.ts'
import { atMost, exactly, type Goal, inWords } from './rivals/goal.ts'
import type { Report } from './rivals/load.ts'
import { crewOf, Match } from './rivals/match.ts'
import { joined, overRounds, rounded, spreadOf, turn } from './rivals/spread.ts'

const PROCESSES = 2
const GATES = [30, PROCESSES] as const
const PLACES = 10_000
const PER_SECOND = 25_000
const OURS = 'gatemesh'
const REDIS = 'redis, appendfsync always'
/** Who was not told by then has gone. */
const DRAIN_MS = 10_000
/** Whoever counts in a mall has counted for weeks: nobody's code shall be cold. Rivals are compiled, ours compiles. */
const REHEARSALS = 3
const REHEARSAL_MS = 1000
/** By turns; whoever no goal speaks of plays in the first of them only. */
const ROUNDS = 5

interface Round extends Report {
  readonly standing: Standing
}

export const bench: Bench = async ({ json, quick = false }) => {
  const dir = await mkdtemp(join(tmpdir(), 'gatemesh-flash-'))
  const all = await field(dir, { redis: ['always', 'none'], postgres: ['update'] })
  const rounds = new Map<string, Round[]>()
  const count = quick ? 1 : ROUNDS
  try {
    for (let round = 0; round < count; round++) {
      for (const contender of turn(entrants(all.contenders, round), round)) {
        if (!json) process.stderr.write(`flash: round ${round + 1} of ${count}: ${contender.name} …\n`)
        for (const gates of GATES) {
          const key = keyOf(contender.name, gates)
          const result = await flash(contender, { dir, gates, ms: quick ? 2000 : 5000 })
          rounds.set(key, [...(rounds.get(key) ?? []), result])
        }
      }
    }
    const of = (name: string, gates: number) => rounds.get(keyOf(name, gates)) ?? []
    const rows = GATES.flatMap(gates => {
      const own = overRounds(waits(of(OURS, gates)))
      return all.contenders.map(({ name }) => rowOf(name, gates, of(name, gates), own.p99Ms))
    })
    const goals = GATES.flatMap(gates => goalsOf(gates, of(OURS, gates), of(REDIS, gates)))
    const shown = all.contenders.map(({ name }) => ({ name, rounds: of(name, GATES[0]) }))
    const contenders = all.contenders.map(({ name, about }) => `${name}: ${about}`)
    return {
      name: 'flash',
      title: `A flash crowd: ${PER_SECOND} people a second, ${PLACES} places`,
      rows,
      notes: [
        goals.map(inWords).join('\n'),
        contenders.join('\n'),
        NOTES.join('\n'),
        ...all.missing.map(why => `skipped: ${why}`),
      ],
      scenarios: { rows, goals, contenders, missing: all.missing, notes: NOTES },
      plots: { 'flash.svg': plotOf(shown) },
    }
  } finally {
    await all.stop()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

const NOTES = [
  'Waits in ms, from the moment a person was due to the answer: of all, of those let in, of those turned away.',
  `Of ${ROUNDS} rounds by turns the one in the middle, by each figure; max: of all. Whoever no goal speaks of has one round.`,
  `unanswered: told nothing within ${DRAIN_MS / 1000} s after the last one came, or that nobody knows. inside: by own books.`,
  'Rivals: one connection per gate, commands of one turn leave together. Everyone turned away is an entry in a ledger,',
  'or a line of the audit trail; ours tells them before that is on disk (nothing stands on it), durable rivals after.',
  `${GATES[0]} gates share the cores; of ${GATES[1]} gates each has a process, and with it a core, of its own.`,
  `Measured in processes that have played ${REHEARSALS} such crowds of ${REHEARSAL_MS / 1000} s before, each with a fresh count.`,
  ...WHAT_IS_REAL,
]

function keyOf(name: string, gates: number): string {
  return `${name}|${gates}`
}

async function flash(
  contender: Contender,
  { dir, gates, ms }: { readonly dir: string; readonly gates: number; readonly ms: number },
): Promise<Round> {
  const plan = { dir, gates, places: PLACES, deadlineMs: null, processes: PROCESSES, roundTripMs: 0 }
  const crew = crewOf(PROCESSES)
  const play = async (forMs: number): Promise<Round> => {
    const match = await Match.open(contender, plan, crew)
    try {
      const report = await match.open({ perSecond: PER_SECOND, ms: forMs, drainMs: DRAIN_MS })
      return { ...report, standing: await match.standing() }
    } finally {
      await match.end()
    }
  }
  try {
    for (let i = 0; i < REHEARSALS; i++) await play(REHEARSAL_MS)
    return await play(ms)
  } finally {
    for (const child of crew) await child.end()
  }
}

function entrants(all: readonly Contender[], round: number): Contender[] {
  return all.filter(({ name }) => round === 0 || name === OURS || name === REDIS)
}

/** Of each round. */
function waits(rounds: readonly Round[]): Float64Array[] {
  return rounds.map(({ admitMs, rejectMs }) => joined([admitMs, rejectMs]))
}

function rowOf(
  name: string,
  gates: number,
  rounds: readonly Round[],
  ownP99Ms: number,
): Record<string, string | number> {
  const all = overRounds(waits(rounds))
  const admits = overRounds(rounds.map(({ admitMs }) => admitMs))
  const rejects = overRounds(rounds.map(({ rejectMs }) => rejectMs))
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
  return {
    counter: name,
    gates,
    'answered/s': Math.round((1000 * sum(r => r.asked - r.unanswered)) / sum(r => r.tookMs)),
    p50: all.p50Ms,
    p99: all.p99Ms,
    max: all.maxMs,
    'p99 by round': waits(rounds)
      .map(some => spreadOf(some).p99Ms)
      .join(' '),
    'in p50': admits.p50Ms,
    'in p99': admits.p99Ms,
    'no p99': rejects.p99Ms,
    'let in': rounds.map(({ told }) => told.in).join(' '),
    inside: rounds.map(({ standing }) => standing.inside).join(' '),
    above: Math.max(...rounds.map(({ told }) => Math.max(0, told.in - PLACES))),
    unanswered: sum(({ unanswered, told }) => unanswered + told.none),
    'p99 ×': rounded(all.p99Ms / ownP99Ms),
  }
}

function goalsOf(gates: number, own: readonly Round[], redis: readonly Round[]): Goal[] {
  const goals = [
    exactly(`${gates} gates: fewest let in`, Math.min(...own.map(({ told }) => told.in)), PLACES),
    exactly(`${gates} gates: most let in`, Math.max(...own.map(({ told }) => told.in)), PLACES),
    exactly(
      `${gates} gates: unanswered`,
      own.reduce((sum, { unanswered, told }) => sum + unanswered + told.none, 0),
      0,
    ),
  ]
  if (redis.length === 0) return goals
  const ratio = overRounds(waits(own)).p99Ms / overRounds(waits(redis)).p99Ms
  return [...goals, atMost(`${gates} gates: p99 / that of Redis (appendfsync always)`, ratio, 1 / 3)]
}

function plotOf(shown: readonly { readonly name: string; readonly rounds: readonly Round[] }[]): string {
  return latencyPlot({
    title: `A flash crowd: ${PER_SECOND} people a second for ${PLACES} places`,
    note: `${GATES[0]} gates; from the moment a person was due to the answer`,
    contenders: shown.map(({ name, rounds }) => ({ name, samplesMs: [...joined(waits(rounds))] })),
  })
}
