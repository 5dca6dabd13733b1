import assert from 'node:assert/strict'
import { openTurnstile } from '../../../hardware/open.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/contract/soft')

const open = (lanes: readonly string[]) =>
  openTurnstile(
    {
      driver: { driver: 'soft' },
      lanes: lanes.map(name => ({ name, rules: PASSAGE_RULES, inputs: {} })),
      holdMs: 2000,
      memory: '',
      optical: [],
    },
    { clock: REAL_CLOCK, settled: async () => undefined, isSameLife: async () => true },
  )

test('no hardware starts, says of itself that it is none, and stops twice', async () => {
  const turnstile = open([])
  await turnstile.start(() => assert.fail('there is nothing that could be heard'))
  const { driver, isLatched, fire, key, lanes } = turnstile.state()
  assert.deepEqual([driver, isLatched, fire, key, lanes], ['soft', false, 'unknown', 'unknown', []])
  turnstile.rearm()
  await turnstile.stop()
  await turnstile.stop()
})

test('a lane that is a person with a rope takes every word, and holds nobody', async () => {
  const turnstile = open(['north'])
  await turnstile.start(() => assert.fail('there is nothing that could be heard'))
  for (const { entry, exit } of turnstile.lanes) {
    entry.hold(2000)
    entry.grant('g1')
    entry.refuse('g2')
    entry.release()
    exit.free()
    assert.deepEqual(Object.keys(exit), ['free'])
  }
  assert.deepEqual(
    turnstile.state().lanes.map(({ name, isHeld }) => [name, isHeld]),
    [['north', false]],
  )
  await turnstile.stop()
})

test.run()
