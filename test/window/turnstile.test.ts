import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { isUuid7 } from '../../ledger/line.ts'
import { newId } from '../../mesh/real-clock.ts'
import { suite } from '../suite.ts'
import { inFront, inRig, type Reply, type Rig, until } from './rig.ts'

const test = suite('window/turnstile')

const ENTRY = '/turnstile/entry'
const EXIT = '/turnstile/exit'

/** What nobody should send, and what it is answered with. */
const BAD: readonly [body: string, status: number, says: RegExp][] = [
  ['{"id":', 400, /not JSON/],
  ['[]', 400, /no JSON object/],
  ['null', 400, /no JSON object/],
  ['7', 400, /no JSON object/],
  ['\u0000\u0001', 400, /not JSON/],
  ['{"id":"7"}', 400, /id: a UUIDv7/],
  ['{"id":7}', 400, /id: a UUIDv7/],
  ['{"id":"../../etc"}', 400, /id: a UUIDv7/],
  ['{"confidence":"high"}', 400, /confidence: a number/],
  ['{"confidence":null}', 400, /confidence: a number/],
  [JSON.stringify({ id: 'x'.repeat(4100) }), 413, /longer than 4096/],
  [JSON.stringify({ id: 'x'.repeat(3_000_000) }), 413, /longer than 4096/],
]

function says(reply: Reply, status: number, pattern: RegExp): void {
  assert.equal(reply.status, status, reply.text)
  assert.match(reply.json.error, pattern)
}

const exitsIn = async (rig: Rig) => (await rig.entries).filter(entry => entry.type === 'exit')

test('an entry is answered with all that DESIGN 11 says, and the same id gets the same answer', async () => {
  await inRig(async rig => {
    const id = newId()
    const { status, json } = await rig.ask('POST', ENTRY, JSON.stringify({ id, confidence: 870.4 }))
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json), ['id', 'decision', 'reason', 'source', 'latencyUs', 'balance', 'occupancy'])
    assert.deepEqual([json.id, json.decision, json.reason, json.source, json.balance], [id, 'ADMIT', '', 'local', 9])
    assert.ok(Number.isInteger(json.latencyUs) && json.latencyUs > 0)
    const { count, atMost, capacity } = json.occupancy
    assert.deepEqual([count, atMost, capacity], [1, 1, 50])
    const again = await rig.ask('POST', ENTRY, JSON.stringify({ id }))
    assert.deepEqual([again.json.id, again.json.decision, again.json.balance], [id, 'ADMIT', 9])
    const other = await rig.ask('POST', ENTRY)
    assert.ok(isUuid7(other.json.id))
    assert.equal(other.json.balance, 8)
  })
})

test('an entry without a token in the mall is a no with its kind and no source', async () => {
  await inRig(
    async rig => {
      const { json } = await rig.ask('POST', ENTRY)
      assert.equal(json.decision, 'REJECT_NO_HEADROOM', 'the anchor holds all of them')
      assert.equal(json.source, null)
      assert.ok((await rig.ask('GET', '/status')).json.unnecessaryRejects >= 0)
    },
    { tokens: 0 },
  )
})

test('an exit gives its token back, once per id; a doubtful one gives none', async () => {
  await inRig(async rig => {
    for (let i = 0; i < 3; i++) await rig.ask('POST', ENTRY)
    const id = newId()
    assert.deepEqual((await rig.ask('POST', EXIT, JSON.stringify({ id }))).json, { id, credited: true })
    assert.deepEqual((await rig.ask('POST', EXIT, JSON.stringify({ id }))).json, { id, credited: true })
    assert.equal((await rig.ask('POST', EXIT, '{"confidence":10}')).json.credited, false)
    const { counters, balance } = (await rig.ask('GET', '/status')).json
    assert.deepEqual([counters.exited, balance], [1, 8])
  })
})

test('bad words at the entry get a clear no and cost nothing; at the exit people are out all the same', async () => {
  await inRig(async rig => {
    await rig.ask('POST', ENTRY)
    for (const [body, status, pattern] of BAD) says(await rig.ask('POST', ENTRY, body), status, pattern)
    assert.equal((await rig.ask('GET', '/status')).json.counters.admitted, 1)
    for (const [body, status, pattern] of BAD) {
      const reply = await rig.ask('POST', EXIT, body)
      says(reply, status, pattern)
      assert.deepEqual([reply.json.letOut, reply.json.credited], [true, false])
    }
    const exits = await exitsIn(rig)
    assert.equal(exits.length, BAD.length)
    assert.ok(exits.every(exit => exit.credited === false && exit.confidence === 0))
  })
})

test('a body that never comes does not keep anyone inside, nor is it taken for the next request', async () => {
  await inRig(async rig => {
    const since = performance.now()
    const slow = await rig.begin('POST', EXIT, { 'content-length': '20' }, asked => asked.write('{"id'))
    says(slow, 408, /let out and counted all the same.*not there within/)
    assert.ok(performance.now() - since < 2000)
    await new Promise<void>((resolve, reject) => {
      const line = connect(rig.server.port, '127.0.0.1', () => {
        line.write(`POST ${EXIT} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nnot a chunk\r\n`)
      })
      line.on('data', () => undefined)
      line.on('error', reject)
      line.on('close', () => resolve())
    })
    const cut = connect(rig.server.port, '127.0.0.1', () => {
      cut.write(`POST ${EXIT} HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{"id":`, () => cut.destroy())
    })
    await until(() => rig.door.tally.out === 3, 'a broken chunk and a cut line are exits too')
    assert.equal((await exitsIn(rig)).length, 3)
  })
})

