import assert from 'node:assert/strict'
import { Bms, type Restraint } from '../../anchor/bms/bms.ts'
import type { BmsConfig, RuleConfig, SourceConfig } from '../../anchor/bms/config.ts'
import { capacityAt, scheduled } from '../../ledger/policy.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { CHARTER, HOUR_MS, Office, signed } from '../approvals/office.ts'
import { suite } from '../suite.ts'

const test = suite('bms/bms')

const SOURCE: SourceConfig = {
  name: 'co2',
  wire: { kind: 'bacnet', place: { host: '127.0.0.1', port: 1 }, object: { type: 0, instance: 1 } },
  times: 1,
  over: 1,
  min: 0,
  max: 10_000,
  in: 'ppm',
}
const AIR: RuleConfig = {
  name: 'air',
  source: 'co2',
  side: 'above',
  level: 1200,
  forMs: 0,
  clear: 1000,
  clearMs: 0,
  limit: { perCent: 60 },
  enact: false,
}
const THICK: RuleConfig = { ...AIR, name: 'thick', level: 3000, clear: 2500, limit: { capacity: 100 } }

/** A mall's office, a sensor in the test's hand, and what the anchor's core was told. */
class Hall {
  readonly office: Office
  readonly config: BmsConfig
  co2: number | undefined = 700
  readonly told: Restraint[] = []
  bms!: Bms

  private constructor(office: Office, rules: readonly RuleConfig[]) {
    this.office = office
    this.config = { everyMs: 10_000, timeoutMs: 1000, silentMs: 60_000, bacnetPort: 0, sources: [SOURCE], rules }
  }

  static async open(...rules: RuleConfig[]): Promise<Hall> {
    const hall = new Hall(await Office.open(), rules)
    await hall.restart()
    return hall
  }

  async restart(): Promise<void> {
    await this.office.restart()
    const { office } = this
    this.bms = await Bms.open({
      config: this.config,
      charter: CHARTER,
      cabinet: office.cabinet,
      clock: office.clock,
      log: NO_LOG,
      policies: () => office.book.after(0),
      approvals: office.approvals,
      restrain: restraint => this.told.push(restraint),
      wire: () => ({
        ask: async () => this.co2 ?? Promise.reject(new Error('nobody there')),
        close: async () => undefined,
      }),
    })
  }

  /** So much later it is read, and everyone looks. */
  async reads(co2: number | undefined, afterMs = 10_000): Promise<void> {
    this.office.wall += afterMs
    this.co2 = co2
    await this.bms.read()
    await this.bms.look()
    await this.office.approvals.tick()
    await this.bms.look()
  }

  get waiting() {
    return this.office.approvals.waiting()
  }

  get standing(): (string | undefined)[] {
    return this.bms.state.rules.map(({ demand }) => demand?.standing)
  }

  async sign(...names: string[]): Promise<string[]> {
    const outcomes: string[] = []
    for (const name of names) {
      const [approval] = this.waiting
      const { id = '', text = '' } = approval ?? {}
      outcomes.push((await this.office.approvals.sign(id, signed(text, [name]))).outcome)
    }
    return outcomes
  }

  async reserve(...capacities: number[]): Promise<void> {
    const brought = await this.office.approvals.bring(this.office.note({ kind: 'standby', capacities }, ['ann', 'bob']))
    assert.equal(brought.outcome, 'enacted', JSON.stringify(brought))
  }

  get scheduled(): number {
    return scheduled(this.office.policy, this.office.wall)
  }
}

