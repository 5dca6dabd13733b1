// @ts-check
// Proof: is what the anchor handed out as a proof one? Worked out here, from hashes and signatures, whoever served this
// page; by the rules of ledger/FORMAT.md and RFC 9162, 2.1.3.2.
//
// Laws: every step is looked at, and each says in words what it found. A step that cannot be worked out from what is there
// has not held. Nothing the proof says of itself is believed: what it says of a hash is worked out again.

import { fromBase64, hex, sha256, toBase64, utf8 } from './bytes.js'

/** @typedef {{ vkey: string, from: string, policy?: { version: number, hash: string, note: string } }} Key */
/**
 * @typedef {{ account: string, index: number, line: string, leafHash: string, size: number, root: string, proof: string[],
 *   row: string, key: Key }} Inclusion
 */
/** @typedef {Inclusion & { at: number, head: { size: number, root: string, proof: string[] } }} Witness */
/** @typedef {{ hash: string, note: string, revisions?: string[] }} Charter */
/**
 * @typedef {{ format: string, mall: string, id: string, charter: Charter, checkpoint?: Witness } & Inclusion} Proof
 */
/** Open where `holds` is undefined. @typedef {{ title: string, holds?: boolean | undefined, words: string }} Step */

/** Of what is no base64: too short for anything. */
const NONE = new Uint8Array()

class Flaw extends Error {}

const INCLUSION = ['account', 'index', 'line', 'leafHash', 'size', 'root', 'proof', 'row', 'key']
/** The fields of every part; what else somebody wrote into one was looked at by nobody. */
const FIELDS = {
  proof: ['format', 'mall', 'id', ...INCLUSION, 'charter', 'checkpoint', 'instructions'],
  checkpoint: [...INCLUSION, 'at', 'head'],
  head: ['size', 'root', 'proof'],
  charter: ['hash', 'note', 'revisions'],
  key: ['vkey', 'from', 'policy'],
  policy: ['version', 'hash', 'note'],
}

/**
 * @param {Proof} proof
 * @param {{ line?: string, account?: string, owner?: string, time?: (ms: number) => string }} [known] what the reader knows
 *   from elsewhere: the line and account that the proof must be of, and the owner's key
 * @returns {Promise<{ holds: boolean, steps: Step[] }>}
 */
export async function checkProof(proof, known = {}) {
  if (globalThis.crypto?.subtle === undefined) {
    const why = 'this browser hashes and checks only on pages that came over https, or from this very machine'
    throw new Error(`${why}: save the proof, and check it as its instructions say`)
  }
  const time = known.time ?? (ms => new Date(ms).toISOString())
  /** @type {Step[]} */
  const steps = []
  const step = async (/** @type {string} */ title, /** @type {() => Promise<string>} */ act) => {
    try {
      steps.push({ title, holds: true, words: await act() })
    } catch (error) {
      const words = error instanceof Flaw ? error.message : `it cannot be read: ${/** @type {Error} */ (error).message}`
      steps.push({ title, holds: false, words })
    }
  }
  await step('The entry', async () => {
    checkForm(proof)
    return checkEntry(proof, known)
  })
  await step('Its hash', () => checkLeaf(proof))
  await step('The way up to the root', () => checkPath(proof))
  await step('The row', async () => checkRow(proof.mall, proof))
  await step('The signature', () => checkRowSignature(proof.mall, proof))
  await step('The key', () => checkKey(proof, proof))
  await step('The charter', () => checkCharter(proof))
  const { owner = '' } = known
  if (owner.trim() === '') {
    const words =
      'Not checked here: that needs the owner’s key, which you have from the owner and not from this anchor.'
    steps.push({ title: 'The owner', holds: undefined, words })
  } else await step('The owner', () => checkOwner(proof, owner.trim()))
  const { checkpoint } = proof
  if (checkpoint !== undefined) await step('The anchor', () => checkWitness(proof, checkpoint, time))
  return { holds: steps.every(({ holds }) => holds !== false), steps }
}

