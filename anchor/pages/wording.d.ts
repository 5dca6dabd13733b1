// What wording.js says: one file for the command line, the anchor and the browser, so that all of them say the same.

export interface Wording {
  /** ms since 1970: steps of a schedule that are over by then are left out; all are told without it */
  readonly now?: number
  /** how a moment (ms since 1970) is written; UTC unless said otherwise */
  readonly time?: (ms: number) => string
  /** what people compare of a gate's key; the key itself unless said otherwise */
  readonly print?: (vkey: string) => string
}

/** What a policy or mode text says, one sentence each; of a policy what it changes of `before`. */
export function wordsOf(text: string, before?: string, wording?: Wording): string[]
