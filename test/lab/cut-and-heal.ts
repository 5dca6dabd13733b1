// Cut and heal: a mall in a lab, its halves cut apart without a word while people come and go on both sides, and healed. How
// long until a gate notices, and how long after healing until everyone knows everyone's row.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MallReport } from '../../mesh/window/mall-report.ts'
import type { Reply, Running } from '../process/members.ts'
import { LabMall } from './lab-mall.ts'

const GATES = 4
const CAPACITY = 400

export interface Healed {
  /** of the cut, as wished; on a machine that is too busy it lasts longer */
  readonly seconds: number
  readonly lastedMs: number
  readonly noticedMs: number
  readonly healedMs: number
}

interface Known {
  readonly admitted: number
  readonly exited: number
}

/** What a gate says of itself, or of another. */
function known(report: MallReport, name: string): Known {
  const { counters } = report.gates.find(gate => gate.name === name) ?? assert.fail(`${name} is not in the report`)
  return { admitted: counters.admitted, exited: counters.exited }
}

const upAt = (status: Reply['json']): number => status.lan.peers.filter((p: { isUp: boolean }) => p.isUp).length

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

/** In a mall of its own; several may run at once. */
export async function cutAndHeal(seconds: number): Promise<Healed> {
  const mall = await LabMall.open(GATES, CAPACITY)
  try {
    await bustle(mall)
    return await cutOnce(mall, seconds)
  } finally {
    await mall.close()
  }
}

/** Of a mall whose members are all connected; it may be cut again afterwards. */
export async function cutOnce(mall: LabMall, seconds: number): Promise<Healed> {
  for (const gate of mall.gates)
    await gate.until('it is connected to everyone', status => upAt(status) === mall.names.length - 1)
  const side = mall.names.slice(0, 1 + mall.gates.length / 2)
  await mall.cut(side)
  const since = performance.now()
  const [first] = mall.gates
  // the anchor, and the other gates on its side
  const near = side.length - 1
  await first?.until('it has noticed', status => upAt(status) === near)
  const noticedMs = performance.now() - since
  await bustle(mall)
  await sleep(Math.max(0, seconds * 1000 - (performance.now() - since)))
  const rows = new Map<string, Known>()
  for (const gate of mall.gates) rows.set(gate.name, known(await reportOf(gate), gate.name))
  for (const gate of mall.gates) {
    const across = (await reportOf(gate)).gates.filter(({ name }) => side.includes(name) !== side.includes(gate.name))
    for (const { name, counters } of across)
      assert.ok(counters.admitted < (rows.get(name)?.admitted ?? 0), 'it was cut')
  }
  await mall.lab.heal()
  const lastedMs = performance.now() - since
  return { seconds, lastedMs, healedMs: await convergence(mall, rows), noticedMs }
}
