// Person: somebody who comes to a played turnstile, what they are up to, and what became of it.

export type Way = 'in' | 'out'

export interface Intent {
  /** name of the lane; otherwise the one with the fewest people before it */
  readonly lane?: string
  /** whoever plays the person may want to know them again at the arm */
  readonly id?: string
  /** how long they stand before an arm that does not open */
  readonly patienceMs?: number
  /** they are let in, push the arm a little, and go back; by chance unless said */
  readonly turnsRound?: boolean
  /** somebody walks in right behind them; by chance unless said */
  readonly isFollowed?: boolean
  /** they walk in wherever the arm is free, let in or not */
  readonly isBold?: boolean
}

export interface Outcome {
  readonly lane: string
  /** they are through */
  readonly walked: boolean
  readonly why: 'walked' | 'turned-round' | 'gave-up' | 'sent-away' | 'stopped'
  /** whoever walked in behind them, whom nobody let in */
  readonly followers: number
}

/** Who really went in and out: what a gate's ledger can be held against. */
export interface Truth {
  readonly in: number
  readonly out: number
  /** of those: while power was gone, a contact stuck or nobody could read it, so that no sensor had a chance */
  readonly unseenIn: number
  readonly unseenOut: number
}

/** Somebody on their way. */
export interface Body extends Required<Omit<Intent, 'lane' | 'id'>> {
  readonly id: string | undefined
  readonly way: Way
  readonly end: (outcome: Outcome) => void
}
