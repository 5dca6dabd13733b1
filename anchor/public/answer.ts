// Answer: what the public is told, and how it was made. There is nothing else in it.

export type Words = 'quiet' | 'busy' | 'nearly full' | 'full' | 'closed' | 'unknown'

export type How =
  | { readonly mechanism: 'coarse'; readonly step: number; readonly everyMinutes: number }
  | {
      readonly mechanism: 'discrete Laplace'
      readonly epsilon: number
      readonly perVisitHours: number
      readonly releasesPerVisit: number
      readonly everyMinutes: number
      /** 95 in 100 figures are within so many of the count that was made of */
      readonly error95: number
    }

export interface PublicAnswer {
  readonly mall: string
  readonly words: Words
  /** null: nothing can be told */
  readonly count: number | null
  readonly capacity: number | null
  /** when the figure was made */
  readonly at: number | null
  /** there is no other before then */
  readonly nextAt: number
  readonly how: How
}
