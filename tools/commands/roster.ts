// `gatemesh roster`: which keys are gates of this mall.

import { parseArgs } from 'node:util'
import { ANCHOR } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import { parseCharter } from '../../ledger/charter-note.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { parseNote } from '../../ledger/note.ts'
import { EXIT, Usage } from '../command.ts'
import { answered } from '../operator/deed.ts'
import { bearings, COMMON, SIGNING, SIGNING_HELP } from '../operator/options.ts'
import { reclaimFrom, wished } from '../operator/policy-deed.ts'
import { table } from '../table.ts'

export const summary = 'list the gates, sign a new one in, give one another key, or sign one off'

export const help = `
gatemesh roster list [--json]
gatemesh roster add VKEY --reason TEXT --key FILE
gatemesh roster rotate NAME VKEY --reason TEXT --key FILE
gatemesh roster remove NAME --reason TEXT --key FILE [--reclaim ACCOUNT=N]…

  list             the gates, and below them the keys of the charter: the anchor's and the operators'
  add VKEY         the key that the gate prints when it starts; compare the fingerprint with the gate's own words first
  rotate NAME VKEY the gate's new key, as \`gatemesh key new\` printed it; takes two signatures, and cuts the old key off
                   within a second. Stop the gate before the second one signs: then its tokens are with the others
  remove NAME      cuts the gate off within a second; takes two signatures
  --reclaim A=N    with remove: put N tokens that it held back into use, as in gate-07/1=18
${SIGNING_HELP}
`

const TAKES: ReadonlyMap<string, string> = new Map([
  ['add', 'VKEY'],
  ['rotate', 'NAME VKEY'],
  ['remove', 'NAME'],
])

interface GateTold {
  readonly name: string
  readonly key?: string
  readonly isRostered: boolean
  readonly isReachable: boolean
  readonly account: string
  readonly balance: number
}

export async function run(args: string[]): Promise<number> {
  const [what = ''] = args
  if (what === 'list') return list(args.slice(1))
  const options = { ...SIGNING, reclaim: { type: 'string', multiple: true, default: [] as string[] } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [word = '', ...said] = positionals
  const takes = TAKES.get(word)
  if (takes === undefined) {
    throw new Usage(`what to do with the roster is list, add, rotate or remove, not ${JSON.stringify(word)}`)
  }
  if (said.length !== takes.split(' ').length) throw new Usage(`roster ${word} takes ${takes}`)
  const [whom = '', key = ''] = said
  const reclaim = reclaimFrom(values.reclaim)
  if (word === 'remove') return wished(values, { kind: 'gate-remove', name: whom, reclaim })
  if (reclaim.length > 0) throw new Usage('--reclaim goes with `roster remove`')
  if (word === 'rotate') return wished(values, { kind: 'gate-rotate', name: whom, key })
  return wished(values, { kind: 'gate-add', key: whom })
}

async function list(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: COMMON })
  const { client, json } = await bearings(values)
  return answered(json, async () => {
    const { gates } = await client.get<{ gates: readonly GateTold[] }>('gates')
    const charter = parseCharter(parseNote(await client.text('charter')).text)
    if (json) console.log(JSON.stringify({ gates: gates.map(fingerprinted), charter: keysOf(charter) }))
    else console.log(`${gates.length === 0 ? 'no gates' : table(gates.map(rowOf))}\n\n${table(keysOf(charter))}`)
    return EXIT.fine
  })
}

/** Those that only the owner replaces. */
function keysOf({ anchor, operators }: Charter): Record<'name' | 'role' | 'fingerprint', string>[] {
  return [{ name: ANCHOR, role: '', key: anchor }, ...operators].map(({ name, role, key }) => {
    return { name, role, fingerprint: VerifierKey.parse(key).fingerprint }
  })
}

function fingerprinted(gate: GateTold): GateTold & { readonly fingerprint?: string } {
  return gate.key === undefined ? gate : { ...gate, fingerprint: VerifierKey.parse(gate.key).fingerprint }
}

function rowOf(gate: GateTold): Record<string, string | number> {
  const { name, account, balance, isReachable, isRostered } = gate
  const state = isRostered ? (isReachable ? 'heard' : 'silent') : 'off the roster'
  return { gate: name, account, tokens: balance, state, fingerprint: fingerprinted(gate).fingerprint ?? '' }
}
