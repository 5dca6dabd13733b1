// Draft: a wish as the text that is signed: the policy in force with what was wished changed, and nothing else.
//
// Law: a draft stands on the policy it was given and says so by its hash. Whoever was shown a false one signs a text that
// no gate takes.

import type { Charter } from '../../ledger/charter.ts'
import { nameOfKey } from '../../ledger/charter-note.ts'
import { Fault, never } from '../../ledger/fault.ts'
import { COUNT_MAX, isText } from '../../ledger/line.ts'
import { type ModeStatement, severity } from '../../ledger/mode.ts'
import type { ModeText } from '../../ledger/mode-note.ts'
import { isStandby, needsTwo, type Policy, STANDBY_FROM, standbys, textFlaw } from '../../ledger/policy.ts'
import { formatPolicy, type PolicyText, parsePolicy } from '../../ledger/policy-note.ts'
import { whyFlawed } from './needs.ts'
import type { ModeWish, Reclaim, Step, Wish } from './wish.ts'

export interface DraftOptions {
  readonly charter: Charter
  /** the policy in force */
  readonly before: Policy
  /** the newest that two operators signed; the one before, where that is it or nobody knows */
  readonly agreed?: Policy
  readonly wish: Wish
  readonly reason: string
  /** wall clock: when what is wished at once begins */
  readonly at: number
}

/** Throws a Fault that says what is wrong with the wish. */
export function draftPolicy(o: DraftOptions): PolicyText {
  const { charter, before } = o
  if (o.reason === '' || !isText(o.reason)) throw new Fault('WISH', 'a reason: 1 to 400 characters on one line')
  const text: PolicyText = { ...unchanged(before), ...changed(o), reason: o.reason }
  const flaw = textFlaw(text, before, charter)
  if (flaw !== undefined) throw new Fault('WISH', whyFlawed(flaw, charter))
  // what is drafted can be read: keys used twice and odd numbers are refused here, not after it was signed
  parsePolicy(formatPolicy(text, charter.mall), charter.mall)
  if (says(text, before)) return text
  throw new Fault('WISH', `it would change nothing: policy ${before.version} says that already`)
}

export interface ModeDraftOptions {
  readonly wish: ModeWish
  /** the statement in force */
  readonly current: ModeStatement
  readonly at: number
  readonly reason: string
}

export function draftMode({ wish, current, at, reason }: ModeDraftOptions): ModeText {
  if (reason === '' || !isText(reason)) throw new Fault('WISH', 'a reason: 1 to 400 characters on one line')
  const { epoch, mode } = current
  switch (wish.kind) {
    case 'raise':
      if (severity(wish.mode) > severity(mode)) return { epoch, mode: wish.mode, at, reason }
      throw new Fault('WISH', `${mode} is in force, and ${wish.mode} is no more severe`)
    case 'clear':
      if (mode !== 'NORMAL') return { epoch: epoch + 1, mode: 'NORMAL', at, reason, clears: { epoch, mode } }
      throw new Fault('WISH', 'NORMAL is in force: there is nothing to clear')
    default:
      return never(wish)
  }
}

/** The next version with everything as it is; a head count belongs to one version only. */
function unchanged(before: Policy): PolicyText {
  const { signers: _signers, hash, note: _note, recount: _recount, ...rest } = before
  return { ...rest, version: before.version + 1, previous: hash }
}

function changed(o: DraftOptions): Partial<PolicyText> {
  const { wish, before, charter } = o
  switch (wish.kind) {
    case 'capacity':
      return { capacities: capacities(o, whole('capacity', wish.capacity, charter.legalMax), wish.from ?? o.at) }
    case 'schedule':
      return { capacities: withReserve(schedule(wish.steps, charter.legalMax), standbys(before)) }
    case 'standby':
      return { capacities: withReserve(ordinary(before), reserve(before, wish.capacities)) }
    case 'margin':
      return { marginPerMille: whole('margin, per mille', wish.perMille, 1000) }
    case 'recount': {
      const actual = whole('people found', wish.actual, COUNT_MAX)
      const { at, counted } = wish
      const correction = before.correction + actual - counted
      return { correction, recount: { at, actual, counted }, reclaimed: reclaimed(before, wish.reclaim) }
    }
    case 'gate-add':
      return { gates: added(before, wish.key, charter) }
    case 'gate-rotate':
      return { gates: rotated(before, wish.name, wish.key, charter) }
    case 'gate-remove':
      return { gates: removed(before, wish.name), reclaimed: reclaimed(before, wish.reclaim) }
    case 'share':
      return { maxSharePerMille: whole('share, per mille', wish.perMille, 1000) }
    case 'rules':
      return {
        ...(wish.expireAfterMs === undefined ? {} : { expireAfterMs: whole('expireAfterMs', wish.expireAfterMs) }),
        ...(wish.confidenceMin === undefined
          ? {}
          : { confidenceMin: whole('confidenceMin, per mille', wish.confidenceMin, 1000) }),
      }
    default:
      return never(wish)
  }
}

