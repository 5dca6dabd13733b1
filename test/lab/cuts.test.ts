// alone: waits
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MallReport } from '../../mesh/window/mall-report.ts'
import type { Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { Lab } from './lab.ts'
import { LabMall } from './lab-mall.ts'

const test = suite('lab/cuts')
const missing = await Lab.isMissing()
const GATES = 4
const CAPACITY = 400
const CONVERGED_MS_MAX = 3000

interface Known {
  readonly admitted: number
  readonly exited: number
}

/** What a gate says of itself, or of another. */
function known(report: MallReport, name: string): Known {
  const { counters } = report.gates.find(gate => gate.name === name) ?? assert.fail(`${name} is not in the report`)
  return { admitted: counters.admitted, exited: counters.exited }
}

const reportOf = async (gate: Running): Promise<MallReport> => (await gate.ask('GET', '/mall')).json

/** People come and go at every gate, on both sides of the cut, so that every row changes. */
async function bustle(mall: LabMall): Promise<void> {
  for (const gate of mall.gates) {
    for (let k = 0; k < 5; k++) await gate.enter()
    await gate.leave()
  }
}

/** Ms until everyone knows of everyone at least what these rows say. */
async function convergence(mall: LabMall, rows: ReadonlyMap<string, Known>): Promise<number> {
  const since = performance.now()
  for (;;) {
    const at = performance.now()
    const reports = await Promise.all(mall.gates.map(reportOf))
    const behind = reports.flatMap(report =>
      [...rows].filter(([name, row]) => {
        const seen = known(report, name)
        return seen.admitted < row.admitted || seen.exited < row.exited
      }),
    )
    if (behind.length === 0) return at - since
    assert.ok(at - since < 30_000, `${behind.length} rows are still missing after 30 s`)
    await sleep(20)
  }
}

async function cutAndHeal(seconds: number): Promise<{ seconds: number; healedMs: number; noticedMs: number }> {
  const mall = await LabMall.open(GATES, CAPACITY)
  try {
    await bustle(mall)
    const side = mall.names.slice(0, 1 + GATES / 2)
    await mall.cut(side)
    const since = performance.now()
    const [first] = mall.gates
    await first?.until(
      'it has noticed',
      status => status.lan.peers.filter((p: { isUp: boolean }) => p.isUp).length === 2,
    )
    const noticedMs = performance.now() - since
    await bustle(mall)
    await sleep(seconds * 1000 - (performance.now() - since))
    const rows = new Map<string, Known>()
    for (const gate of mall.gates) rows.set(gate.name, known(await reportOf(gate), gate.name))
    for (const gate of mall.gates) {
      const across = (await reportOf(gate)).gates.filter(({ name }) => side.includes(name) !== side.includes(gate.name))
      for (const { name, counters } of across)
        assert.ok(counters.admitted < (rows.get(name)?.admitted ?? 0), 'it was cut')
    }
    await mall.lab.heal()
    return { seconds, healedMs: await convergence(mall, rows), noticedMs }
  } finally {
    await mall.close()
  }
}

const CLAIM = 'halves that were cut apart silently for 5 s, 29 s and 150 s know every row within 3 s of healing'

if (missing !== undefined) test.skip(CLAIM, missing)
else
  test(
    CLAIM,
    async () => {
      const results = await Promise.all([5, 29, 150].map(cutAndHeal))
      for (const { seconds, healedMs, noticedMs } of results) {
        console.log(
          `\ncut of ${seconds} s: noticed after ${Math.round(noticedMs)} ms, converged ${Math.round(healedMs)} ms after healing`,
        )
      }
      for (const { seconds, healedMs } of results)
        assert.ok(healedMs < CONVERGED_MS_MAX, `${seconds} s: ${healedMs} ms`)
    },
    { timeoutMs: 300_000 },
  )

test.run()
