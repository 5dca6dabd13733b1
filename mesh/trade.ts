// Trade: how many tokens go where. Plain arithmetic over what one member knows; nothing here has authority, a wrong
// answer costs an admission somewhere and never the ceiling.

import type { Account } from '../ledger/account.ts'
import type { Limits } from './limits.ts'

/** A gate that can be reached, as a trader sees it. */
export interface Place {
  readonly name: string
  readonly account: Account
  /** what it holds by its newest row, and what is on its way to it */
  readonly balance: number
  readonly coming: number
  /** people per second asking there */
  readonly demand: number
}

/** What a payer owes of a debt: its part of what all who hold something can pay, rounded against itself. */
export function shareOfDebt(debt: number, own: number, everyone: number): number {
  if (debt <= 0 || own <= 0) return 0
  return Math.min(own, debt, Math.ceil((debt * own) / Math.max(own, everyone)))
}

/**
 * What a donor gives to a peer that asks. Half of what it can spare, so that several hungry gates do not empty it for
 * the first; but always one to a gate with somebody waiting while it has nobody waiting itself. To a gate where nobody
 * waits, half of what it has more than that gate: given more, it would soon ask for it back. While tokens are scarce only
 * people waiting count: a token lying at a door that nobody stands at is a person turned away elsewhere.
 */
export function grant(a: {
  readonly spare: number
  readonly want: number
  readonly waiting: number
  readonly scarce: boolean
  /** what the taker has, or will have once it comes */
  readonly held: number
  readonly room: number
}): number {
  if (a.spare <= 0 || a.room <= 0) return 0
  const needed = Math.min(a.waiting, a.spare)
  const ahead = a.waiting > 0 ? Math.ceil(a.spare / 2) : Math.floor((a.spare - Math.max(0, a.held)) / 2)
  const give = a.scarce ? needed : Math.max(ahead, needed)
  return Math.max(0, Math.min(give, a.want, a.room))
}

/** How many tokens a gate asks for when it runs low: people waiting and some seconds of demand. */
export function appetite(a: { waiting: number; demand: number; limits: Limits }): number {
  return a.waiting + Math.max(a.limits.lowWater, Math.ceil(a.demand * a.limits.prefetchSeconds))
}

/** How much of a crowd this is, from none to all that a lane can take. */
export function crowdOf(demand: number, limits: Limits): number {
  return Math.min(1, demand / limits.demandPerSecondMax)
}

/**
 * So many of a crowd, beyond what a lane lets through, will be here before anyone elsewhere could be let in on a token that
 * is given away now: it would be under way while people here are told that there is none.
 */
export function kept(perSecond: number, limits: Limits): number {
  return Math.floor((Math.max(0, perSecond - limits.demandPerSecondMax) * limits.decisionMs) / 1000)
}

/** Below this a gate with demand asks before anyone waits. */
export function lowWater(demand: number, limits: Limits): number {
  const duringSteal = (demand * limits.askTimeoutMs * 4) / 1000
  return Math.max(limits.lowWater, Math.ceil(duringSteal))
}

/** Is the mall nearly full? Keeps its answer between the two levels. */
export function isScarce(free: number, gates: number, wasScarce: boolean, limits: Limits): boolean {
  return free < gates * (wasScarce ? limits.plentyPerGate : limits.scarcePerGate)
}

/** So much busier is the gate named last taken to be, lest a person more or less moves the broker. */
const LOYALTY = 1.25
/** People a second: with fewer than one in ten seconds no gate is busier than another. */
const CALM = 0.1

/**
 * Where tokens gather while they are scarce: the busiest gate in reach, to within a factor of two, and of those the first
 * by name. So all come to name the same gate, also those who heard the hints at different times.
 */
export function brokerOf(places: readonly Place[], last: string | undefined): string | undefined {
  let best: { readonly name: string; readonly grade: number } | undefined
  for (const { name, demand } of places) {
    const grade = Math.floor(Math.log2(Math.max(CALM, name === last ? demand * LOYALTY : demand)))
    if (best === undefined || grade > best.grade || (grade === best.grade && name < best.name)) best = { name, grade }
  }
  return best?.name
}

/** Where surplus goes: half of what lies above our fair part (when it is half again too much) to whom lacks most. */
export function push(
  own: Place,
  others: readonly Place[],
  maxHeld: number,
): { to: Account; amount: number } | undefined {
  const all = [own, ...others]
  const free = all.reduce((sum, p) => sum + Math.max(0, p.balance + p.coming), 0)
  const demand = all.reduce((sum, p) => sum + p.demand, 0)
  // every gate keeps a little weight: a door nobody uses now may be the one they use next
  const floor = demand === 0 ? 1 : (demand / all.length) * 0.2
  const weights = demand + floor * all.length
  const target = (p: Place) => Math.min(maxHeld, (free * (p.demand + floor)) / weights)
  if (own.balance <= target(own) * 1.5 + 2) return undefined
  let neediest: Place | undefined
  let lack = 0
  for (const p of others) {
    const lacks = target(p) - p.balance - p.coming
    if (lacks > lack) [neediest, lack] = [p, lacks]
  }
  const amount = Math.floor(Math.min((own.balance - target(own)) / 2, lack))
  return neediest === undefined || amount < 1 ? undefined : { to: neediest.account, amount }
}

/** How the anchor hands out what it holds: all of it, so that gates stand where their demand says they should. */
export function handOut(amount: number, gates: readonly Place[], maxHeld: number): { to: Account; amount: number }[] {
  const demand = gates.reduce((sum, p) => sum + p.demand, 0)
  const floor = demand === 0 ? 1 : (demand / gates.length) * 0.2
  const weights = demand + floor * gates.length
  const held = gates.reduce((sum, p) => sum + Math.max(0, p.balance + p.coming), amount)
  let left = amount
  const lacking = gates.map(p => {
    const target = Math.min(maxHeld, (held * (p.demand + floor)) / weights)
    return { p, lacks: target - p.balance - p.coming, room: Math.max(0, Math.floor(maxHeld - p.balance - p.coming)) }
  })
  lacking.sort((a, b) => b.lacks - a.lacks || (a.p.name < b.p.name ? -1 : 1))
  const parts = lacking.map(({ p, lacks, room }) => {
    const part = Math.min(left, room, Math.max(1, Math.ceil(lacks)))
    left -= part
    return { to: p.account, amount: part, room: room - part }
  })
  // what the limit keeps from the busiest must not stay behind: it goes to whoever has room
  for (const part of parts) {
    const more = Math.min(left, part.room)
    part.amount += more
    left -= more
  }
  return parts.filter(part => part.amount > 0).map(part => ({ to: part.to, amount: part.amount }))
}
