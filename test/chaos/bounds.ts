// Bounds: how many people counted at a place over time, at least and at most, by what people did and what the disks hold.
//
// Somebody counts from when they asked, at the earliest, to when ADMIT came, at the latest; an exit from when it was told to
// when the gate said that it was credited. What nobody was told of may count or not.

import { nameOf } from '../../ledger/account.ts'
import type { Books } from './books.ts'
import type { History, Leaving, Visit } from './history.ts'

interface Step {
  readonly t: number
  readonly by: number
}

const NEVER = Number.POSITIVE_INFINITY
/** Somebody who was turned away because of the disk may have counted, until the disk was read again. */
const WITHDRAWN_MS = 5000

export class Bounds {
  readonly #low: Step[] = []
  readonly #high: Step[] = []
  #isSorted = false

  step(by: 1 | -1, a: { readonly earliest: number; readonly latest: number }): void {
    const [low, high] = by > 0 ? [a.latest, a.earliest] : [a.earliest, a.latest]
    if (low !== NEVER) this.#low.push({ t: low, by })
    if (high !== NEVER) this.#high.push({ t: high, by })
  }

  least(from: number, to: number): number {
    this.#sort()
    return extreme(this.#low, from, to, Math.min)
  }

  most(from: number, to: number): number {
    this.#sort()
    return extreme(this.#high, from, to, Math.max)
  }

  #sort(): void {
    if (this.#isSorted) return
    this.#isSorted = true
    for (const steps of [this.#low, this.#high]) steps.sort((a, b) => a.t - b.t)
  }
}

/** Of every account that is on a disk, wiped ones included. */
export function boundsOfAccounts(history: History, books: Books): Map<string, Bounds> {
  const newest = newestAccounts(books)
  const all = new Map<string, Bounds>()
  const of = (account: string) => {
    const known = all.get(account) ?? new Bounds()
    all.set(account, known)
    return known
  }
  for (const account of books.epochs) of(account)
  for (const visit of history.visits.values()) {
    const kept = books.admits.get(visit.id)
    if (kept !== undefined) for (const { account } of kept) admission(of(account), visit, books.lapses.has(visit.id))
    else for (const account of newest(visit.gate)) doubtful(of(account), visit)
  }
  for (const leaving of history.leavings.values()) {
    const kept = books.exits.get(leaving.exit)
    if (kept !== undefined) for (const { account, credited } of kept) exit(of(account), leaving, credited)
    // counted, and gone again with what the gate had in memory
    else for (const account of newest(leaving.gate)) exit(of(account), { ...leaving, told: undefined }, true)
  }
  return all
}

/** Where several epochs are on the disks, any of them may have had somebody in memory. */
function newestAccounts({ epochs }: Books): (gate: string) => readonly string[] {
  return gate => epochs.filter(account => nameOf(account) === gate)
}

function admission(bounds: Bounds, visit: Visit, isLapsed: boolean): void {
  const { firstAsk, admitted = NEVER } = visit
  bounds.step(1, { earliest: firstAsk, latest: isLapsed ? NEVER : admitted })
  if (isLapsed) bounds.step(-1, { earliest: NEVER, latest: (visit.answers.at(-1)?.t ?? NEVER) + WITHDRAWN_MS })
}

function doubtful(bounds: Bounds, { firstAsk, answers, silences }: Visit): void {
  const turnedAway = answers.findLast(({ decision }) => decision !== 'ADMIT')
  if (turnedAway !== undefined && turnedAway.reason !== 'disk' && silences === 0) return
  bounds.step(1, { earliest: firstAsk, latest: NEVER })
  if (turnedAway !== undefined) bounds.step(-1, { earliest: NEVER, latest: turnedAway.t + WITHDRAWN_MS })
}

function exit(
  bounds: Bounds,
  { firstTell = NEVER, told }: Omit<Leaving, 'told'> & { told?: Leaving['told'] },
  isCredited: boolean,
): void {
  if (!isCredited) return
  bounds.step(-1, { earliest: firstTell, latest: told?.credited === true ? told.t : NEVER })
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
