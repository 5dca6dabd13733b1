// State of building signals, as people and programs are told of it.

/** What is remembered of a rule that asks for fewer people. */
export interface Demand {
  /** at most so many, before the margin */
  readonly atMost: number
  /** what was read when it began */
  readonly value: number
  /** wall clock */
  readonly since: number
}

export interface SourceState {
  readonly name: string
  readonly in: string
  /** undefined while it is silent, or was never heard */
  readonly value?: number
  /** wall clock of the newest good reading */
  readonly at?: number
  readonly isSilent: boolean
  /** what was wrong with the newest try */
  readonly trouble?: string
}

/** How far a demand has come. */
export type Standing =
  /** the capacity in force is no larger */
  | 'in-force'
  /** operators are asked to sign it */
  | 'proposed'
  /** they were asked, and decided otherwise */
  | 'declined'
  | 'waiting'

export interface RuleState {
  readonly name: string
  readonly source: string
  /** when it asks for fewer people, in words */
  readonly condition: string
  readonly enact: boolean
  readonly demand?: Demand & { readonly standing: Standing; readonly approval?: string }
}

export interface BmsState {
  readonly sources: readonly SourceState[]
  readonly rules: readonly RuleState[]
  /** capacities that operators signed in advance */
  readonly reserve: readonly number[]
}
