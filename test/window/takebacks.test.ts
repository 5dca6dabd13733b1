// quiet

import assert from 'node:assert/strict'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import type { Shell } from '../../mesh/shell.ts'
import { Door } from '../../node/door.ts'
import type { GateEvent } from '../../node/gate-event.ts'
import { TAKE_BACK_MS_MAX, Takebacks } from '../../node/takebacks.ts'
import { suite } from '../suite.ts'
import { inFront, inRig, type Rig } from './rig.ts'

const test = suite('window/takebacks')

const push = (rig: Rig, what: 'entry' | 'exit' | 'undo', id: string, headers: Record<string, string> = {}) =>
  rig.ask('POST', `/turnstile/${what}`, JSON.stringify({ id }), headers)

const standing = async (rig: Rig, headers: Record<string, string> = {}) => {
  const { counters, balance, occupancy } = (await rig.ask('GET', '/status', '', headers)).json
  return { ...counters, balance, inside: occupancy.count }
}

test('an entry that is taken back lapses: its token is there again, once', async () => {
  await inRig(async rig => {
    const id = newId()
    await push(rig, 'entry', id)
    const { status, json } = await push(rig, 'undo', id)
    assert.deepEqual([status, json.id, json.undone, json.isKept, json.balance], [200, id, 'entry', true, 10])
    assert.equal(json.occupancy.count, 0)
    const again = await push(rig, 'undo', id)
    assert.deepEqual([again.status, again.json.why], [409, 'undone'])
    const { decision, reason } = (await push(rig, 'entry', id)).json
    assert.deepEqual([decision, reason], ['REJECT_FAULT', 'lapsed'], 'nobody goes in on an answer that was taken back')
    const { admitted, lapsed, balance, inside } = await standing(rig)
    assert.deepEqual({ admitted, lapsed, balance, inside }, { admitted: 1, lapsed: 1, balance: 10, inside: 0 })
    assert.deepEqual(
      (await rig.entries).map(({ type }) => type).filter(type => type === 'admit' || type === 'lapse'),
      ['admit', 'lapse'],
    )
  })
})

test('an exit that is taken back stays in the ledger, and whoever is still inside is counted in by hand, once', async () => {
  await inRig(async rig => {
    await push(rig, 'entry', newId())
    const id = newId()
    assert.equal((await push(rig, 'exit', id)).json.credited, true)
    const { status, json } = await push(rig, 'undo', id)
    assert.deepEqual([status, json.undone, json.balance, json.occupancy.count], [200, 'exit', 9, 1])
    assert.deepEqual((await push(rig, 'undo', id)).json.why, 'undone')
    await push(rig, 'exit', id)
    const { exited, forced, balance, inside } = await standing(rig)
    assert.deepEqual({ exited, forced, balance, inside }, { exited: 1, forced: 1, balance: 9, inside: 1 })
    const [forcedEntry] = (await rig.entries).filter(({ type }) => type === 'forced') as {
      why?: string
      count?: number
    }[]
    assert.deepEqual([forcedEntry?.why, forcedEntry?.count], ['manual', 1])
  })
})

test('an exit whose token was spent meanwhile becomes a debt, and nobody is let in until it is paid', async () => {
  await inRig(
    async rig => {
      await push(rig, 'entry', newId())
      const id = newId()
      await push(rig, 'exit', id)
      assert.equal((await push(rig, 'entry', newId())).json.decision, 'ADMIT', 'the token of the exit is spent')
      assert.equal((await push(rig, 'undo', id)).json.balance, -1)
      for (let i = 0; i < 3; i++) assert.notEqual((await push(rig, 'entry', newId())).json.decision, 'ADMIT')
      await push(rig, 'exit', newId())
      assert.notEqual((await push(rig, 'entry', newId())).json.decision, 'ADMIT', 'the next exit pays the debt')
      await push(rig, 'exit', newId())
      assert.equal((await push(rig, 'entry', newId())).json.decision, 'ADMIT')
      const { inside, balance } = await standing(rig)
      assert.deepEqual([inside, balance], [1, 0])
    },
    { tokens: 1 },
  )
})

test('an exit that gave no token back takes none when it is taken back', async () => {
  await inRig(async rig => {
    const id = newId()
    assert.equal((await push(rig, 'exit', id)).json.credited, false, 'nobody was inside')
    assert.equal((await push(rig, 'undo', id)).status, 200)
    const { forced, balance } = await standing(rig)
    assert.deepEqual([forced, balance], [0, 10])
  })
})

test('an exit before there is a ledger is taken back as soon as it is in one', async () => {
  await inFront(async rig => {
    const [kept, undone] = [newId(), newId()]
    await push(rig, 'exit', kept)
    await push(rig, 'exit', undone)
    assert.equal((await push(rig, 'undo', undone)).status, 200)
    assert.equal((await push(rig, 'undo', undone)).status, 409)
    await rig.boot()
    const { forced, balance } = await standing(rig)
    assert.deepEqual([forced, balance], [0, 10], 'neither was credited, as nobody was counted in')
    assert.equal((await rig.entries).filter(({ type }) => type === 'exit').length, 2)
  })
})

