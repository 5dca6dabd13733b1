// Rules: the numbers that tell a person from a bounce, with their reasons. Config may change each of them per lane.

export interface PassageRules {
  /** levels that do not last as long are contact bounce; well below the shortest pulse */
  readonly bounceMs: number
  /** a PASS pulse is at least as long; what is shorter is noise */
  readonly pulseMsMin: number
  /** no person holds an arm as long: power loss, or a contact that sticks */
  readonly pulseMsMax: number
  /** both PASS contacts that open within this time did so because the power went */
  readonly togetherMs: number
  /** a second passage of one lane in one direction within this time is the same person */
  readonly doubleMs: number
  /** how long the arm lets the person of a grant walk */
  readonly passageMs: number
  /** on top of it, before nobody is said to have walked */
  readonly guardMs: number
  /** behind somebody who was let in, whoever follows within this time is a tailgater */
  readonly tailgateMs: number
  /** more passages in a minute, per direction, than people can make in one lane */
  readonly perMinuteMax: number
  /** quiet for longer, while the mall is open and other lanes are not, is a fault; 0: never */
  readonly silentMs: number
}

/** Tripods with PASS contacts of 100 ms and more, one person at a time. */
export const PASSAGE_RULES: PassageRules = {
  bounceMs: 8,
  pulseMsMin: 50,
  pulseMsMax: 4000,
  togetherMs: 60,
  doubleMs: 500,
  passageMs: 5000,
  guardMs: 1000,
  tailgateMs: 3000,
  perMinuteMax: 60,
  silentMs: 0,
}

/** What is wrong with these, in words; undefined where they fit together. */
export function flawOf(r: PassageRules): string | undefined {
  if (r.bounceMs * 2 > r.pulseMsMin) return 'bounceMs: at most half of pulseMsMin, or pulses are taken for bounces'
  if (r.pulseMsMin >= r.pulseMsMax) return 'pulseMsMin: below pulseMsMax'
  if (r.doubleMs * r.perMinuteMax > 60_000) return 'perMinuteMax: doubleMs allows fewer'
  return undefined
}
