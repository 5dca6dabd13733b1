// Charter note: the charter as a text signed by the owner, whose key the reader got by other means.
//
//   gatemesh/<mall>/charter
//   alone-move-per-mille 200
//   anchor <vkey>
//   exits-per-minute-max 120
//   gate <vkey>
//   legal-max 500
//   operator <vkey> <role>
//   previous <hash>, revision 2, since <policy version>      only in a revision
//
// Law: no two names and no two keys are the same. One person with two names would be a quorum alone.

import { ANCHOR } from './account.ts'
import { isHash64 } from './base64.ts'
import { type Charter, type GateKey, type Operator, ROLES, type Role } from './charter.ts'
import { Fault } from './fault.ts'
import { type SignerKey, VerifierKey } from './key.ts'
import { openNote, parseNote, signNote } from './note.ts'
import { isName, originOf, within } from './origin.ts'
import { textHash } from './text-hash.ts'
import { WordReader, WordWriter } from './words.ts'

export interface OpenedCharter {
  readonly charter: Charter
  /** base64; the `prev` of the first entry of every ledger */
  readonly hash: string
}

export function formatCharter(charter: Charter): string {
  const words = new WordWriter()
  words.number('alone-move-per-mille', charter.aloneMovePerMille)
  words.add('anchor', charter.anchor)
  words.number('exits-per-minute-max', charter.exitsPerMinuteMax)
  for (const gate of charter.gates) words.add('gate', gate.key)
  words.number('legal-max', charter.legalMax)
  for (const { key, role } of charter.operators) words.add('operator', `${key} ${role}`)
  const { revision } = charter
  if (revision !== undefined) {
    words.add('previous', revision.previous)
    words.add('revision', String(revision.number))
    words.add('since', String(revision.since))
  }
  return `${[originOf(charter.mall, 'charter'), ...words.lines()].join('\n')}\n`
}

export function parseCharter(text: string): Charter {
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n')
  const mall = /^gatemesh\/([^/]*)\/charter$/.exec(head)?.[1] ?? ''
  if (!isName(mall)) throw new Fault('CHARTER', `not a charter: ${JSON.stringify(head.slice(0, 80))}`)
  const words = new WordReader('CHARTER', lines)
  const charter = {
    mall,
    legalMax: words.count('legal-max'),
    anchor: words.text('anchor'),
    operators: words.all('operator').map(value => parseOperator(value, mall)),
    gates: parseGates(words, mall),
    exitsPerMinuteMax: words.count('exits-per-minute-max'),
    aloneMovePerMille: words.count('alone-move-per-mille'),
    ...parseRevision(words),
  }
  words.end()
  if (nameOfKey(charter.anchor, mall, 'CHARTER') !== ANCHOR) throw words.fault('anchor: the key has another name')
  refuseDoubles([...charter.operators, ...charter.gates, { name: ANCHOR, key: charter.anchor }], 'CHARTER')
  if (formatCharter(charter) !== text) throw words.fault('not in its one spelling')
  return charter
}

export function signCharter(charter: Charter, owner: SignerKey): string {
  const text = formatCharter(charter)
  parseCharter(text)
  return signNote(text, [owner])
}

export function openCharter(
  note: string,
  owner: VerifierKey,
  options: { readonly twice?: boolean } = {},
): OpenedCharter {
  const { signatures } = parseNote(note)
  if (signatures.length !== 1) throw new Fault('CHARTER', `${signatures.length} signatures, the owner alone signs`)
  const { text } = openNote(note, [owner], options)
  return { charter: parseCharter(text), hash: textHash(text) }
}

/** The `gate <vkey>` lines of a charter or a policy. */
export function parseGates(words: WordReader, mall: string): GateKey[] {
  return words.all('gate').map(key => {
    const name = nameOfKey(key, mall, 'ROSTER')
    if (name === ANCHOR) throw words.fault('gate: the anchor is no gate')
    return { name, key }
  })
}

/** No two of these share a name or a public key. */
export function refuseDoubles(keys: readonly GateKey[], code: string): void {
  const seen = new Map<string, string>()
  for (const { name, key } of keys) {
    const bytes = VerifierKey.parse(key).publicKey.bytes.toString('hex')
    if (seen.has(name)) throw new Fault(code, `${name}: named twice`)
    const other = seen.get(bytes)
    if (other !== undefined) throw new Fault(code, `${name} and ${other} have one key`)
    seen.set(name, name)
    seen.set(bytes, name)
  }
}

/** A vkey of this mall is called `gatemesh/<mall>/<name>`; the name is what the rest of the program says. */
export function nameOfKey(vkey: string, mall: string, code: string): string {
  const name = within(mall, VerifierKey.parse(vkey).name)
  if (name === undefined || !isName(name)) throw new Fault(code, `not a key of ${mall}: ${vkey.slice(0, 80)}`)
  return name
}

function parseRevision(words: WordReader): Pick<Charter, 'revision'> {
  const revision = { number: words.count('revision'), previous: words.text('previous'), since: words.count('since') }
  if (revision.number === 0 && revision.previous === '' && revision.since === 0) return {}
  if (revision.number < 2) throw words.fault('revision: the first that is one is 2')
  if (!isHash64(revision.previous)) throw words.fault('previous: not a hash')
  if (revision.since < 2) throw words.fault('since: version 1 belongs to the first charter')
  return { revision }
}

function parseOperator(value: string, mall: string): Operator {
  const space = value.lastIndexOf(' ')
  const key = value.slice(0, space)
  const role = ROLES.find(r => r === value.slice(space + 1))
  if (role === undefined) throw new Fault('CHARTER', `operator: no role: ${JSON.stringify(value.slice(space + 1, 60))}`)
  return { name: nameOfKey(key, mall, 'CHARTER'), role: role satisfies Role, key }
}
