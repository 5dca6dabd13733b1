// Disk copy: a member's data folder, taken to a place of its own before it is looked into.
//
// Law: the evidence is read and never written: LevelDB renames and rewrites files as it opens them, so it is given a copy.
// A file that the disk does not hand over is named, and the others are taken all the same.

import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Fault } from '../../../ledger/fault.ts'

export interface DiskCopy {
  /** the copy of the folder that was asked for; others that belong to it lie beside it, as they did */
  readonly store: string
  /** files that could not be read, below the folder that they were in */
  readonly unreadable: readonly string[]
  remove(): Promise<void>
}

/** Folders beside the ledgers, by how their names end: what a gate copied of others, what an anchor collected. */
const BESIDE = ['.copies', '.office'] as const

export async function copyDisk(store: string): Promise<DiskCopy> {
  const found = await stat(store).catch((cause: NodeJS.ErrnoException) => {
    throw new Fault('DISK', `${store}: ${cause.code === 'ENOENT' ? 'there is no such folder' : cause.message}`, {
      cause,
    })
  })
  if (!found.isDirectory()) throw new Fault('DISK', `${store}: not a folder`)
  await refuseRunning(store)
  const dir = await mkdtemp(join(tmpdir(), `gatemesh-export-${process.pid}-`))
  const name = basename(store)
  const unreadable: string[] = []
  const remove = () => rm(dir, { recursive: true, force: true })
  try {
    await copy(store, join(dir, name), name, unreadable)
    for (const ending of BESIDE) {
      if (await isThere(`${store}${ending}`)) {
        await copy(`${store}${ending}`, join(dir, `${name}${ending}`), `${name}${ending}`, unreadable)
      }
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { store: join(dir, name), unreadable, remove }
}

async function copy(from: string, to: string, shown: string, unreadable: string[]): Promise<void> {
  await mkdir(to)
  let names: string[] = []
  try {
    names = await readdir(from)
  } catch {
    unreadable.push(shown)
  }
  for (const name of names) {
    const [source, target] = [join(from, name), join(to, name)]
    const kind = await lstat(source).catch(() => undefined)
    if (kind?.isDirectory()) await copy(source, target, `${shown}/${name}`, unreadable)
    else if (kind?.isFile() !== true) unreadable.push(`${shown}/${name}`)
    else {
      await copyFile(source, target).catch((cause: NodeJS.ErrnoException) => {
        // that is our disk, and not the one that is looked into
        if (cause.code === 'ENOSPC') throw new Fault('DISK', `no room for a copy below ${tmpdir()}`, { cause })
        unreadable.push(`${shown}/${name}`)
      })
    }
  }
}

/** A store that is being written would be copied half. The kernel knows who holds a lock, and asking it writes nothing. */
async function refuseRunning(store: string): Promise<void> {
  const lock = await stat(join(store, 'lock', 'LOCK')).catch(() => undefined)
  if (lock === undefined || !holders(lock.ino).some(pid => mayHold(pid, lock))) return
  throw new Fault('DISK', `${store}: a gate runs on it. Ask it with --gate URL, or stop it first`)
}

/** Processes with a lock on a file of this number, on whichever device; none where the kernel does not tell. */
function holders(ino: number): string[] {
  try {
    const lines = readFileSync('/proc/locks', 'utf8').split('\n')
    return lines.flatMap(line => {
      const [, pid = '', number] = / (-?\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? []
      return Number(number) === ino ? [pid] : []
    })
  } catch {
    return []
  }
}

/** Two disks have files of the same number: a process holds ours if it has that very one open, or does not let us look. */
function mayHold(pid: string, lock: Stats): boolean {
  try {
    const open = `/proc/${pid}/fd`
    return readdirSync(open).some(fd => isSame(join(open, fd), lock))
  } catch {
    return true
  }
}

function isSame(path: string, { dev, ino }: Stats): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  return file?.dev === dev && file.ino === ino
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
