// Checkpoints (C2SP tlog-checkpoint): the text of a note that states a ledger's head.
//
//   <origin>
//   <size>
//   <base64 root>
//   <extension lines, none of them empty>
//
// Law: one head has one text. Size and root are believed together or not at all: an inclusion proof alone does not say
// how large the tree is.

import { isHash64 } from './base64.ts'
import { parseCount } from './decimal.ts'
import { Fault, must } from './fault.ts'
import type { VerifierKey } from './key.ts'
import { type OpenedNote, openNote } from './note.ts'

export interface Checkpoint {
  /** whose head this is */
  readonly origin: string
  readonly size: number
  /** base64 of the tree's root at `size` */
  readonly root: string
  readonly extensions: readonly string[]
}

/** The text, ready for `signNote`. */
export function formatCheckpoint(c: Checkpoint): string {
  const lines = [c.origin, String(c.size), c.root, ...c.extensions]
  must(parseCount(String(c.size)) === c.size, 'the size of a ledger is a count')
  must(isHash64(c.root), 'a root is 32 bytes in base64')
  must(
    lines.every(line => line !== '' && !line.includes('\n')),
    'every line of a checkpoint is one line, not empty',
  )
  return `${lines.join('\n')}\n`
}

/** `text` is the text of a note, with its last newline. */
export function parseCheckpoint(text: string): Checkpoint {
  if (!text.endsWith('\n')) throw new Fault('CHECKPOINT', 'the last line does not end in a newline')
  const lines = text.slice(0, -1).split('\n')
  const empty = lines.indexOf('')
  if (empty >= 0) throw new Fault('CHECKPOINT', `line ${empty + 1} is empty`)
  const [origin, sizeText, root, ...extensions] = lines
  if (origin === undefined || sizeText === undefined || root === undefined) {
    throw new Fault('CHECKPOINT', 'fewer than three lines: origin, size, root')
  }
  const size = parseCount(sizeText)
  if (size === undefined) throw new Fault('CHECKPOINT', `line 2: not a size: ${JSON.stringify(sizeText.slice(0, 40))}`)
  if (!isHash64(root)) throw new Fault('CHECKPOINT', 'line 3: not the base64 of 32 bytes in its one spelling')
  return { origin, size, root, extensions }
}

/** The head in a signed note and who signed it: among them the key that speaks for the origin. */
export function openCheckpoint(
  note: string | Uint8Array,
  trusted: readonly VerifierKey[],
  options: { readonly twice?: boolean } = {},
): Checkpoint & Pick<OpenedNote, 'by'> {
  const { text, by } = openNote(note, trusted, options)
  const checkpoint = parseCheckpoint(text)
  // without this any rostered gate could state the head of another's ledger
  if (!by.some(key => speaksFor(key, checkpoint.origin))) {
    const names = by.map(key => key.name).join(', ')
    throw new Fault('CHECKPOINT', `the head of ${checkpoint.origin} is not signed by its own key but by ${names}`)
  }
  return { ...checkpoint, by }
}

/** A key speaks for its own name, and for every epoch of it: `…/gate-07` for `…/gate-07/2`. */
export function speaksFor(key: VerifierKey, origin: string): boolean {
  if (origin === key.name) return true
  if (!origin.startsWith(`${key.name}/`)) return false
  const epoch = parseCount(origin.slice(key.name.length + 1))
  return epoch !== undefined && epoch >= 1
}
