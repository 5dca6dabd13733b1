// Usage probe: loaded into a process from outside (`node --import`), it writes down what that process has used when it
// ends: time of all its threads, and the most memory it ever had, as the kernel counted it.
//
// Read at the end from inside, because nobody else can say it for certain: whoever looks from outside now and then misses
// the peak, and a process that is gone has no numbers any more.

import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const folder = process.env.GATEMESH_USAGE
if (isMainThread && folder !== undefined) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    const used = { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakKb: peakKb() ?? maxRSS }
    writeFileSync(`${folder}/${process.pid}.json`, JSON.stringify(used))
  })
}

/** The high-water mark of this very program; `maxRSS` may still have that of the one that started it. */
function peakKb(): number | undefined {
  try {
    const kb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return kb === undefined ? undefined : Number(kb)
  } catch {
    return undefined
  }
}
