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
// A slot holds that twice, in pages of its own, so that a page which is lost or damaged leaves the other. Slots take
// turns: what a torn write ruins is the oldest. `gatemesh mark 1` is the same without lines, and still read.

import { hash } from 'node:crypto'
import { isAccount } from './account.ts'
import { isHash64 } from './base64.ts'
import { parseCount } from './decimal.ts'
import { must } from './fault.ts'
import { type Mark, STORE_LIMITS } from './store.ts'

const TITLE = 'gatemesh mark 2'
const OLD_TITLE = 'gatemesh mark 1'
const PAGE_BYTES = 4096
const SLOT_BYTES = 32 * 1024
export const FILE_BYTES = STORE_LIMITS.marks * SLOT_BYTES

export interface Slot {
  readonly serial: number
  readonly mark: Mark
}

export function formatSlot({ serial, mark }: Slot): Buffer {
  const { account, size, root, tail = [] } = mark
  const body = `${[TITLE, serial, account, size, root, tail.length, ...tail].join('\n')}\n`
  const text = Buffer.from(`${body}${hash('sha256', body, 'base64')}\n`)
  const second = Math.ceil(text.length / PAGE_BYTES) * PAGE_BYTES
  must(second + text.length <= SLOT_BYTES, 'a mark and its lines fit into a slot twice')
  const slot = Buffer.alloc(second + text.length)
  text.copy(slot, 0)
  text.copy(slot, second)
  return slot
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
    const slot = parse(file.subarray(at, at + SLOT_BYTES))
    if (slot !== undefined) found.push(slot)
  }
  return found.sort((a, b) => b.serial - a.serial)
}

function parse(bytes: Buffer): Slot | undefined {
  const title = bytes.toString('latin1', 0, TITLE.length)
  if (title !== TITLE && title !== OLD_TITLE) return undefined
  const [, serialText = '', account = '', sizeText = '', root = '', ...rest] = bytes.toString('utf8').split('\n')
  const serial = parseCount(serialText)
  const size = parseCount(sizeText)
  if (serial === undefined || size === undefined || !isAccount(account) || !isHash64(root)) return undefined
  const count = title === OLD_TITLE ? 0 : parseCount(rest.shift() ?? '')
  if (count === undefined || count > size) return undefined
  const tail = rest.slice(0, count)
  const counted = title === OLD_TITLE ? [] : [count]
  const body = `${[title, serial, account, size, root, ...counted, ...tail].join('\n')}\n`
  if (rest[count] !== hash('sha256', body, 'base64')) return undefined
  return { serial, mark: { account, size, root, tail } }
}

/** The newest of these marks (newest first), with all lines that lead up to it without a gap. */
export function joined(marks: readonly Mark[]): Mark | undefined {
  const [newest] = marks
  if (newest === undefined) return undefined
  const { account, size, root } = newest
  const parts: (readonly string[])[] = []
  let from = size
  for (;;) {
    const before = marks.find(mark => mark.account === account && mark.size === from && mark.tail?.length)
    if (before?.tail === undefined) break
    parts.unshift(before.tail)
    from -= before.tail.length
  }
  return { account, size, root, tail: parts.flat() }
}
