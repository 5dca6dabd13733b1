// Bench of memory: one gate of a mall of six decides 100,000 times, and the kernel says how much it holds meanwhile.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atOnce, RunningMall } from '../../test/mall/running.ts'
import type { Bench } from '../bench.ts'
import { residentMb } from './kernel/process.ts'

const AT_ONCE = 24
const GATE = 'gate-01'
const CAPACITY = 500

export const bench: Bench = async ({ json, quick = false }) => {
  const step = quick ? 1000 : 10_000
  const dir = await mkdtemp(join(tmpdir(), 'memory-'))
  const mall = await RunningMall.start(dir, '--capacity', String(CAPACITY))
  const rows: Record<string, string | number>[] = []
  try {
    const pid = mall.pidOf(GATE)
    let decisions = 0
    for (let k = 0; k <= 10; k++) {
      const since = performance.now()
      // as many come as go, so most are let in
      if (k > 0) await atOnce(AT_ONCE, step, i => comeOrGo(mall, i))
      decisions += k > 0 ? step : 0
      const perSecond = k > 0 ? Math.round((step * 1000) / (performance.now() - since)) : 0
      const row = {
        'decisions and exits': decisions,
        'resident MB': Math.round(await residentMb(pid)),
        'per second': perSecond,
      }
      rows.push(row)
      if (!json) console.log(`${decisions}: ${row['resident MB']} MB`)
    }
  } finally {
    await mall.kill()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
  return { name: 'memory', title: 'Resident memory of a busy gate, in a mall of six', rows }
}

async function comeOrGo(mall: RunningMall, i: number): Promise<void> {
  if (i % 2 === 0) await mall.enter(GATE)
  else await mall.leave(GATE)
}
