// Lock: one mall per folder, and none beside members that a killed mall left behind.
//
// LevelDB's lock is the kernel's: it goes with the process, however that ends. Members of a mall that was killed notice
// it by themselves and need a moment to stop; whoever starts meanwhile waits for them.

import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Level } from 'level'
import { Fault } from '../../ledger/fault.ts'

const LEFT_MS_MAX = 15_000
const POLL_MS = 50

export class Lock {
  readonly #dir: string
  readonly #level: Level<string, string>

  private constructor(dir: string, level: Level<string, string>) {
    this.#dir = dir
    this.#level = level
  }

  static async take(dir: string, say: (line: string) => void): Promise<Lock> {
    await mkdir(dir, { recursive: true })
    const level = await open(dir)
    const lock = new Lock(dir, level)
    try {
      await lock.#waitForLeftovers(say)
    } catch (error) {
      await level.close()
      throw error
    }
    return lock
  }

  /** Who runs now, for a start that finds us killed. */
  async note(pids: readonly number[]): Promise<void> {
    await writeFile(pidsPath(this.#dir), JSON.stringify(pids))
  }

  async release(): Promise<void> {
    await rm(pidsPath(this.#dir), { force: true })
    await this.#level.close()
  }

  async #waitForLeftovers(say: (line: string) => void): Promise<void> {
    const left = () => leftovers(this.#dir)
    if (left().length === 0) return
    say(`a mall was killed here: waiting until its members ${left().join(', ')} have stopped`)
    const until = performance.now() + LEFT_MS_MAX
    while (left().length > 0) {
      if (performance.now() > until)
        throw new Fault('HOME_LOCKED', `members of a killed mall still run: ${left().join(', ')}`)
      await sleep(POLL_MS)
    }
  }
}

/** Pids that the last mall in `dir` noted and that are still members of a mall. */
export function leftovers(dir: string): number[] {
  if (!existsSync(pidsPath(dir))) return []
  try {
    const pids: unknown = JSON.parse(readFileSync(pidsPath(dir), 'utf8'))
    return Array.isArray(pids) ? pids.filter(pid => Number.isInteger(pid) && pid > 1 && isMember(pid, dir)) : []
  } catch {
    return [] // cut off by a power loss: then nobody runs either
  }
}

/** A pid may be somebody else's by now. Where the kernel does not show what a process is, nobody is waited for. */
function isMember(pid: number, dir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dir)
  } catch {
    return false
  }
}

async function open(dir: string): Promise<Level<string, string>> {
  const path = join(dir, 'lock')
  const take = async () => {
    const level = new Level<string, string>(path)
    await level.open()
    return level
  }
  try {
    return await take()
  } catch (error) {
    const cause = (error as Error).cause as { code?: unknown } | undefined
    if (cause?.code === 'LEVEL_LOCKED') throw new Fault('HOME_LOCKED', `another mall runs in ${dir}`, { cause: error })
    // nothing is in it, so damage is no loss
    await rm(path, { recursive: true, force: true })
    return take()
  }
}

function pidsPath(dir: string): string {
  return join(dir, 'pids.json')
}