test('an exit that is credited only later costs its token then, once', () => {
  const door = new Door({ name: 'gate-01', clock: REAL_CLOCK, newId, alarm: () => undefined })
  const id = newId()
  door.leave(id, undefined)
  assert.equal(door.stay(id), true)
  const steps: string[] = []
  const core = { me: {} }
  const step = (event: GateEvent) => {
    steps.push(event.kind === 'intruded' ? `${event.count} ${event.why}` : event.kind)
    if (event.kind === 'left') door.wrote({ type: 'exit', id, at: 0, credited: true, confidence: 1000 })
  }
  door.shell = { core, step } as unknown as Shell<GateEvent>
  door.exits.catchUp()
  assert.deepEqual(steps, ['left', '1 manual'])
})

test('what nobody did, or nobody can name, is not taken back', async () => {
  await inRig(async rig => {
    const unknown = await push(rig, 'undo', newId())
    assert.deepEqual([unknown.status, unknown.json.why], [409, 'unknown'])
    assert.match((await rig.ask('POST', '/turnstile/undo', '{}')).json.error, /^id: that of the entry or exit/)
    assert.match((await rig.ask('POST', '/turnstile/undo', '{"id":7}')).json.error, /UUIDv7/)
    assert.equal((await rig.ask('GET', '/turnstile/undo')).status, 405)
    const rejected = newId()
    for (let i = 0; i < 10; i++) await push(rig, 'entry', newId())
    assert.notEqual((await push(rig, 'entry', rejected)).json.decision, 'ADMIT')
    assert.equal((await push(rig, 'undo', rejected)).json.why, 'unknown', 'who was refused did not come in')
    const foreign = await push(rig, 'undo', newId(), { origin: 'https://elsewhere.example' })
    assert.equal(foreign.status, 403)
  })
})

test('after a few seconds nothing is taken back any more, and saying it again does not make it newer', () => {
  const done: string[] = []
  const takebacks = new Takebacks({
    lapse: id => done.push(`lapse ${id}`) > 0,
    stay: id => done.push(`stay ${id}`) > 0,
  })
  takebacks.saw('entry', 'a', 0)
  takebacks.saw('exit', 'b', 1000)
  takebacks.saw('entry', 'a', 7000)
  assert.deepEqual(takebacks.takeBack('a', TAKE_BACK_MS_MAX + 1), { kind: 'no', why: 'late' })
  assert.deepEqual(takebacks.takeBack('b', TAKE_BACK_MS_MAX + 1000), { kind: 'exit' })
  assert.deepEqual(takebacks.takeBack('b', TAKE_BACK_MS_MAX + 1000), { kind: 'no', why: 'undone' })
  assert.deepEqual(done, ['stay b'])
})

test('an admission that the gate will not take back is not said to be', () => {
  const takebacks = new Takebacks({ lapse: () => false, stay: () => false })
  takebacks.saw('entry', 'a', 0)
  takebacks.saw('exit', 'b', 0)
  assert.deepEqual(takebacks.takeBack('a', 1), { kind: 'no', why: 'late' })
  assert.deepEqual(takebacks.takeBack('b', 1), { kind: 'no', why: 'unknown' })
})

test('memory of passages has an end', () => {
  const takebacks = new Takebacks({ lapse: () => true, stay: () => true })
  for (let i = 0; i < 20_000; i++) takebacks.saw('entry', `p${i}`, i / 1000)
  assert.deepEqual(takebacks.takeBack('p0', 20), { kind: 'no', why: 'unknown' })
  assert.deepEqual(takebacks.takeBack('p19999', 20), { kind: 'entry' })
})

test('with a pass only those count who show it; whoever leaves is out without, and gives no token back', async () => {
  const pass = 'open-sesame-7'
  await inRig(
    async rig => {
      const right = { authorization: `Bearer ${pass}` }
      const contact = JSON.stringify({ contact: 'fire', closed: true })
      for (const wrong of [
        {},
        { authorization: 'Bearer open-sesame' },
        { authorization: pass },
        { authorization: '' },
      ]) {
        assert.equal((await push(rig, 'entry', newId(), wrong)).status, 401)
        assert.equal((await push(rig, 'undo', newId(), wrong)).status, 401)
        assert.equal((await rig.ask('POST', '/turnstile/contact', contact, wrong)).status, 401)
        assert.equal((await rig.ask('GET', '/turnstile', '', wrong)).json.mayCount, false)
      }
      assert.equal((await rig.ask('GET', '/turnstile', '', right)).json.mayCount, true)
      const id = newId()
      assert.equal((await push(rig, 'entry', id, right)).json.decision, 'ADMIT')
      const out = await push(rig, 'exit', id)
      assert.deepEqual([out.status, out.json.letOut, out.json.credited], [401, true, false])
      assert.notEqual(out.json.id, id)
      assert.equal((await standing(rig, right)).inside, 1)
      assert.equal((await push(rig, 'exit', id, right)).json.credited, true)
      const { admitted, exited } = await standing(rig, right)
      assert.deepEqual([admitted, exited], [1, 1])
      for (const path of ['/status', '/turnstile', '/metrics', '/mall', '/display/state']) {
        assert.ok(!(await rig.ask('GET', path, '', right)).text.includes(pass), path)
      }
    },
    { over: { pass } },
  )
})

test.run()
