import assert from 'node:assert/strict'
import { readApprovals } from '../../anchor/approvals/config.ts'
import { localTime } from '../../anchor/approvals/local-time.ts'
import { Form } from '../../mesh/form.ts'
import { suite } from '../suite.ts'
import { HOUR_MS, MORNING, Office, signed } from './office.ts'

const test = suite('approvals/reset')

const BERLIN = 'Europe/Berlin'
const RESET = { at: '23:30', zone: BERLIN, to: 2 }
/** 23:30 in Berlin on 20 October 2026, which is summer time */
const NIGHT = Date.UTC(2026, 9, 20, 21, 30)

async function atNight(): Promise<Office> {
  const office = await Office.open(RESET)
  office.wall = NIGHT
  await office.approvals.tick()
  assert.equal(office.approvals.waiting().length, 1)
  return office
}

async function sign(office: Office, ...names: string[]): Promise<string[]> {
  const [approval] = office.approvals.waiting()
  const outcomes: string[] = []
  for (const name of names) {
    outcomes.push((await office.approvals.sign(approval?.id ?? '', signed(approval?.text ?? '', [name]))).outcome)
  }
  return outcomes
}

test('at its time the anchor proposes a head count, once, and two people make it so', async () => {
  const office = await Office.open(RESET)
  office.wall = NIGHT - 1
  await office.approvals.tick()
  assert.deepEqual(office.approvals.waiting(), [])
  office.wall = NIGHT
  office.counted = 9
  await office.approvals.tick()
  office.wall += 1000
  office.counted = 5
  await office.approvals.tick()
  const [approval, ...more] = office.approvals.waiting()
  assert.deepEqual([more, approval?.signers, approval?.history[0]?.what], [[], [], 'proposed'])
  assert.match(approval?.words.join() ?? '', /2 people found, 9 were counted \(residual −7\)/)
  assert.deepEqual(await sign(office, 'bob', 'ann'), ['pending', 'enacted'])
  assert.deepEqual([office.policy.correction, office.policy.recount?.counted], [-7, 9])
  office.wall += HOUR_MS / 4
  await office.approvals.tick()
  assert.deepEqual(office.approvals.waiting(), [], 'one a night')
})

test('the next night there is another one', async () => {
  const office = await atNight()
  office.wall = NIGHT + 24 * HOUR_MS - 1
  await office.approvals.tick()
  assert.equal(office.approvals.waiting().length, 1)
  office.wall += 1
  await office.approvals.tick()
  await office.approvals.tick()
  const states = (await office.approvals.list()).approvals.map(({ state, history }) => `${state} ${history[0]?.what}`)
  assert.deepEqual(states, ['pending proposed', 'expired proposed', 'enacted signed'])
})

test('a restart in the night proposes nothing twice', async () => {
  const office = await atNight()
  await office.restart()
  office.counted = 44
  await office.approvals.tick()
  assert.equal(office.approvals.waiting().length, 1)
  assert.match(office.approvals.waiting()[0]?.text ?? '', /^recount \d+ 2 100$/m)
})

test('after a new policy the same figures are proposed on it', async () => {
  const office = await atNight()
  office.counted = 33
  assert.equal(
    (await office.approvals.bring(office.note({ kind: 'capacity', capacity: 290 }, ['bob']))).outcome,
    'enacted',
  )
  await office.approvals.tick()
  const [approval] = office.approvals.waiting()
  assert.equal(approval?.version, 3)
  assert.match(approval?.text ?? '', new RegExp(`^recount ${NIGHT} 2 100$`, 'm'))
  assert.deepEqual(await sign(office, 'cat', 'ann'), ['pending', 'enacted'])
  assert.equal(office.policy.correction, -98)
})

test('a residual that people took in by hand meanwhile is not taken in again', async () => {
  const office = await atNight()
  const wish = { kind: 'recount', actual: 0, counted: 100, at: office.wall } as const
  assert.equal((await office.approvals.bring(office.note(wish, ['bob', 'ann']))).outcome, 'enacted')
  await office.approvals.tick()
  await office.approvals.tick()
  assert.deepEqual(office.approvals.waiting(), [])
  assert.equal(office.policy.correction, -100)
})

test('anyone who might sign it can send it away', async () => {
  const office = await atNight()
  const id = office.approvals.waiting()[0]?.id ?? ''
  const viewer = await office.approvals.withdraw(id, 'vic')
  assert.ok('outcome' in viewer && viewer.code === 'may-not')
  const own = await office.approvals.withdraw(id, 'cat')
  assert.ok('state' in own && own.state === 'withdrawn')
  await office.approvals.tick()
  assert.deepEqual(office.approvals.waiting(), [])
})

test('clocks of a place know its summer time', () => {
  const shown = (ms: number, zone: string) => Object.values(localTime(ms, zone)).join(' ')
  assert.equal(shown(NIGHT, BERLIN), '2026-10-20 23:30')
  assert.equal(shown(Date.UTC(2026, 9, 25, 22, 30), BERLIN), '2026-10-25 23:30')
  assert.equal(shown(Date.UTC(2026, 9, 25, 23), BERLIN), '2026-10-26 00:00')
  assert.equal(shown(MORNING, 'Asia/Kathmandu'), '2026-10-20 13:45')
})

test('its config says what is wrong with it', () => {
  const read = (reset: unknown) => {
    const form = Form.read(JSON.stringify({ reset }), { file: 'anchor.json', dir: '/' })
    const config = readApprovals(form)
    form.close()
    form.check()
    return config
  }
  assert.deepEqual(read({ at: '23:30', zone: BERLIN }), { reset: { at: '23:30', zone: BERLIN, to: 0 } })
  assert.deepEqual(read(undefined), {})
  assert.throws(() => read({ at: '24:00', zone: BERLIN }), /reset\.at: a time of day/)
  assert.throws(() => read({ at: '23:30', zone: 'Berlin' }), /reset\.zone: a time zone/)
  assert.throws(() => read({ at: '23:30', zone: BERLIN, to: -1 }), /reset\.to: a whole number/)
  assert.throws(() => read({ at: '23:30' }), /reset\.zone: is missing/)
})

test.run()
