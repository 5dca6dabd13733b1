import assert from 'node:assert/strict'
import { isUuid7 } from '../../ledger/line.ts'
import { newId } from '../../mesh/real-clock.ts'
import { suite } from '../suite.ts'
import { inFolder, type Reply, RunningMall } from './running.ts'

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
    assert.equal((await mall.report()).gates[0]?.counters.admitted, 1, 'one person, one token')

    await mall.heard('gate-02', 1)
    const out = await mall.leave('gate-02', { id })
    assert.deepEqual(out.json, { id, credited: true })
    assert.deepEqual((await mall.leave('gate-02', { id })).json, { id, credited: true }, 'said again, counted once')
    assert.equal((await mall.report()).gates[1]?.counters.exited, 1)
    const doubtful = await mall.leave('gate-02', { confidence: 10 })
    assert.equal(doubtful.json.credited, false)
    assert.ok(isUuid7(doubtful.json.id))
  })
})

test('the status of a gate has every field that DESIGN 11 names', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '2', '--capacity', '20')
    const { json } = await mall.ask('GET', '/gates/gate-02/status')
    const fields =
      'state mode account balance counters peers anchorAgeMs policyVersion occupancy ledger unnecessaryRejects'
    for (const field of fields.split(' ')) assert.ok(field in json, field)
    assert.deepEqual([json.state, json.mode, json.account, json.policyVersion], ['NORMAL', 'NORMAL', 'gate-02/1', 1])
    assert.deepEqual(Object.keys(json.ledger), ['size', 'root'])
    const page = await mall.ask('GET', '/')
    assert.match(String(page.json), /^<!doctype html>/)
    assert.doesNotMatch(String(page.json), /https?:\/\//, 'the page fetches nothing from elsewhere')
  })
})

test('bad words get a clear no; people leave all the same', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '1', '--capacity', '20')
    const entry = '/gates/gate-01/turnstile/entry'
    const exit = '/gates/gate-01/turnstile/exit'
    const bad: [body: string, status: number, says: RegExp][] = [
      ['{"id":', 400, /not JSON/],
      ['[]', 400, /no JSON object/],
      ['7', 400, /no JSON object/],
      ['{"id":"7"}', 400, /id: a UUIDv7/],
      ['{"id":7}', 400, /id: a UUIDv7/],
      ['{"id":"../../etc"}', 400, /id: a UUIDv7/],
      ['{"confidence":"high"}', 400, /confidence: a number/],
      ['{"confidence":null}', 400, /confidence: a number/],
      [JSON.stringify({ id: 'x'.repeat(100_000) }), 413, /longer than 4096/],
    ]
    const says = (reply: Reply, status: number, pattern: RegExp) => {
      assert.equal(reply.status, status)
      assert.match(reply.json.error, pattern)
    }
    for (const [body, status, pattern] of bad) says(await mall.ask('POST', entry, body), status, pattern)
    assert.deepEqual((await mall.report()).gates[0]?.counters.admitted, 0)
    for (const [body, status, pattern] of bad) {
      const reply = await mall.ask('POST', exit, body)
      says(reply, status, pattern)
      assert.deepEqual([reply.json.letOut, reply.json.credited], [true, false])
    }
    assert.equal((await mall.report()).gates[0]?.sinceStart.out, bad.length)
    says(await mall.ask('POST', '/gates/gate-09/turnstile/entry', '{}'), 404, /no gate "gate-09"/)
    says(await mall.ask('GET', '/gates/gate-01/turnstile'), 404, /nothing at/)
    says(await mall.ask('GET', '/nowhere'), 404, /nothing at/)
    says(await mall.ask('GET', entry), 405, /POST is/)
    says(await mall.ask('POST', '/status'), 405, /GET is/)
    // odd but sane: clamped, and the mall goes on
    for (const confidence of [-5, 1e9, 3.7]) {
      assert.equal((await mall.enter('gate-01', { confidence })).json.decision, 'ADMIT')
    }
    assert.equal((await mall.signal('SIGTERM')).err, '')
  })
})

test.run()
