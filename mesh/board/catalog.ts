// Catalog: the items of a sheet, read and written by their kinds, with what the day before is about to leave to it.
//
// Law: what a caller writes is checked and refused with a fault that says why; what is there is checked when it is read.
// Writing what is there already writes nothing.

import { Fault } from '../../ledger/fault.ts'
import type { Contents, Fold, Write } from './fold.ts'
import { missing } from './fold.ts'
import {
  type Alert,
  isCoordinate,
  isGate,
  type Label,
  type Note,
  type Position,
  type Reading,
  readAcknowledgement,
  readAlert,
  readLabel,
  readNote,
  readPosition,
  type ShelfName,
  storeAcknowledgement,
  storeAlert,
  storeLabel,
  storeNote,
  storePosition,
} from './item.ts'
import type { BoardLimits } from './limits.ts'
import type { Sheet } from './sheet.ts'
import { cutText } from './text.ts'

export class Catalog {
  /** the wall clock of whoever reads or writes */
  now = 0
  readonly #sheet: Sheet
  readonly #past: () => Fold | undefined
  readonly #limits: BoardLimits
  #count = 0

  constructor({ sheet, past, limits }: { sheet: Sheet; past: () => Fold | undefined; limits: BoardLimits }) {
    this.#sheet = sheet
    this.#past = past
    this.#limits = limits
  }

  all(now: number): Omit<Contents, 'day'> {
    this.now = now
    return { alerts: this.alerts(), labels: this.labels(), positions: this.positions(), notes: this.notes() }
  }