test('a signal proposes a lower capacity that operators sign in one step, and changes nothing by itself', async () => {
  const hall = await Hall.open(AIR)
  await hall.reads(1200)
  assert.deepEqual([hall.waiting, hall.standing], [[], [undefined]])
  await hall.reads(1350)
  const [approval, ...more] = hall.waiting
  assert.deepEqual([more, approval?.signers, approval?.needs.signatures], [[], [], 2])
  assert.match(
    approval?.words.join('; ') ?? '',
    /capacity: 180; it was 300.*rule air: co2 above 1200 ppm: at most 180 people/,
  )
  assert.deepEqual([hall.scheduled, hall.standing], [300, ['proposed']])
  assert.equal(hall.bms.state.rules[0]?.demand?.approval, approval?.id)
  assert.deepEqual(await hall.sign('bob', 'ann'), ['pending', 'enacted'])
  assert.equal(hall.scheduled, 180)
  await hall.reads(1400)
  assert.deepEqual([hall.waiting, hall.standing], [[], ['in-force']], 'not 60 per cent of 180 as well')
  await hall.reads(800)
  assert.deepEqual([hall.scheduled, hall.standing, hall.waiting], [180, [undefined], []], 'what people signed stays')
  assert.ok(
    hall.told.every(({ atMost }) => atMost === undefined),
    'the core was asked for nothing',
  )
})

test('it is withdrawn when the signal is well again, though one has signed it', async () => {
  const hall = await Hall.open(AIR)
  await hall.reads(1350)
  const [approval] = hall.waiting
  await hall.sign('bob')
  await hall.reads(900)
  assert.equal(hall.waiting.length, 0)
  const after = await hall.office.approvals.get(approval?.id ?? '')
  assert.equal(after?.state, 'withdrawn')
  assert.match(after?.history.at(-1)?.why ?? '', /over: .*co2 above 1200 ppm; now 900/)
  await hall.reads(1300)
  assert.equal(hall.waiting.length, 1, 'and is proposed anew when it comes back')
  assert.notEqual(hall.waiting[0]?.id, approval?.id)
})

test('what people turned down is not asked of them again, until the signal was well or asks for less', async () => {
  const hall = await Hall.open(AIR, THICK)
  await hall.reads(1350)
  await hall.office.approvals.withdraw(hall.waiting[0]?.id ?? '', 'ann')
  await hall.reads(1400)
  await hall.restart()
  await hall.reads(1400)
  assert.deepEqual([hall.waiting.length, hall.standing], [0, ['declined', undefined]])
  await hall.reads(3100)
  assert.match(hall.waiting[0]?.text ?? '', /^capacity \d+ 100$/m)
  await hall.reads(900)
  assert.equal(hall.waiting.length, 0)
  await hall.reads(1350)
  assert.match(hall.waiting[0]?.text ?? '', /^capacity \d+ 180$/m)
})

test('operators who raise it again while the signal lasts are not asked again', async () => {
  const hall = await Hall.open(AIR)
  await hall.reads(1350)
  await hall.sign('bob', 'ann')
  await hall.reads(1350)
  const note = hall.office.note({ kind: 'capacity', capacity: 300 }, ['ann', 'bob'])
  assert.equal((await hall.office.approvals.bring(note)).outcome, 'enacted')
  await hall.reads(1350)
  assert.deepEqual([hall.scheduled, hall.waiting, hall.standing], [300, [], ['declined']])
})

test('after another policy, or a day, the same is proposed on what is in force', async () => {
  const hall = await Hall.open(AIR)
  await hall.reads(1350)
  const [first] = hall.waiting
  await hall.office.approvals.bring(hall.office.note({ kind: 'capacity', capacity: 290 }, ['bob']))
  await hall.reads(1350)
  const [second, ...more] = hall.waiting
  assert.deepEqual([more, second?.version], [[], 3])
  assert.match(second?.text ?? '', /^capacity \d+ 180$/m)
  await hall.reads(1350, 25 * HOUR_MS)
  const [third] = hall.waiting
  assert.equal(hall.waiting.length, 1)
  assert.equal(new Set([first?.id, second?.id, third?.id]).size, 3)
})

test('a restart proposes nothing twice and forgets no demand', async () => {
  const hall = await Hall.open(AIR)
  await hall.reads(1350)
  const [before] = hall.waiting
  await hall.restart()
  await hall.reads(1100)
  assert.deepEqual(
    hall.waiting.map(({ id }) => id),
    [before?.id],
  )
  assert.deepEqual(hall.standing, ['proposed'], 'between the two levels it stays as it was')
})

