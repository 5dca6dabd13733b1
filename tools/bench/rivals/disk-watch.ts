// DiskWatch: how long this machine's disk took for a small durable write while something else was measured. Whoever
// waited for that disk in such a moment waited as long.

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const BYTES = Buffer.alloc(256, 0x67)
/** Often enough to meet a standstill, too seldom to make one. */
const EVERY_MS = 20

/** Writes over the same bytes again and again while `work` goes on. */
export async function watchDisk<T>(dir: string, work: Promise<T>): Promise<{ result: T; tookMs: Float64Array }> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  const tookMs: number[] = []
  const watch = async () => {
    await using file = await open(join(dir, 'disk-watch'), 'w')
    while (!isOver) {
      const since = performance.now()
      await file.write(BYTES, 0, BYTES.length, 0)
      await file.datasync()
      tookMs.push(performance.now() - since)
      await sleep(EVERY_MS)
    }
  }
  const [result] = await Promise.all([over, watch()])
  return { result, tookMs: Float64Array.from(tookMs) }
}
