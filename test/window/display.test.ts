// quiet

import assert from 'node:assert/strict'
import { coarse, stepOf } from '../../mesh/window/coarse.ts'
import { type DisplayOptions, displayOf } from '../../mesh/window/display-state.ts'
import type { GateReport, MallReport } from '../../mesh/window/mall-report.ts'
import { suite } from '../suite.ts'
import { inFront, inRig, modeNote } from './rig.ts'

const test = suite('window/display')

const GATE: GateReport = {
  name: 'east',
  account: 'east/1',
  balance: 9,
  counters: { admitted: 5, forced: 0, exited: 1, lapsed: 0 },
  inFlight: 0,
  ageMs: 0,
  isReachable: true,
  isBanned: false,
  isRostered: true,
  state: 'NORMAL',
}
const RATES = { local: 0, stolen: 0, exits: 0, atCapacity: 0, noHeadroom: 0, emergency: 0, fault: 0 }

function mall(count: number, gate: Partial<GateReport> = {}, over: Partial<MallReport> = {}): MallReport {
  return {
    mall: 'north',
    at: 1000,
    me: 'anchor',
    mode: 'NORMAL',
    occupancy: { count, atMost: count, capacity: 200, ageMs: 0 },
    left: Math.max(0, 200 - count),
    anchor: { name: 'anchor', account: 'anchor/1', balance: 0, policyVersion: 1, ageMs: 0, isFresh: true },
    gates: [{ ...GATE, ...gate }],
    rates: RATES,
    flows: [],
    alerts: { open: [], more: 0 },
    feed: [],
    notes: [],
    ...over,
  }
}

const at = (report: MallReport | undefined, o: Partial<DisplayOptions> = {}) =>
  displayOf(report, 7, { gate: 'east', ...o })

const LIGHTS: [what: string, report: MallReport | undefined, light: string][] = [
  ['there are places', mall(100), 'go'],
  ['one in twenty is left', mall(190), 'slow'],
  ['one is left', mall(199), 'slow'],
  ['none is left', mall(200), 'wait'],
  ['there are more than may be', mall(230), 'wait'],
  ['the gate is cut off and holds none', mall(100, { state: 'ISOLATED', balance: 0 }), 'wait'],
  ['the gate is cut off and holds some', mall(100, { state: 'ISOLATED', balance: 20 }), 'go'],
  ['nobody in reach has a token', mall(150, { state: 'EXHAUSTED', balance: 0 }), 'wait'],
  ['gates out of reach hold the rest', mall(100, { balance: 0 }, { occupancy: held(100, 200) }), 'wait'],
  ['the anchor is away', mall(100, { state: 'DEGRADED' }), 'go'],
  ['the gate has a fault', mall(100, { state: 'FAULT' }), 'unknown'],
  ['the gate is joining', mall(100, { state: 'JOINING' }), 'unknown'],
  ['its policy has expired', mall(100, { state: 'EXPIRED' }), 'unknown'],
  ['the gate is silent', mall(100, { isReachable: false }), 'unknown'],
  ['nobody knows how the gate is', mall(100, { state: undefined as never }), 'unknown'],
  ['it says something that nobody understands', mall(100, { state: 'FINE' }), 'unknown'],
  ['the gate is banned', mall(100, { isBanned: true }), 'unknown'],
  ['the gate was taken off the roster', mall(100, { isRostered: false }), 'unknown'],
  ['there is no such gate', mall(100, { name: 'west' }), 'unknown'],
  ['there is no report', undefined, 'unknown'],
  ['lockdown', mall(100, {}, { mode: 'LOCKDOWN' }), 'closed'],
  ['evacuation', mall(100, {}, { mode: 'EVACUATE' }), 'emergency'],
  ['fire', mall(100, {}, { mode: 'FIRE' }), 'emergency'],
  ['fire, and the gate is silent', mall(100, { isReachable: false }, { mode: 'FIRE' }), 'emergency'],
  ['fire at this gate, of which the others have not heard', mall(100, { state: 'FIRE' }), 'emergency'],
]

