import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { suite } from '../../suite.ts'
import { at, Lens, PUSHED, until } from './place.ts'

const test = suite('hardware/optical/desk')

const SETTLE_MS = 11_000

test('somebody who follows is forced once, and what lens and arm saw is in the ledger', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(2)
    assert.deepEqual(place.opticals, ['0 0'])
    place.in += 3
    lens.in += 4
    await lens.watch(120)
    assert.equal(place.forced, 1)
    assert.deepEqual(place.opticals, ['0 0', '4 0'])
    lens.out += 2
    place.out += 2
    await lens.watch(320)
    assert.deepEqual([place.forced, place.opticals], [1, ['0 0', '4 0', '0 2']])
    const { in: seen, out, tailgaters, isSound, counters } = place.desk.state()
    assert.deepEqual({ seen, out, tailgaters, isSound }, { seen: 4, out: 2, tailgaters: 1, isSound: true })
    assert.deepEqual([counters[0]?.name, counters[0]?.in, counters[0]?.isSilent], ['north', 4, false])
    assert.deepEqual(place.alarms, [])
  })
})

test('in a crowd that has no lull the ledger is told before the anchor takes the counter for dead', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(1)
    await lens.watch(1000, second => {
      // there is always somebody between lens and arm: before the one, or behind the other
      place.in += second % 2 === 0 ? 2 : 0
      lens.in = 1000 + place.in + (second % 2 === 0 ? -1 : 1)
    })
    assert.equal(place.forced, 0)
    assert.ok(place.opticals.length >= 3, place.opticals.join())
  })
})

test('who walked in while the gate was not there is forced when it is back, and nobody twice', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(2)
    place.in += 10
    lens.in += 10
    await lens.watch(5)
    await place.stop()
    lens.in += 6
    lens.out += 9
    place.clock.pass(120_000)
    await place.start([PUSHED])
    await lens.watch(30)
    assert.equal(place.forced, 6)
    assert.equal(place.opticals[0], '0 0')
    await lens.watch(300)
    assert.deepEqual(place.opticals.slice(1), ['16 9'])
    await place.stop()
    await place.start([PUSHED])
    await lens.watch(30)
    assert.equal(place.forced, 6)
  })
})

test('a crash loses nobody and doubles nobody: before a follower is told, and after', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(15)
    place.in += 2
    lens.in += 3
    await lens.watch(3)
    await place.crash()
    await place.start([PUSHED])
    await lens.watch(13)
    assert.equal(place.forced, 1)
    await place.crash()
    await place.start([PUSHED])
    await lens.watch(30)
    assert.equal(place.forced, 1)
  })
})

test('a counter that is silent is unknown and said to be: nothing of it is told or judged until it is heard', async () => {
  await at(async place => {
    await place.start([{ ...PUSHED, silentMs: 20_000 }])
    const lens = new Lens(place)
    await lens.watch(15)
    for (let k = 0; k < 600; k++) {
      place.in++
      place.clock.pass(1000)
    }
    const [counter] = place.desk.state().counters
    assert.deepEqual([counter?.isSilent, counter?.isSound, counter?.faults], [true, false, ['SILENT']])
    assert.deepEqual(place.opticals, ['0 0'])
    assert.match(place.alarms.join(), /^OPTICAL gate-01\/north: silent for 2\d s, who passes is unknown: .*\(SILENT\)$/)
    // its totals went on
    lens.in += 602
    await lens.watch(60)
    assert.equal(place.forced, 2)
    assert.deepEqual(place.faults, ['SILENT', 'SILENT'])
    assert.equal(place.desk.state().counters[0]?.isSilent, false)
    assert.equal(place.opticals[1], '602 0')
  })
})

test('with two counters nobody is judged before both were heard, and both are added up', async () => {
  await at(async place => {
    await place.start([PUSHED, { ...PUSHED, name: 'south' }])
    const [north, south] = [new Lens(place), new Lens(place, 'south')]
    place.in += 5
    north.in += 9
    await north.watch(40)
    assert.deepEqual([place.forced, place.opticals], [0, []])
    for (let k = 0; k < 30; k++) {
      if (k === 5) {
        place.in += 4
        north.in += 2
        south.in += 3
      }
      await south.push()
      await north.watch(1)
    }
    assert.equal(place.forced, 1)
  })
})

