// `gatemesh capacity`: how many people may be inside, now and later.

import { parseArgs } from 'node:util'
import type { Wish } from '../../anchor/approvals/wish.ts'
import { Usage, wholeNumber } from '../command.ts'
import { parseMoment } from '../operator/moment.ts'
import { SIGNING, SIGNING_HELP } from '../operator/options.ts'
import { wished } from '../operator/policy-deed.ts'

export const summary = 'sign how many people may be inside, now, later, or by a schedule'

export const help = `
gatemesh capacity set N [--from TIME] --reason TEXT --key FILE
gatemesh capacity schedule TIME=N TIME=N … --reason TEXT --key FILE
gatemesh capacity standby N … | none --reason TEXT --key FILE
gatemesh capacity margin PER_MILLE --reason TEXT --key FILE
gatemesh capacity share PER_MILLE --reason TEXT --key FILE

  set N            from now on, or --from TIME, N people; nothing that was scheduled for later stays
  schedule TIME=N  the whole schedule, one step for each; the first holds until the second
  standby N …      limits in reserve, all of them: the anchor puts one in force, below the schedule, while a signal of the
                   building (CO₂, parking, air) asks for it; none takes them away
  margin PER_MILLE kept back of every capacity for what sensors miss
  share PER_MILLE  the part of the capacity that one gate may hold
  TIME             18:00 (the next one), 2026-11-16T18:00, or with a zone 2026-11-16T18:00+01:00
${SIGNING_HELP}

A move of more than a fifth of what two people last agreed on waits for a second signature: \`gatemesh approve\`.
`

export async function run(args: string[]): Promise<number> {
  const options = { ...SIGNING, from: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [what = '', ...rest] = positionals
  return wished(values, wishFrom(what, rest, values.from))
}

function wishFrom(what: string, rest: readonly string[], from: string | undefined): Wish {
  const now = Date.now()
  if (from !== undefined && what !== 'set') throw new Usage('--from goes with `capacity set`')
  switch (what) {
    case 'set': {
      const capacity = wholeNumber('capacity set', only(rest), 0, 1_000_000)
      return { kind: 'capacity', capacity, ...(from === undefined ? {} : { from: parseMoment('--from', from, now) }) }
    }
    case 'schedule':
      return { kind: 'schedule', steps: rest.map(word => stepFrom(word, now)) }
    case 'standby':
      return { kind: 'standby', capacities: reserveFrom(rest) }
    case 'margin':
      return { kind: 'margin', perMille: wholeNumber('capacity margin', only(rest), 0, 1000) }
    case 'share':
      return { kind: 'share', perMille: wholeNumber('capacity share', only(rest), 1, 1000) }
    default:
      throw new Usage(
        `what to do with the capacity is set, schedule, standby, margin or share, not ${JSON.stringify(what)}`,
      )
  }
}

function stepFrom(word: string, now: number): { from: number; capacity: number } {
  const at = word.lastIndexOf('=')
  if (at < 0) throw new Usage(`a step of the schedule is TIME=N, not ${JSON.stringify(word)}`)
  const capacity = wholeNumber('a step', word.slice(at + 1), 0, 1_000_000)
  return { from: parseMoment('a step', word.slice(0, at), now), capacity }
}

function reserveFrom(rest: readonly string[]): number[] {
  if (rest.length === 0) throw new Usage('capacity standby takes one or more numbers, or none')
  if (rest.length === 1 && rest[0] === 'none') return []
  return rest.map(word => wholeNumber('capacity standby', word, 0, 1_000_000))
}

function only(rest: readonly string[]): string {
  if (rest.length <= 1) return rest[0] ?? ''
  throw new Usage(`one number, not ${rest.join(' ')}`)
}
