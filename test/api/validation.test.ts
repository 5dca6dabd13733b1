// What comes in is held against its schema, and whoever sent it is told which part does not fit.

import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { inRig } from './rig.ts'

const test = suite('api/validation')

test('a body that does not fit is refused with the field and what it must be', async () => {
  await inRig(async rig => {
    const token = await rig.login('ann')
    const wish = (wish: unknown) => ['/drafts', { wish, reason: 'r' }] as const
    const capacity = { kind: 'capacity', capacity: 5 }
    const wrong: (readonly [path: string, body: unknown, where: string, says: RegExp])[] = [
      ['/holds', { from: 1, to: 2 }, 'body/reason', /is missing/],
      ['/holds', { from: '1', to: 2, reason: 'r' }, 'body/from', /must be integer/],
      ['/holds', { from: 1.5, to: 2, reason: 'r' }, 'body/from', /must be integer/],
      ['/holds', { from: -1, to: 2, reason: 'r' }, 'body/from', />= 0/],
      ['/holds', { from: 1, to: 2, reason: 'r', more: 1 }, 'body/more', /does not belong there/],
      ['/holds', { from: 1, to: 2, reason: 'two\nlines' }, 'body/reason', /must match/],
      ['/holds', { from: 1, to: 2, reason: '' }, 'body/reason', /fewer than 1/],
      ['/holds', [], 'body', /must be object/],
      ['/tokens', { name: 'Wall', role: 'viewer' }, 'body/name', /must match/],
      ['/tokens', { name: 'wall', role: 'owner' }, 'body/role', /viewer, operator, auditor/],
      [...wish({ ...capacity, capacity: '5' }), 'body/wish/capacity', /must be integer/],
      [...wish({ kind: 'capacity' }), 'body/wish/capacity', /is missing/],
      [...wish({ ...capacity, more: 1 }), 'body/wish/more', /does not belong there/],
      [...wish({ kind: 'nothing' }), 'body/wish/kind', /one of capacity, schedule, .*, raise, clear/],
      [...wish({ kind: 'raise', mode: 'NORMAL' }), 'body/wish/mode', /LOCKDOWN, EVACUATE, FIRE/],
      [...wish({ kind: 'clear', mode: 'FIRE' }), 'body/wish/mode', /does not belong there/],
      [
        ...wish({
          kind: 'schedule',
          steps: [
            { from: 1, capacity: 2 },
            { from: 'x', capacity: 3 },
          ],
        }),
        'body/wish/steps/1/from',
        /integer/,
      ],
    ]
    for (const [path, body, where, says] of wrong) {
      const { status, json } = await rig.post(path, body, token)
      assert.deepEqual([status, json.error.code, json.error.where], [400, 'invalid', where], JSON.stringify(json))
      assert.match(json.error.message, says)
    }
    assert.equal(rig.retention.holds().length, 0)
  })
})

test('in an address a number is its digits and nothing else', async () => {
  await inRig(async rig => {
    const token = await rig.login('ann')
    for (const limit of ['', '0', '1001', '1.5', '1e2', '0x10', '+5', '05', 'true', ' 5', '5&limit=6']) {
      const { status, json } = await rig.get(`/events?limit=${limit}`, token)
      assert.deepEqual([status, json.error?.where], [400, 'query/limit'], limit)
    }
    assert.equal((await rig.get('/events?limit=1000', token)).status, 200)
    assert.equal((await rig.get('/events?from=-1', token)).status, 400)
    assert.equal((await rig.get('/events?Limit=5', token)).json.error.where, 'query/Limit')
  })
})

test.run()
