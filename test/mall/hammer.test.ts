import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { auditFolder } from './auditor.ts'
import { atOnce, inFolder, RunningMall } from './running.ts'

const test = suite('mall/hammer')

const CAPACITY = 250
const GATES = ['gate-01', 'gate-02', 'gate-03', 'gate-04', 'gate-05']

test('thousands at every gate at once fill the mall to its capacity and not one further; everyone gets out', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '5', '--capacity', String(CAPACITY))
    const decisions = new Map<string, number>()
    let inside = 0
    const enter = async (i: number) => {
      const { status, json } = await mall.enter(GATES[i % GATES.length] as string)
      assert.equal(status, 200)
      decisions.set(json.decision, (decisions.get(json.decision) ?? 0) + 1)
      if (json.decision === 'ADMIT') inside++
      assert.ok(inside <= CAPACITY, `${inside} inside`)
    }
    await atOnce(100, 4000, enter)
    // under load some may have been turned away for lack of time; with time the mall gets full
    for (let i = 0; i < 200 && inside < CAPACITY; i++) await enter(i)
    const said = JSON.stringify([...decisions])
    assert.equal(inside, CAPACITY, said)
    assert.ok((decisions.get('REJECT_AT_CAPACITY') ?? 0) > 1000, said)
    assert.equal((await mall.report()).occupancy.capacity, CAPACITY)

    // one out, one in, at different gates
    assert.equal((await mall.leave('gate-05')).json.credited, true)
    inside--
    for (let i = 0; i < 100 && inside < CAPACITY; i++) await enter(0)
    assert.equal(inside, CAPACITY)
    for (let i = 0; i < 20; i++) await enter(i)

    // all out, and then some whom nobody saw come in
    let credited = 0
    await atOnce(50, CAPACITY + 150, async i => {
      const { status, json } = await mall.leave(GATES[i % 2] as string)
      assert.equal(status, 200)
      if (json.credited) credited++
    })
    assert.ok(credited >= CAPACITY, `${credited} credited`)
    const { code, err } = await mall.signal('SIGTERM')
    assert.deepEqual([code, err], [0, ''])
    const { report } = await auditFolder(dir)
    assert.deepEqual(report.findings, [])
    assert.equal(report.maxOccupancy, CAPACITY)
  })
})

test.run()
