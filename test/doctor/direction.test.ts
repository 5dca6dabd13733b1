import assert from 'node:assert/strict'
import { PASSAGE_RULES } from '../../hardware/passage/rules.ts'
import { directionOf, directionWords, swapWords } from '../../tools/doctor/direction.ts'
import { suite } from '../suite.ts'

const test = suite('doctor/direction')
const IN = { in: 1, out: 0 }
const OUT = { in: 0, out: 1 }
const NONE = { in: 0, out: 0 }

test('only one person each way, told as it was, is right', () => {
  const table = [
    [IN, OUT, 'right', 'right', true, false],
    [OUT, IN, 'other', 'other', false, true],
    [NONE, OUT, 'nothing', 'right', false, false],
    [IN, IN, 'right', 'other', false, false],
    [{ in: 2, out: 0 }, OUT, 'twice', 'right', false, false],
    [{ in: 1, out: 1 }, OUT, 'both', 'right', false, false],
    [NONE, NONE, 'nothing', 'nothing', false, false],
  ] as const
  for (const [whenIn, whenOut, walkedIn, walkedOut, ok, isSwapped] of table) {
    assert.deepEqual(directionOf(whenIn, whenOut), { in: walkedIn, out: walkedOut, ok, isSwapped })
  }
})

test('a swapped lane has the right sums and is wrong all the same', () => {
  const direction = directionOf(OUT, IN)
  assert.equal(direction.ok, false)
  assert.match(directionWords(direction, 'exchange them').join('\n'), /SWAPPED: exchange them/)
})

test('what is not right says what to look at, each thing once', () => {
  const [told, ...mends] = directionWords(directionOf(NONE, NONE), '')
  assert.equal(told, 'in: not seen; out: not seen')
  assert.equal(mends.length, 1)
  assert.deepEqual(directionWords(directionOf(IN, OUT), ''), ['in: told as it was; out: told as it was'])
})

test('a swap names the wires that change places', () => {
  const wire = (at: number) => ({ on: 'relays', at, normally: 'closed' }) as const
  const lane = { name: 'north', rules: PASSAGE_RULES, inputs: { in: wire(1), out: wire(2) } }
  const words = /exchange inputs\.in \(now relays, 1\) and inputs\.out \(now relays, 2\) of lane north in the config/
  assert.match(swapWords('north', lane, []), words)
  const beams = { ...lane, inputs: { ask: wire(0), 'beam-a': wire(1), 'beam-b': wire(2) } }
  assert.match(swapWords('north', beams, []), /inputs\.beam-a \(now relays, 1\) and inputs\.beam-b/)
})

test('without the config a swap names the inputs that the gate shows', () => {
  assert.match(swapWords('north', undefined, ['ask', 'in', 'out']), /exchange inputs\.in and inputs\.out of lane north/)
  assert.match(swapWords('north', undefined, []), /where this lane is wired/)
})

test('a device that counts by itself is turned round in its own setup', () => {
  const lane = { name: 'north', rules: PASSAGE_RULES, inputs: {}, counter: 'lot' }
  assert.match(swapWords('north', lane, ['in', 'out']), /lot counts this lane by itself.*its own setup/)
})

test.run()
