// Bench of rest: thirty gates and an anchor, a process each, nobody coming or going. What does it cost to be there?
//
// Figures are of the kernel (/proc): processor time of each process over the same stretch, and its resident memory.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RunningMall } from '../../test/mall/running.ts'
import type { Bench } from '../bench.ts'
import { cpuSeconds, residentMb } from './kernel/process.ts'

const SETTLE_MS = 20_000

export const bench: Bench = async ({ json, quick = false }) => {
  const sizes = quick ? [6] : [6, 30]
  const rows: Record<string, string | number>[] = []
  for (const gates of sizes) {
    if (!json) console.log(`${gates} gates …`)
    rows.push(await rest(gates, quick ? 10 : 40))
  }
  return { name: 'idle', title: 'A mall at rest, per gate process', rows }
}

async function rest(gates: number, seconds: number): Promise<Record<string, string | number>> {
  const dir = await mkdtemp(join(tmpdir(), 'idle-'))
  const mall = new RunningMall(dir, ['--crowd', 'off', '--gates', String(gates), '--capacity', String(gates * 50)])
  try {
    const since = performance.now()
    await mall.says(/^mall ready: /m, 180_000)
    const readyS = (performance.now() - since) / 1000
    await sleep(SETTLE_MS)
    const pids = mall.place.gates.map(gate => gate.pid)
    const before = await Promise.all(pids.map(cpuSeconds))
    const from = performance.now()
    await sleep(seconds * 1000)
    const spent = (performance.now() - from) / 1000
    const after = await Promise.all(pids.map(cpuSeconds))
    const shares = after.map((cpu, i) => ((cpu - (before[i] as number)) / spent) * 100).sort((a, b) => a - b)
    const resident = (await Promise.all(pids.map(residentMb))).sort((a, b) => a - b)
    return {
      gates,
      'ready after, s': readyS.toFixed(1),
      'cpu % of a core, median': middle(shares).toFixed(2),
      'cpu %, worst': (shares.at(-1) as number).toFixed(2),
      'resident MB, median': Math.round(middle(resident)),
      'resident MB, worst': Math.round(resident.at(-1) as number),
    }
  } finally {
    await mall.kill()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] as number
}
