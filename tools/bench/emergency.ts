// Bench of emergency: a fire contact closes at one gate, with the anchor dead. How long until every gate of the mall is in FIRE?
//
// Each gate is a process, and says in its log at which millisecond it changed; all are on one machine and read one clock.
// Nobody asks them meanwhile: thirty gates that answer questions on two cores would be slower at what is measured.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../ledger/fault.ts'
import { FireDrill } from '../../test/mall/fire-drill.ts'
import { RunningMall } from '../../test/mall/running.ts'
import type { Bench } from '../bench.ts'
import { latencyPlot, quantile } from './plot/latency.ts'

const READY_MS_MAX = 300_000
/** Longer than a fire takes to be everywhere, so that the first question finds it there. */
const PAUSE_MS = 1000
const SETTLE_MS = 10_000
const CAPACITY_EACH = 50

interface Spread {
  readonly gates: number
  /** per raise, until the last gate */
  readonly lastMs: readonly number[]
  /** every gate of every raise */
  readonly eachMs: readonly number[]
}

export const bench: Bench = async ({ json, quick = false }) => {
  const spreads: Spread[] = []
  for (const [gates, raises] of quick ? [[6, 20] as const] : [[6, 100] as const, [30, 50] as const]) {
    if (!json) console.log(`${gates} gates, ${raises} fires …`)
    spreads.push(await drilled(gates, raises))
  }
  const title = 'FIRE at one gate, anchor dead, until every gate is in it'
  const contenders = spreads.map(({ gates, lastMs }) => ({ name: `the last of ${gates} gates`, samplesMs: lastMs }))
  const notes = [
    'Every gate of every fire: how long that one gate took. Times are those of the gates, to the millisecond.',
  ]
  return {
    name: 'emergency',
    title,
    rows: spreads.map(rowOf),
    notes,
    plots: { 'emergency.svg': latencyPlot({ title, note: 'A process per gate, all on one machine', contenders }) },
  }
}

function rowOf({ gates, lastMs, eachMs }: Spread): Record<string, number> {
  const [last, each] = [lastMs, eachMs].map(samples => samples.toSorted((a, b) => a - b)) as [number[], number[]]
  return {
    gates,
    fires: last.length,
    'all in it, ms: p50': quantile(last, 0.5),
    p99: quantile(last, 0.99),
    most: last.at(-1) as number,
    'a gate, ms: p50': quantile(each, 0.5),
    'p99 ': quantile(each, 0.99),
  }
}

async function drilled(gates: number, raises: number): Promise<Spread> {
  const dir = await mkdtemp(join(tmpdir(), 'emergency-'))
  const size = ['--gates', String(gates), '--capacity', String(gates * CAPACITY_EACH)]
  const mall = new RunningMall(dir, ['--crowd', 'off', '--no-restart', ...size])
  try {
    await mall.says(/^mall ready: /m, READY_MS_MAX)
    const drill = new FireDrill(mall)
    await mall.killMember('anchor')
    await sleep(SETTLE_MS)
    const raisedAt: number[] = []
    for (let k = 0; k < raises; k++) {
      const at = drill.gates[k % gates] as string
      raisedAt.push(Date.now())
      await drill.contact(at, true)
      await sleep(PAUSE_MS)
      await drill.everywhere('FIRE', performance.now(), () => sleep(PAUSE_MS))
      await drill.clear(at, drill.gates[(k + 1) % gates] as string)
      await drill.everywhere('NORMAL', performance.now(), () => sleep(PAUSE_MS / 4))
    }
    const logs = await Promise.all(drill.gates.map(name => readFile(join(dir, 'logs', `${name}.log`), 'utf8')))
    const took = logs.map((log, i) => tookMs(firesIn(log), raisedAt, drill.gates[i] as string))
    const lastMs = raisedAt.map((_, k) => Math.max(...took.map(times => times[k] as number)))
    return { gates, lastMs, eachMs: took.flat() }
  } finally {
    await mall.kill()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** When this gate says that it went into FIRE, each time. */
export function firesIn(log: string): number[] {
  return log
    .split('\n')
    .filter(line => line.includes('"event":"mode"'))
    .map(line => JSON.parse(line) as { readonly time: string; readonly mode: string })
    .filter(({ mode }) => mode === 'FIRE')
    .map(({ time }) => Date.parse(time))
}

function tookMs(fires: readonly number[], raisedAt: readonly number[], gate: string): number[] {
  if (fires.length !== raisedAt.length)
    throw new Fault('BENCH', `${gate} went into FIRE ${fires.length} times, and there were ${raisedAt.length} fires`)
  return raisedAt.map((at, k) => (fires[k] as number) - at)
}
