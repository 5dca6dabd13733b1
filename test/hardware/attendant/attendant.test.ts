// The attendant between scripted hardware and a real gate on a disk in the test's hand.

import assert from 'node:assert/strict'
import { newId } from '../../../mesh/real-clock.ts'
import { Attendant } from '../../../node/attendant.ts'
import { HandClock, settle } from '../../alerts/hand-clock.ts'
import { suite } from '../../suite.ts'
import { inFront, inRig, modeNote, type Rig, until } from '../../window/rig.ts'
import { Scripted } from './scripted.ts'

const test = suite('hardware/attendant')

const HOLD_MS = 2000

async function attended(rig: Rig): Promise<{ attendant: Attendant; turnstile: Scripted; clock: HandClock }> {
  const turnstile = new Scripted()
  const clock = new HandClock()
  const attendant = new Attendant({ door: rig.door, turnstile, clock, newId, holdMs: HOLD_MS })
  attendant.start()
  await settle()
  return { attendant, turnstile, clock }
}

const ask = (turnstile: Scripted) => turnstile.say({ kind: 'asked', lane: 'north', confidence: 990 })

test('the arm moves once the admission is on disk, and not before', async () => {
  await inRig(async rig => {
    const { turnstile } = await attended(rig)
    rig.disk.hold()
    ask(turnstile)
    await settle()
    assert.equal(turnstile.times('north grant'), 0)
    rig.disk.release()
    await until(() => turnstile.times('north grant') === 1, 'the arm moves')
    const admit = (await rig.entries).find(({ type }) => type === 'admit')
    assert.deepEqual([turnstile.told.at(-1), admit?.confidence], [`north grant ${admit?.id}`, 990])
  })
})

test('a person who is turned away sees it, and no arm moves', async () => {
  await inRig(
    async rig => {
      const { turnstile } = await attended(rig)
      ask(turnstile)
      await until(() => turnstile.times('north refuse') === 1, 'it says no')
      assert.equal(turnstile.times('north grant'), 0)
    },
    { tokens: 0 },
  )
})

test('a write that fails moves no arm', async () => {
  await inRig(async rig => {
    const { turnstile } = await attended(rig)
    rig.disk.failMarks(1)
    ask(turnstile)
    await until(() => turnstile.times('north refuse') === 1, 'it says no')
    assert.equal(turnstile.times('north grant'), 0)
  })
})

test('somebody who did not walk gives the token back, once; somebody who did never does', async () => {
  await inRig(async rig => {
    const { turnstile } = await attended(rig)
    const grant = async (nth: number) => {
      ask(turnstile)
      await until(() => turnstile.times('north grant') === nth, 'the arm moves')
      return turnstile.told.findLast(one => one.startsWith('north grant'))?.slice('north grant '.length) as string
    }
    const first = await grant(1)
    turnstile.say({ kind: 'lapsed', lane: 'north', grant: first })
    turnstile.say({ kind: 'lapsed', lane: 'north', grant: first })
    const second = await grant(2)
    turnstile.say({ kind: 'entered', lane: 'north', grant: second })
    turnstile.say({ kind: 'lapsed', lane: 'north', grant: second })
    const { admitted, lapsed } = rig.door.gate?.me.books?.counters ?? {}
    assert.deepEqual([admitted, lapsed, rig.door.passages], [2, 1, { in: 1, out: 0 }])
  })
})

test('whoever came in uninvited costs a token, if need be as a debt', async () => {
  await inRig(
    async rig => {
      const { turnstile } = await attended(rig)
      turnstile.say({ kind: 'intruded', lane: 'north', count: 3, why: 'tailgate' })
      assert.equal(rig.door.gate?.me.books?.balance, -2)
      assert.deepEqual(rig.door.passages, { in: 3, out: 0 })
    },
    { tokens: 1 },
  )
})

test('before there is a core people leave, intruders are remembered, and a fire that is over was a fire', async () => {
  await inFront(async rig => {
    const { turnstile } = await attended(rig)
    turnstile.say({ kind: 'left', lane: 'north', confidence: 1000 })
    turnstile.say({ kind: 'intruded', lane: 'north', count: 2, why: 'manual' })
    turnstile.say({ kind: 'intruded', lane: 'north', count: 1, why: 'manual' })
    turnstile.say({ kind: 'contact', contact: 'fire', isRaised: true })
    turnstile.say({ kind: 'contact', contact: 'fire', isRaised: false })
    assert.equal(rig.door.tally.out, 1)
    const booting = rig.boot()
    await until(() => rig.door.gate?.me.books?.counters.forced === 3, 'the three are counted')
    assert.equal(rig.door.gate?.me.modes.effective, 'FIRE')
    await until(() => turnstile.times('north release') > 0, 'the arm is let go')
    await booting
    const types = (await rig.entries).map(({ type }) => type)
    assert.equal(types.filter(type => type === 'exit').length, 1)
  })
})

