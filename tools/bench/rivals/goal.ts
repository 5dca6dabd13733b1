// Goal: a figure that was promised, beside the one that was measured; the reader is told either way.

import { rounded } from './spread.ts'

export interface Goal {
  readonly what: string
  readonly measured: number
  readonly bound: string
  readonly isMet: boolean
}

export function atMost(what: string, measured: number, bound: number): Goal {
  return { what, measured: rounded(measured), bound: `≤ ${bound}`, isMet: measured <= bound }
}

export function atLeast(what: string, measured: number, bound: number): Goal {
  return { what, measured: rounded(measured), bound: `≥ ${bound}`, isMet: measured >= bound }
}

export function exactly(what: string, measured: number, bound: number): Goal {
  return { what, measured, bound: `= ${bound}`, isMet: measured === bound }
}

export function inWords({ what, measured, bound, isMet }: Goal): string {
  return `${isMet ? 'met   ' : 'MISSED'}  ${what}: ${measured} (${bound})`
}