test('with a limit in reserve a rule that may puts it in force at once, and nobody is asked', async () => {
  const hall = await Hall.open({ ...AIR, enact: true })
  await hall.reserve(200, 170, 100)
  await hall.reads(1350)
  assert.deepEqual([hall.waiting, hall.standing], [[], ['in-force']])
  const last = hall.told.at(-1)
  assert.equal(last?.atMost, 180)
  assert.match(last?.why ?? '', /rule air: co2 above 1200 ppm: at most 180 people/)
  await hall.restart()
  hall.told.length = 0
  await hall.bms.look()
  assert.deepEqual(hall.told.at(-1)?.atMost, 180, 'the first thing it says after a restart')
  await hall.reads(900)
  assert.equal(hall.told.at(-1)?.atMost, undefined)
  assert.match(hall.told.at(-1)?.why ?? '', /over: .*now 900/)
})

test('where the reserve has nothing low enough it is proposed after all', async () => {
  const hall = await Hall.open({ ...AIR, enact: true }, { ...THICK, enact: true })
  await hall.reserve(150)
  await hall.reads(1350)
  assert.deepEqual([hall.waiting.length, hall.standing], [0, ['in-force', undefined]])
  await hall.reads(3100)
  assert.deepEqual(hall.standing, ['in-force', 'proposed'])
  assert.match(hall.waiting[0]?.text ?? '', /^capacity \d+ 100$/m)
  assert.ok(
    hall.waiting[0]?.text.includes('capacity 253402214400000') === false,
    'a reserve above it would lower nothing',
  )
  await hall.reads(2000)
  assert.deepEqual([hall.waiting.length, hall.standing], [0, ['in-force', undefined]])
})

test('the reserve taken away by two people ends what a stuck sensor asked for', async () => {
  const hall = await Hall.open({ ...AIR, enact: true })
  await hall.reserve(150)
  await hall.reads(1350)
  assert.deepEqual(hall.standing, ['in-force'])
  await hall.reads(undefined, 120_000)
  await hall.reserve()
  await hall.reads(undefined)
  assert.deepEqual(hall.standing, ['proposed'])
  assert.equal(capacityAt(hall.office.policy, hall.office.wall), 300)
})

test('a silent source proposes nothing, takes nothing back, and says that it is silent', async () => {
  const hall = await Hall.open({ ...AIR, forMs: 30_000, clearMs: 30_000 })
  await hall.reads(1350)
  await hall.reads(undefined, 61_000)
  const [source] = hall.bms.state.sources
  assert.deepEqual([source?.isSilent, source?.value, source?.trouble], [true, undefined, 'nobody there'])
  await hall.reads(1350)
  assert.deepEqual(hall.waiting, [], 'what it said before the silence does not count')
  assert.equal(hall.bms.state.sources[0]?.isSilent, false)
  await hall.reads(1350, 30_000)
  assert.equal(hall.waiting.length, 1)
  await hall.reads(900)
  await hall.reads(undefined, 61_000)
  await hall.reads(undefined, HOUR_MS)
  assert.equal(hall.waiting.length, 1, 'silence is not well')
})

test('a value out of its range is a broken sensor and not a signal', async () => {
  const hall = await Hall.open(AIR)
  for (const value of [65_535, -1, Number.NaN, Number.POSITIVE_INFINITY]) await hall.reads(value)
  assert.deepEqual([hall.waiting, hall.standing], [[], [undefined]])
  assert.match(hall.bms.state.sources[0]?.trouble ?? '', /not from 0 to 10000/)
  await hall.reads(65_535, 61_000)
  assert.equal(hall.bms.state.sources[0]?.isSilent, true)
})

test('a disk that fails holds up what is written, not what is in force', async () => {
  const hall = await Hall.open({ ...AIR, enact: true })
  await hall.reserve(150)
  hall.office.cabinet.write = () => Promise.reject(new Error('disk full'))
  await hall.reads(1350).catch(() => undefined)
  assert.equal(hall.told.at(-1)?.atMost, 180)
})

test.run()
