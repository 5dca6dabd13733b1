// Items: what people find on the board, as it lies in the document (short arrays) and as it is read.
//
// Law: a document is written by anybody; what is read here has the right types, or is not there.

import { isName } from '../../ledger/origin.ts'
import type { BoardLimits } from './limits.ts'
import { cutText } from './text.ts'

export interface Acknowledgement {
  readonly by: string
  readonly at: number
}

export interface Alert {
  readonly id: string
  /** which gate it is about, or `anchor` */
  readonly gate: string
  /** the same trouble has the same code: an open alert is not raised again */
  readonly code: string
  readonly text: string
  readonly at: number
  /** the member that raised it */
  readonly by: string
  readonly acknowledged?: Acknowledgement
}

export interface Label {
  readonly text: string
  readonly at: number
}

export interface Position {
  readonly x: number
  readonly y: number
  readonly at: number
}

export interface Note {
  readonly id: string
  readonly by: string
  readonly text: string
  readonly at: number
}

/** The maps of a document. */
export const SHELVES = ['alerts', 'acks', 'labels', 'places', 'notes'] as const
export type ShelfName = (typeof SHELVES)[number]
export type Stored = readonly (string | number)[]

/** What reading needs to know: `latest` is the newest time to be believed. */
export interface Reading {
  readonly latest: number
  readonly limits: BoardLimits
}

const ID = /^[0-9a-z.]{1,40}$/

export function readAlert(id: string, value: unknown, { latest, limits }: Reading): Alert | undefined {
  if (!ID.test(id) || !isStored(value, 5)) return undefined
  const [gate, code, text, at, by] = value
  if (!isGate(gate) || !isGate(by) || typeof code !== 'string' || typeof text !== 'string') return undefined
  return {
    id,
    gate,
    code: cutText(code, limits.codeMax),
    text: cutText(text, limits.textMax),
    at: readTime(at, latest),
    by,
  }
}

export function readAcknowledgement(value: unknown, { latest, limits }: Reading): Acknowledgement | undefined {
  if (!isStored(value, 2)) return undefined
  const [by, at] = value
  return typeof by === 'string' ? { by: cutText(by, limits.byMax), at: readTime(at, latest) } : undefined
}

export function readLabel(gate: string, value: unknown, { latest, limits }: Reading): Label | undefined {
  if (!isGate(gate) || !isStored(value, 2)) return undefined
  const [text, at] = value
  return typeof text === 'string' ? { text: cutText(text, limits.labelMax), at: readTime(at, latest) } : undefined
}

export function readPosition(gate: string, value: unknown, { latest, limits }: Reading): Position | undefined {
  if (!isGate(gate) || !isStored(value, 3)) return undefined
  const [x, y, at] = value
  if (!isCoordinate(x, limits) || !isCoordinate(y, limits)) return undefined
  return { x, y, at: readTime(at, latest) }
}

export function readNote(id: string, value: unknown, { latest, limits }: Reading): Note | undefined {
  if (!ID.test(id) || !isStored(value, 3)) return undefined
  const [by, text, at] = value
  if (typeof by !== 'string' || typeof text !== 'string') return undefined
  return { id, by: cutText(by, limits.byMax), text: cutText(text, limits.textMax), at: readTime(at, latest) }
}

export const storeAlert = ({ gate, code, text, at, by }: Alert): Stored => [gate, code, text, at, by]
export const storeAcknowledgement = ({ by, at }: Acknowledgement): Stored => [by, at]
export const storeLabel = ({ text, at }: Label): Stored => [text, at]
export const storePosition = ({ x, y, at }: Position): Stored => [x, y, at]
export const storeNote = ({ by, text, at }: Note): Stored => [by, text, at]

export function isCoordinate(value: unknown, { coordinateMax }: BoardLimits): value is number {
  return typeof value === 'number' && Math.abs(value) <= coordinateMax
}

export function isGate(value: unknown): value is string {
  return typeof value === 'string' && isName(value)
}

function isStored(value: unknown, length: number): value is unknown[] {
  return Array.isArray(value) && value.length === length
}

/** A time that cannot be true says nothing: 0, older than any. */
function readTime(value: unknown, latest: number): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= latest ? (value as number) : 0
}