test('who leaves before the gate has a ledger is out at once, and in the ledger afterwards', async () => {
  await inFront(async rig => {
    const ids = Array.from({ length: 5 }, () => newId())
    for (const id of ids) {
      assert.deepEqual((await rig.ask('POST', EXIT, JSON.stringify({ id }))).json, { id, credited: false })
    }
    says(await rig.ask('POST', EXIT, 'garbage'), 400, /let out/)
    const away = (await rig.ask('POST', ENTRY)).json
    assert.deepEqual([away.decision, away.reason, away.occupancy], ['REJECT_FAULT', 'away', null])
    const before = (await rig.ask('GET', '/status')).json
    assert.deepEqual([before.state, before.fault, before.exits.waiting], ['FAULT', 'away', 6])
    assert.equal((await rig.ask('GET', '/healthz')).status, 503)
    await rig.boot()
    const written = (await exitsIn(rig)).map(exit => exit.id)
    assert.deepEqual(written.slice(0, 5), ids)
    assert.equal(written.length, 6)
    assert.deepEqual((await rig.ask('GET', '/status')).json.exits, { waiting: 0, uncounted: 0 })
    assert.deepEqual((await rig.ask('GET', '/healthz')).status, 200)
  })
})

test('more exits than can be remembered are let out and counted, and an alarm says so', async () => {
  await inFront(async rig => {
    for (let i = 0; i < 20_010; i++) rig.door.leave(undefined, undefined)
    const status = (await rig.ask('GET', '/status')).json
    assert.deepEqual(status.exits, { waiting: 20_000, uncounted: 10 })
    assert.equal(status.sinceStart.out, 20_010)
    const [{ code, times }] = status.alarms
    assert.deepEqual([code, times], ['EXIT_UNCOUNTED', 10])
  })
})

test('while the disk fails nobody is let in, everybody is let out, and mended the ledger has them', async () => {
  await inRig(async rig => {
    await rig.ask('POST', ENTRY)
    await rig.ask('POST', ENTRY)
    rig.disk.failMarks(1_000_000)
    assert.equal((await rig.ask('POST', ENTRY)).json.reason, 'disk')
    const ids = Array.from({ length: 4 }, () => newId())
    for (const id of ids) assert.equal((await rig.ask('POST', EXIT, JSON.stringify({ id }))).status, 200)
    const { state, fault, alarms } = (await rig.ask('GET', '/status')).json
    assert.deepEqual([state, fault], ['FAULT', 'disk'])
    assert.ok(alarms.some((alarm: { code: string }) => alarm.code === 'DISK'))
    rig.disk.heal()
    await until(() => rig.door.gate?.fault === undefined, 'the gate is mended')
    assert.deepEqual(
      (await exitsIn(rig)).map(exit => exit.id),
      ids,
    )
  })
})

test('a slow disk keeps nobody inside', async () => {
  await inRig(async rig => {
    rig.disk.hold()
    const since = performance.now()
    await Promise.all(Array.from({ length: 20 }, () => rig.ask('POST', EXIT)))
    assert.ok(performance.now() - since < 2000)
    assert.equal(rig.door.tally.out, 20)
    rig.disk.release()
    assert.equal((await exitsIn(rig)).length, 20)
  })
})

test('a closed contact is an emergency at once, and one closed before the gate was there is not forgotten', async () => {
  await inFront(async rig => {
    const close = (contact: unknown, closed: unknown) =>
      rig.ask('POST', '/turnstile/contact', JSON.stringify({ contact, closed }))
    says(await close('door', true), 400, /contact: one of fire, key/)
    says(await close('fire', 'yes'), 400, /closed: true or false/)
    assert.equal((await close('key', true)).status, 200)
    await rig.boot()
    assert.equal((await rig.ask('GET', '/status')).json.mode, 'EVACUATE')
    assert.deepEqual((await close('fire', true)).json, { contact: 'fire', closed: true, mode: 'FIRE', state: 'FIRE' })
    assert.equal((await rig.ask('POST', ENTRY)).json.decision, 'REJECT_EMERGENCY')
    assert.equal((await rig.ask('POST', EXIT)).status, 200)
  })
})

test('a page from elsewhere cannot push the buttons of a gate, but never keeps anyone inside', async () => {
  await inRig(async rig => {
    const foreign = { origin: 'https://shop.example' }
    says(await rig.ask('POST', ENTRY, '', foreign), 403, /from elsewhere/)
    says(await rig.ask('POST', ENTRY, '', { origin: 'null' }), 403, /from elsewhere/)
    says(
      await rig.ask('POST', '/turnstile/contact', '{"contact":"fire","closed":true}', foreign),
      403,
      /from elsewhere/,
    )
    assert.equal((await rig.ask('POST', ENTRY, '', { origin: rig.server.url })).json.decision, 'ADMIT')
    assert.equal((await rig.ask('POST', EXIT, '', foreign)).status, 200)
  })
})

test.run()
