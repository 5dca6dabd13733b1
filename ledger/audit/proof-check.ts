// Proof check: is what somebody hands over as a proof of one event one? Needs nothing else but the owner's key.
//
// Laws: every step is looked at, and each says in words what it found and where. A step that cannot be worked out from what
// is there has not held. Nothing the proof says of itself is believed: what it says of a hash is worked out again, and every
// signature is asked of two implementations. Whatever comes in, the answer is in words and never an error.

import { isAnchor, nameOf } from '../account.ts'
import { toBase64 } from '../base64.ts'
import type { OpenedCharter } from '../charter-note.ts'
import { openCharter, parseCharter } from '../charter-note.ts'
import { Charters } from '../charters.ts'
import type { Entry } from '../entry.ts'
import { Fault } from '../fault.ts'
import { VerifierKey } from '../key.ts'
import { parseLine } from '../line.ts'
import { openNote, parseNote } from '../note.ts'
import { originOf } from '../origin.ts'
import { checkInclusion } from '../proof.ts'
import { parseRow } from '../row-note.ts'
import { textHash } from '../text-hash.ts'
import { leafHash } from '../tree.ts'
import { type EventProof, parseEventProof, type ShownEntry, type ShownKey, type Witness } from './event-proof.ts'

export interface Step {
  readonly title: string
  /** undefined where it was not judged */
  readonly holds: boolean | undefined
  readonly words: string
}

export interface Checked {
  /** nothing was found wrong, and nothing was left open but the owner where no key was given */
  readonly holds: boolean
  readonly steps: readonly Step[]
  /** undefined where its parts are not even of their kinds */
  readonly proof: EventProof | undefined
  readonly entry: Entry | undefined
  /** of the policy that a key came by: the operators who signed it, in the charter of its version */
  readonly signers: readonly string[]
}

export interface CheckOptions {
  /** left open where it is not given */
  readonly owner?: VerifierKey | undefined
  /** ask two implementations about every signature, as audits do; they do unless told otherwise */
  readonly twice?: boolean
}

export function checkEventProof(value: unknown, { owner, twice = true }: CheckOptions = {}): Checked {
  const how = { twice }
  const steps: Step[] = []
  const step = <T>(title: string, act: () => { readonly words: string; readonly found: T }): T | undefined => {
    try {
      const { words, found } = act()
      steps.push({ title, holds: true, words })
      return found
    } catch (error) {
      const { message } = error as Error
      steps.push({ title, holds: false, words: error instanceof Fault ? message : `cannot be read: ${message}` })
      return undefined
    }
  }
  const said = (words: string) => ({ words, found: undefined })
  const proof = step('The form', () => {
    return { words: 'It has the parts that a proof has, and no others.', found: parseEventProof(value) }
  })
  if (proof === undefined) return { holds: false, steps, proof, entry: undefined, signers: [] }
  const { mall, checkpoint } = proof
  const entry = step('The entry', () => readEntry(proof))
  step('Its hash', () => said(checkLeaf(proof, '')))
  step('The way up to the root', () => said(checkPath(proof, '')))
  step('The row', () => said(checkRow(mall, proof, '')))
  step('The signature', () => said(checkSignature(mall, proof, '', how)))
  const signers = step('The key', () => checkKey(chartersIn(proof), proof, '', how))
  step('The charter', () => said(checkCharter(proof)))
  if (owner === undefined) {
    const words = 'Not checked: that needs the owner’s key, which you have from the owner and from nobody else.'
    steps.push({ title: 'The owner', holds: undefined, words })
  } else step('The owner', () => said(checkOwner(proof, owner, how)))
  if (checkpoint !== undefined) step('The anchor', () => said(checkWitness(proof, checkpoint, how)))
  return { holds: steps.every(({ holds }) => holds !== false), steps, proof, entry, signers: signers ?? [] }
}

interface How {
  readonly twice: boolean
}

interface Found {
  readonly words: string
  /** operators who signed the policy that a key came by */
  readonly found: readonly string[]
}

