// `gatemesh charter new`: founds a mall. Keys, charter, first policy, and a config file for every member.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ANCHOR } from '../../ledger/account.ts'
import { type Operator, ROLES } from '../../ledger/charter.ts'
import { isName } from '../../ledger/origin.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { EXIT, Usage, wholeNumber } from '../command.ts'
import { fingerprintOf, found, OWNER, type Plan, policyPath } from '../founding.ts'
import { writeMemberFile } from '../member-file.ts'

export const summary = 'found a mall: keys, charter, first policy and a config file for every member'

const MESH_PORT = 4500
const HTTP_PORT = 8080
const GATES_MAX = 1000

export const help = `
gatemesh charter new --mall ID --legal-max N --capacity N --operators a,b --gates g1,g2 --out DIR
                     [--exits-per-minute-max ${LIMITS.exitsPerMinuteMax}] [--json]

  --mall ID        the mall's name: a small letter, then small letters, digits and dashes
  --legal-max N    people the law allows inside; nothing that is signed later can exceed it
  --capacity N     people the first policy allows inside
  --operators A,B  two people or more who sign policies; NAME:ROLE gives a role (${ROLES.join(', ')}),
                   otherwise the first is a marshal, who may re-arm after an emergency, and the rest operators
  --gates A,B      the gates' names
  --out DIR        where all of it goes
  --exits-per-minute-max N   people one gate can let out in a minute, all its lanes together

Every secret key is made here. Take each to its own machine or person, and the owner's to a safe, before the mall opens.
`

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      mall: { type: 'string' },
      'legal-max': { type: 'string' },
      capacity: { type: 'string' },
      operators: { type: 'string' },
      gates: { type: 'string' },
      out: { type: 'string' },
      'exits-per-minute-max': { type: 'string', default: String(LIMITS.exitsPerMinuteMax) },
      json: { type: 'boolean', default: false },
    },
  })
  if (positionals.join(' ') !== 'new') throw new Usage(`what to do is \`charter new\`, not "${positionals.join(' ')}"`)
  const legalMax = wholeNumber('--legal-max', values['legal-max'] ?? '', 1, 1_000_000)
  const plan: Plan = {
    mall: nameFrom('--mall', values.mall ?? ''),
    legalMax,
    capacity: wholeNumber('--capacity', values.capacity ?? '', 1, legalMax),
    operators: operatorsFrom(values.operators ?? ''),
    gates: gatesFrom(values.gates ?? ''),
    exitsPerMinuteMax: wholeNumber('--exits-per-minute-max', values['exits-per-minute-max'], 1, 1_000_000),
  }
  refuseDoubles([OWNER, ANCHOR, ...plan.operators.map(o => o.name), ...plan.gates])
  if (values.out === undefined || values.out === '') throw new Usage('--out takes a folder')
  const dir = resolve(values.out)
  const { keys } = await found(dir, plan)
  const configs = await Promise.all([ANCHOR, ...plan.gates].map((name, i) => writeMemberFile(dir, name, placesOf(i))))
  const fingerprints = [...keys].map(([name, key]) => [name, fingerprintOf(key)] as const)
  if (values.json) {
    const report = {
      dir,
      mall: plan.mall,
      policy: policyPath(dir, 1),
      configs,
      fingerprints: Object.fromEntries(fingerprints),
    }
    console.log(JSON.stringify(report))
  } else console.log(nextSteps(dir, plan, fingerprints))
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

function operatorsFrom(text: string): Pick<Operator, 'name' | 'role'>[] {
  const operators = listed(text).map((word, i) => {
    const [name = '', said = i === 0 ? 'marshal' : 'operator'] = word.split(':')
    const role = ROLES.find(r => r === said)
    if (role === undefined)
      throw new Usage(`--operators: the roles are ${ROLES.join(', ')}, not ${JSON.stringify(said)}`)
    return { name: nameFrom('--operators', name), role }
  })
  const able = operators.slice(0, 2).filter(o => o.role === 'operator' || o.role === 'marshal')
  if (able.length < 2) throw new Usage('--operators: the first two sign the first policy, as operator or marshal')
  if (!operators.some(o => o.role === 'marshal')) throw new Usage('--operators: without a marshal nobody may re-arm')
  return operators
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

function nextSteps(dir: string, plan: Plan, fingerprints: readonly (readonly [string, string])[]): string {
  const width = Math.max(...fingerprints.map(([name]) => name.length))
  const [first = '', ...more] = plan.gates
  return [
    `${plan.mall} is founded in ${dir}: at most ${plan.legalMax} people by law, ${plan.capacity} by the first policy`,
    '',
    ...fingerprints.map(([name, print]) => `  ${name.padEnd(width)}  ${print}`),
    '',
    'Next:',
    `  1. put keys/${OWNER}.key into a safe, away from every machine`,
    `  2. give ${plan.operators.map(o => `keys/${o.name}.key to ${o.name}`).join(', ')}`,
    `  3. to the anchor's machine: charter.note, owner.vkey, anchor.json, keys/anchor.key`,
    `     gatemesh anchor --config anchor.json --birth      (--birth for the very first start only)`,
    `  4. to each gate's machine: charter.note, owner.vkey, its .json, its key`,
    `     gatemesh gate --config ${first}.json${more.length > 0 ? `      and so for ${more.join(', ')}` : ''}`,
    `  5. bring the first policy to the anchor:`,
    `     curl --data-binary @${policyPath(dir, 1)} -H 'content-type: text/plain' http://127.0.0.1:${HTTP_PORT}/policy`,
    '',
    'Where multicast is blocked, give every config the others by address: "peers": { "anchor": ["10.0.0.2:4500"] }.',
  ].join('\n')
}
