import assert from 'node:assert/strict'
import type { GateKey } from '../../ledger/charter.ts'
import { CUT_MS_MAX, Roster } from '../../mesh/roster.ts'
import { suite } from '../suite.ts'

const test = suite('lan/roster')

const [BOTH, ONE] = [['east', 'west'], ['east']].map(names => names.map(name => ({ name, key: name }) as GateKey)) as [
  GateKey[],
  GateKey[],
]

test('whoever is taken off has a line until that is told', () => {
  const roster = new Roster()
  assert.equal(roster.at(0, BOTH, false), BOTH)
  assert.equal(roster.at(1000, ONE, false), BOTH, 'it waits for the disk')
  assert.equal(roster.at(1020, ONE, true), ONE)
  assert.equal(roster.at(1030, ONE, false), ONE, 'and what waits later is another matter')
})

test('a disk that never gets there does not keep the line open', () => {
  const roster = new Roster()
  assert.equal(roster.at(0, BOTH, false), BOTH, 'at a start there is nobody to be told')
  assert.equal(roster.at(1000, ONE, false), BOTH)
  assert.equal(roster.at(1000 + CUT_MS_MAX - 1, ONE, false), BOTH)
  assert.equal(roster.at(1000 + CUT_MS_MAX, ONE, false), ONE)
})

test.run()