test('the entry is held by a lease that is renewed several times within it, and not in FIRE', async () => {
  await inRig(async rig => {
    const { turnstile, clock } = await attended(rig)
    clock.pass(5001) // it came after the core had said its mode
    const from = turnstile.times(`north hold ${HOLD_MS}`)
    for (let ms = 0; ms < HOLD_MS; ms += 100) clock.pass(100)
    const renewals = turnstile.times(`north hold ${HOLD_MS}`) - from
    assert.ok(renewals >= 3, `${renewals} renewals within one lease`)
    await rig.ask('POST', '/modes', modeNote({}, ['ann']))
    await until(() => turnstile.times('north release') === 1, 'the arm is let go')
    const held = turnstile.times('north hold')
    for (let ms = 0; ms < 10 * HOLD_MS; ms += 100) clock.pass(100)
    assert.equal(turnstile.times('north hold'), held)
    const clears = { epoch: 0, mode: 'FIRE' as const }
    await rig.ask('POST', '/modes', modeNote({ epoch: 1, mode: 'NORMAL', clears }, ['ann', 'bob']))
    await until(() => turnstile.times('rearm') === 1, 'two people re-armed')
    clock.pass(HOLD_MS)
    assert.ok(turnstile.times('north hold') > held)
  })
})

test('who re-arms while the loop cannot be read is obeyed once it can be, unless it opens again before', async () => {
  await inRig(async rig => {
    const { turnstile, clock } = await attended(rig)
    const fireAndRearm = async (epoch: number) => {
      await rig.ask('POST', '/modes', modeNote({ epoch }, ['ann']))
      const clears = { epoch, mode: 'FIRE' as const }
      await rig.ask('POST', '/modes', modeNote({ epoch: epoch + 1, mode: 'NORMAL', clears }, ['ann', 'bob']))
    }
    turnstile.isBlind = true
    await fireAndRearm(0)
    await until(() => turnstile.times('rearm') > 0, 'two people re-armed')
    clock.pass(HOLD_MS)
    assert.ok(turnstile.times('rearm') > 1, 'told again')
    turnstile.isBlind = false
    clock.pass(HOLD_MS)
    const told = turnstile.times('rearm')
    clock.pass(HOLD_MS)
    assert.equal(turnstile.times('rearm'), told, 'the latch is open')
    turnstile.isBlind = true
    await fireAndRearm(1)
    await until(() => turnstile.times('rearm') > told, 'two people re-armed')
    turnstile.say({ kind: 'contact', contact: 'fire', isRaised: true })
    turnstile.isBlind = false
    const before = turnstile.times('rearm')
    clock.pass(10 * HOLD_MS)
    assert.equal(turnstile.times('rearm'), before, 'another fire, which nobody has cleared')
  })
})

test('without a word from the core nothing is held for five seconds, and then it is', async () => {
  await inFront(async rig => {
    const { turnstile, clock } = await attended(rig)
    for (let ms = 0; ms < 4500; ms += 100) clock.pass(100)
    assert.equal(turnstile.times('north hold'), 0)
    for (let ms = 0; ms < 1500; ms += 100) clock.pass(100)
    assert.ok(turnstile.times('north hold') > 0)
  })
})

test('hardware that cannot be opened is told, tried again, and stops nobody from leaving', async () => {
  await inRig(async rig => {
    const turnstile = new Scripted()
    const clock = new HandClock()
    turnstile.broken = '/dev/ttyUSB7: no such port'
    new Attendant({ door: rig.door, turnstile, clock, newId, holdMs: HOLD_MS }).start()
    await settle()
    assert.match(rig.door.alarms.newestFirst[0]?.detail ?? '', /ttyUSB7: no such port/)
    assert.equal((await rig.ask('POST', '/turnstile/exit')).status, 200)
    assert.equal(turnstile.times('north hold'), 0)
    turnstile.broken = undefined
    clock.pass(5000)
    await settle()
    assert.deepEqual(turnstile.told, ['started', 'north exit free'])
  })
})

test('a fault that comes and goes is one entry a minute, and keeps out of it what no entry may hold', async () => {
  await inRig(async rig => {
    const { turnstile, clock } = await attended(rig)
    for (let i = 0; i < 10; i++) {
      const fault = { kind: 'fault', lane: 'north', code: 'LINK', detail: 'no answer\u0007' } as const
      turnstile.say({ ...fault, isOver: false })
      turnstile.say({ ...fault, isOver: true })
      clock.pass(1000)
    }
    const faults = (await rig.entries).filter(({ type }) => type === 'fault') as { code?: string; detail?: string }[]
    assert.deepEqual(
      faults.map(({ code, detail }) => [code, detail]),
      [
        ['LINK', 'gate-01/north: no answer '],
        ['LINK', 'gate-01/north: well again: no answer '],
      ],
    )
  })
})

test('a reader asks for an arm by name; a guard without that word moves none', async () => {
  const over: { attendant?: Attendant } = {}
  const lanes = { expect: (id: string, lane: string) => over.attendant?.expect(id, lane) ?? false }
  const attendant = {
    ...lanes,
    answered: (id: string, isAdmitted: boolean) => over.attendant?.answered(id, isAdmitted),
    laneNames: ['north'],
  }
  await inRig(
    async rig => {
      const { attendant: made, turnstile } = await attended(rig)
      over.attendant = made
      assert.equal((await rig.ask('POST', '/turnstile/entry', '{}')).json.decision, 'ADMIT')
      assert.equal(turnstile.times('north grant'), 0)
      const id = newId()
      const body = JSON.stringify({ id, arm: 'north' })
      assert.equal((await rig.ask('POST', '/turnstile/entry', body)).json.decision, 'ADMIT')
      assert.equal((await rig.ask('POST', '/turnstile/entry', body)).json.decision, 'ADMIT')
      assert.equal(turnstile.times(`north grant ${id}`), 1, 'asked twice, the arm moves once')
      const wrong = await rig.ask('POST', '/turnstile/entry', '{"arm":"south"}')
      assert.deepEqual([wrong.status, /one of north/.test(wrong.json.error)], [400, true])
    },
    { over: { attendant } },
  )
})

test.run()
