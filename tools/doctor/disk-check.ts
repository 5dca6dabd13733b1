// Disk check: room, whether it can be written, and how long a write takes to be safe. Every entry waits for that.
//
// Law: the store is not opened, nor is anything in it written: a small file is, beside it, and taken away again.

import { access, constants, open, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { doubt, type Finding, fine, unknown, wrong } from './finding.ts'

const MB = 1024 * 1024
/** A gate writes some 200 bytes for each passage: a busy year is 300 MB. */
const FREE_DOUBT = 1024 * MB
const FREE_WRONG = 100 * MB
const PROBES = 9
/** The decision has 80 ms, and the disk is not all of it. */
const SYNC_DOUBT_MS = 20
const SYNC_WRONG_MS = 60

export async function checkDisk(store: string): Promise<Finding[]> {
  const folder = await nearestFolder(store)
  return [await room(folder), await speed(folder)]
}

/** The folder of the store, or the one in which it will be made. */
async function nearestFolder(store: string): Promise<string> {
  for (let path = dirname(store); ; path = dirname(path)) {
    const isThere = await access(path, constants.F_OK).then(
      () => true,
      () => false,
    )
    if (isThere || path === dirname(path)) return path
  }
}

async function room(folder: string): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(folder)
  const free = bavail * bsize
  const what = `${Math.floor(free / MB).toLocaleString('en')} MB free at ${folder}`
  if (files > 0 && ffree < 100)
    return wrong('disk', `${ffree} files can still be made at ${folder}`, 'delete files there')
  if (free < FREE_WRONG) return wrong('disk', what, 'make room: entries stop when it is full, exits go on uncounted')
  if (free < FREE_DOUBT) return doubt('disk', what, 'make room: a busy year takes about 300 MB')
  return fine('disk', what)
}

async function speed(folder: string): Promise<Finding> {
  const path = join(folder, `.gatemesh-doctor-${process.pid}`)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      const bytes = Buffer.alloc(4096, 0x2e)
      const times: number[] = []
      for (let i = 0; i < PROBES; i++) {
        const since = performance.now()
        await file.write(bytes, 0, bytes.length, 0)
        await file.datasync()
        times.push(performance.now() - since)
      }
      return speedFinding(times)
    } finally {
      await file.close()
      await rm(path, { force: true })
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'EROFS') return wrong('disk', `${folder} is mounted to be read only`, 'mount -o remount,rw')
    if (code === 'ENOSPC') return wrong('disk', `no room for a file of 4 kB at ${folder}`, 'make room')
    if (code === 'EACCES' || code === 'EPERM') {
      return unknown('disk', `this user cannot write at ${folder}`, 'run the doctor as the user of the gate')
    }
    return wrong('disk', `cannot be written at ${folder}: ${message}`, 'look at the disk: `dmesg`, `smartctl -a`')
  }
}

function speedFinding(times: readonly number[]): Finding {
  const sorted = [...times].sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] as number
  const slowest = sorted.at(-1) as number
  const what = `a write is safe after ${median.toFixed(1)} ms, the slowest of ${times.length} after ${slowest.toFixed(1)} ms`
  const todo = 'a disk with power-loss protection, or one that nothing else uses: people wait at the arm for it'
  if (median > SYNC_WRONG_MS) return wrong('disk', what, todo)
  return median > SYNC_DOUBT_MS ? doubt('disk', what, todo) : fine('disk', what)
}
