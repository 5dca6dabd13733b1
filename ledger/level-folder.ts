// Level folder: what LevelDB leaves to whoever opens a folder of its files.
//
// Law: no file of a database is looked at or moved without its lock, and no table is shown to LevelDB unchecked.

import { access, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Level } from 'level'
import { tableFlaw } from './level-table.ts'

const TABLE = /^[0-9]+\.(ldb|sst)$/

/**
 * An empty database: the one lock there is that the system drops with its process. Rejects with the code LEVEL_LOCKED
 * where another holds it.
 */
export async function takeLock(path: string): Promise<Level<string, string>> {
  try {
    return await openLock(path)
  } catch (error) {
    if (codeOf((error as Error).cause) === 'LEVEL_LOCKED') throw (error as Error).cause
    // Damage here is no loss: nothing is in it.
    await rm(path, { recursive: true, force: true })
    return openLock(path)
  }
}

async function openLock(path: string): Promise<Level<string, string>> {
  const lock = new Level<string, string>(path)
  await lock.open()
  return lock
}

/**
 * A table that was not written to its end when the power went is in no list of LevelDB, which will not miss it. One that
 * was and is spoilt now is missed, and that is reported instead of ending the process. Either way it is kept.
 */
export async function setFlawedAside(path: string): Promise<void> {
  const names = await readdir(path)
  for (const name of names.filter(name => TABLE.test(name))) {
    const file = join(path, name)
    if (tableFlaw(await readFile(file)) !== undefined) await rename(file, `${file}.flawed`)
  }
}

/** A file that LevelDB cannot do without and that is not there. */
export async function missingFile(path: string): Promise<string | undefined> {
  try {
    const manifest = (await readFile(join(path, 'CURRENT'), 'latin1')).trim()
    await access(join(path, manifest))
    return undefined
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return undefined
    return 'CURRENT, or the file that it names,'
  }
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
