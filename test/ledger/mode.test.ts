import assert from 'node:assert/strict'
import fc from 'fast-check'
import { MODES } from '../../ledger/entry.ts'
import { CALM, joinModes, type ModeStatement, moreSevere, outranks, severity } from '../../ledger/mode.ts'
import { suite } from '../suite.ts'

const test = suite('ledger/mode')

// few values, so that ties of every depth come up
const statement: fc.Arbitrary<ModeStatement> = fc.record({
  epoch: fc.nat(2),
  mode: fc.constantFrom(...MODES),
  by: fc.subarray(['alma', 'bruno', 'east']),
  at: fc.nat(2),
  reason: fc.constantFrom('', 'smoke', 'drill'),
})
const said = ({ epoch, mode, by, at, reason }: ModeStatement) => `${epoch} ${mode} ${at} ${by.join()} ${reason}`
const same = (a: ModeStatement, b: ModeStatement) => assert.equal(said(a), said(b))

test('join is commutative', () => {
  fc.assert(fc.property(statement, statement, (a, b) => same(joinModes(a, b), joinModes(b, a))))
})

test('join is associative', () => {
  const property = fc.property(statement, statement, statement, (a, b, c) =>
    same(joinModes(a, joinModes(b, c)), joinModes(joinModes(a, b), c)),
  )
  fc.assert(property)
})

test('join is idempotent, and everything outlasts the calm of opening', () => {
  fc.assert(fc.property(statement, a => same(joinModes(a, a), a)))
  fc.assert(fc.property(statement, a => assert.equal(outranks(CALM, joinModes(CALM, a)), false)))
})

test('in any order of arrival the same statement is in force', () => {
  const shuffled = fc
    .array(statement, { minLength: 1, maxLength: 6 })
    .chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
  fc.assert(fc.property(shuffled, ([a, b]) => same(a.reduce(joinModes), b.reduce(joinModes))))
})

test('nothing that was heard outranks what is in force', () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1 }), all => {
      const inForce = all.reduce(joinModes)
      assert.equal(
        all.some(other => outranks(other, inForce)),
        false,
      )
    }),
  )
})

test('severity grows from NORMAL to FIRE, and the more severe of two wins within an epoch', () => {
  assert.deepEqual(
    MODES.toSorted((a, b) => severity(a) - severity(b)),
    ['NORMAL', 'LOCKDOWN', 'EVACUATE', 'FIRE'],
  )
  for (const a of MODES) {
    for (const b of MODES) {
      const joined = joinModes({ ...CALM, mode: a, at: 9 }, { ...CALM, mode: b, at: 1 })
      assert.equal(joined.mode, moreSevere(a, b))
    }
  }
})

test('clearing wins by its epoch alone', () => {
  const fire = { ...CALM, epoch: 3, mode: 'FIRE' as const }
  const clear = { ...CALM, epoch: 4, at: 0 }
  assert.equal(joinModes(fire, clear), clear)
  assert.equal(outranks(clear, fire), true)
})

test.run()
