// Every number that the core obeys, with its reason. Time is in milliseconds of a clock that never goes back.

import { must } from '../ledger/fault.ts'

export interface Limits {
  /** a visitor pushes the arm after about 300 ms; a decision is due long before */
  readonly decisionMs: number
  /** kept of it for the disk: whoever waits for a token waits until then, or the token would come late for most */
  readonly writeMs: number
  /** where somebody who was asked says neither yes nor no, or tokens are late, one waits until then: for their disk */
  readonly patienceMs: number
  /** our own disk may be held up until then: the arm moves before its person pushes it */
  readonly openMs: number
  /** rows while something changes for others: often enough that a view is about as old as a steal takes */
  readonly rowEveryMs: number
  /** …and of people who come and go while there are so many tokens per gate in view that nobody looks for any */
  readonly rowAmpleMs: number
  readonly amplePerGate: number
  /** a row that waits for others is helped along after this; until then gossip is likely to bring them */
  readonly gossipMs: number
  /** rows while nothing changes, or people are only turned away: proof of life */
  readonly rowIdleMs: number
  /** no word for three idle rows: not counted as reachable */
  readonly silentMs: number
  /** an ask without an answer by then is tried elsewhere */
  readonly askTimeoutMs: number
  /** in a flood one waits no longer than asking a neighbour takes: a token that comes later lets the next one in */
  readonly floodMs: number
  /** how long the same request id gets the same answer */
  readonly rememberMs: number
  /** no word from the anchor for so long is an alarm */
  readonly anchorFreshMs: number
  /** JOINING asks again this often */
  readonly joinRetryMs: number
  /** surplus moves toward demand this often */
  readonly pushEveryMs: number
  /** fewer free tokens than this per gate is scarcity: they gather at the broker */
  readonly scarcePerGate: number
  /** scarcity ends only above this, so that the mall does not flap between the two ways */
  readonly plentyPerGate: number
  /** seconds of demand a prefetch asks for */
  readonly prefetchSeconds: number
  /** fewest tokens below which a gate prefetches */
  readonly lowWater: number
  /** donors heard from within this time ride along with a grant, since gossip may not have told of them yet */
  readonly becauseMs: number
  /** a person takes at least this long through a lane: claimed demand above it is not believed */
  readonly demandPerSecondMax: number
  /** a passage not reported by then is taken to have happened */
  readonly passageMs: number
  /** exits a gate may credit beyond its physical rate, for counts that arrive in a heap */
  readonly exitBurst: number
  readonly exitsPerMinuteMax: number
}

export const LIMITS: Limits = {
  decisionMs: 80,
  writeMs: 15,
  patienceMs: 205,
  openMs: 280,
  rowEveryMs: 100,
  rowAmpleMs: 500,
  amplePerGate: 30,
  gossipMs: 250,
  rowIdleMs: 1000,
  silentMs: 3000,
  askTimeoutMs: 25,
  floodMs: 6,
  rememberMs: 300_000,
  anchorFreshMs: 5000,
  joinRetryMs: 500,
  pushEveryMs: 1000,
  scarcePerGate: 3,
  plentyPerGate: 4.5,
  prefetchSeconds: 5,
  lowWater: 3,
  becauseMs: 400,
  demandPerSecondMax: 20,
  passageMs: 60_000,
  exitBurst: 200,
  exitsPerMinuteMax: 240,
}

export function checkLimits(l: Limits): Limits {
  must(l.rowEveryMs <= l.rowAmpleMs, 'rows are told more often where tokens are looked for')
  must(l.rowAmpleMs <= l.rowIdleMs, 'a busy gate speaks at least as often as an idle one')
  must(l.amplePerGate > l.plentyPerGate, 'what is ample is plenty')
  must(l.silentMs >= 3 * l.rowIdleMs, 'a peer is silent after three rows, not before')
  must(l.askTimeoutMs * 2 <= l.decisionMs - l.writeMs, 'a decision has time for a second ask')
  must(l.floodMs <= l.askTimeoutMs, 'whoever is told soon does not wait for a second ask')
  must(l.decisionMs < l.patienceMs, 'patience is more than what everybody has')
  must(l.patienceMs + l.writeMs <= l.openMs, 'a token that comes at the last moment can still be written')
  must(l.plentyPerGate >= 1.5 * l.scarcePerGate, 'scarcity has a hysteresis')
  return l
}
