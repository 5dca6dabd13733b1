// Run: one storm from beginning to end. A mall is opened, people come, faults strike, all is mended, the disks are read, and
// every law is checked.

import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Books, readBooks } from './books.ts'
import { check, checkSoFar } from './checker.ts'
import { playEnding } from './ending.ts'
import type { Deed, Field } from './fault.ts'
import { openField } from './field/field.ts'
import type { Finding } from './finding.ts'
import { Journal } from './journal.ts'
import { scheduleOf } from './nemesis.ts'
import { People } from './people.ts'
import { plot } from './plot.ts'
import { Storm } from './storm.ts'
import { Watch } from './watch.ts'

export interface RunOptions {
  readonly seed: number
  readonly minutes: number
  readonly gates: number
  readonly capacity: number
  /** root of the tree whose code the members run */
  readonly build: string
  /** where the run is put if it is kept */
  readonly dir: string
  readonly keep?: boolean
  /** instead of the seed's own */
  readonly schedule?: readonly Deed[] | undefined
  /** end as soon as a law was seen broken */
  readonly first?: boolean
  readonly say?: (line: string) => void
  readonly live?: (live: Live) => void
}

/** How things stand, every few seconds. */
export interface Live {
  readonly t: number
  readonly inside: number
  readonly capacity: number
  readonly decisions: number
  readonly exits: number
  readonly active: readonly string[]
  readonly findings: readonly Finding[]
}

export interface Outcome {
  readonly seed: number
  readonly minutes: number
  readonly gates: number
  readonly capacity: number
  readonly tookMs: number
  readonly decisions: Readonly<Record<string, number>>
  readonly exits: number
  readonly unanswered: number
  readonly statuses: number
  readonly entries: number
  readonly faults: Readonly<Record<string, number>>
  readonly mostInside: number
  readonly exitMs: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly epochs: number
  readonly findings: readonly Finding[]
  /** where the run can be looked at, if it was kept */
  readonly dir: string | undefined
  /** ms of the run after which a law was first seen broken */
  readonly foundAfterMs: number | undefined
}

const LIVE_EVERY_MS = 5000
/** Disks of members lie in memory where that can be: what others do to this machine's disk is no fault of the storm. */
const MEMORY = '/dev/shm'

/** A law broken in it does not make it throw: that is in the outcome. */
export async function runStorm(options: RunOptions): Promise<Outcome> {
  const scratch = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'chaos-'))
  const dir = join(scratch, 'mall')
  // memory that a run took is given back also where somebody ends it
  const giveBack = () => rmSync(scratch, { recursive: true, force: true })
  process.on('exit', giveBack)
  try {
    return await runIn(dir, options)
  } finally {
    if (existsSync(dir)) cpSync(dir, options.dir, { recursive: true })
    giveBack()
    process.off('exit', giveBack)
  }
}

async function runIn(dir: string, options: RunOptions): Promise<Outcome> {
  const since = performance.now()
  const { seed, minutes, capacity, build, say = () => undefined } = options
  const field = await openField({ gates: options.gates, capacity, legalMax: capacity, seed, build, dir, say })
  let isKept = true
  try {
    const deeds = options.schedule ?? scheduleOf({ seed, minutes, members: field.members, capacity })
    writeFileSync(join(dir, 'schedule.json'), JSON.stringify(deeds, null, 1))
    await field.start()
    const played = await play(field, deeds, options)
    await field.stop()
    const books = await booksOf(field)
    const findings = check(played.journal.lines, books)
    isKept = findings.length > 0 || options.keep === true
    if (isKept) writeFileSync(join(dir, 'plot.svg'), plot(played.journal.lines))
    if (findings.length > 0) writeFileSync(join(dir, 'findings.json'), JSON.stringify(findings, null, 1))
    return outcomeOf({ options, played, books, findings, tookMs: performance.now() - since, isKept })
  } finally {
    await field.close(isKept)
  }
}

interface Played {
  readonly journal: Journal
  readonly people: People
  readonly storm: Storm
  readonly foundAfterMs: number | undefined
}

