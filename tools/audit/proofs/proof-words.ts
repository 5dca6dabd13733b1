// Proof words: what a proof that was checked means, and what it does not, for somebody who has never seen one.
//
// Law: no more is claimed than the steps have shown. What nobody can tell from a proof is said as well, for a reader will
// otherwise take it for granted.

import { isoOf } from '../../../anchor/api/event-sheet.ts'
import { nameOf } from '../../../ledger/account.ts'
import type { EventProof } from '../../../ledger/audit/event-proof.ts'
import type { Checked } from '../../../ledger/audit/proof-check.ts'
import type { Entry } from '../../../ledger/entry.ts'

export interface Meaning {
  readonly means: readonly string[]
  readonly not: readonly string[]
}

/** Of one that holds. */
export function meaningOf(proof: EventProof, entry: Entry, { signers }: Checked): Meaning {
  const { account, index, size, mall, key, checkpoint, charter } = proof
  const name = nameOf(account)
  const means = [
    `Whoever holds the key of ${name} of ${mall} has signed a ledger of ${size} entries in which entry ${index} is this ` +
      'line, letter for letter. It cannot be changed, moved or taken out without that showing.',
    ...(checkpoint === undefined ? [] : [seen(checkpoint)]),
    key.from === 'charter'
      ? `That the key is ${name}’s, the owner of the mall says: it is in a charter that they signed.`
      : `That the key is ${name}’s, policy ${key.policy?.version} says, signed by the anchor and by ` +
        `${counted(signers.length, 'operator')} (${signers.join(', ')}) whom the owner’s charter of that version names.`,
  ]
  const not = [
    'That things happened as the line says: it is what the gate wrote down, from what its sensors told it.',
    `That they happened at ${isoOf(entry.at)}: that is the writer’s own clock.`,
    ...(checkpoint === undefined
      ? ['Since when the line has been there: no checkpoint of the anchor’s is in this proof.']
      : []),
    'Anything about other events: none is shown, and one that was never written down leaves no trace here.',
    'That the rest of the ledger keeps the laws, or that its writer has not signed another history besides: ' +
      '`gatemesh audit verify` looks for that in a whole bundle.',
    ...(key.from === 'policy'
      ? [
          `That policy ${key.policy?.version} was valid in its turn: that takes every policy before it, and whether ` +
            'one operator was enough for what it changed. `gatemesh audit verify` judges that.',
        ]
      : []),
    charter.revisions === undefined
      ? 'That the charter is still the newest: a later revision would not be seen here.'
      : `That revision ${charter.revisions.length + 1} of the charter is the newest: a later one would not be seen here.`,
  ]
  return { means, not }
}

function seen({ at, account, index, head }: NonNullable<EventProof['checkpoint']>): string {
  return (
    `The anchor had seen it by ${isoOf(at)} on the anchor’s clock: entry ${index} of ${account} names a ledger of ` +
    `${head.size} entries with this line in it.`
  )
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
