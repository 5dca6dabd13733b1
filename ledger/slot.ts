// Slot: a high-water mark as it lies in its file, with the newest lines themselves.
//
//     gatemesh mark 2
//     <serial>           the larger one is the newer
//     <account>
//     <size>
//     <root>
//     <number of lines>  the last so many entries of that size follow, one per line
//     …
//     <SHA-256 of the lines above, in base64>
//
// Where rows or notes came with the lines it is `gatemesh mark 3`: their number stands after that of the lines, and each
// of them after the lines, as a JSON array of key and value (record.ts).
//
// A slot holds that twice, in pages of its own, so that a page which is lost or damaged leaves the other. Slots take
// turns: what a torn write ruins is the oldest. `gatemesh mark 1` is the same without lines, and still read.

import { hash } from 'node:crypto'
import { isAccount } from './account.ts'
import { isHash64 } from './base64.ts'
import { parseCount } from './decimal.ts'
import { must } from './fault.ts'
import type { Change } from './record.ts'
import { type Mark, type MarkedNote, STORE_LIMITS } from './store.ts'

/** The bare size and root, with lines, with lines and notes: so many counts follow the root. */
const TITLES: readonly string[] = ['gatemesh mark 1', 'gatemesh mark 2', 'gatemesh mark 3']
/** of every title: most pages of a file can be passed over by it */
const FIRST_BYTE = 'g'.charCodeAt(0)
const PAGE_BYTES = 4096
const SLOT_BYTES = 128 * 1024
export const FILE_BYTES = STORE_LIMITS.marks * SLOT_BYTES

export interface Slot {
  readonly serial: number
  readonly mark: Mark
}

export function formatSlot({ serial, mark }: Slot): Buffer {
  const { account, size, root, tail = [], notes = [] } = mark
  must(
    notes.every(note => note.size === size),
    'a slot has the notes of its own lines',
  )
  const counts = notes.length === 0 ? [tail.length] : [tail.length, notes.length]
  const beside = notes.map(({ change }) => JSON.stringify(change))
  const body = `${[TITLES[counts.length], serial, account, size, root, ...counts, ...tail, ...beside].join('\n')}\n`
  const text = Buffer.from(`${body}${hash('sha256', body, 'base64')}\n`)
  const second = Math.ceil(text.length / PAGE_BYTES) * PAGE_BYTES
  must(second + text.length <= SLOT_BYTES, 'a mark and its lines fit into a slot twice')
  const slot = Buffer.alloc(second + text.length)
  text.copy(slot, 0)
  text.copy(slot, second)
  return slot
}

/** No character takes more than three bytes in UTF-8 for each of its units. */
export function fitsSlot(tail: readonly string[], notes: readonly Change[] = []): boolean {
  const { tailBytesMax } = STORE_LIMITS
  const texts = notes.length === 0 ? tail : [...tail, ...notes.map(change => JSON.stringify(change))]
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0)
  return 3 * length <= tailBytesMax || Buffer.byteLength(texts.join('\n')) <= tailBytesMax
}

export function slotOffset(serial: number): number {
  return (serial % STORE_LIMITS.marks) * SLOT_BYTES
}

/** A whole file with one slot filled. */
export function formatFile(slot: Slot): Buffer {
  const file = Buffer.alloc(FILE_BYTES)
  formatSlot(slot).copy(file, slotOffset(slot.serial))
  return file
}

/** Whatever can be read in a file, old marks and second copies among it, the newest first. */
export function readSlots(file: Buffer): Slot[] {
  const found: Slot[] = []
  for (let at = 0; at < file.length; at += PAGE_BYTES) {
    const slot = file[at] === FIRST_BYTE ? parse(file.subarray(at, at + SLOT_BYTES)) : undefined
    if (slot !== undefined) found.push(slot)
  }
  return found.sort((a, b) => b.serial - a.serial)
}

function parse(bytes: Buffer): Slot | undefined {
  const counted = TITLES.indexOf(bytes.toString('latin1', 0, TITLES[0]?.length))
  if (counted < 0) return undefined
  const [, serialText = '', account = '', sizeText = '', root = '', ...rest] = textOf(bytes).split('\n')
  const serial = parseCount(serialText)
  const size = parseCount(sizeText)
  if (serial === undefined || size === undefined || !isAccount(account) || !isHash64(root)) return undefined
  const [lines = 0, beside = 0] = rest.splice(0, counted).map(text => parseCount(text) ?? Number.NaN)
  if (!(lines <= size && lines + beside <= rest.length)) return undefined
  const tail = rest.slice(0, lines)
  const noted = rest.slice(lines, lines + beside)
  const counts = [lines, beside].slice(0, counted)
  const body = `${[TITLES[counted], serial, account, size, root, ...counts, ...tail, ...noted].join('\n')}\n`
  if (rest[lines + beside] !== hash('sha256', body, 'base64')) return undefined
  const changes = noted.map(changeIn)
  if (!changes.every(change => change !== undefined)) return undefined
  const notes = changes.map(change => ({ size, change }))
  return { serial, mark: { account, size, root, tail, ...(beside === 0 ? {} : { notes }) } }
}

/** Up to what fills the rest of its last page. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

/** Undefined where whoever wrote it was not us: the hash beside it keeps accidents out, not forgers. */
function changeIn(text: string): Change | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const [key, note, ...more] = Array.isArray(value) ? (value as unknown[]) : []
    const isChange = typeof key === 'string' && typeof note === 'string' && more.length === 0
    return isChange ? (value as unknown as Change) : undefined
  } catch {
    return undefined
  }
}

/** The newest of these marks (newest first), with all lines that lead up to it without a gap, and what came with them. */
export function joined(marks: readonly Mark[]): Mark | undefined {
  const [newest] = marks
  if (newest === undefined) return undefined
  const { account, size, root } = newest
  const parts: (readonly string[])[] = []
  const notes: MarkedNote[] = []
  let from = size
  for (;;) {
    const before = marks.find(mark => mark.account === account && mark.size === from && mark.tail?.length)
    if (before?.tail === undefined) break
    parts.unshift(before.tail)
    notes.unshift(...(before.notes ?? []))
    from -= before.tail.length
  }
  return { account, size, root, tail: parts.flat(), ...(notes.length === 0 ? {} : { notes }) }
}
