// Bench of a cut: the line to the centre goes dead for a minute, without a word. People go on coming and leaving, and the
// mall is full for some of that time and has places for some. Who gets the right answer in time?
//
// Law: what is right is counted at the doors, by nobody's books (rivals/crowd.ts).

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { type Contender, field, WHAT_IS_REAL } from './rivals/contender.ts'
import { type CrowdReport, type Judged, judge } from './rivals/crowd.ts'
import { watchDisk } from './rivals/disk-watch.ts'
import { exactly, inWords } from './rivals/goal.ts'
import { Match } from './rivals/match.ts'
import { rounded, spreadOf } from './rivals/spread.ts'

const GATES = 30
const PROCESSES = 2
const PLACES = 300
/** People push the arm after a third of a second; this is more than any of them waits. */
const DEADLINE_MS = 1000

export interface Times {
  readonly beforeMs: number
  readonly cutMs: number
  readonly afterMs: number
}

const FULL: Times = { beforeMs: 8000, cutMs: 60_000, afterMs: 6000 }
const QUICK: Times = { beforeMs: 4000, cutMs: 8000, afterMs: 2000 }

export const bench: Bench = async ({ json, quick = false }) => {
  const dir = await mkdtemp(join(tmpdir(), 'gatemesh-cut-'))
  const times = quick ? QUICK : FULL
  const all = await field(dir, { redis: ['always'], postgres: ['update'] })
  try {
    const rows: Record<string, string | number>[] = []
    let reached = 0
    for (const contender of all.contenders) {
      if (!json) process.stderr.write(`cut: ${contender.name} …\n`)
      const { result: report, tookMs } = await watchDisk(dir, throughCut(contender, dir, times))
      const [before, during, after] = phases(report, times)
      if (contender === all.contenders[0]) reached = percent(during)
      const disk = spreadOf(tookMs)
      rows.push({
        ...rowOf(contender.name, before, during, after),
        'disk p99': disk.p99Ms,
        'disk max': disk.maxMs,
        'still max': rounded(report.stoodStillMs),
      })
    }
    const goals = [exactly('percent of decisions right during the cut', reached, 100)]
    const contenders = all.contenders.map(({ name, about }) => `${name}: ${about}`)
    return {
      name: 'cut',
      title: `The centre cut off for ${times.cutMs / 1000} s: ${GATES} gates, ${PLACES} places, people coming and going`,
      rows,
      notes: [
        goals.map(inWords).join('\n'),
        contenders.join('\n'),
        NOTES.join('\n'),
        ...all.missing.map(why => `skipped: ${why}`),
      ],
      scenarios: { rows, goals, contenders, missing: all.missing, notes: NOTES },
    }
  } finally {
    await all.stop()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

const NOTES = [
  `right %: told within ${DEADLINE_MS} ms by whoever counts, let in while there was a place, turned away while there was none.`,
  'A door that turns people away because nobody answers has not decided. for nothing: turned away, by whomever, while',
  'there was a place. full %: of the people came while there was none. too many: let in while there was none, in all.',
  'Busy (45 people a second) and calm (15) take turns of 10 s; people stay 10 s on average.',
  'after: what gates had asked meanwhile reaches the centre once the line is back, as TCP has it; those were told no long',
  'before, and their places stay taken: nobody here gives them back.',
  'disk: how long this machine took for 256 bytes and fdatasync meanwhile, tried every 20 ms: thirty ledgers share that disk,',
  'and a token, or the person it is for, waits as long as it stands still (people push at 300 ms, and are told before).',
  'still: for so long a process with half of all gates did nothing at all, at the longest. While it does not run, whoever comes',
  'to its doors waits, and what its gates hold is out of reach for the other half.',
  `Gates are in ${PROCESSES} processes; people leave by a door of the one they came in by. The anchor is behind the cut.`,
  ...WHAT_IS_REAL,
]

/** People come from before the cut until after it. */
export async function throughCut(contender: Contender, dir: string, times: Times): Promise<CrowdReport> {
  const deadlineMs = DEADLINE_MS
  const plan = { dir, gates: GATES, places: PLACES, deadlineMs, processes: PROCESSES, roundTripMs: 0, isCuttable: true }
  const match = await Match.open(contender, plan)
  try {
    const { beforeMs, cutMs, afterMs } = times
    const ms = beforeMs + cutMs + afterMs
    const crowd = {
      places: PLACES,
      busyPerSecond: 45,
      calmPerSecond: 15,
      turnMs: 10_000,
      stayMs: 10_000,
      ms,
      seed: 'cut',
    }
    const cut = async () => {
      await sleep(beforeMs)
      match.isCut = true
      await sleep(cutMs)
      match.isCut = false
    }
    const [report] = await Promise.all([match.crowd(crowd), cut()])
    return report
  } finally {
    await match.end()
  }
}

/** A second at either end of the cut is left out: the line is cut in another process than the one that keeps the time. */
export function phases(report: CrowdReport, { beforeMs, cutMs, afterMs }: Times): [Judged, Judged, Judged] {
  const cutUntil = beforeMs + cutMs
  const of = (from: number, to: number) => judge(report, PLACES, from, to)
  return [of(0, beforeMs - 1000), of(beforeMs + 500, cutUntil - 1000), of(cutUntil + 1000, cutUntil + afterMs)]
}

/** Cut off, not rounded: one wrong answer is not a hundred percent. */
export function percent({ right, asked }: Judged): number {
  return Math.floor((10_000 * right) / asked) / 100
}

function rowOf(name: string, before: Judged, during: Judged, after: Judged): Record<string, string | number> {
  const { p50Ms, p99Ms } = spreadOf(during.waitsMs)
  return {
    counter: name,
    'before: right %': percent(before),
    'cut: right %': percent(during),
    asked: during.asked,
    'full %': rounded(100 * during.fullShare),
    unanswered: during.unanswered,
    'for nothing': during.forNothing,
    'too many': before.tooMany + during.tooMany + after.tooMany,
    p50: p50Ms,
    p99: p99Ms,
    'after: right %': percent(after),
  }
}
