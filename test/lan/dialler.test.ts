import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DIALLER, Dialler } from '../../mesh/lan/dialler.ts'
import { suite } from '../suite.ts'

const test = suite('lan/dialler')

const everyone = () => true
const half = () => 0.5

function dialler(myId: string, others: Record<string, string>, chance: () => number = half): Dialler {
  const d = new Dialler(myId, chance)
  d.setRoster(new Map(Object.entries(others)), 0)
  return d
}

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, k) => [`g${k}`, `z${k}`]))
}

test('of two the one with the lower id calls at once, the other only after its patience', () => {
  const low = dialler('a', { east: 'b' })
  const high = dialler('b', { east: 'a' })
  assert.deepEqual(low.due(0, everyone), ['east'])
  assert.deepEqual(high.due(DIALLER.patienceMs - 1, everyone), [])
  assert.deepEqual(high.due(DIALLER.patienceMs, everyone), ['east'])
  assert.equal(low.leads('east'), true)
  assert.equal(high.leads('east'), false)
  assert.equal(high.leads('nobody'), false)
})

test('the same holds after every loss of a connection', () => {
  const low = dialler('a', { east: 'b' })
  const high = dialler('b', { east: 'a' })
  for (const d of [low, high]) {
    d.up('east')
    d.down('east', 10_000)
  }
  assert.deepEqual(low.due(10_000 + DIALLER.pauseMsMin, everyone), ['east'])
  assert.deepEqual(high.due(10_000 + DIALLER.patienceMs - 1, everyone), [])
  assert.deepEqual(high.due(10_000 + DIALLER.patienceMs + DIALLER.pauseMsMin, everyone), ['east'])
})

test('whoever is called or connected is not called again', () => {
  const d = dialler('a', { east: 'b' })
  assert.deepEqual(d.due(0, everyone), ['east'])
  assert.equal(d.isDialling('east'), true)
  assert.deepEqual(d.due(1e6, everyone), [])
  d.up('east')
  assert.equal(d.isDialling('east'), false)
  assert.deepEqual(d.due(1e9, everyone), [])
})

test('nobody is ever given up: after 10,000 failures the next call is due within the longest pause', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('a', 'z'), (chance, id) => {
      const d = dialler('m', { east: id }, () => chance)
      let now = DIALLER.patienceMs
      for (let k = 0; k < 10_000; k++) {
        assert.deepEqual(d.due(now, everyone), ['east'])
        d.failed('east', now)
        now += DIALLER.pauseMsMax
      }
      assert.deepEqual(d.due(now, everyone), ['east'])
    }),
    { numRuns: 20 },
  )
})

test('pauses grow from the shortest to the longest, and chance spreads them', () => {
  const pauseOf = (failures: number, chance: number) => {
    const d = dialler('a', { east: 'b' }, () => chance)
    for (let k = 0; k < failures; k++) {
      d.due(k * 1e6, everyone)
      d.failed('east', k * 1e6)
    }
    const since = (failures - 1) * 1e6
    for (let ms = 0; ms <= DIALLER.pauseMsMax; ms++) if (d.due(since + ms, everyone).length > 0) return ms
    return Number.NaN
  }
  assert.deepEqual(
    [1, 2, 3, 4, 5, 50].map(n => pauseOf(n, 1)),
    [100, 200, 400, 800, 800, 800],
  )
  assert.equal(pauseOf(50, 0), 400)
})

test('at most so many are called at once, and those longest due first', () => {
  const d = dialler('a', many(30))
  const first = d.due(0, everyone)
  assert.equal(first.length, DIALLER.atOnceMax)
  assert.deepEqual(d.due(1000, everyone), [])
  for (const name of first) d.failed(name, 1000)
  const second = d.due(2000, everyone)
  assert.equal(second.length, DIALLER.atOnceMax)
  assert.deepEqual(
    second.filter(name => first.includes(name)),
    [],
  )
})

test('with thirty dead members all of them get their turn', () => {
  const d = dialler('a', many(30))
  const called = new Map<string, number>()
  for (let now = 0; now < 60_000; now += 250) {
    for (const name of d.due(now, everyone)) {
      called.set(name, (called.get(name) ?? 0) + 1)
      d.failed(name, now + 200)
    }
  }
  assert.equal(called.size, 30)
  const [least, most] = [Math.min(...called.values()), Math.max(...called.values())]
  assert.ok(least > 20 && most - least < 10, `${[...called.values()]}`)
})

test('those that cannot be called take nobody else’s place', () => {
  const d = dialler('a', many(30))
  assert.deepEqual(
    d.due(0, name => name === 'g29'),
    ['g29'],
  )
})

test('a new address is called at once, whatever failed before', () => {
  const d = dialler('a', { east: 'b' })
  for (let k = 0; k < 20; k++) {
    d.due(k * 1000, everyone)
    d.failed('east', k * 1000)
  }
  assert.deepEqual(d.due(19_001, everyone), [])
  d.heardOf('east', 19_001)
  assert.deepEqual(d.due(19_001, everyone), ['east'])
})

test('a new address does not cut short the patience of the higher id, and does not extend it', () => {
  const d = dialler('b', { east: 'a' })
  d.heardOf('east', 1000)
  assert.deepEqual(d.due(DIALLER.patienceMs - 1, everyone), [])
  assert.deepEqual(d.due(DIALLER.patienceMs, everyone), ['east'])
})

test('who is off the roster is forgotten, and a new key under an old name is a new peer', () => {
  const d = dialler('a', { east: 'b', west: 'c' })
  d.due(0, everyone)
  d.setRoster(new Map([['west', 'd']]), 50)
  d.up('east')
  d.down('east', 60)
  d.failed('east', 60)
  assert.deepEqual(d.due(60, everyone), ['west'])
})

test('words about strangers and out of turn change nothing', () => {
  const d = dialler('a', { east: 'b' })
  d.failed('east', 1e9)
  d.down('east', 1e9)
  d.up('stranger')
  d.heardOf('stranger', 0)
  assert.deepEqual(d.due(0, everyone), ['east'])
})

test('whatever happens, nobody waits longer than patience and the longest pause once it can be called', () => {
  const event = fc.constantFrom('due', 'failed', 'up', 'down', 'heardOf')
  const step = fc.record({ event, name: fc.constantFrom('low', 'high'), ms: fc.nat(2000) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const d = dialler('m', { low: 'a', high: 'z' })
      const open = new Set<string>()
      let now = 0
      for (const { event: what, name, ms } of steps) {
        now += ms
        if (what === 'due') for (const each of d.due(now, everyone)) open.add(each)
        if (what === 'failed' && d.isDialling(name)) {
          d.failed(name, now)
          open.delete(name)
        }
        if (what === 'up') {
          d.up(name)
          open.add(name)
        }
        if (what === 'down' && !d.isDialling(name)) {
          d.down(name, now)
          open.delete(name)
        }
        if (what === 'heardOf') d.heardOf(name, now)
      }
      const { patienceMs, pauseMsMax } = DIALLER
      const due = d.due(now + patienceMs + pauseMsMax, everyone)
      for (const name of ['low', 'high']) assert.equal(due.includes(name), !open.has(name), name)
    }),
  )
})

test.run()
