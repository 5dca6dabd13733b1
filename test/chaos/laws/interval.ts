// Interval: what a member says of the people inside, against the truth.
//
// A member adds up rows: of each gate the newest it knows, its own as it is. So what it shows of a gate was true there
// between `ageMs` ago and now, and its `count` is a sum of such. Of gates that it has not heard for three rows it adds to
// `atMost` all they may have let in since; so nobody is beyond that, but those let in where it was heard since their row.
// What an anchor that it does not hear has minted meanwhile by a larger capacity it cannot know.

import { nameOf } from '../../../ledger/account.ts'
import type { Books } from '../books.ts'
import { type Bounds, boundsOfAccounts } from '../bounds.ts'
import type { FaultKind } from '../fault.ts'
import type { Finding } from '../finding.ts'
import type { History, Poll, View } from '../history.ts'

/** A row is on its way for so long at most, on a machine that is busy; and where packets are lost, which are sent again. */
const UNDERWAY_MS = 2000
const DELAYED_MS = 8000
const DELAYS: readonly FaultKind[] = ['loss', 'delay', 'duplication', 'reordering', 'flapping', 'stop']
/** A wrong age is corrected by the next word, at the latest once all is mended. */
const MISTIMED_MS_MAX = 30_000
const NEVER = Number.POSITIVE_INFINITY

export function interval(history: History, books: Books): Finding[] {
  const accounts = boundsOfAccounts(history, books)
  const slack = underway(history)
  const people = new Inside(history)
  const isMistimed = mistimed(history)
  const findings: Finding[] = []
  for (const poll of history.polls) {
    if (!isClaim(poll) || history.mall.gates.some(gate => isMistimed(gate, poll.t))) continue
    findings.push(...counted(poll, accounts, slack(poll.t)))
  }
  for (const view of history.views) {
    if (!hasJoined(view)) continue
    findings.push(
      ...shown(view, accounts, slack(view.t), isMistimed),
      ...atMost(view, people, slack(view.t), unknown(view, history)),
    )
  }
  return firstOfEach(findings.sort((a, b) => a.t - b.t))
}

/** Whoever has not joined says nothing of the mall. */
function isClaim({ said }: Poll): boolean {
  return said.account !== '' && said.state !== 'JOINING' && said.state !== 'FAULT'
}

/** An emergency hides that; but whoever has its ledger open shows itself as it is now. */
function hasJoined({ member, gates }: View): boolean {
  return gates.some(({ account, ageMs }) => account !== '' && nameOf(account) === member && ageMs === 0)
}

/** Closed accounts count by the last row that was heard of them, whenever that was. */
function counted(poll: Poll, accounts: ReadonlyMap<string, Bounds>, slack: number): Finding[] {
  const { count, ageMs } = poll.said.occupancy
  const from = poll.asked - (ageMs ?? NEVER) - slack
  const newest = new Map<string, number>()
  for (const account of accounts.keys())
    newest.set(nameOf(account), Math.max(newest.get(nameOf(account)) ?? 0, epochOf(account)))
  let low = 0
  let high = 0
  for (const [account, bounds] of accounts) {
    const isAlone = newest.get(nameOf(account)) === 1
    low += bounds.least(isAlone ? from : 0, poll.t)
    high += bounds.most(isAlone ? from : 0, poll.t)
  }
  if (count >= Math.max(0, low) && count <= Math.max(0, high)) return []
  const what = `${poll.member} counts ${count} by rows of ${ageMs} ms; true in that time were ${low} to ${high}`
  return [{ law: 'counted', t: poll.t, what, lines: [poll] }]
}

function shown(
  view: View,
  accounts: ReadonlyMap<string, Bounds>,
  slack: number,
  isMistimed: (gate: string, t: number) => boolean,
): Finding[] {
  const findings: Finding[] = []
  for (const { account, inside, ageMs } of view.gates) {
    const bounds = accounts.get(account)
    if (bounds === undefined || ageMs === null || isMistimed(nameOf(account), view.t)) continue
    const from = view.asked - ageMs - slack
    const [low, high] = [bounds.least(from, view.t), bounds.most(from, view.t)]
    if (inside >= low && inside <= high) continue
    const what = `${view.member} shows ${inside} at ${account}, said ${ageMs} ms ago; true since were ${low} to ${high}`
    findings.push({ law: 'counted', t: view.t, what, lines: [view] })
  }
  return findings
}

function atMost(view: View, people: Inside, slack: number, unknown: number): Finding[] {
  const { inside, admittedBy } = people.at(view)
  const fresh = view.gates.filter(({ isReachable }) => isReachable)
  const oldest = Math.max(0, ...fresh.map(({ ageMs }) => ageMs ?? 0))
  let late = 0
  for (const { account, ageMs } of view.gates) {
    // a gate that is not heard may have been sent tokens meanwhile by those who are
    const since = fresh.some(gate => gate.account === account) ? (ageMs ?? 0) : oldest
    late += admittedBy(nameOf(account), view.asked - since - slack)
  }
  if (inside <= view.atMost + late + unknown) return []
  const what = `${view.member} says ${view.atMost} at most; ${inside} were inside, ${late} let in since its rows`
  return [{ law: 'atMost', t: view.t, what, lines: [view] }]
}

/** How much more may be inside by decrees that this member has not heard of. */
function unknown({ t, capacity, policyVersion }: View, { decrees }: History): number {
  const later = decrees.filter(({ asked, version }) => asked <= t && (version ?? policyVersion) >= policyVersion)
  return Math.max(0, ...later.map(({ to }) => to - capacity))
}

/** Who was inside all the time that an answer took, and how many each gate had let in since some moment. */
class Inside {
  readonly #visits: readonly { readonly gate: string; readonly from: number; readonly to: number }[]

  constructor({ visits, leavings }: History) {
    const left = new Map([...leavings.values()].map(leaving => [leaving.id, leaving.left]))
    this.#visits = [...visits.values()].flatMap(({ id, gate, admitted }) =>
      admitted === undefined ? [] : [{ gate, from: admitted, to: left.get(id) ?? NEVER }],
    )
  }

  at({ asked, t }: View): { inside: number; admittedBy: (gate: string, since: number) => number } {
    const there = this.#visits.filter(({ from, to }) => from < asked && to > t)
    return {
      inside: there.length,
      admittedBy: (gate, since) => there.filter(visit => visit.gate === gate && visit.from >= since).length,
    }
  }
}

function underway(history: History): (t: number) => number {
  const delays = history.spellsOf(...DELAYS)
  return t => (delays.some(({ begin, ended }) => begin <= t && ended + DELAYED_MS >= t) ? DELAYED_MS : UNDERWAY_MS)
}

/** How long ago a gate spoke that a member has not heard since its own start, it knows by that gate's clock alone. */
function mistimed(history: History): (gate: string, t: number) => boolean {
  const jumps = history.spellsOf('clock').flatMap(({ fault, begin, ended }) => {
    if (fault.kind !== 'clock') return []
    return [{ gate: fault.member, from: begin, to: ended + Math.min(Math.abs(fault.byMs), MISTIMED_MS_MAX) }]
  })
  return (gate, t) => jumps.some(jump => jump.gate === gate && t >= jump.from && t <= jump.to)
}

function epochOf(account: string): number {
  return Number(account.split('/')[1])
}

/** One wrong row is shown by all who hold it, again and again. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ law, lines }) => {
    const [line] = lines
    const key = `${law} ${line?.is === 'status' || line?.is === 'view' ? line.member : ''}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}
