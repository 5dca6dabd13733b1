// `gatemesh audit prove EVENT_ID`: a proof of one event that stands alone, from a bundle or from an anchor.

import { lstat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { isoOf } from '../../../anchor/api/event-sheet.ts'
import { isAccount } from '../../../ledger/account.ts'
import type { EventProof } from '../../../ledger/audit/event-proof.ts'
import { checkEventProof } from '../../../ledger/audit/proof-check.ts'
import { Fault } from '../../../ledger/fault.ts'
import { isUuid7 } from '../../../ledger/line.ts'
import { writeWhole } from '../../../mesh/whole-file.ts'
import { EXIT, Usage, wholeNumber } from '../../command.ts'
import { answered } from '../../operator/deed.ts'
import { bearings, COMMON, COMMON_HELP, type CommonValues } from '../../operator/options.ts'
import { NoProof, type Proved, proveFromBundle, type Wanted } from '../proofs/prove-bundle.ts'

export const summary = 'prove one event to somebody who sees nothing else'

export const help = `
gatemesh audit prove EVENT_ID [--bundle DIR] [--account ACCOUNT] [--out FILE]

  --bundle DIR     from this bundle, offline; without it the anchor is asked
  --account ACCOUNT  in this ledger, as in east/1: an id may stand in several
  --seq N          this entry of it, should one ledger have the id twice
  --bare           without the anchor's checkpoint: that says since when the entry was there, and shows how many entries
                   every ledger had
  --out FILE       write it there, where nothing is yet; otherwise it is printed
${COMMON_HELP.slice(1)}

The proof holds the line, the way from it to the root of its ledger, the row that its writer signed that root with, and the
charter (and policy) that say whose key that is. Of other events it shows nothing; the row says what its gate had counted
by then. \`gatemesh audit check FILE\` checks it, anywhere. Exit code 1 where there is nothing to prove it with.
`

interface Values extends CommonValues {
  readonly bundle?: string | undefined
  readonly account?: string | undefined
  readonly seq?: string | undefined
  readonly out?: string | undefined
  readonly bare: boolean
}

export async function run(args: string[]): Promise<number> {
  const options = {
    ...COMMON,
    bundle: { type: 'string' },
    account: { type: 'string' },
    seq: { type: 'string' },
    bare: { type: 'boolean', default: false },
    out: { type: 'string' },
  } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const wanted = wantedOf(values, positionals)
  if (values.out !== undefined) await refuseThere(values.out)
  return answered(values.json, async () => {
    try {
      const proved = await (values.bundle === undefined
        ? proveFromAnchor(values, wanted)
        : proveFromBundle(values.bundle, wanted))
      await hand(proved, values.out)
      return EXIT.fine
    } catch (error) {
      if (!(error instanceof NoProof)) throw error
      if (values.json) console.log(JSON.stringify({ outcome: 'refused', code: 'no-proof', why: error.message }))
      else console.error(`no proof: ${error.message}`)
      return EXIT.no
    }
  })
}

function wantedOf(values: Values, positionals: readonly string[]): Wanted {
  const [id, ...more] = positionals
  const { account, seq, bare, bundle, anchor } = values
  if (id === undefined || more.length > 0) throw new Usage('takes the id of one event')
  if (!isUuid7(id)) throw new Usage(`takes the id of an event (a UUID of version 7, lower case), not ${quote(id)}`)
  if (account !== undefined && !isAccount(account))
    throw new Usage(`--account takes a ledger, as in east/1, not ${quote(account)}`)
  if (bundle !== undefined && anchor !== undefined) throw new Usage('--bundle or --anchor, not both')
  if (bundle === undefined && seq !== undefined) throw new Usage('--seq is for bundles')
  return { id, account, isBare: bare, seq: seq === undefined ? undefined : wholeNumber('--seq', seq, 0) }
}

/** Held to be none until it was checked: the anchor is somebody else. */
async function proveFromAnchor(values: Values, { id, account, isBare }: Wanted): Promise<Proved> {
  const { client } = await bearings(values)
  const query = account === undefined ? '' : `?account=${encodeURIComponent(account)}`
  const { checkpoint, ...bare } = await client.get<EventProof>(`events/${id}/proof${query}`)
  const proof = isBare || checkpoint === undefined ? bare : { ...bare, checkpoint }
  const failed = checkEventProof(proof).steps.find(({ holds }) => holds === false)
  if (failed !== undefined) throw new Fault('ANCHOR', `${client.url} handed out what is no proof: ${failed.words}`)
  if (proof.id !== id || (account !== undefined && proof.account !== account)) {
    throw new Fault('ANCHOR', `${client.url} handed out a proof of another event`)
  }
  return { proof, remarks: [] }
}

async function hand({ proof, remarks }: Proved, out: string | undefined): Promise<void> {
  const text = JSON.stringify(proof, undefined, 1)
  if (out === undefined) console.log(text)
  else await writeWhole(out, `${text}\n`, 0o644)
  const { account, index, size, checkpoint } = proof
  const seen = checkpoint === undefined ? '' : `; the anchor had seen it at ${isoOf(checkpoint.at)}`
  const where = out === undefined ? '' : `, written to ${out}`
  // what is for people goes beside the proof, not into it
  for (const remark of remarks) console.error(`note: ${remark}`)
  console.error(`entry ${index} of ${account}, by its row of ${size} entries${seen}${where}`)
}

async function refuseThere(out: string): Promise<void> {
  const isThere = await lstat(out).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Fault('PROOF', `${out}: is there already, and nothing is written over`)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
