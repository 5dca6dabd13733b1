// Stand: what comes of all that the signals of the building ask for, under the policy in force.
//
// Law: nothing here is above the schedule. What operators signed in advance may be put in force; all else is proposed.

import { capacityAt, isStandby, type Policy, restrainedCapacity } from '../../ledger/policy.ts'
import type { Step } from '../approvals/wish.ts'

/** A rule that asks for fewer people. */
export interface Asked {
  readonly rule: string
  /** before the margin */
  readonly atMost: number
  /** a limit in reserve may be put in force for it */
  readonly enact: boolean
  /** why, for people */
  readonly words: string
}

export interface Stand {
  /** what the reserve is asked for */
  readonly reserve?: Asked
  /** capacity in force because of it, before the margin */
  readonly capacity: number
  /** the lowest of all, whatever is in force */
  readonly least?: Asked
  /** the same, where only operators can put it in force */
  readonly proposal?: Asked
}

export function standOf(asked: readonly Asked[], policy: Pick<Policy, 'capacities'>, wall: number): Stand {
  const usual = capacityAt(policy, wall)
  // each by itself: one that asks for less than there is in reserve must not lift what another put in force
  const capacityOf = ({ atMost }: Asked) => restrainedCapacity(policy, wall, atMost)
  const reserve = lowest(
    asked.filter(one => one.enact && capacityOf(one) < usual),
    capacityOf,
  )
  const capacity = reserve === undefined ? usual : capacityOf(reserve)
  const least = lowest(asked, one => one.atMost)
  return {
    ...(reserve === undefined ? {} : { reserve }),
    capacity,
    ...(least === undefined ? {} : { least }),
    ...(least === undefined || least.atMost >= capacity ? {} : { proposal: least }),
  }
}

/** The schedule with nothing in it above so many people, from now on. */
export function lowered(policy: Pick<Policy, 'capacities'>, wall: number, atMost: number): Step[] {
  const later = policy.capacities.filter((step, i) => i > 0 && step.from > wall && !isStandby(step, i))
  const now = { from: wall, capacity: capacityAt(policy, wall) }
  const steps: Step[] = []
  for (const { from, capacity } of [now, ...later]) {
    const least = Math.min(capacity, atMost)
    if (steps.at(-1)?.capacity !== least) steps.push({ from, capacity: least })
  }
  return steps
}

function lowest(asked: readonly Asked[], figure: (one: Asked) => number): Asked | undefined {
  let least: Asked | undefined
  for (const one of asked) if (least === undefined || figure(one) < figure(least)) least = one
  return least
}
