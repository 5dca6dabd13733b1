// Worker: runs seeds on a core of its own, one after the other, as the command hands them out.

import { parentPort } from 'node:worker_threads'
import type { Done } from './pool.ts'
import { runSeed } from './run.ts'

parentPort?.on('message', async (seed: number) => {
  const outcome = await runSeed(seed)
  parentPort?.postMessage({ outcome, cpuUs: process.threadCpuUsage().user } satisfies Done)
})
