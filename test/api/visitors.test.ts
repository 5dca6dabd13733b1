// quiet

import assert from 'node:assert/strict'
import type { PublicAnswer } from '../../anchor/public/answer.ts'
import { CHARTER, MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/visitors')

const [{ name: GATE } = { name: '' }] = CHARTER.gates
const SIGN = `/display/${MALL}/${GATE}`
const FIGURE: PublicAnswer = {
  mall: MALL,
  words: 'busy',
  count: 160,
  capacity: 300,
  at: 1000,
  nextAt: 1000,
  how: { mechanism: 'coarse', step: 20, everyMinutes: 1 },
}

/** A mall of which something is known, with a gate that works. */
function alive(rig: Rig, a: { places?: boolean; answer?: Partial<PublicAnswer> } = {}): void {
  const { desk } = rig
  const answer = () => ({ ...FIGURE, nextAt: rig.clock.wall() + 30_000, ...a.answer })
  const report = () => {
    const seen = desk.report()
    const gates = seen.gates.map(gate => ({ ...gate, isReachable: true, balance: 9, state: 'NORMAL', label: 'secret' }))
    const occupancy = { count: 100, atMost: 100, capacity: 300, ageMs: 0 }
    return { ...seen, gates, occupancy, left: 200, anchor: { ...seen.anchor, policyVersion: 1 } }
  }
  rig.desk = { ...desk, report, public: { places: a.places ?? false, answer } }
}

test('where everything else needs a token, the sign at a door needs none, and shows nothing else', async () => {
  await inRig(async rig => {
    alive(rig)
    assert.equal((await rig.ask('GET', '/mall')).status, 401)
    const page = await rig.ask('GET', SIGN)
    assert.match(page.text, /^<!doctype html>/)
    assert.match(page.headers['content-security-policy'] as string, /script-src 'self'.*frame-ancestors 'none'/)
    const { status, json } = await rig.ask('GET', `${SIGN}/state`)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json), ['light', 'words', 'mode', 'at', 'validMs'])
    assert.deepEqual([json.light, json.mode], ['go', 'NORMAL'])
    const events = await rig.begin('GET', `${SIGN}/events`, {}, asked => asked.end())
    let heard = ''
    for await (const part of events) {
      heard += part
      if (heard.split('data: ').length > 2) break
    }
    events.destroy()
    const told = JSON.parse(heard.split('data: ')[1] ?? '')
    assert.deepEqual(told, { ...json, at: told.at })
    assert.equal(page.headers['access-control-allow-origin'], undefined)
  })
})

test('about how many places are left is told only where the mall says so', async () => {
  await inRig(async rig => {
    alive(rig, { places: true })
    assert.equal((await rig.ask('GET', `${SIGN}/state`)).json.left, 200)
  })
})

test('a sign of no mall, or of no gate, is not there; one of a mall that starts does not know', async () => {
  await inRig(async rig => {
    assert.equal((await rig.ask('GET', `/display/nowhere/${GATE}`)).status, 404)
    for (const path of ['', '/state', '/events']) {
      assert.equal((await rig.ask('GET', `/display/${MALL}/no-gate${path}`)).status, 404, path)
    }
    assert.equal((await rig.ask('POST', `${SIGN}/state`)).status, 405)
    rig.desk = { ...rig.desk, report: () => undefined as never }
    rig.skip(1000)
    const { json } = await rig.ask('GET', `${SIGN}/state`)
    assert.deepEqual([json.light, json.mode], ['unknown', null])
    assert.deepEqual(rig.faults, [])
  })
})

test('whoever watches signs takes no seat from those who run the mall', async () => {
  await inRig(async rig => {
    alive(rig)
    const seats = await Promise.all(
      Array.from({ length: 200 }, () => rig.begin('GET', `${SIGN}/events`, {}, a => a.end())),
    )
    assert.ok(seats.every(({ statusCode }) => statusCode === 200))
    assert.equal((await rig.ask('GET', `${SIGN}/events`)).status, 503)
    const token = await rig.login('vic')
    const own = await rig.begin('GET', '/events', { authorization: `Bearer ${token}` }, a => a.end())
    assert.equal(own.statusCode, 200)
    for (const seat of [...seats, own]) seat.destroy()
  })
})

test('public counts are off unless the mall says so', async () => {
  await inRig(async rig => {
    const { status, json } = await rig.ask('GET', `/public/${MALL}`)
    assert.deepEqual([status, json.error], [404, 'this mall tells the public nothing of its counts'])
    assert.equal((await rig.ask('GET', `/public/${MALL}/page`)).status, 404)
    assert.equal((await rig.ask('GET', '/public/nowhere')).status, 404)
  })
})

test('public counts need no token, may be read by any page, and are kept until the next figure', async () => {
  await inRig(async rig => {
    alive(rig)
    const reply = await rig.ask('GET', `/public/${MALL}`, { headers: { origin: 'https://shop.example' } })
    assert.equal(reply.status, 200)
    assert.deepEqual({ ...reply.json, nextAt: 0 }, { ...FIGURE, nextAt: 0 })
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    assert.match(reply.headers['cache-control'] as string, /^public, max-age=(29|30)$/)
    const page = await rig.ask('GET', `/public/${MALL}/page`)
    assert.match(page.headers['content-security-policy'] as string, /frame-ancestors \*/)
    assert.equal(page.headers['x-frame-options'], undefined)
    alive(rig, { answer: { count: null, words: 'closed' } })
    assert.equal((await rig.ask('GET', `/public/${MALL}`)).headers['cache-control'], 'no-store')
    rig.desks = () => new Map()
    assert.equal((await rig.ask('GET', `/public/${MALL}`)).status, 503)
  })
})

test.run()
