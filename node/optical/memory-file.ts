// The optical counters' memory as a file beside the store.

import { readFile } from 'node:fs/promises'
import { Fault } from '../../ledger/fault.ts'
import { writeWhole } from '../../mesh/whole-file.ts'
import { type DeskMemory, type MemoryPort, parseMemory } from './memory.ts'

export class MemoryFile implements MemoryPort {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async load(): Promise<DeskMemory | undefined> {
    let text: string
    try {
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
    try {
      return parseMemory(text)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw new Fault(error.code, `${this.#path}: ${error.message}`, { cause: error })
    }
  }

  async save(memory: DeskMemory): Promise<void> {
    await writeWhole(this.#path, `${JSON.stringify(memory)}\n`, 0o600)
  }
}
