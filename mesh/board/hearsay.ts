// Hearsay: the telemetry of those who are here, as y-protocols awareness.
//
// Law: a peer speaks for itself only, and what it said is gone when it is. On the wire a state is its telemetry and its
// name; here each meeting gets a client number of its own, so nobody can speak under another's, and a peer that
// restarted is heard at once whatever its clock says.

import { createDecoder, hasContent, readVarString, readVarUint } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeVarString, writeVarUint } from 'lib0/encoding'
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { readTelemetry, type Telemetry } from './telemetry.ts'

export type Said = 'heard' | 'garbage' | 'forged'

interface Guest {
  readonly client: number
  heardAt: number
}

export class Hearsay {
  readonly #name: string
  readonly #expiresMs: number
  readonly #doc = new Y.Doc()
  readonly #awareness: Awareness
  readonly #guests = new Map<string, Guest>()
  /** states as they were read: they are looked at far more often than they change */
  readonly #reads = new WeakMap<object, Telemetry | undefined>()
  #meetings = 0

  constructor({ name, expiresMs, changed }: { name: string; expiresMs: number; changed(): void }) {
    this.#name = name
    this.#expiresMs = expiresMs
    this.#awareness = new Awareness(this.#doc)
    this.#awareness.setLocalState(null)
    this.#awareness.on('change', changed)
  }

  meet(peer: string, now: number): void {
    this.part(peer)
    // our own client is drawn at random from 32 bits; guests are numbered above that
    this.#guests.set(peer, { client: 2 ** 32 + ++this.#meetings, heardAt: now })
  }

  part(peer: string): void {
    const guest = this.#guests.get(peer)
    if (!guest) return
    this.#guests.delete(peer)
    removeAwarenessStates(this.#awareness, [guest.client], 'parted')
    this.#awareness.meta.delete(guest.client)
  }

  hear(peer: string, update: Uint8Array, now: number): Said {
    const guest = this.#guests.get(peer)
    if (!guest) return 'garbage'
    const encoder = createEncoder()
    const decoder = createDecoder(update)
    if (readVarUint(decoder) !== 1) return 'garbage'
    readVarUint(decoder)
    const clock = readVarUint(decoder)
    const state: unknown = JSON.parse(readVarString(decoder))
    if (hasContent(decoder)) return 'garbage'
    const telemetry = readTelemetry(state)
    if (state !== null && (state as { name?: unknown }).name !== peer) return 'forged'
    if (state !== null && telemetry === undefined) return 'garbage'
    writeVarUint(encoder, 1)
    writeVarUint(encoder, guest.client)
    writeVarUint(encoder, clock)
    writeVarString(encoder, JSON.stringify(state === null ? null : { name: peer, ...telemetry }))
    guest.heardAt = now
    applyAwarenessUpdate(this.#awareness, toUint8Array(encoder), peer)
    return 'heard'
  }

  /** Says it, and returns how it is told. */
  say(telemetry: Telemetry | null): Uint8Array {
    this.#awareness.setLocalState(telemetry && { name: this.#name, ...telemetry })
    return this.told()
  }

  get isSilent(): boolean {
    return this.#awareness.getLocalState() === null
  }

  told(): Uint8Array {
    return encodeAwarenessUpdate(this.#awareness, [this.#awareness.clientID])
  }

  read(now: number): Map<string, Telemetry> {
    const read = new Map<string, Telemetry>()
    const own = this.#readOnce(this.#awareness.getLocalState())
    if (own) read.set(this.#name, own)
    for (const [peer, { client, heardAt }] of this.#guests) {
      if (now - heardAt > this.#expiresMs) continue
      const telemetry = this.#readOnce(this.#awareness.getStates().get(client))
      if (telemetry) read.set(peer, telemetry)
    }
    return read
  }

  #readOnce(state: object | null | undefined): Telemetry | undefined {
    if (state === null || state === undefined) return undefined
    if (!this.#reads.has(state)) this.#reads.set(state, readTelemetry(state))
    return this.#reads.get(state)
  }

  /** Ends the timer that would keep the process alive. */
  close(): void {
    this.#awareness.destroy()
    this.#doc.destroy()
  }
}
