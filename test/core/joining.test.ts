// Memory × answers → verdict.

import assert from 'node:assert/strict'
import type { Row } from '../../ledger/row.ts'
import { Joining, type Memory } from '../../mesh/joining.ts'
import { suite } from '../suite.ts'
import { GATES, row } from './papers.ts'

const test = suite('core/joining')

const ROSTER = [...GATES, 'south']
const BLANK: Memory = { kind: 'blank' }
const INTACT: Memory = { kind: 'intact', account: 'east/2', size: 5, root: 'root 5' }
const LOST: Memory = { kind: 'lost', account: 'east/2' }
const BEHIND = row('east/2', 4)
const SAME = row('east/2', 5)
const AHEAD = row('east/2', 6)
const FORKED = row('east/2', 5, {}, { root: 'other' })
const LATER = row('east/3', 1)
const EARLIER = row('east/1', 90)
const STRANGER = row('west/7', 90)

interface Case {
  readonly memory: Memory
  readonly answers: Readonly<Record<string, readonly Row[]>>
  readonly enrolled?: string
  readonly alone?: boolean
  /** `open east/3 after east/2 6` names the row that is cited */
  readonly verdict: string
}

const TABLE: Readonly<Record<string, Case>> = {
  'whole, but nobody answered': { memory: INTACT, answers: {}, verdict: 'wait' },
  'whole, one of three answered': { memory: INTACT, answers: { west: [SAME] }, verdict: 'wait' },
  'whole, the majority knows no more': {
    memory: INTACT,
    answers: { west: [SAME], north: [BEHIND, EARLIER] },
    verdict: 'continue',
  },
  'whole, the anchor alone knows no more': { memory: INTACT, answers: { anchor: [SAME] }, verdict: 'continue' },
  'whole, nobody remembers it at all': { memory: INTACT, answers: { anchor: [] }, verdict: 'continue' },
  'whole, answers of strangers do not count': {
    memory: INTACT,
    answers: { west: [], stranger: [], other: [], east: [] },
    verdict: 'wait',
  },
  'whole, rows of others say nothing': { memory: INTACT, answers: { anchor: [STRANGER] }, verdict: 'continue' },
  'whole, but somebody saw more': {
    memory: INTACT,
    answers: { anchor: [SAME], west: [AHEAD] },
    verdict: 'open east/3 after east/2 6',
  },
  'whole, but somebody saw another root': {
    memory: INTACT,
    answers: { anchor: [FORKED] },
    verdict: 'open east/3 after east/2 5',
  },
  'whole, but somebody saw a later epoch': {
    memory: INTACT,
    answers: { anchor: [LATER, SAME] },
    verdict: 'open east/4 after east/3 1',
  },
  'whole and alone in the mall': { memory: INTACT, answers: {}, alone: true, verdict: 'continue' },
  'lost, nobody answered': { memory: LOST, answers: {}, verdict: 'wait' },
  'lost, the anchor answered': {
    memory: LOST,
    answers: { anchor: [BEHIND] },
    verdict: 'open east/3 after east/2 4',
  },
  'lost, a later epoch is remembered': {
    memory: LOST,
    answers: { west: [LATER], north: [] },
    verdict: 'open east/4 after east/3 1',
  },
  'lost, and nobody remembers': { memory: LOST, answers: { anchor: [] }, verdict: 'open east/3' },
  'blank, everybody answered, not enrolled': {
    memory: BLANK,
    answers: { anchor: [], west: [], north: [], south: [] },
    verdict: 'wait',
  },
  'blank and alone': { memory: BLANK, answers: {}, alone: true, verdict: 'wait' },
  'blank and enrolled': { memory: BLANK, answers: {}, enrolled: 'east/1', verdict: 'open east/1' },
  'blank and enrolled beyond what is remembered': {
    memory: BLANK,
    answers: { west: [AHEAD], north: [] },
    enrolled: 'east/3',
    verdict: 'open east/3 after east/2 6',
  },
  'blank, enrolled as somebody else': { memory: BLANK, answers: {}, enrolled: 'west/1', verdict: 'wait' },
}

for (const [claim, { memory, answers, enrolled, alone = false, verdict }] of Object.entries(TABLE)) {
  test(`${claim}: ${verdict}`, () => {
    const joining = new Joining('east', memory)
    for (const [from, rows] of Object.entries(answers)) joining.known(from, rows)
    if (enrolled !== undefined) joining.enrolled(enrolled)
    const found = joining.verdict(ROSTER, alone)
    const after = found.is === 'open' && found.after ? ` after ${found.after.account} ${found.after.size}` : ''
    assert.equal(found.is === 'open' ? `open ${found.account}${after}` : found.is, verdict)
  })
}

test('only the blank are enrolled, once a majority of gates has answered, beyond any epoch it remembers', () => {
  const blank = new Joining('east', BLANK)
  blank.known('anchor', [LATER])
  blank.known('west', [])
  assert.equal(blank.enrolAs(ROSTER), undefined)
  blank.known('north', [SAME])
  assert.equal(blank.enrolAs(ROSTER), 4)
  const first = new Joining('east', BLANK)
  for (const gate of ['west', 'north']) first.known(gate, [])
  assert.equal(first.enrolAs(ROSTER), 1)
  for (const memory of [INTACT, LOST]) {
    const joining = new Joining('east', memory)
    for (const gate of ROSTER) joining.known(gate, [])
    assert.equal(joining.enrolAs(ROSTER), undefined)
  }
})

test('a new epoch is heard only when enough hold its first row', () => {
  const joining = new Joining('east', LOST)
  for (const gate of ['anchor', ...ROSTER]) joining.known(gate, [SAME])
  joining.announce('east/3')
  assert.equal(joining.isHeard(ROSTER, false), false)
  for (const gate of ['anchor', ...ROSTER]) joining.known(gate, [SAME])
  assert.equal(joining.isHeard(ROSTER, false), false)
  joining.known('west', [SAME, LATER])
  assert.equal(joining.isHeard(ROSTER, false), false)
  joining.known('north', [LATER])
  assert.equal(joining.isHeard(ROSTER, false), true)
  assert.equal(new Joining('east', LOST).isHeard(ROSTER, true), true)
})

test.run()
