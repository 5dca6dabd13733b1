// `gatemesh charter revise`: the owner replaces keys, of the anchor or of operators, or changes the charter's limits.

import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ANCHOR } from '../ledger/account.ts'
import { type Charter, ROLES } from '../ledger/charter.ts'
import { Fault } from '../ledger/fault.ts'
import { VerifierKey } from '../ledger/key.ts'
import { isName } from '../ledger/origin.ts'
import { writeWhole } from '../mesh/whole-file.ts'
import { EXIT, Usage, wholeNumber } from './command.ts'
import { readKey } from './operator/person.ts'
import { type Changes, readCharters, revise } from './revising.ts'
import { vkeyFrom } from './vkey.ts'

export const help = `
gatemesh charter revise --from DIR_OR_FILE --since VERSION --owner-key FILE --out FILE_OR_DIR
                        [--anchor VKEY] [--operators NAME:ROLE=VKEY,…] [--remove NAME]… [--legal-max N]
                        [--exits-per-minute-max N] [--alone-move-per-mille N] [--json]

  --from PLACE     the charter, or the folder it is in; revisions that lie beside it are read too
  --since VERSION  the first policy that is judged by it: one more than the version in force (\`gatemesh ask policy\`)
  --owner-key FILE the owner's secret key, out of its safe
  --out PLACE      the file to write, or the folder for charter.N.note
  --anchor VKEY    the anchor's new key, as \`gatemesh key new\` printed it
  --operators …    another key for an operator, or a new one; NAME=VKEY keeps the role. The roles are
                   ${ROLES.join(', ')}
  --remove NAME    an operator who is none any more
  --legal-max N, --exits-per-minute-max N, --alone-move-per-mille N   as the law or the building now say

What it does not name stays. Put charter.N.note beside charter.note of every member, and restart them: first the gates,
one after the other, then the anchor. A member that has not got it refuses what the new keys sign. Gates' keys are no
matter of the charter: \`gatemesh roster rotate\`. See anchor/RUNBOOK.md, "A key must change".
`

export async function runRevise(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      from: { type: 'string', default: '' },
      since: { type: 'string', default: '' },
      'owner-key': { type: 'string', default: '' },
      out: { type: 'string', default: '' },
      anchor: { type: 'string' },
      operators: { type: 'string', default: '' },
      remove: { type: 'string', multiple: true, default: [] as string[] },
      'legal-max': { type: 'string' },
      'exits-per-minute-max': { type: 'string' },
      'alone-move-per-mille': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  if (values.from === '') throw new Usage('--from takes the charter, or the folder it is in')
  if (values['owner-key'] === '') throw new Usage("--owner-key takes the file with the owner's secret key")
  if (values.out === '') throw new Usage('--out takes the file or folder for the revision')
  const since = wholeNumber('--since', values.since, 2, 1_000_000_000)
  const number = (option: keyof typeof values, max: number) => {
    const text = values[option]
    return typeof text === 'string' ? { is: wholeNumber(`--${option}`, text, 1, max) } : undefined
  }
  const owner = await readKey(values['owner-key'])
  const charters = await readCharters(values.from, owner)
  const before = charters.newest
  const { mall } = before
  const legalMax = number('legal-max', 1_000_000)
  const exitsPerMinuteMax = number('exits-per-minute-max', 1_000_000)
  const aloneMovePerMille = number('alone-move-per-mille', 1000)
  const changes: Changes = {
    since,
    operators: operatorsFrom(values.operators, mall),
    removed: values.remove,
    ...(values.anchor === undefined ? {} : { anchor: vkeyFrom('--anchor', values.anchor, mall, ANCHOR) }),
    ...(legalMax === undefined ? {} : { legalMax: legalMax.is }),
    ...(exitsPerMinuteMax === undefined ? {} : { exitsPerMinuteMax: exitsPerMinuteMax.is }),
    ...(aloneMovePerMille === undefined ? {} : { aloneMovePerMille: aloneMovePerMille.is }),
  }
  const { charter, note } = wished(() => revise(charters, changes, owner))
  const revision = charter.revision?.number ?? 0
  const file = outFile(values.out, revision)
  await writeWhole(file, note, 0o644)
  const changed = differences(charter, before)
  if (values.json) console.log(JSON.stringify({ mall, revision, since, file, changed }))
  else console.log(nextSteps(file, charter, changed))
  return EXIT.fine
}

function operatorsFrom(text: string, mall: string): Changes['operators'] {
  const words = text === '' ? [] : text.split(',').map(word => word.trim())
  return words.map(word => {
    const [who = '', ...key] = word.split('=')
    const [name = '', said] = who.split(':')
    if (!isName(name)) throw new Usage(`--operators takes NAME:ROLE=VKEY, not ${JSON.stringify(word.slice(0, 60))}`)
    const role = ROLES.find(one => one === said)
    if (said !== undefined && role === undefined) {
      throw new Usage(`--operators: the roles are ${ROLES.join(', ')}, not ${JSON.stringify(said)}`)
    }
    return { name, ...(role === undefined ? {} : { role }), key: vkeyFrom('--operators', key.join('='), mall, name) }
  })
}

/** What cannot be wished for is wrong use. */
function wished<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof Fault ? new Usage(error.message) : error
  }
}

function outFile(out: string, revision: number): string {
  const file = existsSync(out) && statSync(out).isDirectory() ? join(out, `charter.${revision}.note`) : out
  if (existsSync(file)) throw new Usage(`--out: ${file} is there already`)
  return file
}

function differences(next: Charter, before: Charter): string[] {
  const words: string[] = []
  const print = (vkey: string) => VerifierKey.parse(vkey).fingerprint
  const say = (what: string, was: string, is: string) => {
    if (was !== is) words.push(`${what}: ${is}${was === '' ? '' : `; it was ${was}`}`)
  }
  say('anchor', print(before.anchor), print(next.anchor))
  const told = ({ operators }: Charter, name: string) => {
    const one = operators.find(operator => operator.name === name)
    return one === undefined ? '' : `${one.role}, ${print(one.key)}`
  }
  for (const name of new Set([...before.operators, ...next.operators].map(operator => operator.name))) {
    say(`operator ${name}`, told(before, name), told(next, name) || 'removed')
  }
  say('legal maximum', String(before.legalMax), String(next.legalMax))
  say('exits per minute and gate', String(before.exitsPerMinuteMax), String(next.exitsPerMinuteMax))
  say('one alone moves, per mille', String(before.aloneMovePerMille), String(next.aloneMovePerMille))
  return words
}

function nextSteps(file: string, { mall, revision }: Charter, changed: readonly string[]): string {
  const { number = 0, since = 0 } = revision ?? {}
  return [
    `revision ${number} of the charter of ${mall}, for policies since version ${since}, is in ${file}:`,
    ...changed.map(line => `  ${line}`),
    '',
    'Next:',
    '  1. put the owner’s key back into its safe; compare the fingerprints above with those who hold the keys',
    `  2. put ${basename(file)} beside charter.note of every member, as charter.${number}.note`,
    '  3. sign no policy meanwhile: restart the gates one after the other, then the anchor (with its new key, if that is it)',
  ].join('\n')
}
