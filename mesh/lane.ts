// Lane: by which way a message travels.
//
// Law: what somebody stands at the arm for goes by the steal stream, where nothing bulky is ahead of it. What everyone
// should hear of again and again is gossip. A mode is said on every way there is.

import { EVERYONE, type Message, type Rows, UNASKED } from './message.ts'

/** Tokens that nobody asked for, with more rows than this, are bulky: nobody who is asked for shall wait behind them. */
const FEW_ROWS = 16

export type Lane =
  /** the long-lived stream for what cannot wait */
  | 'steal'
  /** the long-lived stream for questions, answers and whole views */
  | 'rows'
  /** to all who listen, by whichever way it comes to them */
  | 'gossip'
  /** gossip, and the steal stream of everyone in reach */
  | 'alarm'

export function laneOf(to: string, message: Message): Lane {
  switch (message.kind) {
    case 'ask':
    case 'none':
    case 'late':
    case 'fork':
      return 'steal'
    case 'mode':
      return to === EVERYONE ? 'alarm' : 'steal'
    case 'rows':
      if (to === EVERYONE) return 'gossip'
      return isUrgent(message) ? 'steal' : 'rows'
    default:
      return 'rows'
  }
}

function isUrgent({ re, rows }: Rows): boolean {
  return re === UNASKED ? rows.length <= FEW_ROWS : re !== undefined
}
