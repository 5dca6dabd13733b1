// Every number that the board obeys, with its reason.

import { must } from '../../ledger/fault.ts'

export interface BoardLimits {
  /** a day of heavy use is below 100 kB; what would grow beyond this is refused until tomorrow's fresh document */
  readonly documentBytesMax: number
  /** the answer to a peer that has nothing is one frame with the whole document */
  readonly frameBytesMax: number
  /** one gate's telemetry is a few hundred bytes */
  readonly telemetryBytesMax: number
  /** people cannot act on more in a day */
  readonly alertsMax: number
  readonly notesMax: number
  /** labels and positions, each */
  readonly gatesMax: number
  /** of what nobody acknowledged, the newest are carried into the next day; older ones stay in the logs */
  readonly alertsCarriedMax: number
  readonly notesCarriedMax: number
  /** a note is carried until it is this old */
  readonly noteAgeMs: number
  /** an alert that nobody acknowledged is carried until it is this old */
  readonly alertAgeMs: number
  readonly textMax: number
  readonly labelMax: number
  readonly byMax: number
  readonly codeMax: number
  /** positions are metres or pixels of somebody's plan */
  readonly coordinateMax: number
  /** clocks of a mall differ by seconds; a peer may start a day this much before our own midnight, and no sooner */
  readonly earlyMs: number
  /** members carry over one after the other, so that usually the first one does it all */
  readonly carryStepMs: number
  /** with nobody met, as after a start: time to meet them and to hear what today's document holds already */
  readonly carryAloneMs: number
  /** what others carried over is compared with what we know this long after it came */
  readonly mendMs: number
  /** repairs of what was carried over in a partition; without a limit a liar could keep us writing */
  readonly mendsMax: number
  readonly saveEveryMs: number
  /** telemetry goes out at most this often */
  readonly tellMinMs: number
  /** unchanged telemetry is repeated, so that it does not expire */
  readonly tellEveryMs: number
  /** y-protocols forgets a silent client after 30 s */
  readonly tellExpiresMs: number
  /** bad document frames in one meeting before a peer's document frames are no longer read */
  readonly strikesMax: number
  /** a question without an answer may be put again after this */
  readonly askAgainMs: number
  /** updates in one meeting that build on unseen ones; honest ones overtake an answer now and then */
  readonly gapsMax: number
  /** whole documents sent to one peer in a burst, and how often one more */
  readonly answersMax: number
  readonly answerEveryMs: number
}

export const BOARD_LIMITS: BoardLimits = {
  documentBytesMax: 1 << 20,
  frameBytesMax: (1 << 20) + 4096,
  telemetryBytesMax: 4096,
  alertsMax: 1000,
  notesMax: 500,
  gatesMax: 256,
  alertsCarriedMax: 200,
  notesCarriedMax: 100,
  noteAgeMs: 24 * 3600_000,
  alertAgeMs: 7 * 24 * 3600_000,
  textMax: 500,
  labelMax: 60,
  byMax: 40,
  codeMax: 40,
  coordinateMax: 1_000_000,
  earlyMs: 5 * 60_000,
  carryStepMs: 200,
  carryAloneMs: 30_000,
  mendMs: 5000,
  mendsMax: 8,
  saveEveryMs: 5000,
  tellMinMs: 1000,
  tellEveryMs: 10_000,
  tellExpiresMs: 30_000,
  strikesMax: 8,
  askAgainMs: 5000,
  gapsMax: 200,
  answersMax: 8,
  answerEveryMs: 5000,
}

export function checkBoardLimits(l: BoardLimits): BoardLimits {
  must(l.frameBytesMax >= l.documentBytesMax + 1024, 'a whole document fits into a frame')
  must(l.tellExpiresMs >= 2 * l.tellEveryMs, 'one lost repetition does not expire telemetry')
  must(l.telemetryBytesMax <= l.frameBytesMax, 'telemetry fits into a frame')
  must(l.alertsCarriedMax < l.alertsMax && l.notesCarriedMax < l.notesMax, 'a new day has room for its own')
  return l
}
