// `gatemesh charter`: founds a mall, with keys, charter, first policy and a config file for every member; or revises its
// charter, for keys that must change.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ANCHOR } from '../../ledger/account.ts'
import { ROLES } from '../../ledger/charter.ts'
import { isName } from '../../ledger/origin.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { fingerprintOf, found, OWNER, type Plan } from '../founding.ts'
import { writeMemberFile } from '../member-file.ts'
import { help as reviseHelp, runRevise } from '../revise.ts'
import { vkeyFrom } from '../vkey.ts'

export const summary = 'found a mall: keys, charter, first policy, configs; or revise its charter'

const MESH_PORT = 4500
const HTTP_PORT = 8080
const GATES_MAX = 1000

export const help = `
gatemesh charter new --mall ID --legal-max N --capacity N --operators a,b --gates g1,g2 --out DIR
                     [--operator-keys FILE]… [--exits-per-minute-max ${LIMITS.exitsPerMinuteMax}] [--json]
gatemesh charter revise …            for keys that must change; see \`gatemesh charter revise --help\`

  --mall ID        the mall's name: a small letter, then small letters, digits and dashes
  --legal-max N    people the law allows inside; nothing that is signed later can exceed it
  --capacity N     people the first policy allows inside
  --operators A,B  two people or more who sign policies; NAME:ROLE gives a role (${ROLES.join(', ')}),
                   otherwise the first is a marshal, who may re-arm after an emergency, and the rest operators.
                   NAME:ROLE=VKEY is for somebody who keeps a secret key of their own (\`gatemesh key new\`)
  --operator-keys FILE   the same from a file with vkeys in it, as \`gatemesh key new\` prints them; may be repeated
  --gates A,B      the gates' names
  --out DIR        where all of it goes
  --exits-per-minute-max N   people one gate can let out in a minute, all its lanes together

Secret keys are made here for everyone who brings none. Take each to its own machine or person, and the owner's to a
safe, before the mall opens.
`

export async function helpOf([what]: readonly string[]): Promise<string | undefined> {
  return what === 'revise' ? reviseHelp : undefined
}

export async function run(args: string[]): Promise<number> {
  if (args[0] === 'revise') return runRevise(args.slice(1))
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      mall: { type: 'string' },
      'legal-max': { type: 'string' },
      capacity: { type: 'string' },
      operators: { type: 'string' },
      'operator-keys': { type: 'string', multiple: true, default: [] as string[] },
      gates: { type: 'string' },
      out: { type: 'string' },
      'exits-per-minute-max': { type: 'string', default: String(LIMITS.exitsPerMinuteMax) },
      json: { type: 'boolean', default: false },
    },
  })
  if (positionals.join(' ') !== 'new')
    throw new Usage(`what to do is \`charter new\` or \`charter revise\`, not "${positionals.join(' ')}"`)
  const legalMax = wholeNumber('--legal-max', values['legal-max'] ?? '', 1, 1_000_000)
  const mall = nameFrom('--mall', values.mall ?? '')
  const vkeys = await vkeysFrom(values['operator-keys'], mall)
  const plan: Plan = {
    mall,
    legalMax,
    capacity: wholeNumber('--capacity', values.capacity ?? '', 1, legalMax),
    operators: operatorsFrom(values.operators ?? '', mall, vkeys),
    gates: gatesFrom(values.gates ?? ''),
    exitsPerMinuteMax: wholeNumber('--exits-per-minute-max', values['exits-per-minute-max'], 1, 1_000_000),
  }
  refuseDoubles([OWNER, ANCHOR, ...plan.operators.map(o => o.name), ...plan.gates])
  if (values.out === undefined || values.out === '') throw new Usage('--out takes a folder')
  const dir = resolve(values.out)
  const { keys, policy } = await found(dir, plan)
  const configs = await Promise.all([ANCHOR, ...plan.gates].map((name, i) => writeMemberFile(dir, name, placesOf(i))))
  const fingerprints = [...keys].map(([name, key]) => [name, fingerprintOf(key)] as const)
  if (values.json) {
    const report = {
      dir,
      mall: plan.mall,
      policy,
      configs,
      fingerprints: Object.fromEntries(fingerprints),
    }
    console.log(JSON.stringify(report))
  } else console.log(nextSteps(dir, plan, policy, fingerprints))
  return EXIT.fine
}

/** Ports of their own, so that all of them can also be tried on one machine. */
function placesOf(i: number): Parameters<typeof writeMemberFile>[2] {
  return { listen: `0.0.0.0:${MESH_PORT + i}`, http: { host: '127.0.0.1', port: HTTP_PORT + i } }
}

function nameFrom(option: string, text: string): string {
  if (isName(text)) return text
  throw new Usage(`${option} takes a small letter, then small letters, digits and dashes, not ${JSON.stringify(text)}`)
}

