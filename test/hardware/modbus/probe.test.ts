import assert from 'node:assert/strict'
import { Probe } from '../../../hardware/modbus/probe.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/modbus/probe')

const WIRE = { on: 'relays', at: 0, normally: 'closed' } as const
const [OPEN, CLOSED] = [0, 1]

function seen(leansToPulse: boolean, looks: readonly (readonly [level: number, askedAt: number, at: number])[]) {
  const told: [boolean, number, (number | undefined)?][] = []
  const probe = new Probe(WIRE, (...one) => told.push(one), leansToPulse)
  for (const [level, askedAt, at] of looks) probe.see(level, { askedAt, at })
  return told
}

/** The machine was busy: what the board said at 120 or so was heard at 400. */
const HELD_UP = [
  [CLOSED, 90, 100],
  [OPEN, 110, 400],
  [CLOSED, 402, 410],
] as const

test('whoever walks in while the machine is held up does not shrink to a bounce', () => {
  assert.deepEqual(seen(true, HELD_UP), [
    [false, 100],
    [true, 400, 290],
    [false, 410],
  ])
})

test('an exit is not made longer than it was seen: no token comes back for a spike', () => {
  assert.deepEqual(seen(false, HELD_UP), [
    [false, 100],
    [true, 400],
    [false, 410],
  ])
})

test('a look at the pace of the wire is told with its own time', () => {
  const looks = [
    [CLOSED, 90, 100],
    [OPEN, 110, 130],
    [CLOSED, 140, 160],
  ] as const
  for (const leans of [true, false]) {
    assert.deepEqual(
      seen(leans, looks).map(([, at]) => at),
      [100, 130, 160],
    )
  }
})

test.run()
