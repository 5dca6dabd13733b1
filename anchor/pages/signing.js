// @ts-check
// Signing: an operator's key in a browser, and notes signed with it, byte for byte as ledger/note.ts signs them.
//
// Laws: the secret key never leaves WebCrypto: it is made there, or goes in once from a key file, and cannot be taken out
// again, not by this page either. What is signed is the text that was shown, with its last newline.

import { fromBase64, hex, sha256, toBase64, utf8 } from './bytes.js'

const DATABASE = 'gatemesh'
const SHELF = 'keys'
const ED25519 = 1
const SIGNER_HEAD = 'PRIVATE+KEY+'
const NAME = /^gatemesh\/[a-z][a-z0-9-]{0,30}\/[a-z][a-z0-9-]{0,30}$/
// RFC 8410: the fixed bytes around a seed in PKCS #8
const PKCS8_HEAD = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

/** @typedef {{ name: string, vkey: string, id: string, privateKey: CryptoKey }} Person */

/** A new key for `gatemesh/<mall>/<name>`; its vkey is what the owner puts into a charter. @param {string} name */
export async function makePerson(name) {
  const made = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  const { publicKey, privateKey } = /** @type {CryptoKeyPair} */ (made)
  const bytes = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))
  return personOf(name, bytes, privateKey)
}

/** From the text of a key file. What is kept of it cannot be taken out again. @param {string} file */
export async function importPerson(file) {
  const text = file.trim()
  if (!text.startsWith(SIGNER_HEAD)) throw new Error(`a key file starts with ${SIGNER_HEAD}`)
  const [name = '', id = '', ...rest] = text.slice(SIGNER_HEAD.length).split('+')
  const payload = fromBase64(rest.join('+'))
  if (payload === undefined || payload.length !== 33 || payload[0] !== ED25519)
    throw new Error('not an ed25519 key file')
  const pkcs8 = new Uint8Array([...PKCS8_HEAD, ...payload.subarray(1)])
  // the public half is only told of a key that may be taken out; that one is dropped at once
  const open = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign'])
  const { x } = await crypto.subtle.exportKey('jwk', open)
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
  payload.fill(0)
  pkcs8.fill(0)
  const person = await personOf(name, fromBase64(base64OfUrl(x ?? '')) ?? new Uint8Array(), privateKey)
  if (person.id !== id) throw new Error(`the key of ${name} has another id than the file says`)
  return person
}

/** @param {string} name @param {Uint8Array} publicKey @param {CryptoKey} privateKey @returns {Promise<Person>} */
async function personOf(name, publicKey, privateKey) {
  if (!NAME.test(name)) throw new Error('a key is called gatemesh/MALL/NAME, in small letters, digits and dashes')
  const typed = new Uint8Array([ED25519, ...publicKey])
  const id = hex(await sha256(utf8(`${name}\n`), typed)).slice(0, 8)
  return { name, id, vkey: `${name}+${id}+${toBase64(typed)}`, privateKey }
}

/** The line of a note that says that this person signed this text. @param {string} text @param {Person} person */
export async function signatureLine(text, person) {
  if (!text.endsWith('\n')) throw new Error('the text of a note ends in a newline')
  const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', person.privateKey, utf8(text)))
  const id = (person.id.match(/../g) ?? []).map(byte => Number.parseInt(byte, 16))
  return `— ${person.name} ${toBase64(new Uint8Array([...id, ...signature]))}`
}

/** The text as a note that this person alone signed. @param {string} text @param {Person} person */
export async function signNote(text, person) {
  return `${text}\n${await signatureLine(text, person)}\n`
}

/** The text of a note, without its signatures. @param {string} note */
export function textOf(note) {
  const gap = note.lastIndexOf('\n\n')
  if (gap < 0) throw new Error('no blank line between text and signatures')
  return note.slice(0, gap + 1)
}

/** The hash by which a text is cited, in base64; in hex it is the id of its approval. @param {string} text */
export async function textHash(text) {
  const bytes = await sha256(new Uint8Array([0]), utf8(text))
  return { base64: toBase64(bytes), hex: hex(bytes) }
}

/** What people compare over the phone. @param {string} vkey */
export async function fingerprint(vkey) {
  return hex(await sha256(utf8(vkey)))
    .slice(0, 20)
    .replace(/(.{4})(?=.)/g, '$1 ')
}

/** Keys live in this browser only, one for each name. @param {Person} person */
export async function keepPerson(person) {
  await onShelf('readwrite', shelf => shelf.put(person))
}

/** @returns {Promise<Person[]>} */
export async function allPersons() {
  return onShelf('readonly', shelf => shelf.getAll())
}

/** @param {string} name */
export async function forgetPerson(name) {
  await onShelf('readwrite', shelf => shelf.delete(name))
}

/**
 * @param {IDBTransactionMode} mode
 * @param {(shelf: IDBObjectStore) => IDBRequest} act
 * @returns {Promise<any>}
 */
async function onShelf(mode, act) {
  /** @type {IDBDatabase} */
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(SHELF, { keyPath: 'name' })
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  try {
    return await new Promise((resolve, reject) => {
      const deal = database.transaction(SHELF, mode)
      const asked = act(deal.objectStore(SHELF))
      deal.oncomplete = () => resolve(asked.result)
      deal.onerror = () => reject(deal.error)
      deal.onabort = () => reject(deal.error)
    })
  } finally {
    database.close()
  }
}

/** @param {string} text */
function base64OfUrl(text) {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/')
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
}
