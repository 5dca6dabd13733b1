// quiet
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../mesh/real-clock.ts'
import { Unreached } from '../../tools/mall/client.ts'
import { suite } from '../suite.ts'
import { auditFolder } from './auditor.ts'
import { atOnce, inFolder, RunningMall } from './running.ts'

const test = suite('mall/kill')

const CAPACITY = 120
const GATES = ['gate-01', 'gate-02', 'gate-03', 'gate-04', 'gate-05', 'gate-06']
const KILLS = 50
const KILL_EVERY_MS = 900

interface Person {
  readonly id: string
  readonly gate: string
  readonly way: 'in' | 'out'
}

/**
 * People as they are, counted from outside: in when told so, out when they left, whatever any machine remembers. Who got
 * no answer stands at the same door until it is back, and asks again with the same id.
 */
class Street {
  inside = 0
  most = 0
  unanswered = 0
  readonly decisions = new Map<string, number>()
  /** ids of all who were told to come in */
  readonly told = new Set<string>()
  readonly #waiting: Person[] = []

  async load(mall: RunningMall, count: number, isOver?: () => boolean): Promise<void> {
    await atOnce(16, count, i => this.#one(mall, i), isOver)
  }

  get answers(): number {
    return [...this.decisions.values()].reduce((sum, n) => sum + n, 0)
  }

  get said(): string {
    return JSON.stringify([...this.decisions])
  }

  async #one(mall: RunningMall, i: number): Promise<void> {
    const person = (i % 3 === 0 ? this.#waiting.shift() : undefined) ?? this.#next(i)
    const { id, gate, way } = person
    try {
      if (way === 'out') {
        await mall.leave(gate, { id })
        this.#note('OUT')
      } else {
        const { decision, reason } = (await mall.enter(gate, { id })).json
        this.#note(decision === 'ADMIT' ? decision : `${decision} ${reason}`)
        if (decision === 'ADMIT' && !this.told.has(id)) {
          this.inside++
          this.told.add(id)
        }
      }
    } catch (error) {
      this.unanswered++
      if (!(error instanceof Unreached) || way === 'out') this.#waiting.push(person)
      await sleep(50)
    }
    this.most = Math.max(this.most, this.inside)
    assert.ok(this.inside <= CAPACITY, `${this.inside} inside`)
    await sleep(20)
  }

  #next(i: number): Person {
    const gate = GATES[i % GATES.length] as string
    const isLeaving = i % 5 === 4 && this.inside > 0
    // out of the door before anyone was told
    if (isLeaving) this.inside--
    return { id: newId(), gate, way: isLeaving ? 'out' : 'in' }
  }

  #note(what: string): void {
    this.decisions.set(what, (this.decisions.get(what) ?? 0) + 1)
  }
}

async function audited(dir: string, street: Street): Promise<void> {
  const { report, admitted } = await auditFolder(dir)
  for (const id of street.told) assert.ok(admitted.has(id), `${id} was told ADMIT, and no disk knows`)
  assert.deepEqual(report.findings, [])
  assert.ok(report.maxOccupancy <= CAPACITY, `${report.maxOccupancy}`)
}

test(
  `gates killed with -9 in mid-load ${KILLS} times never hold more people than the capacity, and their ledgers verify`,
  async () => {
    await inFolder(async dir => {
      const mall = await RunningMall.start(dir, '--capacity', String(CAPACITY))
      const street = new Street()
      let isOver = false
      const load = street.load(mall, Number.POSITIVE_INFINITY, () => isOver)
      const pids = new Map<string, number>()
      for (let kill = 0; kill < KILLS; kill++) {
        const gate = GATES[kill % GATES.length] as string
        const was = pids.get(gate)
        if (was !== undefined) await mall.isBack(gate, was)
        pids.set(gate, mall.pidOf(gate))
        await mall.killMember(gate)
        await sleep(KILL_EVERY_MS * (0.5 + Math.random()))
      }
      for (const [gate, was] of pids) await mall.isBack(gate, was)
      isOver = true
      await load
      const { told, unanswered, most, said } = street
      console.log(`  ${KILLS} kills: ${told.size} admitted, ${most} inside at most, ${unanswered} unanswered, ${said}`)
      assert.ok(told.size > CAPACITY, said)
      // the mall is whole again, and every ledger goes on where it was cut off
      for (const gate of GATES) {
        const isAble = (status: { state: string }) => !['JOINING', 'FAULT', 'ISOLATED'].includes(status.state)
        await mall.until(gate, isAble, 'is back in the mall', 20_000)
        assert.equal((await mall.status(gate)).account, `${gate}/1`, 'nothing that was acknowledged is lost')
      }
      await street.load(mall, 600)
      const { code, out } = await mall.signal('SIGTERM')
      assert.equal(code, 0, out)
      await audited(dir, street)
    })
  },
  { timeoutMs: 240_000 },
)

test('the whole mall killed in a rush resumes, with everyone who was let in', async () => {
  await inFolder(async dir => {
    const street = new Street()
    for (let life = 0; life < 3; life++) {
      const mall = await RunningMall.start(dir, '--capacity', String(CAPACITY))
      const before = street.answers
      let isDead = false
      const load = street.load(mall, 20_000, () => isDead)
      while (street.answers - before < 100 + 150 * life) await sleep(5)
      const { signal } = await mall.kill()
      isDead = true
      assert.equal(signal, 'SIGKILL')
      await load
    }
    const mall = await RunningMall.start(dir)
    assert.match(mall.out, /^going on with the mall/m)
    const { occupancy } = await mall.status('anchor')
    assert.ok(occupancy.count >= street.inside, `${occupancy.count} counted, ${street.inside} inside`)
    await street.load(mall, 600)
    assert.equal((await mall.signal('SIGTERM')).code, 0)
    await audited(dir, street)
  })
})

test('members of a mall that was killed alone stop by themselves, and the next start goes on', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '2', '--capacity', '20')
    await mall.admits('gate-01', 5)
    const since = performance.now()
    await mall.orphan()
    assert.ok(performance.now() - since < 10_000)
    const again = await RunningMall.start(dir)
    assert.equal((await again.status('anchor')).occupancy.count, 5)
  })
})

test('a wiped disk opens a new epoch with nothing, and what the old account held admits nobody', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--capacity', String(CAPACITY))
    const street = new Street()
    await street.load(mall, 60)
    const wiped = 'gate-02'
    const pid = mall.pidOf(wiped)
    await mall.killMember(wiped)
    // store and high-water mark: all that it remembers is in its folder
    await rename(join(dir, wiped), join(dir, 'lost'))
    await mall.isBack(wiped, pid)
    await mall.until(wiped, status => status.account === `${wiped}/2`, 'opens its next epoch', 20_000)
    const { counters } = await mall.status(wiped)
    assert.equal(counters.exited, 0)
    await street.load(mall, 1500)
    assert.ok(street.inside > 0.5 * CAPACITY, `${street.inside} inside of ${CAPACITY}`)
    assert.ok((await mall.status(wiped)).counters.admitted > 0, 'it admits again, with tokens of others')
    assert.equal((await mall.signal('SIGTERM')).code, 0)
    const { report } = await auditFolder(dir, new Map([['lost', wiped]]))
    assert.deepEqual(report.findings, [])
    assert.ok(report.maxOccupancy <= CAPACITY, `${report.maxOccupancy}`)
    assert.match(mall.out, /gate-02 was ended by SIGKILL/)
  })
})

test.run()