  alerts(): Alert[] {
    const reading = this.#reading()
    const alerts: Alert[] = []
    for (const [id, value] of this.#sheet.entries('alerts')) {
      const alert = readAlert(id, value, reading)
      if (!alert) continue
      const acknowledged = readAcknowledgement(this.#sheet.get('acks', id), reading)
      alerts.push(acknowledged ? { ...alert, acknowledged } : alert)
    }
    for (const alert of this.#past()?.alerts ?? []) {
      if (this.#sheet.get('alerts', alert.id) === undefined) alerts.push(alert)
    }
    return alerts.sort(newestFirst).slice(0, this.#limits.alertsMax)
  }

  labels(): Map<string, Label> {
    return this.#mapOf('labels', readLabel, this.#past()?.labels)
  }

  positions(): Map<string, Position> {
    return this.#mapOf('places', readPosition, this.#past()?.positions)
  }

  notes(): Note[] {
    const notes: Note[] = []
    for (const [id, value] of this.#sheet.entries('notes')) {
      const note = readNote(id, value, this.#reading())
      if (note) notes.push(note)
    }
    for (const note of this.#past()?.notes ?? []) {
      if (this.#sheet.get('notes', note.id) === undefined) notes.push(note)
    }
    return notes.sort(newestFirst).slice(0, this.#limits.notesMax)
  }

  raise({ gate, code, text, by }: { gate: string; code: string; text: string; by: string }): string {
    checkGate(gate)
    const alert = {
      id: '',
      gate,
      code: checkText('code', code, this.#limits.codeMax),
      text: checkText('text', text, this.#limits.textMax),
      at: this.now,
      by,
    }
    const open = this.alerts().find(is => !is.acknowledged && is.gate === gate && is.code === alert.code)
    if (open) return open.id
    this.#checkRoom('alerts', this.#limits.alertsMax)
    const id = this.#newId('alerts')
    this.#sheet.write([{ shelf: 'alerts', key: id, value: storeAlert(alert) }])
    return id
  }

  acknowledge(id: string, by: string): void {
    const name = checkText('by', by, this.#limits.byMax)
    const past = this.#past()
    const carried = past
      ? missing(past, this.#sheet.get).filter(({ shelf, key }) => shelf === 'alerts' && key === id)
      : []
    const isThere = readAlert(id, this.#sheet.get('alerts', id), this.#reading()) !== undefined
    if (!isThere && carried.length === 0) throw new Fault('BOARD_ALERT', `no alert ${JSON.stringify(id.slice(0, 40))}`)
    if (readAcknowledgement(this.#sheet.get('acks', id), this.#reading())) return
    const write: Write = { shelf: 'acks', key: id, value: storeAcknowledgement({ by: name, at: this.now }) }
    this.#sheet.write([...carried, write])
  }

  label(gate: string, text: string): void {
    checkGate(gate)
    const label = { text: text === '' ? '' : checkText('label', text, this.#limits.labelMax), at: this.now }
    const present = this.labels()
    if ((present.get(gate)?.text ?? '') === label.text) return
    if (!present.has(gate)) this.#checkRoom('labels', this.#limits.gatesMax)
    this.#sheet.write([{ shelf: 'labels', key: gate, value: storeLabel(label) }])
  }

  place(gate: string, x: number, y: number): void {
    checkGate(gate)
    const max = this.#limits.coordinateMax
    if (!isCoordinate(x, this.#limits) || !isCoordinate(y, this.#limits))
      throw new Fault('BOARD_PLACE', `a position is two numbers from −${max} to ${max}, not ${x}, ${y}`)
    const present = this.positions()
    const here = present.get(gate)
    if (here && here.x === x && here.y === y) return
    if (!here) this.#checkRoom('places', this.#limits.gatesMax)
    this.#sheet.write([{ shelf: 'places', key: gate, value: storePosition({ x, y, at: this.now }) }])
  }

  note(by: string, text: string): string {
    const note = {
      id: '',
      by: checkText('by', by, this.#limits.byMax),
      text: checkText('text', text, this.#limits.textMax),
      at: this.now,
    }
    this.#checkRoom('notes', this.#limits.notesMax)
    const id = this.#newId('notes')
    this.#sheet.write([{ shelf: 'notes', key: id, value: storeNote(note) }])
    return id
  }

  #reading(): Reading {
    return { latest: this.now + this.#limits.earlyMs, limits: this.#limits }
  }

  #mapOf<T extends { readonly at: number }>(
    shelf: ShelfName,
    read: (key: string, value: unknown, reading: Reading) => T | undefined,
    past: ReadonlyMap<string, T> = new Map(),
  ): Map<string, T> {
    const map = new Map<string, T>()
    for (const [key, value] of this.#sheet.entries(shelf)) {
      const item = read(key, value, this.#reading())
      if (item) map.set(key, item)
    }
    for (const [key, item] of past) if (!map.has(key)) map.set(key, item)
    return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, this.#limits.gatesMax))
  }

  #checkRoom(shelf: ShelfName, max: number): void {
    if (this.#sheet.size(shelf) >= max)
      throw new Fault('BOARD_FULL', `the board has ${max} ${shelf} already, no more fit until tomorrow`)
  }

  /** Time, writer and a count: nobody else's. The count begins anew with every start, so a key may be taken. */
  #newId(shelf: ShelfName): string {
    for (;;) {
      const id = [this.now, this.#sheet.clientId, this.#count++].map(part => part.toString(36)).join('.')
      if (this.#sheet.get(shelf, id) === undefined) return id
    }
  }
}

function checkGate(gate: string): void {
  if (!isGate(gate)) throw new Fault('BOARD_GATE', `not a gate's name: ${JSON.stringify(String(gate).slice(0, 40))}`)
}

function checkText(what: string, text: string, max: number): string {
  if (typeof text !== 'string') throw new Fault('BOARD_TEXT', `${what} is text, not ${typeof text}`)
  if (text.length > max) throw new Fault('BOARD_TEXT', `${what} has ${text.length} characters, at most ${max} are kept`)
  const clean = cutText(text, max)
  if (clean === '') throw new Fault('BOARD_TEXT', `${what} is empty`)
  return clean
}

function newestFirst(a: { at: number; id: string }, b: { at: number; id: string }): number {
  return b.at - a.at || (a.id < b.id ? -1 : 1)
}
