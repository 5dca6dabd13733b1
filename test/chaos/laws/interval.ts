// Interval: what a member says of the people inside, against the truth.
//
// A member adds up rows: of each gate one that it heard at most `ageMs` ago, its own as it is. So its `count` lies between the
// sums of what was least and most true at each gate in that time. Of gates that it has not heard for three rows it adds to
// `atMost` all they may have let in since, so nobody is beyond that but those let in within three rows.
//
// What was true at a gate has two bounds: somebody counts from when they asked, at the earliest, to when ADMIT came, at the
// latest; an exit from when it was told. What was lost with a wiped disk, or nobody was told of, may count or not.

import { LIMITS } from '../../../mesh/limits.ts'
import type { Books } from '../books.ts'
import type { Finding } from '../finding.ts'
import type { History, Poll } from '../history.ts'

/** A row is on its way for so long at most, on a network that delays and a machine that is busy. */
const UNDERWAY_MS = 2500
const NEVER = Number.POSITIVE_INFINITY

interface Step {
  readonly t: number
  readonly by: number
}

/** How many count at a gate over time, at least and at most. */
interface Bounds {
  readonly low: Step[]
  readonly high: Step[]
}

export function interval(history: History, books: Books): Finding[] {
  const gates = boundsOf(history, books)
  const findings: Finding[] = []
  for (const poll of history.polls) {
    if (!isClaim(poll)) continue
    findings.push(...counted(poll, gates), ...atMost(poll, history))
  }
  return firstOfEach(findings)
}

/** Whoever has not joined says nothing of the mall. */
function isClaim({ said }: Poll): boolean {
  return said.account !== '' && said.state !== 'JOINING' && said.state !== 'FAULT'
}

function counted(poll: Poll, gates: ReadonlyMap<string, Bounds>): Finding[] {
  const { count, ageMs } = poll.said.occupancy
  const from = ageMs === null ? 0 : poll.asked - ageMs - UNDERWAY_MS
  let low = 0
  let high = 0
  for (const bounds of gates.values()) {
    low += extreme(bounds.low, from, poll.t, Math.min)
    high += extreme(bounds.high, from, poll.t, Math.max)
  }
  if (count >= Math.max(0, low) && count <= Math.max(0, high)) return []
  const what = `${poll.member} counts ${count} by rows of ${ageMs} ms; true in that time were ${low} to ${high}`
  return [{ law: 'counted', t: poll.t, what, lines: [poll] }]
}

function atMost(poll: Poll, { visits, leavings }: History): Finding[] {
  const { atMost: most } = poll.said.occupancy
  const since = poll.asked - LIMITS.silentMs - UNDERWAY_MS
  const left = new Map([...leavings.values()].map(leaving => [leaving.id, leaving.left]))
  let inside = 0
  let late = 0
  for (const { id, admitted = NEVER } of visits.values()) {
    // inside all the time that it took to answer
    if (admitted < poll.asked && (left.get(id) ?? NEVER) > poll.t) inside++
    if (admitted >= since && admitted < poll.asked) late++
  }
  if (inside <= most + late) return []
  const what = `${poll.member} says ${most} at most; ${inside} were inside, ${late} of those let in a moment ago`
  return [{ law: 'atMost', t: poll.t, what, lines: [poll] }]
}

function boundsOf(history: History, books: Books): Map<string, Bounds> {
  const gates = new Map<string, Bounds>(history.mall.gates.map(gate => [gate, { low: [], high: [] }]))
  const wipes = history
    .spellsOf('wipe')
    .flatMap(({ fault, begin, ended }) =>
      fault.kind === 'wipe' ? [{ gate: fault.member, from: history.quietBefore(begin) - UNDERWAY_MS, to: ended }] : [],
    )
  const isLost = (gate: string, t: number) => wipes.some(wipe => wipe.gate === gate && t >= wipe.from && t <= wipe.to)
  for (const { id, gate, firstAsk, admitted = NEVER } of history.visits.values()) {
    const bounds = gates.get(gate)
    const isKept = books.admits.has(id)
    if (bounds === undefined || (!isKept && admitted === NEVER)) continue
    const isSure = isKept && !isLost(gate, firstAsk) && !books.lapses.has(id)
    bounds.high.push({ t: firstAsk, by: 1 })
    if (isSure && admitted !== NEVER) bounds.low.push({ t: admitted, by: 1 })
  }
  for (const { exit, gate, firstTell = NEVER, told } of history.leavings.values()) {
    const bounds = gates.get(gate)
    const isKept = books.exits.get(exit)?.some(({ credited }) => credited) ?? false
    if (bounds === undefined || firstTell === NEVER) continue
    const isDoubtful = isLost(gate, firstTell)
    if (isKept || isDoubtful) bounds.low.push({ t: firstTell, by: -1 })
    if (isKept && !isDoubtful && told !== undefined) bounds.high.push({ t: told.t, by: -1 })
  }
  for (const { low, high } of gates.values()) for (const steps of [low, high]) steps.sort((a, b) => a.t - b.t)
  return gates
}

/** The least or most of a sum of steps between two moments. */
function extreme(steps: readonly Step[], from: number, to: number, pick: (a: number, b: number) => number): number {
  let sum = 0
  let found: number | undefined
  for (const { t, by } of steps) {
    if (t > to) break
    if (t >= from && found === undefined) found = sum
    sum += by
    if (found !== undefined) found = pick(found, sum)
  }
  return found ?? sum
}

/** One wrong row is shown by all who hold it, again and again. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ law, lines }) => {
    const [line] = lines
    const key = `${law} ${line?.is === 'status' ? line.member : ''}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}