async function play(field: Field, deeds: readonly Deed[], options: RunOptions): Promise<Played> {
  const { seed, minutes, capacity } = options
  const gates = field.members.slice(1)
  const journal = new Journal(join(field.dir, 'journal.jsonl'))
  const stop = new AbortController()
  const people = new People({ seed, gates, urlOf: gate => field.urlOf(gate), capacity, journal })
  const watch = new Watch(field, journal)
  const storm = new Storm({ field, journal, people, seed, capacity, stop: stop.signal })
  journal.write({ is: 'run', seed, minutes, gates, capacity, legalMax: capacity })
  const coming = people.come()
  const watching = watch.run()
  let foundAfterMs: number | undefined
  const look = setInterval(() => {
    const findings = checkSoFar(journal.lines)
    if (findings.length > 0) foundAfterMs ??= journal.now
    options.live?.(liveOf({ journal, people, storm, capacity, findings }))
    if (options.first && findings.length > 0) stop.abort()
  }, LIVE_EVERY_MS)
  let why: string | undefined
  try {
    const playing = storm.play(deeds)
    await sleep(minutes * 60_000, undefined, { signal: stop.signal }).catch(() => undefined)
    await playing
    journal.write({ is: 'phase', name: 'heal' })
    await storm.decree(capacity, () => field.heal())
    journal.write({ is: 'phase', name: 'healed' })
    await playEnding({ field, journal, people, watch })
  } catch (error) {
    why = (error as Error).message
  }
  clearInterval(look)
  await people.close()
  await coming
  watch.stop()
  await watching
  watch.close()
  people.end()
  journal.write(why === undefined ? { is: 'phase', name: 'over' } : { is: 'phase', name: 'over', why })
  journal.flush()
  return { journal, people, storm, foundAfterMs }
}

function booksOf(field: Field): Promise<Books> {
  const charter = join(field.dir, 'charter.note')
  const own = field.members.map(name => ({ name, store: field.storeOf(name), path: field.storeOf(name), charter }))
  // a gate that was wiped before it had a ledger lost none: without a mark nothing was ever acknowledged
  const lost = field.lost
    .filter(({ store }) => existsSync(join(store, 'mark')))
    .map(({ member, store }) => ({ name: member, store, path: store, charter }))
  return readBooks({ places: [...own, ...lost], owner: join(field.dir, 'owner.vkey'), out: join(field.dir, 'bundle') })
}

function liveOf(a: {
  journal: Journal
  people: People
  storm: Storm
  capacity: number
  findings: readonly Finding[]
}): Live {
  const { journal, people, storm, findings } = a
  const last = journal.lines.findLast(line => line.is === 'capacity')
  return {
    t: journal.now,
    inside: people.inside,
    capacity: last?.is === 'capacity' ? last.to : a.capacity,
    decisions: sum(people.decisions.values()),
    exits: people.exits,
    active: storm.active.map(({ kind }) => kind),
    findings,
  }
}

function outcomeOf(a: {
  options: RunOptions
  played: Played
  books: Books
  findings: readonly Finding[]
  tookMs: number
  isKept: boolean
}): Outcome {
  const { options, played, books, findings } = a
  const { seed, minutes, gates, capacity, dir } = options
  const { people, journal, storm } = played
  const exitMs = journal.lines.flatMap(line => (line.is === 'told' ? [line.ms] : [])).sort((x, y) => x - y)
  const at = (share: number) => exitMs[Math.min(exitMs.length - 1, Math.floor(exitMs.length * share))] ?? 0
  return {
    seed,
    minutes,
    gates,
    capacity,
    tookMs: Math.round(a.tookMs),
    decisions: Object.fromEntries([...people.decisions].sort()),
    exits: people.exits,
    unanswered: people.unanswered,
    statuses: journal.lines.filter(line => line.is === 'status').length,
    entries: books.entries,
    faults: Object.fromEntries([...storm.counts].sort()),
    mostInside: people.most,
    exitMs: { p50: at(0.5), p99: at(0.99), max: exitMs.at(-1) ?? 0 },
    epochs: books.epochs.length,
    findings,
    dir: a.isKept ? dir : undefined,
    foundAfterMs: played.foundAfterMs ?? (findings.length > 0 ? journal.now : undefined),
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const n of numbers) total += n
  return total
}
