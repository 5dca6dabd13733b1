// Lists in pages: every item once, whatever the size of the page, and a cursor that is not ours is told so.

import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/paging')
const HOUR_MS = 3_600_000

async function pages(rig: Rig, path: string, field: string, token: string, limit: number): Promise<object[]> {
  const all: object[] = []
  let cursor: string | undefined
  for (let round = 0; round < 100; round++) {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, json, text } = await rig.get(`${path}?limit=${limit}${next}`, token)
    assert.equal(status, 200, text)
    assert.ok(json[field].length <= limit)
    all.push(...json[field])
    cursor = json.cursor
    if (cursor === undefined) return all
  }
  throw new Error(`${path} does not end`)
}

async function fill(rig: Rig): Promise<void> {
  const { office } = rig
  for (let i = 0; i < 4; i++) {
    office.wall += HOUR_MS
    await rig.collect('east/1', rig.admits(3))
    await rig.collect('west/1', rig.admits(2))
    const recount = { kind: 'recount', actual: 90 + i, counted: 100, at: office.wall } as const
    await office.approvals.bring(office.note(recount, ['ann', 'bob'], `count ${i}`))
    rig.alerts.alarmed('DISK', `gate-${i}`, 'full')
    await rig.raise()
  }
  await rig.reconciler.count()
}

test('every list in pages brings each item once, in the order of the whole', async () => {
  await inRig(async rig => {
    await fill(rig)
    const token = await rig.login('ann')
    const lists: [path: string, field: string, count: number][] = [
      ['/events', 'events', 20],
      ['/policy', 'history', 5],
      ['/recounts', 'recounts', 4],
      ['/approvals', 'approvals', 5],
      ['/alerts/history', 'alerts', 5],
      ['/reconciliation', 'hours', 8],
    ]
    for (const [path, field, count] of lists) {
      const whole = await pages(rig, path, field, token, 1000)
      assert.equal(whole.length, count, path)
      assert.equal(new Set(whole.map(item => JSON.stringify(item))).size, count, path)
      for (const limit of [1, 3])
        assert.deepEqual(await pages(rig, path, field, token, limit), whole, `${path} ${limit}`)
    }
  })
})

test('a cursor that was not told here is refused by name, and shows nothing of what else is kept', async () => {
  await inRig(async rig => {
    await fill(rig)
    const token = await rig.login('ann')
    const cursors = ['x', 'approval/id/', 'a/', 'token/', 'reconcile/mall', '~', '0', '../..', 'A'.repeat(299)]
    for (const path of ['/events', '/policy', '/recounts', '/approvals', '/alerts/history', '/reconciliation']) {
      for (const cursor of cursors) {
        // digits are how the history of alerts is told apart: before the first of them there is nothing
        if (path === '/alerts/history' && cursor === '0') continue
        const { status, json } = await rig.get(`${path}?cursor=${encodeURIComponent(cursor)}`, token)
        assert.deepEqual([status, json.error?.where], [400, 'query/cursor'], `${path} ${cursor}`)
      }
    }
    assert.deepEqual(rig.faults, [])
  })
})

test('events are found by gate, type and time', async () => {
  await inRig(async rig => {
    await fill(rig)
    const token = await rig.login('aud')
    const count = async (query: string) => (await rig.get(`/events?${query}`, token)).json.events.length
    assert.equal(await count('gate=east'), 12)
    assert.equal(await count('type=exit'), 0)
    const from = rig.office.wall
    assert.equal(await count(`from=${from}`), 5)
    assert.equal(await count(`to=${from}`), 15)
    assert.equal(await count(`from=${from}&gate=west&type=admit`), 2)
  })
})

test.run()
