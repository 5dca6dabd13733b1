// Bench of the centre: how long does a person at a door wait for a decision, and how many decisions can be had, when thirty
// gates decide by themselves, and when they ask a counter in the middle? Without any network, and with a line of 2 and of
// 40 ms (there and back) to the centre, which is what a mall sees whose centre is somewhere else.
//
// Law: a decision counts as given when the person is told, and an admission is told once it is on disk (but for the one
// contender that says so). Every ratio is of figures of one run.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { latencyPlot } from './plot/latency.ts'
import { type Contender, type Field, field, gatemesh, WHAT_IS_REAL } from './rivals/contender.ts'
import { floorOf } from './rivals/floor.ts'
import { atLeast, atMost, type Goal, inWords } from './rivals/goal.ts'
import type { Report } from './rivals/load.ts'
import { Match } from './rivals/match.ts'
import { joined, middle, overRounds, rounded, type Spread, turn } from './rivals/spread.ts'

const GATES = 30
const PROCESSES = 2
/** Enough for every round: a full mall is measured elsewhere. */
const PLACES = 6_000_000
/** Ten people a second at each door: a rush. */
const RUSH_PER_SECOND = 300
const ROUND_TRIPS = [0, 2, 40] as const
const OURS = 'gatemesh'
const FAR = 'gatemesh, gates as far apart'
const REDIS = 'redis, appendfsync always'
const UPDATE = 'postgresql, conditional UPDATE'

interface Round {
  readonly alone: Report
  readonly rush: Report
  readonly thirty: Report
  readonly door: Report
}

interface Times {
  readonly rounds: number
  /** of each kind: as at a flash crowd, nobody's code shall be cold */
  readonly rehearsalMs: number
  readonly aloneMs: number
  readonly rushMs: number
  readonly thirtyMs: number
}

const FULL: Times = { rounds: 5, rehearsalMs: 1000, aloneMs: 1000, rushMs: 2000, thirtyMs: 1000 }
const QUICK: Times = { rounds: 1, rehearsalMs: 200, aloneMs: 300, rushMs: 1000, thirtyMs: 500 }

