// alone
import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { auditFolder } from './auditor.ts'
import { atOnce, inFolder, RunningMall } from './running.ts'

const test = suite('mall/hammer')

const CAPACITY = 300
const GATES = ['gate-01', 'gate-02', 'gate-03', 'gate-04', 'gate-05', 'gate-06']
const REQUESTS = 6000

/** Everyone inside, counted at the doors: in when told so, out before anyone is told. */
class People {
  readonly #mall: RunningMall
  readonly #capacity: number
  readonly decisions = new Map<string, number>()
  inside = 0
  most = 0
  admitted = 0

  constructor(mall: RunningMall, capacity: number) {
    this.#mall = mall
    this.#capacity = capacity
  }

  async enter(gate: string): Promise<boolean> {
    const { status, json } = await this.#mall.enter(gate)
    assert.equal(status, 200)
    const said = `${json.decision} ${json.reason}`.trim()
    this.decisions.set(said, (this.decisions.get(said) ?? 0) + 1)
    if (json.decision !== 'ADMIT') return false
    this.inside++
    this.admitted++
    this.most = Math.max(this.most, this.inside)
    assert.ok(this.inside <= this.#capacity, `${this.inside} inside`)
    return true
  }

  async leave(gate: string): Promise<boolean> {
    this.inside--
    const { status, json } = await this.#mall.leave(gate)
    assert.equal(status, 200)
    return json.credited
  }

  get said(): string {
    return JSON.stringify([...this.decisions])
  }
}

const any = () => GATES[Math.floor(Math.random() * GATES.length)] as string

test('one hot gate draws every token of the mesh, to the last one and not one further', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--capacity', String(CAPACITY))
    const people = new People(mall, CAPACITY)
    await atOnce(20, 2 * CAPACITY, async () => {
      if (people.inside < CAPACITY) await people.enter('gate-01')
    })
    for (let i = 0; i < 300 && people.inside < CAPACITY; i++) await people.enter('gate-01')
    assert.equal(people.inside, CAPACITY, people.said)
    for (let i = 0; i < 50; i++) assert.equal(await people.enter(any()), false)
    await Promise.all(GATES.map(gate => mall.heard(gate, CAPACITY)))
    // one out at the far end, one in here
    assert.equal(await people.leave('gate-06'), true)
    for (let i = 0; i < 100 && people.inside < CAPACITY; i++) await people.enter('gate-01')
    assert.equal(people.inside, CAPACITY, people.said)
    assert.equal((await mall.signal('SIGTERM')).code, 0)
    const { report } = await auditFolder(dir)
    assert.deepEqual(report.findings, [])
    assert.equal(report.maxOccupancy, CAPACITY)
  })
})

test('six gates hammered at once admit exactly the capacity between them, and everyone gets out', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--capacity', String(CAPACITY))
    const people = new People(mall, CAPACITY)
    const since = performance.now()
    // half of them at one door
    await atOnce(120, REQUESTS, async i => {
      await people.enter(i % 2 === 0 ? 'gate-03' : any())
    })
    const tookMs = performance.now() - since
    console.log(
      `  ${REQUESTS} requests in ${(tookMs / 1000).toFixed(1)} s: ${Math.round((REQUESTS / tookMs) * 1000)}/s`,
    )
    // under load some may have been turned away for lack of time; with time the mall gets full
    for (let i = 0; i < 300 && people.inside < CAPACITY; i++) await people.enter(any())
    assert.equal(people.inside, CAPACITY, people.said)
    assert.ok((people.decisions.get('REJECT_AT_CAPACITY full') ?? 0) > REQUESTS / 4, people.said)
    for (let i = 0; i < 60; i++) assert.equal(await people.enter(GATES[i % GATES.length] as string), false)

    // all out, and then some whom nobody saw come in
    await Promise.all(GATES.map(gate => mall.heard(gate, CAPACITY)))
    let credited = 0
    await atOnce(50, CAPACITY + 150, async i => {
      if (await people.leave(GATES[i % 2] as string)) credited++
    })
    assert.ok(credited >= CAPACITY, `${credited} credited`)
    assert.equal((await mall.signal('SIGTERM')).code, 0)
    const { report } = await auditFolder(dir)
    assert.deepEqual(report.findings, [])
    assert.equal(report.maxOccupancy, CAPACITY)
  })
})

test('with the anchor killed the mall turns over ten times its capacity and is never above it', async () => {
  await inFolder(async dir => {
    const capacity = 60
    const mall = await RunningMall.start(dir, '--capacity', String(capacity), '--no-restart')
    const people = new People(mall, capacity)
    await mall.killMember('anchor')
    await mall.says(/^anchor was ended by SIGKILL and stays down$/m)
    await mall.until('gate-01', status => status.state === 'DEGRADED', 'notices that the anchor is away')
    const wanted = 10 * capacity
    const since = performance.now()
    const turn = async () => {
      // more come than go: the limit is tried all the time, not only at the end
      if (people.inside > 0 && Math.random() < 0.3) await people.leave(any())
      else await people.enter(any())
    }
    await atOnce(24, 20_000, turn, () => people.admitted >= wanted)
    assert.ok(people.admitted >= wanted, people.said)
    assert.ok(people.most > 0.8 * capacity, `${people.most} inside at most: ${people.said}`)
    console.log(`  ${people.admitted} admitted in ${((performance.now() - since) / 1000).toFixed(1)} s: ${people.said}`)
    // the tokens that the anchor still held are lost to the mall for now; none came from nowhere
    for (let i = 0; i < 300 && people.inside < capacity; i++) await people.enter(any())
    assert.ok(people.inside > 0.8 * capacity, `${people.inside} inside`)
    const { code, out } = await mall.signal('SIGTERM')
    assert.equal(code, 0, out)
    const { report } = await auditFolder(dir)
    assert.deepEqual(report.findings, [])
    assert.ok(report.maxOccupancy <= capacity, `${report.maxOccupancy}`)
  })
})

test.run()
