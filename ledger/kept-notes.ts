// Kept notes: rows of others and named notes that lie beside a ledger, and which of them the disk has not got yet.
//
// Law: what was taken is not on the disk before whoever took it has said so.

import type { Account } from './account.ts'
import { Fault } from './fault.ts'
import { type Change, NOTES, noteChange, ROWS } from './record.ts'
import { STORE_LIMITS } from './store.ts'

export interface Taken {
  readonly changes: readonly Change[]
  /** the disk has them */
  written(): void
  /** writing them failed */
  giveBack(): void
}

const NOTHING: Taken = { changes: [], written: () => undefined, giveBack: () => undefined }

export class KeptNotes {
  readonly rows = new Map<Account, string>()
  readonly notes = new Map<string, string>()
  #unwritten = new Map<string, string>()
  /** writes under way */
  #underway = 0

  get isWritten(): boolean {
    return this.#unwritten.size === 0 && !this.isUnderway
  }

  get isUnderway(): boolean {
    return this.#underway > 0
  }

  keepRow(account: Account, note: string): void {
    this.#keep(this.rows, ROWS, account, note)
  }

  keepNote(name: string, note: string): void {
    this.#keep(this.notes, NOTES, name, note)
  }

  /** What the disk has not got. */
  take(): Taken {
    const taken = this.#unwritten
    if (taken.size === 0) return NOTHING
    this.#unwritten = new Map()
    this.#underway++
    const written = () => {
      this.#underway--
    }
    const giveBack = () => {
      this.#underway--
      this.#unwritten = new Map([...taken, ...this.#unwritten])
    }
    return { changes: [...taken].map(([key, note]) => noteChange(key, note)), written, giveBack }
  }

  /** All of it, for a ledger that begins. */
  all(): Change[] {
    const rows = [...this.rows].map(([of, note]) => noteChange(ROWS + of, note))
    return [...rows, ...[...this.notes].map(([name, note]) => noteChange(NOTES + name, note))]
  }

  #keep(kept: Map<string, string>, prefix: string, name: string, note: string): void {
    if (Buffer.byteLength(note) > STORE_LIMITS.noteBytesMax) {
      throw new Fault('NOTE_TOO_LARGE', `${name}: ${note.length} characters are more than a note may have`)
    }
    kept.set(name, note)
    this.#unwritten.set(prefix + name, note)
  }
}
