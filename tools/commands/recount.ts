// `gatemesh recount`: people were counted by hand, and the count follows.

import { parseArgs } from 'node:util'
import type { Reclaim } from '../../anchor/approvals/wish.ts'
import { Usage, wholeNumber } from '../command.ts'
import { SIGNING, SIGNING_HELP } from '../operator/options.ts'
import { reclaimFrom, wished } from '../operator/policy-deed.ts'

export const summary = 'sign a head count: the figure follows, and the difference is kept as the accuracy'

export const help = `
gatemesh recount ACTUAL --reason TEXT --key FILE [--counted N] [--reclaim ACCOUNT=N]… [--reclaim closed]

  ACTUAL             people found inside
  --counted N        people counted at that time; what the anchor counts now where it is not said
  --reclaim A=N      put N tokens of a closed account back into use, as in gate-07/1=18; may be repeated. Only where its
                     gate can let nobody in any more under that account
  --reclaim closed   all that the anchor knows of accounts that are closed
${SIGNING_HELP}

It takes two signatures. A head count is right only if nobody moves meanwhile and every gate is heard.
`

interface Inside {
  readonly count: number
  /** below zero where more left than were seen to come in */
  readonly counted?: number
  readonly atMost: number
  readonly at: number
  readonly closed?: readonly Reclaim[]
}

export async function run(args: string[]): Promise<number> {
  const options = {
    ...SIGNING,
    counted: { type: 'string' },
    reclaim: { type: 'string', multiple: true, default: [] as string[] },
  } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  if (positionals.length > 1) throw new Usage(`one number, not ${positionals.join(' ')}`)
  const actual = wholeNumber('recount', positionals[0] ?? '', 0, 1_000_000)
  const said = values.counted === undefined ? undefined : signedNumber(values.counted)
  const named = reclaimFrom(values.reclaim.filter(word => word !== 'closed'))
  const isAll = values.reclaim.includes('closed')
  return wished(values, async get => {
    const inside = await get<Inside>('occupancy')
    if (inside.atMost > inside.count) {
      console.error(`not every gate is heard: between ${inside.count} and ${inside.atMost} are inside by the count`)
    }
    if (isAll && inside.closed === undefined)
      throw new Usage('--reclaim: this anchor tells no closed accounts: name them')
    const reclaim = [...named, ...(isAll ? (inside.closed ?? []) : [])]
    const counted = said ?? inside.counted ?? inside.count
    return { kind: 'recount', actual, counted, at: inside.at, ...(reclaim.length === 0 ? {} : { reclaim }) }
  })
}

function signedNumber(text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw new Usage(`--counted takes a whole number, not ${JSON.stringify(text)}`)
}
