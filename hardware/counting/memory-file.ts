// Memory file: what is remembered of all counters of a gate, as one line of JSON and the SHA-256 of it.
//
// Law: the file is the old one or the new one, whole, also when the power goes. One that is neither is set aside under
// another name, said to be damaged, and never read as something else.

import { createHash } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HardwareFault } from '../turnstile.ts'
import type { CountedExit, CounterMemory, MemoryPort } from './memory.ts'

type Lanes = Record<string, CounterMemory>

export class MemoryFile implements MemoryPort {
  readonly #path: string
  #lanes: Promise<Lanes> | undefined
  /** the write that is at it, and the one that takes whatever comes meanwhile */
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  async load(lane: string): Promise<CounterMemory | undefined> {
    this.#lanes ??= this.#read()
    return (await this.#lanes)[lane]
  }

  async save(lane: string, memory: CounterMemory): Promise<void> {
    this.#lanes ??= this.#read()
    let lanes: Lanes
    try {
      lanes = await this.#lanes
    } catch {
      // told to whoever loaded it; what comes now begins anew
      lanes = {}
      this.#lanes = Promise.resolve(lanes)
    }
    lanes[lane] = memory
    if (this.#next === undefined) {
      const write = this.#current.catch(() => undefined).then(() => this.#write(lanes))
      this.#next = write
    }
    return this.#next
  }

  #write(lanes: Lanes): Promise<void> {
    this.#current = this.#next ?? this.#current
    this.#next = undefined
    return writeWhole(this.#path, sealed(JSON.stringify({ lanes })))
  }

  async #read(): Promise<Lanes> {
    let text: string
    try {
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw new HardwareFault('MEMORY', `${this.#path} cannot be read: ${(error as Error).message}`, { cause: error })
    }
    const lanes = lanesOf(text)
    if (lanes !== undefined) return lanes
    const aside = `${this.#path}.damaged`
    await rename(this.#path, aside).catch(() => undefined)
    throw new HardwareFault('MEMORY', `${this.#path} is damaged and was set aside as ${aside}`)
  }
}

function sealed(line: string): string {
  return `${line}\n${createHash('sha256').update(line).digest('hex')}\n`
}

function lanesOf(text: string): Lanes | undefined {
  const line = text.slice(0, text.indexOf('\n'))
  if (text !== sealed(line)) return undefined
  try {
    const { lanes } = JSON.parse(line)
    return Object.values(lanes).every(isMemory) ? lanes : undefined
  } catch {
    return undefined
  }
}

function isMemory(value: unknown): value is CounterMemory {
  const { device, since, in: entries, out, at, pending, grants } = value as Partial<CounterMemory>
  return (
    typeof device === 'string' &&
    [since, entries, out, at].every(number => Number.isSafeInteger(number)) &&
    Array.isArray(pending) &&
    pending.every(({ id, confidence }: CountedExit) => typeof id === 'string' && Number.isInteger(confidence)) &&
    Array.isArray(grants) &&
    grants.every(grant => typeof grant === 'string')
  )
}

async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
