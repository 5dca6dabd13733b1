// Bench of the anchor: one service process that is the anchor of 50 to 500 malls of 30 gates each, in their busiest hour.
//
// What is real: keys, ledgers, rows, policies, tokens handed out, every signature, chain and root checked on arrival, every
// entry on the anchor's disk, indexes, alerts, reconciliation, metrics. What is not: gates are simulated in another
// process, and instead of thirty encrypted connections for each mall one socket carries what gates say; no board.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { AnchorChild } from './fleet/anchor-child.ts'
import type { AnchorWish } from './fleet/anchor-process.ts'
import { Fleet } from './fleet/fleet.ts'
import { GateEnd } from './fleet/link.ts'

const GATES = 30
const CAPACITY = 10_000
/** A mall for 10,000 turns over 30,000 people a day, a quarter of them in one hour: as many come as go. */
const BUSIEST = 4.2
/** The same people over the whole day: what many malls together have at any time. */
const USUAL = 0.7
const LOOK_MS = 2000

export const bench: Bench = async ({ json, quick = false }) => {
  const wished = process.env.MALLS?.split(',').map(Number)
  const peaks = wished ?? (quick ? [5, 10] : [50, 100, 200, 300])
  const usual = wished ?? (quick ? [] : [50, 200, 500])
  const rows: Record<string, string | number>[] = []
  const runs = [...usual.map(malls => [malls, USUAL] as const), ...peaks.map(malls => [malls, BUSIEST] as const)]
  for (const [malls, perSecond] of runs) {
    const row = await measure(malls, perSecond, quick ? 8 : 40)
    rows.push(row)
    if (!json) console.log(JSON.stringify(row))
  }
  const load = `People who come or go, per mall and second: ${USUAL} over a day, ${BUSIEST} in the busiest hour of all at once.`
  const beat = 'Every gate tells its row once a second at least.'
  return { name: 'anchor', title: 'One anchor process for many malls of 30 gates', rows, notes: [load, beat] }
}

async function measure(malls: number, perSecond: number, seconds: number): Promise<Record<string, string | number>> {
  const dir = await mkdtemp(join(tmpdir(), 'anchor-bench-'))
  const fleet = new Fleet({ malls, gates: GATES, capacity: CAPACITY, peoplePerSecond: perSecond })
  const gates = new GateEnd(fleet)
  const port = await gates.listen()
  const wish: AnchorWish = { port, dir, malls, gates: GATES, capacity: CAPACITY }
  const anchor = new AnchorChild(wish)
  try {
    const since = performance.now()
    fleet.start()
    await anchor.allOpen(malls)
    const readyS = (performance.now() - since) / 1000
    // what gathered while they opened is collected first
    await anchor.caughtUp()
    return {
      malls,
      'people/s each': perSecond,
      'ready after, s': readyS.toFixed(1),
      ...(await watch(fleet, anchor, seconds)),
    }
  } finally {
    fleet.stop()
    await anchor.end()
    gates.close()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function watch(fleet: Fleet, anchor: AnchorChild, seconds: number): Promise<Record<string, string | number>> {
  const before = { ...(await anchor.ask()), cpu: await anchor.cpuSeconds(), written: fleet.entries, ...fleet.beats }
  const from = performance.now()
  let [usual, late, loop, behind] = [0, 0, 0, 0]
  while (performance.now() - from < seconds * 1000) {
    await sleep(LOOK_MS)
    const word = await anchor.ask()
    usual = Math.max(usual, word.arrivalP50Ms)
    late = Math.max(late, word.arrivalP99Ms)
    loop = Math.max(loop, word.loopP99Ms)
    behind = Math.max(behind, word.behind)
  }
  const after = await anchor.ask()
  const cpu = (await anchor.cpuSeconds()) - before.cpu
  const spent = (performance.now() - from) / 1000
  const { done, due } = fleet.beats
  return {
    'entries/s written': Math.round((fleet.entries - before.written) / spent),
    'entries/s collected': Math.round((after.entries - before.entries) / spent),
    'rows/s heard': Math.round((after.frames - before.frames) / spent),
    'load offered %': Math.round((100 * (done - before.done)) / (due - before.due)),
    'cpu % of a core': Math.round((100 * cpu) / spent),
    'resident MB': await anchor.residentMb(),
    'behind, entries': behind,
    'in the archive after, s, p50': (usual / 1000).toFixed(1),
    p99: (late / 1000).toFixed(1),
    'loop p99, ms': loop,
    rejected: after.rejected,
    warnings: after.warnings - before.warnings,
  }
}
