// Parcel: what lies in a frame of the steal and rows lines. One byte says what kind: a message of the core as text, or
// places, by which members help each other find everyone.

import { Fault } from '../../ledger/fault.ts'
import { isName } from '../../ledger/origin.ts'
import { type Place, parsePlace, placeText } from './place.ts'

export type Parcel =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'places'; readonly places: ReadonlyMap<string, readonly Place[]> }

const MESSAGE = 1
const PLACES = 2
const MEMBERS_MAX = 2000
const PLACES_MAX = 8

export function messageParcel(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(text))
  bytes[0] = MESSAGE
  bytes.write(text, 1)
  return bytes
}

export function placesParcel(places: ReadonlyMap<string, readonly Place[]>): Uint8Array {
  const plain = Object.fromEntries([...places].map(([name, at]) => [name, at.map(placeText)]))
  return Buffer.concat([Buffer.of(PLACES), Buffer.from(JSON.stringify(plain))])
}

export function openParcel(payload: Uint8Array): Parcel {
  if (payload.length === 0) throw new Fault('PARCEL', 'an empty parcel')
  const text = Buffer.from(payload.buffer, payload.byteOffset + 1, payload.length - 1).toString('utf8')
  if (payload[0] === MESSAGE) return { kind: 'message', text }
  if (payload[0] === PLACES) return { kind: 'places', places: placesIn(text) }
  throw new Fault('PARCEL', `no kind of parcel: ${payload[0]}`)
}

function placesIn(text: string): Map<string, readonly Place[]> {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('PARCEL', 'places: no object')
  const members = Object.entries(value)
  if (members.length > MEMBERS_MAX) throw new Fault('PARCEL', `places: of more than ${MEMBERS_MAX} members`)
  return new Map(
    members.map(([name, at]) => {
      if (!isName(name)) throw new Fault('PARCEL', `places: not a name: ${JSON.stringify(name.slice(0, 40))}`)
      if (!Array.isArray(at) || at.length > PLACES_MAX || !at.every(place => typeof place === 'string')) {
        throw new Fault('PARCEL', `places of ${name}: not a list of at most ${PLACES_MAX} texts`)
      }
      return [name, at.map(parsePlace)]
    }),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Fault('PARCEL', 'places: not JSON', { cause })
  }
}
