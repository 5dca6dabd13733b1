import assert from 'node:assert/strict'
import { readRetention } from '../../anchor/retention/config.ts'
import { dayOf, endOf, isDay } from '../../anchor/retention/day.ts'
import { parseProof, parseTitle, titleOf } from '../../anchor/retention/proof.ts'
import { Form } from '../../mesh/form.ts'
import { suite } from '../suite.ts'
import { withRig } from './shelf.ts'

const test = suite('retention/words')

function read(retention: unknown) {
  const form = Form.read(JSON.stringify(retention === undefined ? {} : { retention }), {
    file: 'a.json',
    dir: '/etc/mall',
  })
  const config = readRetention(form)
  form.close()
  form.check()
  return config
}

test('what is not said has a default: five weeks at hand, seven years in files, nowhere to write to', () => {
  assert.deepEqual(read(undefined), { hotDays: 35, keepDays: 2557, minDays: 365 })
  assert.deepEqual(read({ archive: 'old' }), { hotDays: 35, keepDays: 2557, minDays: 365, archive: '/etc/mall/old' })
  assert.equal(read({ archive: '/srv/old', hotDays: 400, keepDays: 400 }).hotDays, 400)
})

test('no config undercuts a year, its own minimum, or what is at hand', () => {
  assert.throws(() => read({ keepDays: 364 }), /retention\.keepDays: a whole number from 365/)
  assert.throws(() => read({ minDays: 30 }), /retention\.minDays: a whole number from 365/)
  assert.throws(() => read({ minDays: 1000, keepDays: 999 }), /retention\.keepDays: at least minDays, which is 1000/)
  assert.throws(() => read({ hotDays: 500, keepDays: 400 }), /retention\.hotDays: at most keepDays/)
  assert.throws(() => read({ hotDays: 0 }), /retention\.hotDays/)
  assert.throws(() => read({ hotdays: 3 }), /did you mean hotDays/)
  assert.throws(() => read(7), /an object in braces/)
})

test('days are UTC, and any clock has one', () => {
  assert.equal(dayOf(Date.UTC(2026, 10, 16, 23, 59, 59, 999)), '2026-11-16')
  assert.equal(endOf('2026-11-16'), Date.UTC(2026, 10, 17))
  assert.equal(dayOf(Number.MAX_SAFE_INTEGER), '9999-12-31')
  assert.equal(dayOf(0), '1970-01-01')
  for (const text of ['2026-02-30', '2026-13-01', '26-01-01', '2026-01-01Z', '']) assert.equal(isDay(text), false, text)
})

test('a title has one spelling', () => {
  for (const title of ['2026-11-16', '2026-11-16-2', '2026-11-16-10']) {
    const parsed = parseTitle(title)
    assert.equal(parsed && titleOf(parsed), title)
  }
  for (const title of ['2026-11-16-1', '2026-11-16-02', '2026-11-16-', '2026-11-16.2', '2026-11-16x', 'x']) {
    assert.equal(parseTitle(title), undefined, title)
  }
})

test('whatever is no proof is refused by the name of what is wrong', () => {
  const hash = 'A'.repeat(43).concat('=')
  const good = {
    format: 'gatemesh/segment/1',
    mall: 'paper',
    account: 'east/1',
    day: '2026-11-16',
    part: 1,
    from: 0,
    to: 2,
    before: { peaks: [], last: hash },
    row: 'note',
    oldest: 1,
    newest: 2,
    closedAt: 3,
    bytes: 4,
    sha256: 'a'.repeat(64),
    gzSha256: 'b'.repeat(64),
  }
  parseProof(JSON.stringify(good))
  const wrong: Record<string, unknown[]> = {
    format: ['gatemesh/segment/2', 1],
    mall: ['', '../x', 3],
    account: ['east', '../../etc', 'east/0'],
    day: ['2026-02-30', 5],
    part: [0, -1, 1.5, '1'],
    from: [-1, 0.5, null],
    to: [0, 'x'],
    before: [null, {}, { peaks: [hash] }, { peaks: ['x'], last: hash }, { peaks: Array(60).fill(hash), last: hash }],
    row: [1],
    sha256: ['A'.repeat(64), ''],
    gzSha256: ['b'.repeat(63)],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of [...values, undefined]) {
      assert.throws(() => parseProof(JSON.stringify({ ...good, [field]: value })), new RegExp(`^Fault: ${field}: `))
    }
  }
  for (const text of ['', '[', '1', 'null', '"x"']) assert.throws(() => parseProof(text), /not JSON|not a JSON object/)
})

test('a hold that makes no sense is refused, and says why', async () => {
  await withRig(async ({ retention }) => {
    const good = { from: 1, to: 2, reason: 'why', by: 'alma' }
    const wrong: [object, RegExp][] = [
      [{ from: 2 }, /from and to/],
      [{ from: -1 }, /from and to/],
      [{ to: Number.POSITIVE_INFINITY }, /from and to/],
      [{ reason: '' }, /reason/],
      [{ reason: '   ' }, /reason/],
      [{ reason: 'a\nb' }, /reason/],
      [{ reason: 'x'.repeat(401) }, /reason/],
      [{ by: '' }, /by/],
    ]
    for (const [change, why] of wrong) await assert.rejects(retention.hold({ ...good, ...change }), why)
    assert.deepEqual(retention.holds(), [])
    const hold = await retention.hold(good)
    await assert.rejects(retention.endHold(hold.id, { by: 'alma', reason: '' }), /reason/)
    assert.equal(await retention.endHold('nobody', { by: 'alma', reason: 'x' }), undefined)
    const ended = await retention.endHold(hold.id, { by: 'alma', reason: 'done' })
    assert.deepEqual(await retention.endHold(hold.id, { by: 'bruno', reason: 'again' }), ended)
  })
})

test.run()