function held(count: number, atMost: number) {
  return { count, atMost, capacity: 200, ageMs: 0 }
}

for (const [what, report, light] of LIGHTS) {
  test(`${what}: ${light}`, () => {
    const state = at(report)
    assert.equal(state.light, light)
    assert.ok(state.words.includes('Exits are open'), 'and in every state people are told that they can leave')
  })
}

test('visitors are told a few things, and nothing else of the mall', () => {
  const allowed = ['light', 'words', 'mode', 'left', 'waitMinutes', 'at', 'validMs']
  for (const [what, report] of LIGHTS) {
    for (const key of Object.keys(at(report, { places: true }))) assert.ok(allowed.includes(key), `${what}: ${key}`)
  }
})

test('who has no policy yet cannot know that all is calm', () => {
  const anchor = { ...mall(0).anchor, policyVersion: 0 }
  assert.equal(at(mall(0, {}, { anchor })).mode, null)
  assert.equal(at(mall(0, {}, { anchor })).light, 'unknown')
  assert.equal(at(mall(0, {}, { anchor, mode: 'FIRE' })).mode, 'FIRE')
  assert.equal(at(undefined).mode, null)
})

test('the wait is estimated from those who wait and those who leave, rounded up, and only where people do leave', () => {
  const wait = (count: number, gate: Partial<GateReport>, exits: number) =>
    at(mall(count, gate, { rates: { ...RATES, exits } })).waitMinutes
  assert.equal(wait(200, { queue: 11 }, 4), 3)
  assert.equal(wait(200, { queue: 12 }, 4), 4)
  assert.equal(wait(200, { waiting: 3 }, 4), 1)
  assert.equal(wait(210, { queue: 11 }, 4), 6, 'those who are too many leave first')
  assert.equal(wait(200, { queue: 12 }, 0), undefined)
  assert.equal(wait(200, { queue: 600 }, 1), undefined, 'nobody knows what is in hours')
  assert.equal(wait(100, { queue: 12 }, 4), undefined)
  assert.equal(
    wait(150, { queue: 12, state: 'EXHAUSTED', balance: 0 }, 4),
    undefined,
    'exits elsewhere do not help here',
  )
})

test('places left are told only where they may be, in steps, and never more than there are', () => {
  assert.equal(at(mall(100)).left, undefined)
  assert.equal(at(mall(200), { places: true }).left, undefined)
  for (let count = 0; count < 200; count++) {
    const { left } = at(mall(count), { places: true })
    assert.ok(left !== undefined && left % stepOf(200) === 0 && left <= 200 - count, `${left} at ${count}`)
  }
})

test('steps are tens, and at least one in twenty', () => {
  const steps = [0, 1, 100, 200, 201, 300, 1000, 12_345].map(stepOf)
  assert.deepEqual(steps, [10, 10, 10, 10, 20, 20, 50, 620])
  assert.deepEqual([coarse(0, 300), coarse(9, 300), coarse(10, 300), coarse(295, 300)], [0, 0, 20, 300])
})

test('a gate shows its own sign, by its own word, at two addresses; signs of others it has not', async () => {
  await inRig(async rig => {
    for (const path of ['/display', '/display/test/gate-01']) {
      const page = await rig.ask('GET', path)
      assert.match(page.text, /^<!doctype html>/)
      const { json } = await rig.ask('GET', `${path}/state`)
      assert.deepEqual([json.light, json.mode, json.left], ['go', 'NORMAL', undefined])
    }
    assert.equal((await rig.ask('GET', '/display/test/gate-02')).status, 404)
    await rig.ask('POST', '/modes', modeNote({ mode: 'EVACUATE' }, ['ann']))
    assert.equal((await rig.ask('GET', '/display/state')).json.words[0], 'EVACUATE')
  })
})

test('before a gate has read its disk its sign says that it does not know', async () => {
  await inFront(async rig => {
    const { json } = await rig.ask('GET', '/display/state')
    assert.deepEqual([json.light, json.mode], ['unknown', null])
  })
})

test.run()