/** @param {Proof} proof */
function checkForm(proof) {
  if (proof.format !== 'gatemesh/proof/1') throw new Flaw(`This is no proof of a kind known here: ${proof.format}.`)
  if (!Array.isArray(Object(proof).instructions)) throw new Flaw('The instructions are missing.')
  const parts = /** @type {[keyof typeof FIELDS, unknown][]} */ ([
    ['proof', proof],
    ['charter', proof.charter],
    ['checkpoint', proof.checkpoint],
    ['head', proof.checkpoint?.head],
    ...[proof.key, proof.checkpoint?.key].flatMap(key => [
      ['key', key],
      ['policy', key?.policy],
    ]),
  ])
  for (const [part, value] of parts) {
    const odd = Object.keys(Object(value)).find(name => !FIELDS[part].includes(name))
    if (odd !== undefined) throw new Flaw(`A field that does not belong into a proof: ${odd.slice(0, 60)}.`)
  }
  const { revisions } = proof.charter
  if (revisions !== undefined && !Array.isArray(revisions)) throw new Flaw('The revisions are no list.')
}

/** @param {Proof} proof @param {{ line?: string, account?: string }} known */
function checkEntry({ line, id, index, account }, known) {
  const entry = JSON.parse(line)
  if (known.line !== undefined && known.line !== line)
    throw new Flaw('The proof is of another line than the event shown.')
  if (known.account !== undefined && known.account !== account) throw new Flaw(`The proof is of the ledger ${account}.`)
  if (entry.id !== id) throw new Flaw(`The line is of event ${entry.id}, not of ${id}.`)
  if (entry.seq !== index)
    throw new Flaw(`The line says that it is entry ${entry.seq}, the proof that it is entry ${index}.`)
  return `It is entry ${index} of the ledger ${account}, event ${id}.`
}

/** @param {Inclusion} inclusion */
async function checkLeaf({ line, leafHash }) {
  const leaf = toBase64(await leafOf(line))
  if (leaf !== leafHash)
    throw new Flaw(`The line hashes to ${leaf}, and the proof says ${leafHash}: the line was altered.`)
  return `The line hashes to ${leaf}.`
}

/** @param {Inclusion} inclusion */
async function checkPath({ line, index, size, root, proof }) {
  const found = await rootFrom({ leaf: await leafOf(line), index, size, path: proof })
  if (found !== root)
    throw new Flaw(`From this line the way leads to another root than ${root}: the line is not in there.`)
  return `${proof.length} hashes lead from the line to the root of ${size} entries.`
}

/** @param {string} mall @param {Inclusion} inclusion */
function checkRow(mall, { account, size, root, row }) {
  const [origin, says, stated] = noteOf(row).text.split('\n')
  if (origin !== `gatemesh/${mall}/${account}`) throw new Flaw(`The row is of ${origin}, not of ${account} of ${mall}.`)
  if (says !== String(size)) throw new Flaw(`The row is of ${says} entries, the proof of ${size}.`)
  if (stated !== root) throw new Flaw(`The row states the root ${stated}, the proof ${root}.`)
  return `The writer’s row states this root for ${size} entries.`
}

/** @param {string} mall @param {Inclusion} inclusion */
async function checkRowSignature(mall, { account, row, key }) {
  const { text, signatures } = noteOf(row)
  const name = `gatemesh/${mall}/${account.split('/')[0]}`
  const [signature] = signatures
  if (signatures.length !== 1 || signature === undefined) throw new Flaw('A row has exactly one signature.')
  const verifier = await keyOf(key.vkey)
  if (verifier.name !== name) throw new Flaw(`The key is of ${verifier.name}, and the row needs that of ${name}.`)
  if (!(await isSignedBy(text, signature, verifier))) throw new Flaw(`The row is not signed with the key of ${name}.`)
  return `The row is signed with the key of ${name} (${verifier.id}).`
}