export const bench: Bench = async ({ json, quick = false }) => {
  const times = quick ? QUICK : FULL
  const dir = await mkdtemp(join(tmpdir(), 'gatemesh-central-'))
  const say = (text: string) => json || process.stderr.write(`central: ${text}\n`)
  const rivals = { redis: ['always', 'none'], postgres: ['update', 'for-update'] } as const
  const all = await field(dir, rivals)
  try {
    const rounds = new Map<string, Round[]>()
    const floors = []
    for (let round = 0; round < times.rounds; round++) {
      for (const roundTripMs of ROUND_TRIPS) {
        floors.push(await floorOf(dir, quick ? 200 : 1000))
        for (const contender of turn(entrants(all, roundTripMs, round), round)) {
          say(`round ${round + 1} of ${times.rounds}, ${roundTripMs} ms: ${contender.name} …`)
          const key = keyOf(contender.name, roundTripMs)
          rounds.set(key, [...(rounds.get(key) ?? []), await measure(contender, dir, roundTripMs, times)])
        }
      }
    }
    const floor = {
      waiting: overRounds(floors.map(({ waitingMs }) => waitingMs)),
      meanwhile: overRounds(floors.map(({ meanwhileMs }) => meanwhileMs)),
    }
    const figures = new Map([...rounds].map(([key, some]) => [key, figuresOf(some)]))
    const rows = [...figures].map(([key, figure]) => {
      const [name = '', roundTrip = ''] = key.split('|')
      return { counter: name, 'network ms': Number(roundTrip), ...figure, ...ratios(figures, name, Number(roundTrip)) }
    })
    const goals = goalsOf(figures, floor)
    const contenders = all.contenders.map(({ name, about }) => `${name}: ${about}`)
    const notes = [
      floorInWords(floor),
      goals.map(inWords).join('\n'),
      contenders.join('\n'),
      NOTES.join('\n'),
      ...all.missing.map(why => `skipped: ${why}`),
    ]
    return {
      name: 'central',
      title: `Decisions of ${GATES} gates: by themselves, and by asking a counter in the centre`,
      rows,
      notes,
      scenarios: { rows, floor, goals, contenders, missing: all.missing, notes: NOTES },
      plots: { 'central.svg': plotOf(rounds) },
    }
  } finally {
    await all.stop()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

const NOTES = [
  `Of ${FULL.rounds} rounds by turns the one in the middle, by each figure. Whoever no goal speaks of has one round.`,
  'network ms: round trip between gates and centre (anchor, Redis, PostgreSQL). Gates of a mall are on one LAN;',
  `"${FAR}" is as if they were not. × and ÷: against ours at the same distance.`,
  'alone: one gate, one person after the other. rush: 300 people a second over 30 gates, by the clock.',
  'thirty: one person after the other at each of 30 gates. one door: 30 people at once at one gate.',
  ...WHAT_IS_REAL,
]

/** Whoever no goal speaks of plays in the first round only. */
function entrants({ contenders }: Field, roundTripMs: number, round: number): Contender[] {
  const [ours, ...others] = contenders as [Contender, ...Contender[]]
  if (round > 0) return [ours, ...others.filter(({ name }) => name === REDIS || name === UPDATE)]
  return roundTripMs === 0 ? [ours, ...others] : [ours, gatemesh(FAR, roundTripMs / 2), ...others]
}

function keyOf(name: string, roundTripMs: number): string {
  return `${name}|${roundTripMs}`
}

async function measure(contender: Contender, dir: string, roundTripMs: number, times: Times): Promise<Round> {
  const { rehearsalMs, aloneMs, rushMs, thirtyMs } = times
  const plan = { dir, gates: GATES, places: PLACES, deadlineMs: null, processes: PROCESSES, roundTripMs }
  const match = await Match.open(contender, plan)
  try {
    // code is compiled and files have grown before anything counts
    await match.closed({ gates: GATES, perGate: 1, ms: rehearsalMs })
    await match.closed({ gates: 1, perGate: GATES, ms: rehearsalMs })
    await match.closed({ gates: 1, perGate: 1, ms: rehearsalMs })
    return {
      alone: await match.closed({ gates: 1, perGate: 1, ms: aloneMs }),
      rush: await match.open({ perSecond: RUSH_PER_SECOND, ms: rushMs, drainMs: 2000 }),
      thirty: await match.closed({ gates: GATES, perGate: 1, ms: thirtyMs }),
      door: await match.closed({ gates: 1, perGate: GATES, ms: aloneMs }),
    }
  } finally {
    await match.end()
  }
}

interface Figures {
  readonly 'alone p50': number
  readonly 'alone p99': number
  readonly 'rush p50': number
  readonly 'rush p99': number
  /** of the rush, told nothing by the end */
  readonly unanswered: number
  readonly 'thirty p50': number
  readonly 'thirty p99': number
  readonly 'thirty/s': number
  readonly 'one door/s': number
}

function figuresOf(rounds: readonly Round[]): Figures {
  const of = (which: keyof Round) => overRounds(rounds.map(round => round[which].admitMs))
  const rate = ({ told, tookMs }: Report) => (1000 * told.in) / tookMs
  const perSecond = (which: keyof Round) => Math.round(middle(rounds.map(round => rate(round[which]))))
  const [alone, rush, thirty] = [of('alone'), of('rush'), of('thirty')]
  return {
    'alone p50': alone.p50Ms,
    'alone p99': alone.p99Ms,
    'rush p50': rush.p50Ms,
    'rush p99': rush.p99Ms,
    unanswered: rounds.reduce((sum, round) => sum + round.rush.unanswered, 0),
    'thirty p50': thirty.p50Ms,
    'thirty p99': thirty.p99Ms,
    'thirty/s': perSecond('thirty'),
    'one door/s': perSecond('door'),
  }
}

/** How many times as long as ours, and how many times less, at the same distance. */
function ratios(figures: ReadonlyMap<string, Figures>, name: string, roundTripMs: number) {
  const own = figures.get(keyOf(OURS, roundTripMs))
  const other = figures.get(keyOf(name, roundTripMs))
  if (own === undefined || other === undefined) return {}
  return {
    'rush p50 ×': rounded(other['rush p50'] / own['rush p50']),
    'rush p99 ×': rounded(other['rush p99'] / own['rush p99']),
    'per s ÷': rounded(own['thirty/s'] / other['thirty/s']),
  }
}

interface Floors {
  readonly waiting: Spread
  readonly meanwhile: Spread
}

function floorInWords({ waiting, meanwhile }: Floors): string {
  const said = ({ p50Ms, p99Ms }: Spread) => `p50 ${p50Ms} ms, p99 ${p99Ms} ms`
  return `write+fdatasync of this machine: ${said(waiting)}; as a Node program does it: ${said(meanwhile)}`
}

function goalsOf(figures: ReadonlyMap<string, Figures>, { waiting, meanwhile }: Floors): Goal[] {
  const of = (name: string, roundTripMs: number) => figures.get(keyOf(name, roundTripMs))
  const goals: Goal[] = []
  const own = of(OURS, 0)
  if (own === undefined) return goals
  goals.push(atMost('alone p50 / write+fdatasync as a Node program does it', own['alone p50'] / meanwhile.p50Ms, 2))
  goals.push(atMost('alone p50 / write+fdatasync', own['alone p50'] / waiting.p50Ms, 2))
  const update = of(UPDATE, 0)
  if (update !== undefined) {
    const said = 'a second / the better of conditional UPDATE, 30 at once'
    const best = Math.max(update['thirty/s'], update['one door/s'])
    goals.push(atLeast(`decisions of one gate ${said}`, own['one door/s'] / best, 10))
    goals.push(atLeast(`decisions of thirty gates on one machine ${said}`, own['thirty/s'] / best, 10))
  }
  for (const [roundTripMs, which, bound] of [
    [2, 'alone p50', 1 / 5],
    [40, 'alone p50', 1 / 50],
    [40, 'alone p99', 1 / 10],
    [2, 'rush p50', 1 / 5],
    [40, 'rush p50', 1 / 50],
    [40, 'rush p99', 1 / 10],
  ] as const) {
    const [us, redis] = [of(OURS, roundTripMs), of(REDIS, roundTripMs)]
    if (us === undefined || redis === undefined) continue
    goals.push(
      atMost(`${which} / that of Redis (appendfsync always), ${roundTripMs} ms`, us[which] / redis[which], bound),
    )
  }
  return goals
}

function plotOf(rounds: ReadonlyMap<string, Round[]>): string {
  const shown = [...rounds].filter(([key]) => key.endsWith('|40'))
  return latencyPlot({
    title: 'From coming to the door to being told, 40 ms from the centre',
    note: `${GATES} gates, ${RUSH_PER_SECOND} people a second`,
    contenders: shown.map(([key, some]) => ({
      name: key.slice(0, key.indexOf('|')),
      samplesMs: [...joined(some.map(({ rush }) => rush.admitMs))],
    })),
  })
}
