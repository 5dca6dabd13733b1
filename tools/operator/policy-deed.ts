// Policy deed: a wish of an operator, made into the next policy here and not by the anchor, shown, signed and brought.

import type { Brought } from '../../anchor/approvals/approval.ts'
import { draftPolicy } from '../../anchor/approvals/draft.ts'
import { parseReclaim, type Reclaim, type Wish } from '../../anchor/approvals/wish.ts'
import { Fault } from '../../ledger/fault.ts'
import { formatPolicy } from '../../ledger/policy-note.ts'
import { Usage } from '../command.ts'
import { SaysNo } from './anchor-client.ts'
import { answered, perform, standing } from './deed.ts'
import { type CommonValues, reasonOf, signingBearings } from './options.ts'

export interface PolicyDeed extends CommonValues {
  readonly reason?: string | undefined
  readonly out?: string | undefined
  readonly yes: boolean
}

/** `wish` may ask the anchor for what it needs to know. */
export async function wished(
  values: PolicyDeed,
  wish: Wish | ((get: <T>(path: string) => Promise<T>) => Promise<Wish>),
): Promise<number> {
  const reason = reasonOf(values.reason)
  const { client, key, json } = await signingBearings(values)
  return answered(json, async () => {
    const { charter, before, agreed } = await standing(client)
    if (before === undefined) throw new SaysNo(409, 'no-policy', 'no policy is in force yet: bring the first one')
    const said = typeof wish === 'function' ? await wish(path => client.get(path)) : wish
    const known = agreed === undefined ? {} : { agreed }
    const policy = drafted(() => draftPolicy({ charter, before, ...known, wish: said, reason, at: Date.now() }))
    return perform({
      text: formatPolicy(policy, charter.mall),
      before: formatPolicy(before, charter.mall),
      key,
      json,
      yes: values.yes,
      out: values.out,
      send: note => client.post<Brought>('policy', { note }),
    })
  })
}

/** A wish that cannot be: the answer is no, in its own words. */
export function drafted<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof Fault && error.code === 'WISH') throw new SaysNo(422, 'wish', error.message)
    throw error
  }
}

/** `--reclaim`, as often as it is said. */
export function reclaimFrom(words: readonly string[]): Reclaim[] {
  try {
    return words.map(parseReclaim)
  } catch (error) {
    throw error instanceof Fault ? new Usage(`--reclaim takes ${error.message}`) : error
  }
}