/** @param {Proof} proof @param {Inclusion} inclusion */
async function checkKey({ mall, charter }, { account, key }) {
  const { vkey, from, policy } = key
  const [name] = account.split('/')
  const word = name === 'anchor' ? 'anchor' : 'gate'
  const charters = notesOf(charter).map(note => noteOf(note).text.split('\n'))
  if (from === 'charter') {
    if (policy !== undefined) throw new Flaw('A policy does not belong to a key of the charter.')
    if (!charters.some(lines => lines.includes(`${word} ${vkey}`)))
      throw new Flaw('The charter does not name this key.')
    return `The charter names this key as that of ${name}.`
  }
  if (from !== 'policy' || policy === undefined || word === 'anchor') throw new Flaw('Nothing here names this key.')
  const { text, signatures } = noteOf(policy.note)
  const lines = text.split('\n')
  if (lines[0] !== `gatemesh/${mall}/policy`) throw new Flaw('What should be a policy of this mall is none.')
  if (!lines.includes(`gate ${vkey}`)) throw new Flaw(`Policy ${policy.version} does not name this key.`)
  if (!lines.includes(`version ${policy.version}`)) throw new Flaw(`The policy is not version ${policy.version}.`)
  if ((await textHash(text)) !== policy.hash)
    throw new Flaw(`Policy ${policy.version} has another hash than the proof says.`)
  const since = (/** @type {string[]} */ words) => Number(words.find(line => line.startsWith('since '))?.slice(6) ?? 0)
  const judge = charters.findLast(words => since(words) <= policy.version) ?? []
  const operators = new Set()
  let isAnchored = false
  for (const signature of signatures) {
    const [word = '', signer, role = ''] = (
      judge.find(line => line.split(' ')[1]?.startsWith(`${signature.name}+`)) ?? ''
    ).split(' ')
    if (signer === undefined || !['anchor', 'operator'].includes(word)) {
      throw new Flaw(`Policy ${policy.version} is signed by ${signature.name}, whom the charter does not name.`)
    }
    if (!(await isSignedBy(text, signature, await keyOf(signer)))) {
      throw new Flaw(`The signature of ${signature.name} on policy ${policy.version} does not hold.`)
    }
    if (word === 'anchor') isAnchored = true
    else if (['operator', 'marshal'].includes(role)) operators.add(signature.name)
    else throw new Flaw(`${signature.name} signed policy ${policy.version} and is not entitled to.`)
  }
  if (!isAnchored || operators.size === 0)
    throw new Flaw(`Policy ${policy.version} lacks the signature of anchor or operators.`)
  if (signatures.length !== operators.size + 1) throw new Flaw(`Policy ${policy.version} is signed twice by somebody.`)
  return `Policy ${policy.version} names this key; the anchor and ${operators.size} of the charter’s operators signed it.`
}

/** The first charter and those that follow it. @param {Charter} charter */
function notesOf({ note, revisions = [] }) {
  return [note, ...revisions]
}

/** @param {Proof} proof */
async function checkCharter({ mall, charter }) {
  const notes = notesOf(charter)
  const hashes = []
  for (const [i, note] of notes.entries()) {
    const { text } = noteOf(note)
    if (!text.startsWith(`gatemesh/${mall}/charter\n`)) throw new Flaw(`This is no charter of ${mall}.`)
    const follows = `\nprevious ${hashes.at(-1)}\nrevision ${i + 1}\n`
    if (i === 0 ? text.includes('\nrevision ') : !text.includes(follows)) {
      throw new Flaw('The charters do not follow each other.')
    }
    hashes.push(await textHash(text))
  }
  const [hash] = hashes
  if (hash !== charter.hash) throw new Flaw(`The charter has the hash ${hash}, and the proof says ${charter.hash}.`)
  return `The charter of ${mall} has the hash ${hash}: compare it with your own copy.`
}

/** @param {Proof} proof @param {string} owner */
async function checkOwner({ charter }, owner) {
  const verifier = await keyOf(owner)
  for (const note of notesOf(charter)) {
    const { text, signatures } = noteOf(note)
    const [signature] = signatures
    if (signatures.length !== 1 || signature === undefined) throw new Flaw('A charter is signed by the owner alone.')
    if (!(await isSignedBy(text, signature, verifier)))
      throw new Flaw('The charter is not signed with the owner’s key.')
  }
  return `The charter is signed with the owner’s key (${verifier.id}).`
}

