// quiet: waits
import assert from 'node:assert/strict'
import { isUuid7 } from '../../ledger/line.ts'
import { newId } from '../../mesh/real-clock.ts'
import type { Reply } from '../../tools/mall/client.ts'
import { suite } from '../suite.ts'
import { inFolder, RunningMall } from './running.ts'

const test = suite('mall/doors')

test('an entry is answered with all that DESIGN 11 says, and the same id gets the same answer', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '2', '--capacity', '20')
    const id = newId()
    const { status, json } = await mall.enter('gate-01', { id, confidence: 870.4 })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json), ['id', 'decision', 'reason', 'source', 'latencyUs', 'balance', 'occupancy'])
    assert.deepEqual([json.id, json.decision], [id, 'ADMIT'])
    assert.match(json.source, /^(local|stolen)$/)
    assert.deepEqual(Object.keys(json.occupancy), ['count', 'atMost', 'capacity', 'ageMs'])
    assert.equal(json.occupancy.capacity, 20)
    const again = await mall.enter('gate-01', { id })
    assert.deepEqual([again.json.id, again.json.decision], [id, 'ADMIT'])
    assert.equal((await mall.status('gate-01')).counters.admitted, 1, 'one person, one token')

    await mall.heard('gate-02', 1)
    const out = await mall.leave('gate-02', { id })
    assert.deepEqual(out.json, { id, credited: true })
    assert.deepEqual((await mall.leave('gate-02', { id })).json, { id, credited: true }, 'said again, counted once')
    assert.equal((await mall.status('gate-02')).counters.exited, 1)
    const doubtful = await mall.leave('gate-02', { confidence: 10 })
    assert.equal(doubtful.json.credited, false)
    assert.ok(isUuid7(doubtful.json.id))
  })
})

test('the same id gets the same answer from a gate that was killed in between', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '2', '--capacity', '20')
    const id = newId()
    assert.equal((await mall.enter('gate-01', { id })).json.decision, 'ADMIT')
    await mall.heard('gate-02', 1)
    const pid = mall.pidOf('gate-01')
    await mall.killMember('gate-01')
    await mall.isBack('gate-01', pid)
    await mall.until('gate-01', status => status.state === 'NORMAL', 'has joined again')
    assert.equal((await mall.enter('gate-01', { id })).json.decision, 'ADMIT')
    assert.equal((await mall.status('gate-01')).counters.admitted, 1, 'one person, one token')
    assert.equal((await mall.leave('gate-01', { id })).json.credited, true)
    await mall.heard('gate-02', 0)
  })
})

test('the status of a gate has every field that DESIGN 11 names', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '2', '--capacity', '20')
    const status = await mall.status('gate-02')
    const fields =
      'state mode account balance counters peers anchorAgeMs policyVersion occupancy ledger unnecessaryRejects'
    for (const field of fields.split(' ')) assert.ok(field in status, field)
    const { state, mode, account, policyVersion } = status
    assert.deepEqual([state, mode, account, policyVersion], ['NORMAL', 'NORMAL', 'gate-02/1', 1])
    assert.deepEqual(Object.keys(status.ledger), ['size', 'root'])
    for (const member of ['gate-02', 'anchor']) {
      const page = await mall.ask(member, 'GET', '/')
      assert.match(String(page.json), /^<!doctype html>/i)
      assert.doesNotMatch(String(page.json), /https?:\/\//, 'the page fetches nothing from elsewhere')
      const { json } = await mall.ask(member, 'GET', '/mall')
      assert.deepEqual(
        json.gates.map((gate: { name: string }) => gate.name),
        ['gate-01', 'gate-02'],
      )
    }
  })
})

test('bad words get a clear no; people leave all the same', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '1', '--capacity', '20')
    const gate = 'gate-01'
    const entry = '/turnstile/entry'
    const exit = '/turnstile/exit'
    const bad: [body: string, status: number, says: RegExp][] = [
      ['{"id":', 400, /JSON/],
      ['[]', 400, /JSON object/],
      ['7', 400, /JSON object/],
      ['{"id":"7"}', 400, /id: a UUIDv7/],
      ['{"id":7}', 400, /id: a UUIDv7/],
      ['{"id":"../../etc"}', 400, /id: a UUIDv7/],
      ['{"confidence":"high"}', 400, /confidence: a number/],
      ['{"confidence":null}', 400, /confidence: a number/],
      [JSON.stringify({ id: 'x'.repeat(100_000) }), 413, /longer than/],
    ]
    const says = (reply: Reply, status: number, pattern: RegExp) => {
      assert.equal(reply.status, status)
      assert.match(reply.json.error, pattern)
    }
    for (const [body, status, pattern] of bad) says(await mall.ask(gate, 'POST', entry, body), status, pattern)
    assert.equal((await mall.status(gate)).counters.admitted, 0)
    for (const [body, status, pattern] of bad) {
      const reply = await mall.ask(gate, 'POST', exit, body)
      says(reply, status, pattern)
      assert.deepEqual([reply.json.letOut, reply.json.credited], [true, false])
    }
    assert.equal((await mall.status(gate)).sinceStart.out, bad.length)
    says(await mall.ask(gate, 'GET', '/turnstile/'), 404, /nothing at/)
    says(await mall.ask(gate, 'GET', '/nowhere'), 404, /nothing at/)
    says(await mall.ask(gate, 'GET', entry), 405, /POST/)
    says(await mall.ask(gate, 'POST', '/status'), 405, /GET/)
    // odd but sane: clamped, and the mall goes on
    for (const confidence of [-5, 1e9, 3.7]) {
      assert.equal((await mall.enter(gate, { confidence })).json.decision, 'ADMIT')
    }
    assert.equal((await mall.signal('SIGTERM')).code, 0)
  })
})

test.run()