/**
 * The steps before `from` stay and the ones after it go. What is over is left out, unless one person alone may say the
 * longer text only: what they may change is held against the schedule that two agreed on, at all of its moments.
 */
function capacities(o: DraftOptions, capacity: number, from: number): readonly Step[] {
  const { before, charter, agreed = before, at } = o
  const kept = ordinary(before).filter(step => step.from < from)
  const first = before.capacities[0]
  // the first step holds from the beginning, whatever its time
  if (kept.length === 0 && first !== undefined && from > at) kept.push({ ...first, from: Math.min(first.from, at) })
  const long = [...kept, { from, capacity }]
  const begun = kept.findLastIndex(step => step.from <= at)
  const short = from <= at ? [{ from, capacity }] : [...kept.slice(Math.max(0, begun)), { from, capacity }]
  const text = { ...unchanged(before), reason: o.reason }
  const reserved = (steps: readonly Step[]) => withReserve(steps, standbys(before))
  const alone = (steps: readonly Step[]) => !needsTwo({ ...text, capacities: reserved(steps) }, before, charter, agreed)
  return reserved(alone(long) && !alone(short) ? long : short)
}

function ordinary({ capacities: steps }: Policy): Step[] {
  return steps.filter((step, i) => !isStandby(step, i))
}

/** A limit in reserve that the schedule never exceeds would lower nothing, and is left out. Largest first. */
function withReserve(steps: readonly Step[], capacities: readonly number[]): readonly Step[] {
  const most = Math.max(0, ...steps.map(step => step.capacity))
  const lower = [...new Set(capacities)].filter(capacity => capacity < most).sort((a, b) => b - a)
  return [...steps, ...lower.map((capacity, i) => ({ from: STANDBY_FROM + i, capacity }))]
}

function reserve(before: Policy, capacities: readonly number[]): readonly number[] {
  const most = Math.max(0, ...ordinary(before).map(step => step.capacity))
  for (const capacity of capacities) {
    if (whole('in reserve', capacity) >= most) {
      throw new Fault('WISH', `a limit in reserve lies below what is scheduled, which is ${most}; ${capacity} does not`)
    }
  }
  return capacities
}

function schedule(steps: readonly Step[], legalMax: number): readonly Step[] {
  if (steps.length === 0) throw new Fault('WISH', 'a schedule has at least one step')
  const sorted = [...steps].sort((a, b) => a.from - b.from)
  if (sorted.some(isStandby)) throw new Fault('WISH', 'a step from the year 9999 on is a limit in reserve: wish that')
  return sorted.map(({ from, capacity }) => ({
    from: whole('from', from),
    capacity: whole('capacity', capacity, legalMax),
  }))
}

/** Cumulative over versions: what was reclaimed before stays reclaimed. */
function reclaimed(before: Policy, more: readonly Reclaim[] = []): readonly Reclaim[] {
  const total = new Map(before.reclaimed.map(({ account, amount }) => [account, amount]))
  for (const { account, amount } of more) {
    total.set(account, (total.get(account) ?? 0) + whole(`reclaimed of ${account}`, amount, COUNT_MAX))
  }
  return [...total].map(([account, amount]) => ({ account, amount })).sort((a, b) => (a.account < b.account ? -1 : 1))
}

function added({ gates }: Policy, key: string, charter: Charter): Policy['gates'] {
  const name = nameOfKey(key, charter.mall, 'WISH')
  const there = gates.find(gate => gate.name === name)
  if (there?.key === key) throw new Fault('WISH', `${name} is on the roster, with this key`)
  if (there !== undefined)
    throw new Fault('WISH', `${name} is on the roster with another key: rotate it, or remove it first`)
  return [...gates, { name, key }]
}

function rotated({ gates }: Policy, name: string, key: string, charter: Charter): Policy['gates'] {
  const there = gates.find(gate => gate.name === name)
  if (there === undefined) throw new Fault('WISH', `${name} is not on the roster`)
  const called = nameOfKey(key, charter.mall, 'WISH')
  if (called !== name) throw new Fault('WISH', `this is a key of ${called}, not of ${name}`)
  if (there.key === key) throw new Fault('WISH', `${name} is on the roster, with this key`)
  return gates.map(gate => (gate === there ? { name, key } : gate))
}

function removed({ gates }: Policy, name: string): Policy['gates'] {
  const rest = gates.filter(gate => gate.name !== name)
  if (rest.length === gates.length) throw new Fault('WISH', `${name} is not on the roster`)
  return rest
}

function whole(what: string, n: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(n) && n >= 0 && n <= max) return n
  throw new Fault('WISH', `${what}: a whole number from 0 to ${max}, not ${n}`)
}

/** Does it say anything that the policy before does not? */
function says(text: PolicyText, before: Policy): boolean {
  if (text.recount !== undefined) return true
  const told = ({ capacities, version: _v, previous: _p, reason: _r, recount: _c, ...rest }: PolicyText) =>
    JSON.stringify([capacities.map((step, i) => (i === 0 ? step.capacity : step)), Object.entries(rest).sort()])
  const { signers: _s, hash: _h, note: _n, ...was } = before
  return told(text) !== told(was)
}
