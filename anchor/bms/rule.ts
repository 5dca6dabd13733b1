// Rule: when a signal of the building asks for fewer people, and when it no longer does.
//
// Laws: it begins at one level and is over at another, each held for its time, so that a figure that trembles is one
// change and not a hundred. While its source is silent it stays as it is. How many people it asks for is fixed when it
// begins: a per cent of what it has lowered itself would go down for ever.

import type { RuleConfig } from './config.ts'
import type { Demand } from './state.ts'

export interface Look {
  readonly now: number
  readonly wall: number
  /** people that the schedule allows now, before the margin; undefined while nobody knows */
  readonly scheduled: number | undefined
}

export class Rule {
  readonly config: RuleConfig
  #demand: Demand | undefined
  /** since when what would change it holds without a break; mono ms */
  #since: number | undefined

  constructor(config: RuleConfig, demand?: Demand) {
    this.config = config
    this.#demand = demand
  }

  get demand(): Demand | undefined {
    return this.#demand
  }

  /** A good reading came. Has the rule begun with it, or is it over? */
  hear(value: number, { now, wall, scheduled }: Look): 'begun' | 'over' | undefined {
    const { config } = this
    const isOn = this.#demand !== undefined
    const isDue = isOn ? isOver(config, value) : isReached(config, value)
    if (!isDue) {
      this.#since = undefined
      return undefined
    }
    this.#since ??= now
    if (now - this.#since < (isOn ? config.clearMs : config.forMs)) return undefined
    // without a schedule there is nothing to be lower than
    if (!isOn && scheduled === undefined) return undefined
    this.#since = undefined
    this.#demand = isOn ? undefined : { atMost: peopleOf(config.limit, scheduled ?? 0), value, since: wall }
    return isOn ? 'over' : 'begun'
  }

  /** Its source fell silent: what held until then has to hold anew. */
  lost(): void {
    this.#since = undefined
  }
}

/** `co2-hall above 1200 ppm` */
export function conditionWords({ source, side, level }: RuleConfig, unit: string): string {
  return `${source} ${side} ${level}${unit === '' ? '' : ` ${unit}`}`
}

function isReached({ side, level }: RuleConfig, value: number): boolean {
  return side === 'above' ? value > level : value < level
}

function isOver({ side, clear }: RuleConfig, value: number): boolean {
  return side === 'above' ? value <= clear : value >= clear
}

/** Never more than what is scheduled. */
function peopleOf(limit: RuleConfig['limit'], scheduled: number): number {
  if ('capacity' in limit) return Math.min(limit.capacity, scheduled)
  return Math.floor((scheduled * limit.perCent) / 100)
}