test('a counter that is not calibrated yet is compared, and costs nobody a token', async () => {
  await at(async place => {
    await place.start([{ ...PUSHED, judges: false }])
    const lens = new Lens(place)
    await lens.watch(2)
    lens.in += 5
    await lens.watch(30)
    assert.deepEqual([place.forced, place.desk.state().unjudged], [0, 5])
  })
})

test('many who follow within minutes are an alarm as well', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(100, second => {
      if (second % 20 === 1) lens.in++
    })
    assert.equal(place.forced, 5)
    assert.match(place.alarms.join(), /^OPTICAL gate-01\/lens: 5 people in 10 minutes came in past the arm/)
  })
})

test('a lens that is covered is told of, and what it does not see is unknown', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(100, () => {
      place.out++
    })
    assert.equal(place.desk.exitConfidence, 1000)
    assert.match(place.alarms.join(), /0 out by the lens, 4\d by the arm, 100\.0 % apart: the lens sees nobody/)
    assert.deepEqual(place.desk.state().faults, ['DISAGREE'])
  })
})

test('exits that the lens does not see are told with the confidence that they deserve', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(100, second => {
      place.out++
      if (second % 2 === 0) lens.out++
    })
    const { exitConfidence } = place.desk
    assert.ok(exitConfidence >= 480 && exitConfidence <= 520, String(exitConfidence))
    assert.match(
      place.alarms.join(),
      /the arm may tell of exits that nobody made, which is the unsafe side \(DISAGREE\)/,
    )
  })
})

test('people counted by hand teach the lens’s own error, and it is remembered', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(2)
    assert.equal(place.desk.checked({ truthIn: 400, opticalIn: 402 }), true)
    await place.stop()
    await place.start([PUSHED])
    assert.equal(place.desk.state().baselinePerMille, 5)
  })
})

test('a new ledger begins with an entry that says since when the lenses look', async () => {
  await at(async place => {
    place.hasLedger = false
    await place.start([PUSHED])
    const lens = new Lens(place)
    lens.in += 3
    await lens.watch(20)
    assert.deepEqual(place.opticals, [])
    place.hasLedger = true
    place.in = 7
    await lens.watch(1)
    assert.deepEqual([place.opticals, place.forced], [['0 0'], 0])
    place.account = 'gate-01/2'
    place.in = 0
    await lens.watch(30)
    assert.deepEqual([place.opticals, place.forced], [['0 0', '0 0'], 0])
    lens.in++
    await lens.watch(SETTLE_MS / 1000 + 1)
    assert.equal(place.forced, 1)
  })
})

test('a gate that stopped before its lenses were heard has told its ledger nothing, and begins with the next start', async () => {
  await at(async place => {
    await place.start([PUSHED])
    place.clock.pass(30_000)
    await place.stop()
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(1)
    assert.deepEqual(place.opticals, ['0 0'])
  })
})

test('a memory that is damaged, or cannot be written, is told of, and the counters begin anew', async () => {
  await at(async place => {
    await place.start([PUSHED])
    const lens = new Lens(place)
    await lens.watch(15)
    await place.stop()
    const memory = readFileSync(place.path, 'utf8')
    for (const damaged of [memory.slice(0, 50), 'null', memory.replace('"open":0', '"open":null'), '{}']) {
      writeFileSync(place.path, damaged)
      place.alarms.length = 0
      place.clock.pass(61_000)
      await place.start([PUSHED])
      assert.match(place.alarms.join(), /^OPTICAL gate-01\/memory: begins anew: .*store\.optical: .* \(MEMORY\)$/)
      await place.crash()
    }
    writeFileSync(place.path, memory)
    place.isFull = true
    place.alarms.length = 0
    place.clock.pass(61_000)
    await place.start([PUSHED])
    await lens.watch(15)
    await until(() => place.alarms.length > 0, 'an alarm')
    assert.match(place.alarms.join(), /memory: it cannot be written: no space left \(MEMORY\)$/)
    assert.equal(place.forced, 0)
  })
})

test('nothing is started, asked or written where there is no optical counter', async () => {
  await at(async place => {
    await place.start([])
    place.clock.pass(60_000)
    assert.deepEqual([place.desk.routes, place.notes, place.desk.state().counters], [[], [], []])
  })
})

test.run()
