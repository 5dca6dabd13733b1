import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite } from '../../suite.ts'
import { Camera } from './camera.ts'
import { at, Lens, type Place, PUSHED, until } from './place.ts'

const test = suite('hardware/optical/hearing')

async function before(act: (place: Place, camera: Camera) => Promise<void>): Promise<void> {
  const camera = await new Camera().open()
  try {
    await at(place => act(place, camera))
  } finally {
    await camera.close()
  }
}

test('where a gate has a pass only whoever shows it may push, as Bearer or as a password', async () => {
  await at(async place => {
    await place.start([PUSHED], 'open-sesame')
    const basic = (login: string) => `Basic ${btoa(login)}`
    const body = { in: 1, out: 1 }
    for (const wrong of [undefined, 'Bearer nonsense', basic('cam:nonsense'), basic('open-sesame'), 'Basic ', 'x']) {
      assert.equal((await place.push('north', body, wrong)).status, 401, wrong)
    }
    assert.equal((await place.push('north', body, 'Bearer open-sesame')).status, 200)
    assert.equal((await place.push('north', body, basic('anybody:open-sesame'))).status, 200)
  })
})

test('what cannot be read is refused with words, told once, and over when it can be', async () => {
  await at(async place => {
    await place.start([PUSHED])
    for (const garbage of ['', 'hello', '{"in":-1,"out":0}', '[1]', '{"in":1}']) {
      const { status, text } = await place.push('north', garbage)
      assert.equal(status, 400, garbage)
      assert.match(text, /"error":"north: /)
    }
    assert.equal((await place.push('north', 'x'.repeat(1_100_000))).status, 413)
    assert.equal((await place.push('south', '{}')).status, 404)
    assert.equal(place.alarms.length, 1)
    assert.deepEqual(place.desk.state().counters[0]?.faults, ['NOISE'])
    await new Lens(place).push()
    assert.deepEqual(place.desk.state().counters[0]?.faults, [])
    assert.deepEqual(place.faults, ['NOISE', 'NOISE'])
  })
})

test('a camera that is asked, is locked, begins anew at midnight and falls silent; its password is in nothing said', async () => {
  await before(async (place, camera) => {
    camera.lock = { kind: 'digest', user: 'gate', password: 'hush-hush' }
    const pull = { url: camera.url('gate:hush-hush'), everyMs: 2000, timeoutMs: 2000 }
    await place.start([{ name: 'north', format: 'axis', isSwapped: false, pull }])
    const heard = () => place.desk.state().counters[0]?.heardAgoMs
    await until(() => heard() === 0, 'the first answer')
    const ask = async () => {
      const last = camera.asked
      place.clock.pass(2000)
      await until(() => camera.asked > last && heard() === 0, 'an answer')
    }
    camera.in = 20
    place.in = 19
    for (let k = 0; k < 12; k++) await ask()
    assert.equal(place.forced, 1)
    camera.in = 0
    for (let k = 0; k < 3; k++) await ask()
    assert.deepEqual(place.faults, ['COUNTER_RESET'])
    camera.in = 2
    place.in += 2
    for (let k = 0; k < 20; k++) await ask()
    assert.equal(place.forced, 1)
    camera.answer = (_, response) => response.writeHead(500).end()
    const asked = camera.asked
    const { pending } = place.clock
    place.clock.pass(2000)
    // whoever was told no, and not before, has planned to ask again
    await until(() => camera.asked > asked && place.clock.pending === pending, 'an answer')
    place.clock.pass(20_000)
    await until(() => {
      place.clock.pass(1000)
      return place.faults.includes('SILENT')
    }, 'silence')
    assert.match(place.alarms.join(), /silent for \d+ s, who passes is unknown: it answered 500 \(SILENT\)/)
    const said = JSON.stringify([place.alarms, place.notes, place.desk.state(), readFileSync(place.path, 'utf8')])
    assert.ok(!said.includes('hush-hush') && !said.includes(camera.url()))
  })
})

test('messages of Xovis that got lost are repaired by the next, and one that comes late counts nobody', async () => {
  await at(async place => {
    const counterIds = { in: [1], out: [2] }
    await place.start([{ name: 'north', format: 'xovis', counterIds, isSwapped: false }])
    const message = (id: number, counter_value: number) => {
      const time = new Date(place.clock.wall() + id * 10).toISOString()
      const events = [{ type: 'COUNT_INCREMENT', attributes: { counter_id: 1, counter_value } }]
      return { live_data: { package_info: { id }, frames: [{ time, events }] } }
    }
    const sixth = message(6, 8)
    place.in++
    await place.push('north', message(5, 7))
    place.clock.pass(1000)
    await place.push('north', message(9, 11))
    place.in += 3
    await place.push('north', sixth)
    place.clock.pass(30_000)
    const { in: seen, counters, tailgaters } = place.desk.state()
    assert.deepEqual([seen, counters[0]?.missing, tailgaters], [5, 3, 1])
    assert.deepEqual(place.alarms, [])
  })
})

test.run()
