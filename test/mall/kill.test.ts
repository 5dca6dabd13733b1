import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { auditFolder } from './auditor.ts'
import { atOnce, inFolder, RunningMall } from './running.ts'

const test = suite('mall/kill')

const CAPACITY = 120
const GATES = ['gate-01', 'gate-02', 'gate-03', 'gate-04']

/** People as they are, counted from outside: in when told so, out when they left, whatever any machine remembers. */
class Street {
  inside = 0
  answers = 0
  /** ids of all who were told to come in */
  readonly told: string[] = []

  async load(mall: RunningMall, count: number, until: () => boolean): Promise<void> {
    await atOnce(60, count, async i => {
      if (until()) return
      const gate = GATES[i % GATES.length] as string
      try {
        if (i % 5 === 4 && this.inside > 0) {
          // out of the door before anyone was told
          this.inside--
          await mall.leave(gate)
        } else {
          const { id, decision } = (await mall.enter(gate)).json
          if (decision === 'ADMIT') {
            this.inside++
            this.told.push(id)
          }
        }
        this.answers++
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        assert.match(String(code), /^(ECONNRESET|ECONNREFUSED|EPIPE)$/)
      }
      assert.ok(this.inside <= CAPACITY, `${this.inside} inside`)
    })
  }
}

test('killed in the middle of a rush, again and again, it never holds more people than its capacity and resumes', async () => {
  await inFolder(async dir => {
    const street = new Street()
    for (let life = 0; life < 4; life++) {
      const mall = await RunningMall.start(dir, '--gates', '4', '--capacity', String(CAPACITY))
      const before = street.answers
      let dead = false
      const load = street.load(mall, 20_000, () => dead)
      while (street.answers - before < 100 + 150 * life) await new Promise(resolve => setTimeout(resolve, 5))
      const { signal } = await mall.kill()
      dead = true
      assert.equal(signal, 'SIGKILL')
      await load
    }
    const mall = await RunningMall.start(dir)
    assert.match(mall.out, /^going on with the mall/m)
    const { occupancy, gates } = await mall.report()
    assert.ok(occupancy.count >= street.inside, `${occupancy.count} counted, ${street.inside} inside`)
    assert.deepEqual(
      gates.map(gate => gate.account),
      GATES.map(name => `${name}/1`),
      'nothing that was acknowledged is lost, so every ledger goes on',
    )
    await street.load(mall, 1500, () => false)
    assert.equal((await mall.signal('SIGTERM')).code, 0)
    const { report, admitted } = await auditFolder(dir)
    for (const id of street.told) assert.ok(admitted.has(id), `${id} was told ADMIT, and no disk knows`)
    assert.deepEqual(report.findings, [])
    assert.ok(report.maxOccupancy <= CAPACITY, `${report.maxOccupancy}`)
  })
})

test.run()
