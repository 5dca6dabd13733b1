// Floor: what this machine itself takes to write 256 bytes to the end of a file and flush them, in the folder where all
// contenders keep theirs. No durable decision can be faster.

import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const BYTES = Buffer.alloc(256, 0x67)

export interface Floor {
  /** by a thread that does nothing but wait for it */
  readonly waitingMs: Float64Array
  /** by a program that goes on meanwhile, as Node does: two calls, each by way of another thread */
  readonly meanwhileMs: Float64Array
}

export async function floorOf(dir: string, times: number): Promise<Floor> {
  const path = join(dir, 'floor')
  const waitingMs = new Float64Array(times)
  const fd = openSync(path, 'w')
  for (let i = 0; i < times; i++) {
    const since = performance.now()
    writeSync(fd, BYTES)
    fdatasyncSync(fd)
    waitingMs[i] = performance.now() - since
  }
  closeSync(fd)
  const meanwhileMs = new Float64Array(times)
  const file = await open(path, 'w')
  for (let i = 0; i < times; i++) {
    const since = performance.now()
    await file.write(BYTES)
    await file.datasync()
    meanwhileMs[i] = performance.now() - since
  }
  await file.close()
  rmSync(path)
  return { waitingMs, meanwhileMs }
}
