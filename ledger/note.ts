// Signed notes (C2SP signed-note): a text, a blank line, and one line for each signature.
//
//   <text, one or more lines>
//   <blank line>
//   — <key name> <base64(key id ‖ signature)>
//
// Law: a note has one spelling; what is signed is the text with its last newline. A signature by a trusted key that
// does not verify spoils the whole note, one by an unknown key says nothing, and a text nobody trusted has signed is
// never returned.

import { fromBase64, toBase64 } from './base64.ts'
import { Fault, must } from './fault.ts'
import { isKeyName, type SignerKey, type VerifierKey } from './key.ts'
import { fromUtf8 } from './utf8.ts'

/** The largest note is a charter with hundreds of keys, some 100 kB; more is somebody's attack on our memory. */
export const NOTE_BYTES_MAX = 1024 * 1024
/** Every gate and operator of a mall may sign; C2SP asks for at least 16. */
export const NOTE_SIGNATURES_MAX = 100

export interface NoteSignature {
  readonly name: string
  /** key id, eight lower-case hex digits */
  readonly id: string
  readonly signature: Buffer
  /** the whole line as it stood, without its newline */
  readonly line: string
}

export interface Note {
  /** what is signed; ends in a newline */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export interface OpenedNote {
  readonly text: string
  /** the trusted keys whose signatures verified, in the order of their lines; never empty */
  readonly by: readonly VerifierKey[]
}

const DASH = '— '
const KEY_ID_BYTES = 4

/** The parts of a note, unverified. Takes bytes as they arrived, or text that was decoded strictly. */
export function parseNote(input: string | Uint8Array): Note {
  const whole = typeof input === 'string' ? input : decode(input)
  refuseOddText(whole)
  const gap = whole.lastIndexOf('\n\n')
  if (gap < 0) throw new Fault('NOTE', 'no blank line between text and signatures')
  if (!whole.endsWith('\n')) throw new Fault('NOTE', 'the last line does not end in a newline')
  const lines = whole.slice(gap + 2, -1).split('\n')
  if (whole.length === gap + 2) throw new Fault('NOTE', 'no signature after the blank line')
  if (lines.length > NOTE_SIGNATURES_MAX) throw new Fault('NOTE', `more than ${NOTE_SIGNATURES_MAX} signatures`)
  const signatures = lines.map((line, i) => parseSignature(line, i + 1))
  refuseRepeats(signatures)
  return { text: whole.slice(0, gap + 1), signatures }
}

export function formatNote(note: Note): string {
  return `${note.text}\n${note.signatures.map(s => `${s.line}\n`).join('')}`
}

/** `text` ends in a newline. */
export function signNote(text: string, signers: readonly SignerKey[]): string {
  must(signers.length > 0, 'a note is signed by somebody')
  must(text.endsWith('\n'), 'the text of a note ends in a newline')
  const bytes = Buffer.from(text, 'utf8')
  const note = formatNote({ text, signatures: signers.map(signer => signatureBy(signer, bytes)) })
  // what is written can be read: odd characters, repeated signers and size are refused here, not at the reader's
  parseNote(note)
  return note
}

/** The note with one more signature; the same note where this signer has signed it before. */
export function cosign(note: string, signer: SignerKey): string {
  const parsed = parseNote(note)
  const added = signatureBy(signer, Buffer.from(parsed.text, 'utf8'))
  const before = parsed.signatures.find(s => s.name === added.name && s.id === added.id)
  if (before !== undefined) {
    if (before.line === added.line) return note
    throw new Fault('NOTE', `the note carries another signature in the name of ${added.name}`)
  }
  const cosigned = formatNote({ text: parsed.text, signatures: [...parsed.signatures, added] })
  parseNote(cosigned)
  return cosigned
}

/** The text and who of the trusted signed it. `twice` asks two implementations, for audits. */
export function openNote(
  input: string | Uint8Array,
  trusted: readonly VerifierKey[],
  options: { readonly twice?: boolean } = {},
): OpenedNote {
  return openParsed(parseNote(input), trusted, options)
}

/** The same of a note that was taken apart already. */
export function openParsed(
  note: Note,
  trusted: readonly VerifierKey[],
  options: { readonly twice?: boolean } = {},
): OpenedNote {
  const bytes = Buffer.from(note.text, 'utf8')
  const by: VerifierKey[] = []
  for (const s of note.signatures) {
    const key = keyOf(s, trusted)
    if (key === undefined) continue
    const good = options.twice
      ? key.publicKey.verifyTwice(bytes, s.signature)
      : key.publicKey.verify(bytes, s.signature)
    if (!good) throw new Fault('NOTE_SIGNATURE', `the signature in the name of ${s.name}+${s.id} does not verify`)
    by.push(key)
  }
  if (by.length === 0) {
    const names = note.signatures.slice(0, 5).map(s => `${s.name}+${s.id}`)
    throw new Fault('NOTE_SIGNATURE', `no signature by a trusted key, only by ${names.join(', ')}`)
  }
  return { text: note.text, by }
}

function keyOf(s: NoteSignature, trusted: readonly VerifierKey[]): VerifierKey | undefined {
  let found: VerifierKey | undefined
  for (const key of trusted) {
    if (key.id !== s.id || key.name !== s.name) continue
    // ids are short: somebody may have made a key to share name and id with another
    if (found !== undefined && !found.equals(key)) {
      throw new Fault('NOTE_SIGNATURE', `two trusted keys are called ${s.name}+${s.id}`)
    }
    found = key
  }
  return found
}

function signatureBy(signer: SignerKey, text: Uint8Array): NoteSignature {
  const { name, id } = signer.verifier
  const signature = signer.sign(text)
  const line = `${DASH}${name} ${toBase64(Buffer.concat([Buffer.from(id, 'hex'), signature]))}`
  return { name, id, signature, line }
}

function decode(bytes: Uint8Array): string {
  if (bytes.length > NOTE_BYTES_MAX) throw new Fault('NOTE', `longer than ${NOTE_BYTES_MAX} bytes`)
  const text = fromUtf8(bytes)
  if (text === undefined) throw new Fault('NOTE', 'not valid UTF-8')
  return text
}

function refuseOddText(whole: string): void {
  if (Buffer.byteLength(whole, 'utf8') > NOTE_BYTES_MAX) throw new Fault('NOTE', `longer than ${NOTE_BYTES_MAX} bytes`)
  if (!whole.isWellFormed()) throw new Fault('NOTE', 'half of a surrogate pair has no UTF-8')
  const odd = whole.search(/[^\n -\uffff]/)
  if (odd < 0) return
  const line = whole.slice(0, odd).split('\n').length
  throw new Fault('NOTE', `line ${line}: control character ${whole.charCodeAt(odd)}`)
}

function parseSignature(line: string, number: number): NoteSignature {
  const where = `signature line ${number}`
  if (!line.startsWith(DASH)) throw new Fault('NOTE', `${where}: does not start with an em dash and a space`)
  const space = line.indexOf(' ', DASH.length)
  if (space < 0) throw new Fault('NOTE', `${where}: no space between name and signature`)
  const name = line.slice(DASH.length, space)
  if (!isKeyName(name)) throw new Fault('NOTE', `${where}: not a key name: ${JSON.stringify(name.slice(0, 60))}`)
  const bytes = fromBase64(line.slice(space + 1))
  if (bytes === undefined) throw new Fault('NOTE', `${where}: not base64 in its one spelling`)
  if (bytes.length <= KEY_ID_BYTES) throw new Fault('NOTE', `${where}: too short for a key id and a signature`)
  return { name, id: bytes.toString('hex', 0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES), line }
}

function refuseRepeats(signatures: readonly NoteSignature[]): void {
  const seen = new Set<string>()
  for (const { name, id } of signatures) {
    // neither name nor id can contain the plus
    const who = `${name}+${id}`
    if (seen.has(who)) throw new Fault('NOTE', `two signatures in the name of ${who}`)
    seen.add(who)
  }
}
