// Sheet: the Yjs document of one day.
//
// Law: an update is taken whole or not at all. Yjs throws in the middle of a bad one and keeps what it had done, and
// keeps for ever what refers to things it has not seen; so every stranger's update is rehearsed on a twin first.

import { createEncoder, toUint8Array } from 'lib0/encoding'
import { writeSyncStep1, writeSyncStep2, writeUpdate } from 'y-protocols/sync'
import * as Y from 'yjs'
import { Fault } from '../../ledger/fault.ts'
import type { Get, Write } from './fold.ts'
import { SHELVES, type ShelfName } from './item.ts'

/** What an update was: `gap` if it builds on something that we have not seen. */
export type Heard = 'taken' | 'known' | 'gap' | 'full' | 'garbage'

/** room that an own write needs at most */
const WRITE_BYTES = 4096

export interface SheetOptions {
  readonly day: number
  readonly bytesMax: number
  /** reuse is safe only if this id never wrote into this day's document, or all it wrote is in `update` */
  readonly clientId?: number | undefined
  readonly update?: Uint8Array | undefined
  /** the document changed; `from` is who told us, nobody if we did it */
  changed(update: Uint8Array, from: string | undefined): void
}

export class Sheet {
  readonly day: number
  readonly #doc = new Y.Doc()
  readonly #bytesMax: number
  #twin = new Y.Doc()
  /** never less than the true size; measured only when that matters */
  #bytesAtMost: number
  #changes = 0

  constructor({ day, bytesMax, clientId, update, changed }: SheetOptions) {
    this.day = day
    this.#bytesMax = bytesMax
    if (update) Y.applyUpdate(this.#doc, update)
    if (clientId !== undefined) this.#doc.clientID = clientId
    for (const shelf of SHELVES) this.#doc.getMap(shelf)
    this.#bytesAtMost = this.#renewTwin()
    this.#doc.on('update', (bytes: Uint8Array, origin: unknown) => {
      this.#bytesAtMost += bytes.length
      this.#changes++
      const from = typeof origin === 'string' ? origin : undefined
      if (from === undefined) Y.applyUpdate(this.#twin, bytes)
      changed(bytes, from)
    })
  }

  get clientId(): number {
    return this.#doc.clientID
  }

  get isEmpty(): boolean {
    return SHELVES.every(shelf => this.#doc.getMap(shelf).size === 0)
  }

  /** The whole document. */
  bytes(): Uint8Array {
    return Y.encodeStateAsUpdate(this.#doc)
  }

  /** Sync step 1: what we have. */
  question(): Uint8Array {
    const encoder = createEncoder()
    writeSyncStep1(encoder, this.#doc)
    return toUint8Array(encoder)
  }

  /** Sync step 2: what the asker lacks. Throws on a question that is none. */
  answer(vector: Uint8Array): Uint8Array {
    const encoder = createEncoder()
    writeSyncStep2(encoder, this.#doc, vector)
    return toUint8Array(encoder)
  }

  hear(update: Uint8Array, from: string): Heard {
    let isOurs: boolean
    try {
      const own = Y.getState(this.#doc.store, this.clientId)
      // Reading it to its end comes first: sizes in it are then true, and nothing has been changed yet.
      const { structs } = Y.decodeUpdate(update)
      isOurs = structs.some(({ id, length }) => id.client === this.clientId && id.clock + length > own)
      Y.applyUpdate(this.#twin, update)
    } catch {
      this.#renewTwin()
      return 'garbage'
    }
    const { pendingStructs, pendingDs } = this.#twin.store
    if (pendingStructs !== null || pendingDs !== null) {
      this.#renewTwin()
      return 'gap'
    }
    if (
      this.#bytesAtMost + update.length > this.#bytesMax &&
      Y.encodeStateAsUpdate(this.#twin).length > this.#bytesMax
    ) {
      this.#bytesAtMost = this.#renewTwin()
      return 'full'
    }
    // Somebody writes under our id: a copied disk, or a liar. Two writers of one id corrupt a document, so we leave it.
    // (Yjs would do the same a little later, and print a line that nobody asked for.)
    if (isOurs) this.#doc.clientID = new Y.Doc().clientID
    const before = this.#changes
    Y.applyUpdate(this.#doc, update, from)
    return this.#changes > before ? 'taken' : 'known'
  }

  readonly get: Get = (shelf, key) => this.#doc.getMap(shelf).get(key)

  /** What lies on a shelf, in no order. */
  entries(shelf: ShelfName): Iterable<[string, unknown]> {
    return this.#doc.getMap(shelf).entries()
  }

  size(shelf: ShelfName): number {
    return this.#doc.getMap(shelf).size
  }

  /** All of it in one update. */
  write(writes: readonly Write[]): void {
    const room = this.#bytesMax - writes.length * WRITE_BYTES
    if (this.#bytesAtMost > room) {
      this.#bytesAtMost = this.bytes().length
      if (this.#bytesAtMost > this.#bytesMax - WRITE_BYTES)
        throw new Fault('BOARD_FULL', `the board holds ${this.#bytesAtMost} of ${this.#bytesMax} bytes until tomorrow`)
    }
    this.#doc.transact(() => {
      for (const { shelf, key, value } of writes) this.#doc.getMap(shelf).set(key, [...value])
    })
  }

  close(): void {
    this.#doc.destroy()
    this.#twin.destroy()
  }

  #renewTwin(): number {
    this.#twin.destroy()
    this.#twin = new Y.Doc()
    const bytes = this.bytes()
    Y.applyUpdate(this.#twin, bytes)
    return bytes.length
  }
}

/** An update as a sync message. */
export function updateMessage(update: Uint8Array): Uint8Array {
  const encoder = createEncoder()
  writeUpdate(encoder, update)
  return toUint8Array(encoder)
}