/** The charters of a proof as they read, whoever signed them. */
export function readCharters(notes: readonly string[]): Charters {
  const read = (note: string): OpenedCharter => {
    const { text } = parseNote(note)
    return { charter: parseCharter(text), hash: textHash(text) }
  }
  const [first = '', ...revisions] = notes
  const charters = new Charters(read(first))
  for (const note of revisions) charters.add(read(note))
  return charters
}

function notesIn({ charter }: EventProof): string[] {
  return [charter.note, ...(charter.revisions ?? [])]
}

function chartersIn(proof: EventProof): Charters {
  return at('charter', () => readCharters(notesIn(proof)))
}

function readEntry({ line, id, index, account }: EventProof): { words: string; found: Entry } {
  const entry = at('line', () => parseLine(line))
  if (entry.id !== id) throw flaw('id', `the line is of event ${entry.id}, not of ${show(id)}`)
  if (entry.seq !== index) throw flaw('index', `the line says that it is entry ${entry.seq}, the proof ${index}`)
  return { words: `It is entry ${index} of the ledger ${account}, event ${id}.`, found: entry }
}

function checkLeaf({ line, leafHash: stated }: ShownEntry, where: string): string {
  const leaf = toBase64(leafHash(line))
  if (leaf !== stated)
    throw flaw(`${where}leafHash`, `the line hashes to ${leaf}, and this is ${stated}: the line was altered`)
  return `The line hashes to ${leaf}.`
}

function checkPath({ line, index, size, root, proof }: ShownEntry, where: string): string {
  if (!leads(line, index, { size, root, proof })) {
    throw flaw(
      `${where}proof`,
      `from this line it does not lead to the root of ${size} entries: the line is not in there`,
    )
  }
  return `${proof.length} hashes lead from the line to the root of ${size} entries.`
}

function leads(
  line: string,
  index: number,
  { size, root, proof }: { readonly size: number; readonly root: string; readonly proof: readonly string[] },
): boolean {
  const path = proof.map(hash => Buffer.from(hash, 'base64'))
  return checkInclusion({ leaf: leafHash(line), index, size, root: Buffer.from(root, 'base64'), path })
}

function checkRow(mall: string, { account, size, root, row: note }: ShownEntry, where: string): string {
  const row = at(`${where}row`, () => parseRow(parseNote(note).text, mall))
  if (row.account !== account) throw flaw(`${where}row`, `is of ${row.account}, not of ${account}`)
  if (row.size !== size) throw flaw(`${where}row`, `is of ${row.size} entries, not of ${size}`)
  if (row.root !== root) throw flaw(`${where}row`, `states the root ${row.root}, not ${root}`)
  return `The writer’s row states this root for ${size} entries.`
}

function checkSignature(mall: string, { account, row, key }: ShownEntry, where: string, how: How): string {
  const name = originOf(mall, nameOf(account))
  const verifier = at(`${where}key.vkey`, () => VerifierKey.parse(key.vkey))
  if (verifier.name !== name) throw flaw(`${where}key.vkey`, `is the key of ${verifier.name}, not of ${name}`)
  const { signatures } = at(`${where}row`, () => parseNote(row))
  if (signatures.length !== 1) throw flaw(`${where}row`, `has ${signatures.length} signatures, and a row has one`)
  at(`${where}row`, () => openNote(row, [verifier], how))
  return `The row is signed with the key of ${name} (${verifier.id}).`
}

function checkKey(charters: Charters, entry: ShownEntry, where: string, how: How): Found {
  const { account, key } = entry
  const name = nameOf(account)
  if (key.from === 'policy') return checkPolicyKey(charters, entry, where, how)
  if (key.policy !== undefined) throw flaw(`${where}key.policy`, 'does not belong to a key of the charter')
  if (!charters.keysOf(name).some(known => known.toString() === key.vkey)) {
    throw flaw(`${where}key.vkey`, `no charter here gives this key to ${name}`)
  }
  return { words: `The charter names this key as that of ${name}.`, found: [] }
}

const ENTITLED: readonly string[] = ['operator', 'marshal']

