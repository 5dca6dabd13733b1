// Restoration: the memory that a disk image was put back by hand, until the next epoch is open.
//
// Law: a ledger that was given up stays so, whatever ends the process before its successor is there. The person who
// knows that the image is old says so once, with --restored; the start after a power cut has nobody to ask.

import { readFile, rm } from 'node:fs/promises'
import type { Account } from '../ledger/account.ts'
import { Fault } from '../ledger/fault.ts'
import type { Found } from '../ledger/store.ts'
import { writeWhole } from './whole-file.ts'

/** Said before the store could be read: whatever ledger is found in it. */
const ANY = 'any'

export class Restoration {
  readonly #path: string
  #givenUp: string | undefined

  private constructor(path: string, givenUp: string | undefined) {
    this.#path = path
    this.#givenUp = givenUp
  }

  /** The file lies beside the store. */
  static async open(store: string, isRestored: boolean): Promise<Restoration> {
    const path = `${store}.restored`
    try {
      if (!isRestored) return new Restoration(path, await readFile(path, 'utf8').then(said => said.trim(), unlessThere))
      await writeWhole(path, `${ANY}\n`, 0o644)
      return new Restoration(path, ANY)
    } catch (error) {
      throw new Fault('RESTORED', `${path}: ${(error as Error).message}`, { cause: error })
    }
  }

  isGivenUp(account: Account): boolean {
    return this.#givenUp === ANY || this.#givenUp === account
  }

  /** The store is open: from here on it is one ledger that is given up, and none once its successor is there. */
  async settle(found: Found): Promise<void> {
    if (this.#givenUp === undefined) return
    if (found.kind === 'intact' && this.#givenUp === ANY) {
      this.#givenUp = found.account
      await writeWhole(this.#path, `${found.account}\n`, 0o644)
    } else if (found.kind !== 'intact' || found.account !== this.#givenUp) {
      this.#givenUp = undefined
      await rm(this.#path, { force: true })
    }
  }
}

function unlessThere(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