/** @param {Proof} proof @param {Witness} witness @param {(ms: number) => string} time */
async function checkWitness(proof, witness, time) {
  if (!witness.account.startsWith('anchor/'))
    throw new Flaw(`The checkpoint is of ${witness.account}, not of the anchor.`)
  const entry = JSON.parse(witness.line)
  if (entry.seq !== witness.index || entry.at !== witness.at)
    throw new Flaw('The anchor’s line has another place or time than the proof says.')
  const { size, root, proof: path } = witness.head
  const stated = entry.type === 'checkpoint' && entry.heads.find((/** @type {unknown[]} */ [a]) => a === proof.account)
  if (!stated || stated[1] !== size || stated[2] !== root) throw new Flaw('The anchor’s line does not state this head.')
  const found = await rootFrom({ leaf: await leafOf(proof.line), index: proof.index, size, path })
  if (found !== root) throw new Flaw('The entry is not in the ledger that the anchor saw.')
  await checkLeaf(witness)
  await checkPath(witness)
  checkRow(proof.mall, witness)
  await checkRowSignature(proof.mall, witness)
  await checkKey(proof, witness)
  return `The anchor wrote down a head that covers this entry at ${time(entry.at)}, and signed that too.`
}

/**
 * The root that a leaf and its path lead to, base64. As RFC 9162 says it; sizes go beyond what shifts can halve.
 * @param {{ leaf: Uint8Array, index: number, size: number, path: string[] }} a
 */
export async function rootFrom({ leaf, index, size, path }) {
  if (!isCount(index) || !isCount(size) || index >= size)
    throw new Flaw(`A ledger of ${size} entries has no entry ${index}.`)
  let fn = index
  let sn = size - 1
  let hash = leaf
  for (const text of path) {
    const sibling = fromBase64(text) ?? NONE
    if (sibling.length !== 32) throw new Flaw('A hash on the way is not 32 bytes long.')
    if (sn === 0) throw new Flaw('The way is longer than the tree is high.')
    if (fn % 2 === 1 || fn === sn) {
      hash = await sha256(new Uint8Array([1]), sibling, hash)
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2)
        sn = Math.floor(sn / 2)
      }
    } else {
      hash = await sha256(new Uint8Array([1]), hash, sibling)
    }
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  if (sn !== 0) throw new Flaw('The way ends below the root.')
  return toBase64(hash)
}

/** @param {string} line */
function leafOf(line) {
  return sha256(new Uint8Array([0]), utf8(line))
}

/** @param {string} text */
async function textHash(text) {
  return toBase64(await sha256(new Uint8Array([0]), utf8(text)))
}

/** @param {string} note */
function noteOf(note) {
  const gap = note.lastIndexOf('\n\n')
  if (gap < 0 || !note.endsWith('\n')) throw new Flaw('A note is a text, an empty line, and signatures.')
  const signatures = note
    .slice(gap + 2, -1)
    .split('\n')
    .map(line => {
      const [, name = '', base64 = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? []
      const bytes = fromBase64(base64) ?? NONE
      if (bytes.length !== 68) throw new Flaw('A line that should be a signature is none.')
      return { name, id: hex(bytes.subarray(0, 4)), bytes: bytes.subarray(4) }
    })
  return { text: note.slice(0, gap + 1), signatures }
}

/** A key with its name; its id is worked out and not believed. @param {string} vkey */
async function keyOf(vkey) {
  const [name = '', id = '', ...rest] = vkey.split('+')
  const typed = fromBase64(rest.join('+')) ?? NONE
  if (typed.length !== 33 || typed[0] !== 1) throw new Flaw('A key that should be of ed25519 is none.')
  const found = hex(await sha256(utf8(`${name}\n`), typed)).slice(0, 8)
  if (found !== id) throw new Flaw(`The key of ${name} has the id ${found}, not ${id}.`)
  return { name, id, bytes: typed.subarray(1) }
}

/**
 * @param {string} text
 * @param {{ name: string, id: string, bytes: Uint8Array }} signature
 * @param {{ name: string, id: string, bytes: Uint8Array }} key
 */
async function isSignedBy(text, signature, key) {
  if (signature.name !== key.name || signature.id !== key.id) return false
  const imported = await crypto.subtle.importKey('raw', exact(key.bytes), 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', imported, exact(signature.bytes), exact(utf8(text)))
}

/** Bytes with memory of their own. @param {Uint8Array} bytes */
function exact(bytes) {
  return new Uint8Array(bytes)
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
