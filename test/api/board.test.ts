// What people write on the board over the API, and what they are told when it cannot be written.

import assert from 'node:assert/strict'
import { Fault } from '../../ledger/fault.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/board')

const put = (rig: Rig, path: string, body: unknown, token: string) =>
  rig.ask('PUT', rig.at(path), { token, body, headers: { 'idempotency-key': crypto.randomUUID() } })

test('gates are placed and labelled, and a note hangs under the name of whoever wrote it', async () => {
  await inRig(async rig => {
    const token = await rig.login('bob')
    assert.equal((await put(rig, '/gates/east/position', { x: 0, y: 1000 }, token)).status, 200)
    assert.equal((await put(rig, '/gates/east/label', { text: ' car park ' }, token)).json.text, 'car park')
    const { status, json } = await rig.post('/notes', { text: 'the lift is out of order' }, token)
    assert.deepEqual([status, json.by], [201, 'bob'])
    const { board } = rig
    assert.deepEqual([board.positions().get('east')?.y, board.labels().get('east')?.text], [1000, 'car park'])
    assert.deepEqual(
      board.notes().map(({ id, by, text }) => [id, by, text]),
      [[json.id, 'bob', 'the lift is out of order']],
    )
    assert.equal((await put(rig, '/gates/east/label', { text: '' }, token)).status, 200)
    assert.equal(board.labels().size, 0, 'an empty text takes it away')
  })
})

test('what is off the plan, off the roster, empty or of two lines is refused by name', async () => {
  await inRig(async rig => {
    const token = await rig.login('bob')
    for (const [path, body, status, where] of [
      ['/gates/east/position', { x: 1001, y: 0 }, 400, 'body/x'],
      ['/gates/east/position', { x: 0.5, y: 0 }, 400, 'body/x'],
      ['/gates/east/position', { x: 1 }, 400, 'body/y'],
      ['/gates/anchor/position', { x: 1, y: 1 }, 404, 'params/gate'],
      ['/gates/nowhere/label', { text: 'x' }, 404, 'params/gate'],
      ['/gates/east/label', { text: 'x'.repeat(61) }, 400, 'body/text'],
      ['/gates/east/label', { text: 'two\nlines' }, 400, 'body/text'],
    ] as const) {
      const reply = await put(rig, path, body, token)
      assert.deepEqual([reply.status, reply.json.error.where], [status, where], reply.text)
    }
    for (const [text, status] of [
      ['', 400],
      ['   ', 422],
      ['x'.repeat(501), 400],
      ['two\nlines', 400],
    ] as const) {
      assert.equal((await rig.post('/notes', { text }, token)).status, status, JSON.stringify(text))
    }
    assert.deepEqual(rig.board.notes(), [])
  })
})

test('a board that is full, or not there, is said to be', async () => {
  await inRig(async rig => {
    const token = await rig.login('bob')
    const broken = (code: string, message: string) => {
      const no = () => {
        throw new Fault(code, message)
      }
      rig.desk = { ...rig.desk, board: { place: no, label: no, note: no } }
    }
    broken('BOARD_FULL', 'the board has 500 notes already')
    const full = await rig.post('/notes', { text: 'one more' }, token)
    assert.deepEqual(
      [full.status, full.json.error],
      [409, { code: 'full', message: 'the board has 500 notes already' }],
    )
    broken('BOARD_AWAY', 'this member has no board at present')
    const away = await put(rig, '/gates/east/label', { text: 'x' }, token)
    assert.deepEqual([away.status, away.json.error.code, away.headers['retry-after']], [503, 'no-board', '2'])
    assert.deepEqual(rig.faults, [])
  })
})

test.run()
