// Pool: workers that run seeds, one per core. A seed that never ends is a failure too, and costs its worker the job.

import { Worker } from 'node:worker_threads'
import type { Outcome } from './run.ts'

/** The slowest seed known (1983) takes 96 s; this is for those that would take for ever, on a machine under load. */
const HANG_MS = 600_000

export interface Done {
  readonly outcome: Outcome
  /** CPU the worker has used so far, µs */
  readonly cpuUs: number
}

/** Runs what `next` hands out until it hands out nothing more; resolves with the CPU used, in µs. */
export async function runSeeds(
  jobs: number,
  next: () => number | undefined,
  done: (done: Done) => void,
): Promise<number> {
  const used = await Promise.all(Array.from({ length: jobs }, () => job(next, done)))
  return used.reduce((a, b) => a + b, 0)
}

async function job(next: () => number | undefined, done: (done: Done) => void): Promise<number> {
  let total = 0
  let worker = new Worker(new URL('./worker.ts', import.meta.url))
  let used = 0
  for (let seed = next(); seed !== undefined; seed = next()) {
    const answer = await ask(worker, seed)
    if (answer === undefined) {
      await worker.terminate()
      worker = new Worker(new URL('./worker.ts', import.meta.url))
      total += used
      used = 0
      done({ outcome: hung(seed), cpuUs: total })
      continue
    }
    used = answer.cpuUs
    done({ outcome: answer.outcome, cpuUs: total + used })
  }
  await worker.terminate()
  return total + used
}

/** Undefined when there is no answer in time. */
function ask(worker: Worker, seed: number): Promise<Done | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer)
      worker.off('error', failed)
      worker.off('message', answered)
      act()
    }
    const failed = (error: Error) => settle(() => reject(error))
    const answered = (answer: Done) => settle(() => resolve(answer))
    const timer = setTimeout(() => settle(() => resolve(undefined)), HANG_MS)
    worker.on('error', failed)
    worker.on('message', answered)
    worker.postMessage(seed)
  })
}

function hung(seed: number): Outcome {
  const broken = { law: 'hang', what: `no end after ${HANG_MS / 1000} s`, atMs: 0 }
  return { seed, broken, decisions: {}, faults: {}, simulatedMs: 0, messages: 0, audited: 0 }
}
