// Mall dir: the folder of `gatemesh mall`: its anchor where the mall runs, all its disks where it does not.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../ledger/fault.ts'
import { type DiskPlace, findDisk } from './disk-source.ts'

export type MallPlace = { readonly anchor: string } | { readonly disks: readonly DiskPlace[] }

export async function findMall(dir: string): Promise<MallPlace> {
  const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
    throw new Fault('DISK', `${dir}: ${cause.code === 'ENOENT' ? 'there is no such folder' : cause.message}`, { cause })
  })
  const anchor = names.includes('mall.json') ? await runningAt(join(dir, 'mall.json')) : undefined
  if (anchor !== undefined) return { anchor }
  const disks: DiskPlace[] = []
  for (const file of names
    .filter(name => name.endsWith('.json') && name !== 'mall.json' && name !== 'pids.json')
    .sort()) {
    const place = await findDisk(join(dir, file)).catch((error: Error) => {
      if (error instanceof Fault) return undefined
      throw error
    })
    // a member that was never started has no folder yet
    if (place !== undefined && names.includes(place.name ?? '')) disks.push(place)
  }
  if (disks.length === 0) throw new Fault('DISK', `${dir}: no mall is in it`)
  return { disks }
}

/** A mall that was killed leaves its file behind. */
async function runningAt(file: string): Promise<string | undefined> {
  const place = JSON.parse(await readFile(file, 'utf8')) as { anchor?: { pid?: number; url?: string } }
  const { pid, url } = place.anchor ?? {}
  return pid !== undefined && url !== undefined && isAlive(pid) ? url : undefined
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
