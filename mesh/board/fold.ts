// Fold: what of a closed day is of use in the next one, and what of that the next one still lacks.
//
// Law: carried things keep their keys and times, and something newer is never overwritten. So it does not matter who
// carries them over, nor how many do: after a partition the halves agree on the newest.

import {
  type Acknowledgement,
  type Alert,
  type Label,
  type Note,
  type Position,
  type Reading,
  readLabel,
  readPosition,
  type ShelfName,
  type Stored,
  storeAcknowledgement,
  storeAlert,
  storeLabel,
  storeNote,
  storePosition,
} from './item.ts'
import type { BoardLimits } from './limits.ts'

/** Everything that can be read on a board. */
export interface Contents {
  readonly day: number
  /** newest first */
  readonly alerts: readonly Alert[]
  readonly labels: ReadonlyMap<string, Label>
  readonly positions: ReadonlyMap<string, Position>
  /** newest first */
  readonly notes: readonly Note[]
}

export interface Fold extends Contents {
  /** acknowledged on that day: a half of the mall that did not hear of it may carry the alert over as open */
  readonly acknowledged: ReadonlyMap<string, Acknowledgement>
}

/** What the present day's document holds under a key. */
export type Get = (shelf: ShelfName, key: string) => unknown

export interface Write {
  readonly shelf: ShelfName
  readonly key: string
  readonly value: Stored
}

export function fold(contents: Contents, { now, limits }: { now: number; limits: BoardLimits }): Fold {
  const { day, alerts, labels, positions, notes } = contents
  const acknowledged = new Map<string, Acknowledgement>()
  for (const alert of alerts) if (alert.acknowledged) acknowledged.set(alert.id, alert.acknowledged)
  const open = alerts.filter(alert => !alert.acknowledged && now - alert.at <= limits.alertAgeMs)
  return {
    day,
    acknowledged,
    alerts: open.slice(0, limits.alertsCarriedMax),
    labels: new Map([...labels].filter(([, label]) => label.text !== '')),
    positions,
    notes: notes.filter(note => now - note.at <= limits.noteAgeMs).slice(0, limits.notesCarriedMax),
  }
}

/** What the present day lacks of a fold that has not been carried over yet. */
export function missing(past: Fold, get: Get): Write[] {
  const all: Write[] = [
    ...[...past.labels].map(([key, label]) => ({ shelf: 'labels', key, value: storeLabel(label) }) as const),
    ...[...past.positions].map(([key, place]) => ({ shelf: 'places', key, value: storePosition(place) }) as const),
    ...past.alerts.map(alert => ({ shelf: 'alerts', key: alert.id, value: storeAlert(alert) }) as const),
    ...past.notes.map(note => ({ shelf: 'notes', key: note.id, value: storeNote(note) }) as const),
  ]
  return all.filter(({ shelf, key }) => get(shelf, key) === undefined)
}

/** What somebody who knew less carried over: older labels and positions, alerts that had been acknowledged. */
export function outdated(past: Fold, get: Get, reading: Reading): Write[] {
  const writes: Write[] = []
  for (const [key, label] of past.labels) {
    const now = readLabel(key, get('labels', key), reading)
    if (now && now.at < label.at && now.text !== label.text) {
      writes.push({ shelf: 'labels', key, value: storeLabel(label) })
    }
  }
  for (const [key, position] of past.positions) {
    const now = readPosition(key, get('places', key), reading)
    if (now && now.at < position.at && (now.x !== position.x || now.y !== position.y)) {
      writes.push({ shelf: 'places', key, value: storePosition(position) })
    }
  }
  for (const [key, acknowledged] of past.acknowledged) {
    if (get('alerts', key) === undefined || get('acks', key) !== undefined) continue
    writes.push({ shelf: 'acks', key, value: storeAcknowledgement(acknowledged) })
  }
  return writes
}