function operatorsFrom(text: string, mall: string, vkeys: ReadonlyMap<string, string>): Plan['operators'] {
  const operators = listed(text).map((word, i) => {
    const [who = '', ...key] = word.split('=')
    const [name = '', said = i === 0 ? 'marshal' : 'operator'] = who.split(':')
    const role = ROLES.find(r => r === said)
    if (role === undefined)
      throw new Usage(`--operators: the roles are ${ROLES.join(', ')}, not ${JSON.stringify(said)}`)
    nameFrom('--operators', name)
    const vkey = key.length > 0 ? vkeyFrom('--operators', key.join('='), mall, name) : vkeys.get(name)
    return { name, role, ...(vkey === undefined ? {} : { vkey }) }
  })
  const unknown = [...vkeys.keys()].find(name => !operators.some(o => o.name === name))
  if (unknown !== undefined) throw new Usage(`--operator-keys: ${unknown} is not among --operators`)
  const able = operators.slice(0, 2).filter(o => o.role === 'operator' || o.role === 'marshal')
  if (able.length < 2) throw new Usage('--operators: the first two sign the first policy, as operator or marshal')
  if (!operators.some(o => o.role === 'marshal')) throw new Usage('--operators: without a marshal nobody may re-arm')
  return operators
}

/** What stands in these files and is a vkey, by the name in it. */
async function vkeysFrom(files: readonly string[], mall: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(error => {
      throw new Usage(`--operator-keys: ${file} cannot be read: ${(error as Error).message}`)
    })
    if (text.includes('PRIVATE+KEY')) throw new Usage(`--operator-keys: ${file} holds a secret key; its vkey is enough`)
    const words = text.split(/\s+/).filter(word => word.startsWith('gatemesh/'))
    if (words.length === 0) throw new Usage(`--operator-keys: there is no vkey in ${file}`)
    for (const word of words) {
      const name = word.slice(0, word.indexOf('+')).split('/').at(-1) ?? ''
      found.set(name, vkeyFrom(`--operator-keys: ${file}`, word, mall, name))
    }
  }
  return found
}

function gatesFrom(text: string): string[] {
  const gates = listed(text).map(name => nameFrom('--gates', name))
  if (gates.length >= 1 && gates.length <= GATES_MAX) return gates
  throw new Usage(`--gates takes 1 to ${GATES_MAX} names with commas between them`)
}

function listed(text: string): string[] {
  return text === '' ? [] : text.split(',').map(word => word.trim())
}

function refuseDoubles(names: readonly string[]): void {
  const double = names.find((name, i) => names.indexOf(name) !== i)
  if (double !== undefined) throw new Usage(`two would be called ${double}: every name is one member's or one person's`)
}

function nextSteps(
  dir: string,
  plan: Plan,
  policy: string,
  fingerprints: readonly (readonly [string, string])[],
): string {
  const width = Math.max(...fingerprints.map(([name]) => name.length))
  const [first = '', ...more] = plan.gates
  const made = plan.operators.filter(o => o.vkey === undefined).map(({ name }) => `keys/${name}.key to ${name}`)
  return [
    `${plan.mall} is founded in ${dir}: at most ${plan.legalMax} people by law, ${plan.capacity} by the first policy`,
    '',
    ...fingerprints.map(([name, print]) => `  ${name.padEnd(width)}  ${print}`),
    '',
    'Next:',
    `  1. put keys/${OWNER}.key into a safe, away from every machine`,
    `  2. ${made.length === 0 ? 'the operators have their keys' : `give ${made.join(', ')}`}`,
    `  3. to the anchor's machine: charter.note, owner.vkey, anchor.json, keys/anchor.key`,
    `     gatemesh anchor --config anchor.json --birth      (--birth for the very first start only)`,
    `  4. to each gate's machine: charter.note, owner.vkey, its .json, its key`,
    `     gatemesh gate --config ${first}.json${more.length > 0 ? `      and so for ${more.join(', ')}` : ''}`,
    ...firstPolicy(policy, plan),
    '',
    'Where multicast is blocked, give every config the others by address: "peers": { "anchor": ["10.0.0.2:4500"] }.',
  ].join('\n')
}

function firstPolicy(policy: string, plan: Plan): string[] {
  const [first, second] = plan.operators.map(o => o.name)
  if (policy.endsWith('.note')) {
    return [
      '  5. bring the first policy to the anchor; whoever has a key may, it is signed already:',
      `     gatemesh approve ${policy} --key keys/${first}.key --anchor http://127.0.0.1:${HTTP_PORT}`,
    ]
  }
  return [
    `  5. ${first} and ${second} sign the first policy, each with their own key, and the second brings it to the anchor:`,
    `     gatemesh approve ${policy} --key ${first}.key --out 1.note`,
    `     gatemesh approve 1.note --key ${second}.key --anchor http://127.0.0.1:${HTTP_PORT}`,
  ]
}
