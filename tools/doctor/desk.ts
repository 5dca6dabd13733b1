// Desk: where a person stands while the doctor asks: words go out, and what is typed comes in. A script is a person who
// types lines.

/** The person went away: Ctrl-C, or the end of standard input where an answer is needed. */
export class Stopped extends Error {}

export interface Desk {
  say(text: string): void
  /** Shown in place of the one before, on a terminal; a script is not told. */
  progress(text: string): void
  /** What was typed next, or undefined where nothing came in time. Throws `Stopped` after Ctrl-C. */
  typed(withinMs: number): Promise<string | undefined>
  /** For so long at most; what is typed meanwhile is kept. Throws `Stopped` after Ctrl-C. */
  pause(ms: number): Promise<void>
  /** All that was typed was taken, and nobody will type any more. */
  readonly isOver: boolean
  /** Single keys from here on, as far as this is a terminal. */
  keys(areWanted: boolean): void
  /** Forgets what was typed before the question came; what a script wrote ahead is kept. */
  flush(): void
  /** ms of a clock that never goes back */
  now(): number
}
