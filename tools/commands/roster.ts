// `gatemesh roster`: which keys are gates of this mall.

import { parseArgs } from 'node:util'
import { VerifierKey } from '../../ledger/key.ts'
import { EXIT, Usage } from '../command.ts'
import { answered } from '../operator/deed.ts'
import { bearings, COMMON, SIGNING, SIGNING_HELP } from '../operator/options.ts'
import { reclaimFrom, wished } from '../operator/policy-deed.ts'
import { table } from '../table.ts'

export const summary = 'list the gates, sign a new one in, or sign one off'

export const help = `
gatemesh roster list [--json]
gatemesh roster add VKEY --reason TEXT --key FILE
gatemesh roster remove NAME --reason TEXT --key FILE [--reclaim ACCOUNT=N]…

  add VKEY         the key that the gate prints when it starts; compare the fingerprint with the gate's own words first
  remove NAME      cuts the gate off within a second; takes two signatures
  --reclaim A=N    with remove: put N tokens that it held back into use, as in gate-07/1=18
${SIGNING_HELP}
`

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
  const [word = '', whom = '', ...rest] = positionals
  if (!['add', 'remove'].includes(word)) {
    throw new Usage(`what to do with the roster is list, add or remove, not ${JSON.stringify(word)}`)
  }
  if (whom === '' || rest.length > 0) throw new Usage(`roster ${word} takes one ${word === 'add' ? 'VKEY' : 'NAME'}`)
  const reclaim = reclaimFrom(values.reclaim)
  if (word === 'remove') return wished(values, { kind: 'gate-remove', name: whom, reclaim })
  if (reclaim.length > 0) throw new Usage('--reclaim goes with `roster remove`')
  return wished(values, { kind: 'gate-add', key: whom })
}

async function list(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: COMMON })
  const { client, json } = await bearings(values)
  return answered(json, async () => {
    const { gates } = await client.get<{ gates: readonly GateTold[] }>('gates')
    if (json) console.log(JSON.stringify({ gates: gates.map(fingerprinted) }))
    else console.log(gates.length === 0 ? 'no gates' : table(gates.map(rowOf)))
    return EXIT.fine
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
