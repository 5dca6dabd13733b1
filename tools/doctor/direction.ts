// Direction: one person walked in, one walked out; does the lane tell which was which?
//
// Law: a lane with in and out exchanged counts the mall empty while it fills. It is told as what it is, with the wires
// that have to change places, and no count of both together hides it.

import type { LaneConfig, Wire } from '../../hardware/config.ts'
import type { Signal } from '../../hardware/io.ts'
import type { Flow, Way } from './accuracy.ts'

/** What the lane told of one person. */
export type Told = 'right' | 'other' | 'twice' | 'both' | 'nothing'

export interface Direction {
  readonly in: Told
  readonly out: Told
  readonly isSwapped: boolean
  readonly ok: boolean
}

export function directionOf(whenIn: Flow, whenOut: Flow): Direction {
  const told = { in: toldOf('in', whenIn), out: toldOf('out', whenOut) }
  return {
    ...told,
    isSwapped: told.in === 'other' && told.out === 'other',
    ok: told.in === 'right' && told.out === 'right',
  }
}

function toldOf(way: Way, seen: Flow): Told {
  const own = seen[way]
  const other = way === 'in' ? seen.out : seen.in
  if (own === 0) return other === 0 ? 'nothing' : 'other'
  if (other > 0) return 'both'
  return own === 1 ? 'right' : 'twice'
}

const TOLD_WORDS = {
  right: 'told as it was',
  other: 'told as the other way',
  twice: 'told as more than one person',
  both: 'told as both ways',
  nothing: 'not seen',
} as const satisfies Record<Told, string>

const MENDS = {
  other: 'one contact answers for both ways: look which wire is on which contact',
  twice:
    'the contact bounces longer than the rules allow: raise bounceMs or doubleMs of this lane, or mend the contact',
  both: 'both contacts answer to one person: look for wires that touch, or for an arm that swings back',
  nothing: 'look at the wire, the board and the arm: the inputs are shown by `gatemesh doctor`',
} as const satisfies Record<Exclude<Told, 'right'>, string>

/** One line each: what was told, and what mends it. */
export function directionWords(direction: Direction, swap: string): string[] {
  const { in: walkedIn, out: walkedOut, isSwapped, ok } = direction
  const words = `in: ${TOLD_WORDS[walkedIn]}; out: ${TOLD_WORDS[walkedOut]}`
  if (ok) return [words]
  if (isSwapped) return [words, `SWAPPED: ${swap}`]
  const mends = [walkedIn, walkedOut].flatMap(told => (told === 'right' ? [] : [MENDS[told]]))
  return [words, ...new Set(mends)]
}

const PAIRS = [
  ['in', 'out'],
  ['beam-a', 'beam-b'],
] as const satisfies readonly (readonly [Signal, Signal])[]

/** Which inputs change places; where the config says nothing of them, `inputs` are the names that the gate shows. */
export function swapWords(lane: string, config: LaneConfig | undefined, inputs: readonly string[]): string {
  if (config?.counter !== undefined) {
    return `${config.counter} counts this lane by itself, the other way round: exchange entry and exit in its own setup`
  }
  const wired = Object.keys(config?.inputs ?? {})
  const named = wired.length > 0 ? wired : inputs
  const pair = PAIRS.find(([a, b]) => named.includes(a) && named.includes(b))
  if (pair === undefined) return 'exchange in and out where this lane is wired'
  const place = (signal: Signal) => `inputs.${signal}${wireWords(config?.inputs[signal])}`
  return `exchange ${place(pair[0])} and ${place(pair[1])} of lane ${lane} in the config, start the gate anew, test again`
}

function wireWords(wire: Wire | undefined): string {
  return wire === undefined ? '' : ` (now ${wire.on}, ${wire.at})`
}
