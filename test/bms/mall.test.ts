// quiet

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { STANDBY_FROM } from '../../ledger/policy.ts'
import { keyPath, policyPath } from '../../tools/founding.ts'
import { eventually, Operators } from '../anchor/desk.ts'
import { second } from '../audit/second.ts'
import { BIN, change, founded, inFolder, Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { PlayedBacnet, PlayedModbus, real } from './devices.ts'

const test = suite('bms/mall')
const API = '/api/v1/malls/m'
const WAIT_MS = 20_000

const gatemesh = (...args: string[]) =>
  execFileSync(process.execPath, [BIN, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

interface Mall {
  readonly dir: string
  readonly co2: PlayedModbus
  readonly parking: PlayedBacnet
  anchor: Running
  readonly g1: Running
  readonly g2: Running
}

/** An anchor and two gates, 40 people, 20 in reserve, a CO₂ sensor and a car park. */
async function inMall(act: (mall: Mall, operators: Operators) => Promise<void>): Promise<void> {
  const [co2, parking] = [new PlayedModbus(), new PlayedBacnet()]
  co2.registers.set(100, 700)
  parking.value = real(500)
  try {
    await inFolder(async dir => {
      await founded(dir, ['g1', 'g2'], 40)
      const quick = { forSeconds: 1, clearSeconds: 1 }
      const bms = {
        everySeconds: 1,
        timeoutMs: 500,
        silentSeconds: 3,
        sources: {
          co2: { modbus: await co2.open(), at: 100, min: 0, max: 10_000, in: 'ppm' },
          parking: { bacnet: await parking.open(), object: 'analog-value:7', in: 'free places' },
        },
        rules: {
          air: { source: 'co2', above: 1200, clear: 1000, perCent: 60, enact: true, ...quick },
          cars: { source: 'parking', below: 20, clear: 60, capacity: 30, ...quick },
        },
      }
      change(dir, 'anchor', { bms })
      const anchor = new Running(dir, 'anchor', ['--birth'])
      const mall = { dir, co2, parking, anchor, g1: new Running(dir, 'g1'), g2: new Running(dir, 'g2') }
      await anchor.until('it has joined', status => status.isJoined)
      assert.equal((await anchor.post('/policy', readFileSync(policyPath(dir, 1), 'utf8'))).status, 200)
      const operators = new Operators(dir)
      const capacities = [
        { from: 0, capacity: 40 },
        { from: STANDBY_FROM, capacity: 20 },
      ]
      await operators.decree(anchor, { capacities })
      for (const gate of [mall.g1, mall.g2]) await gate.until('it decides', s => s.state === 'NORMAL' && s.balance > 0)
      await act(mall, operators)
    })
  } finally {
    await co2.close()
    await parking.close()
  }
}

const limitIs = (gate: Running, capacity: number) =>
  gate.until(`the limit is ${capacity}`, ({ occupancy }) => occupancy.capacity === capacity)

/** Everyone who is let in until the mall is full. */
async function fill(gates: readonly Running[]): Promise<void> {
  for (let turnedAway = 0; turnedAway < 4; ) {
    for (const gate of gates) {
      const { decision } = (await gate.enter()).json
      turnedAway = decision === 'ADMIT' ? 0 : turnedAway + 1
    }
  }
}

async function alerts(anchor: Running): Promise<string[]> {
  const { json } = await anchor.ask('GET', `${API}/alerts?state=raised`)
  return json.alerts.map(({ code, subject }: { code: string; subject: string }) => `${code} ${subject}`)
}

const inside = async (gate: Running) => (await gate.until('it knows', () => true)).occupancy.count

const demandOf = async (anchor: Running, rule: string) =>
  (await anchor.ask('GET', `${API}/signals`)).json.rules.find((one: { name: string }) => one.name === rule)?.demand

test('signals of a building lower the limit of a mall and nothing else: by the reserve, or by operators who sign', async () => {
  await inMall(async (mall, operators) => {
    const { co2, parking, dir, g1, g2 } = mall
    await g1.admit(12)
    // stale air: the limit in reserve is in force, and nobody is let in above it
    co2.registers.set(100, 1500)
    for (const gate of [g1, g2]) await limitIs(gate, 20)
    await eventually('it is told', WAIT_MS, async () => (await alerts(mall.anchor)).includes('BMS_LIMIT air'))
    await fill([g1, g2])
    assert.ok((await inside(g1)) <= 20)
    assert.equal((await g2.leave()).status, 200, 'exits are free')
    // the anchor dies and comes back with its sensor silent: what was in force stays so
    co2.mood = 'mute'
    await mall.anchor.signal('SIGKILL')
    mall.anchor = new Running(dir, 'anchor')
    const { anchor } = mall
    await anchor.until('it has joined', status => status.isJoined)
    await eventually('it says that it hears nothing', WAIT_MS, async () =>
      (await alerts(anchor)).includes('BMS_SILENT co2'),
    )
    for (const gate of [g1, g2]) assert.equal((await gate.until('it goes on', () => true)).occupancy.capacity, 20)
    await fill([g1, g2])
    assert.ok((await inside(g1)) <= 20)
    // good air: back to the schedule
    co2.mood = 'well'
    co2.registers.set(100, 800)
    for (const gate of [g1, g2]) await limitIs(gate, 40)
    await g1.admit(3)
    assert.equal(await demandOf(anchor, 'air'), undefined)
    // a full car park: operators are asked, no longer once cars have left, and it is in force when two have signed
    parking.value = real(5)
    const standing = async () => (await demandOf(anchor, 'cars'))?.standing
    await eventually('it is proposed', WAIT_MS, async () => (await standing()) === 'proposed')
    const { approval } = await demandOf(anchor, 'cars')
    parking.value = real(90)
    const stateOf = async () => (await anchor.ask('GET', `${API}/approvals/${approval}`)).json.state
    await eventually('it is withdrawn', WAIT_MS, async () => (await stateOf()) === 'withdrawn')
    parking.value = real(5)
    await eventually('it is proposed again', WAIT_MS, async () => (await standing()) === 'proposed')
    const again = (await demandOf(anchor, 'cars')).approval
    const { http } = await anchor.heard('listening')
    const approve = (name: string) =>
      gatemesh('approve', again.slice(0, 12), '--yes', '--anchor', String(http), '--key', keyPath(operators.dir, name))
    assert.match(approve('bob'), /waits for one more signature/)
    assert.match(approve('ann'), /policy 3 is in force/)
    await limitIs(g1, 30)
    await eventually('it knows', WAIT_MS, async () => (await standing()) === 'in-force')
    assert.deepEqual([...new Set(co2.asked)], [4], 'the sensor was read and nothing else')
    assert.deepEqual([...new Set(parking.asked)], [12])
    // the record: both verifiers find nothing, and it reads as people say it
    for (const member of [g1, g2, anchor]) assert.equal((await member.signal('SIGTERM')).code, 0)
    const out = join(dir, 'bundle')
    const owner = join(dir, 'owner.vkey')
    gatemesh('audit', 'export', out, '--dir', dir)
    gatemesh('audit', 'verify', out, '--charter-key', owner)
    assert.deepEqual((await second(out, readFileSync(owner, 'utf8').trim())).findings, [])
    const ledger = readFileSync(join(out, 'data/ledgers/anchor/1.jsonl'), 'utf8')
    assert.match(ledger, /"after":"40; 20 in reserve"/)
    assert.match(ledger, /"code":"BMS_LIMIT","detail":"[^"]*co2 above 1200 ppm: at most 24 people"/)
  })
})

test.run()