function checkPolicyKey(charters: Charters, { account, key }: ShownEntry, where: string, how: How): Found {
  const name = nameOf(account)
  const field = `${where}key.policy`
  const { policy: shown }: ShownKey = key
  if (shown === undefined) throw flaw(field, 'is missing')
  const policy = at(`${field}.note`, () => charters.openPolicy(shown.note, how))
  const { version, signers, gates } = policy
  if (version !== shown.version) throw flaw(`${field}.version`, `the policy is version ${version}`)
  if (policy.hash !== shown.hash) throw flaw(`${field}.hash`, `the policy has the hash ${policy.hash}`)
  if (!gates.some(gate => gate.name === name && gate.key === key.vkey)) {
    throw flaw(`${field}.note`, `policy ${version} does not give this key to ${name}`)
  }
  const { operators } = charters.of(version)
  const isEntitled = (signer: string) => operators.some(one => one.name === signer && ENTITLED.includes(one.role))
  if (signers.length === 0) throw flaw(`${field}.note`, `no operator signed policy ${version}`)
  const odd = signers.find(signer => !isEntitled(signer))
  if (odd !== undefined) throw flaw(`${field}.note`, `${odd} signed policy ${version} and is not entitled to`)
  const words =
    `Policy ${version} gives this key to ${name}; the anchor signed it, and ${signers.length} of the operators ` +
    `(${signers.join(', ')}), all with keys of the charter of its version.`
  return { words, found: signers }
}

function checkCharter(proof: EventProof): string {
  const { mall, charter } = proof
  const charters = chartersIn(proof)
  if (charters.first.mall !== mall) throw flaw('charter.note', `is of ${charters.first.mall}, not of ${mall}`)
  if (charters.hash !== charter.hash) throw flaw('charter.hash', `the charter has the hash ${charters.hash}`)
  const { length } = charters.all
  const revised = length === 1 ? '' : ` ${length - 1} revisions follow it, each in its turn.`
  return `The charter of ${mall} has the hash ${charters.hash}: compare it with your own copy.${revised}`
}

function checkOwner(proof: EventProof, owner: VerifierKey, how: How): string {
  const notes = notesIn(proof)
  notes.forEach((note, i) => {
    at(i === 0 ? 'charter.note' : `charter.revisions[${i - 1}]`, () => openCharter(note, owner, how))
  })
  const all = notes.length === 1 ? 'is' : 'and its revisions are'
  return `The charter ${all} signed with the owner’s key (${owner.name}, ${owner.fingerprint}).`
}

function checkWitness(proof: EventProof, witness: Witness, how: How): string {
  const { mall, account, line, index } = proof
  const { head } = witness
  const where = 'checkpoint.'
  if (!isAnchor(witness.account)) throw flaw('checkpoint.account', `is ${witness.account}, and not the anchor`)
  const entry = at('checkpoint.line', () => parseLine(witness.line))
  if (entry.seq !== witness.index) throw flaw('checkpoint.index', `the line says that it is entry ${entry.seq}`)
  if (entry.at !== witness.at) throw flaw('checkpoint.at', `the line says ${entry.at}`)
  const stated = entry.type === 'checkpoint' ? entry.heads.find(([name]) => name === account) : undefined
  if (stated === undefined || stated[1] !== head.size || stated[2] !== head.root) {
    throw flaw('checkpoint.line', `does not state this head of ${account}`)
  }
  if (!leads(line, index, head))
    throw flaw('checkpoint.head.proof', 'the entry is not in the ledger that the anchor saw')
  checkLeaf(witness, where)
  checkPath(witness, where)
  checkRow(mall, witness, where)
  checkSignature(mall, witness, where, how)
  checkKey(chartersIn(proof), witness, where, how)
  return (
    `The anchor wrote down a head of ${head.size} entries, this one among them, as entry ${entry.seq} of ` +
    `${witness.account}, and signed that too.`
  )
}

/** What goes wrong in there is told with its place. */
function at<T>(where: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const { message } = error as Error
    throw flaw(where, error instanceof Fault ? message : `cannot be read: ${message}`)
  }
}

function flaw(where: string, what: string): Fault {
  return new Fault('PROOF', `${where}: ${what}`)
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
