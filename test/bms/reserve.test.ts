import assert from 'node:assert/strict'
import { draftPolicy } from '../../anchor/approvals/draft.ts'
import type { Wish } from '../../anchor/approvals/wish.ts'
import { wordsOf } from '../../anchor/pages/wording.js'
import { changesOf } from '../../ledger/changes.ts'
import { copyCounters } from '../../ledger/counters.ts'
import { Fault } from '../../ledger/fault.ts'
import { needsTwo, type Policy, STANDBY_FROM, scheduled, standbys } from '../../ledger/policy.ts'
import { formatPolicy, policyHash } from '../../ledger/policy-note.ts'
import { CHARTER, FIRST, HOUR_MS, MALL, MORNING } from '../approvals/office.ts'
import { Desk } from '../core/desk.ts'
import { books, GATES, policy } from '../core/papers.ts'
import { CheapPen } from '../sim/pen.ts'
import { suite } from '../suite.ts'

const test = suite('bms/reserve')

const BEFORE: Policy = { ...FIRST, signers: ['ann', 'bob'], hash: policyHash(FIRST, MALL) }

function drafted(wish: Wish, before: Policy = BEFORE, signers = ['ann', 'bob']): Policy {
  const text = draftPolicy({ charter: CHARTER, before, wish, reason: 'because', at: MORNING })
  return { ...text, signers, hash: policyHash(text, MALL) }
}

const RESERVED = drafted({ kind: 'standby', capacities: [100, 200] })

test('limits in reserve lie at the end of time, largest first, and change nothing by themselves', () => {
  assert.deepEqual(RESERVED.capacities, [
    { from: 0, capacity: 300 },
    { from: STANDBY_FROM, capacity: 200 },
    { from: STANDBY_FROM + 1, capacity: 100 },
  ])
  assert.deepEqual(standbys(RESERVED), [200, 100])
  for (const years of [0, 1, 50, 900]) assert.equal(scheduled(RESERVED, MORNING + years * 8766 * HOUR_MS), 300)
})

test('they stay through other changes, as far as they are lower than the schedule', () => {
  const raised = drafted({ kind: 'capacity', capacity: 320 }, RESERVED)
  assert.deepEqual(standbys(raised), [200, 100])
  assert.equal(scheduled(raised, MORNING), 320)
  const evening = drafted({ kind: 'capacity', capacity: 250, from: MORNING + HOUR_MS }, RESERVED)
  assert.deepEqual([scheduled(evening, MORNING), scheduled(evening, MORNING + HOUR_MS)], [300, 250])
  assert.deepEqual(standbys(evening), [200, 100])
  assert.deepEqual(standbys(drafted({ kind: 'schedule', steps: [{ from: 0, capacity: 150 }] }, RESERVED)), [100])
  assert.deepEqual(standbys(drafted({ kind: 'margin', perMille: 50 }, RESERVED)), [200, 100])
  assert.deepEqual(standbys(drafted({ kind: 'standby', capacities: [] }, RESERVED)), [])
})

test('a reserve that lowers nothing cannot be wished for', () => {
  for (const capacities of [[300], [200, 301], [-1], [1.5]]) {
    assert.throws(
      () => drafted({ kind: 'standby', capacities }),
      (error: unknown) => error instanceof Fault && error.code === 'WISH',
      String(capacities),
    )
  }
  const steps = [
    { from: 0, capacity: 300 },
    { from: STANDBY_FROM, capacity: 100 },
  ]
  assert.throws(() => drafted({ kind: 'schedule', steps }), /in reserve/)
})

test('one alone signs a reserve within a fifth; what is further down, or taken away again, takes two', () => {
  const two = (next: Policy, before: Policy) => needsTwo(next, before, CHARTER, before)
  assert.equal(two(drafted({ kind: 'standby', capacities: [240] }), BEFORE), false)
  assert.equal(two(drafted({ kind: 'standby', capacities: [239] }), BEFORE), true)
  assert.equal(two(drafted({ kind: 'standby', capacities: [] }, RESERVED), RESERVED), true)
  assert.equal(
    two(drafted({ kind: 'capacity', capacity: 310 }, RESERVED), RESERVED),
    false,
    'the rest is as free as before',
  )
})

test('people read "in reserve" and never the year 9999', async () => {
  // for browsers, and without types here
  const { scheduleAt } = await import(new URL('../../anchor/pages/preview.js', import.meta.url).href)
  const texts = [
    ...wordsOf(formatPolicy(RESERVED, MALL), formatPolicy(BEFORE, MALL), { now: MORNING }),
    ...wordsOf(formatPolicy(drafted({ kind: 'capacity', capacity: 320 }, RESERVED), MALL)),
    ...changesOf(RESERVED, BEFORE).map(change => JSON.stringify(change)),
  ]
  assert.ok(!texts.join('\n').includes('9999'), texts.join('\n'))
  assert.equal(texts[1], 'capacity: 300, with 200 and 100 in reserve; it was 300')
  const [change] = changesOf(RESERVED, BEFORE)
  assert.ok(change?.type === 'change' && change.after === '300; 200 in reserve; 100 in reserve')
  assert.deepEqual(scheduleAt(RESERVED.capacities, MORNING), { current: 300, later: [], reserve: [200, 100] })
})

const steps = (capacity: number, ...reserve: number[]) => [
  { from: 0, capacity },
  ...reserve.map((one, i) => ({ from: STANDBY_FROM + i, capacity: one })),
]

function opened(isRestrained = true): Desk {
  const desk = Desk.opening({ isRestrained })
  for (const gate of GATES) desk.hearBooks(books(`${gate}/1`))
  desk.step({ kind: 'decreed', policy: policy({ capacities: steps(30, 20, 12), marginPerMille: 100 }) })
  return desk
}

const capacityOf = (desk: Desk) => desk.books.budget?.capacity
const reasons = (desk: Desk) =>
  desk.entries.flatMap(entry => (entry.type === 'fault' ? [[entry.code, entry.detail]] : []))

test('the anchor puts the largest fitting limit in force at once, says why before it, and goes back', () => {
  const desk = opened()
  assert.equal(capacityOf(desk), 27, 'the margin is kept back of every limit')
  desk.step({ kind: 'restrained', atMost: 19, why: 'stale air' })
  assert.equal(capacityOf(desk), 10)
  desk.step({ kind: 'restrained', atMost: 25, why: 'better air' })
  assert.equal(capacityOf(desk), 18)
  desk.step({ kind: 'restrained', why: 'good air' })
  assert.equal(capacityOf(desk), 27)
  assert.deepEqual(reasons(desk), [
    ['BMS_LIMIT', 'stale air'],
    ['BMS_LIMIT', 'better air'],
    ['BMS_LIMIT', 'good air'],
  ])
  const kinds = desk.entries.map(({ type }) => type).filter(type => type === 'fault' || type === 'budget')
  assert.deepEqual(kinds, ['budget', 'fault', 'budget', 'fault', 'budget', 'fault', 'budget'])
})

test('what no limit in reserve fits changes nothing, and no signal raises anything', () => {
  const desk = opened()
  for (const atMost of [11, 0, 30, 1000]) {
    desk.step({ kind: 'restrained', atMost, why: 'odd air' })
    assert.equal(capacityOf(desk), atMost >= 20 ? 18 : 27, String(atMost))
  }
  desk.step({ kind: 'restrained', atMost: 25, why: 'air' })
  const low = { version: 2, capacities: steps(15, 14, 12), marginPerMille: 0 }
  desk.step({ kind: 'decreed', policy: policy(low) })
  assert.equal(capacityOf(desk), 14)
  // one in reserve above the schedule is one that somebody signed with other tools
  desk.step({ kind: 'decreed', policy: policy({ version: 3, capacities: steps(13, 20), marginPerMille: 0 }) })
  assert.equal(capacityOf(desk), 13)
})

test('the reserve taken out of the policy ends it, whatever a signal says', () => {
  const desk = opened()
  desk.step({ kind: 'restrained', atMost: 19, why: 'stuck sensor' })
  desk.step({ kind: 'decreed', policy: policy({ version: 2, capacities: steps(30), marginPerMille: 100 }) })
  assert.equal(capacityOf(desk), 27)
})

/** Another process with what the one before had on disk. */
function restarted(before: Desk, isRestrained: boolean): Desk {
  const { account, counters, budget, policy: followed } = before.books
  const pen = new CheapPen()
  const policies = before.anchor.me.policies.after(0)
  const desk = new Desk(
    {
      memory: { kind: 'intact', account, size: 0, root: pen.root() },
      opened: {
        account,
        pen,
        counters: copyCounters(counters),
        ...(budget && { budget }),
        ...(followed && { policy: followed }),
      },
      policies,
    },
    { isRestrained },
  )
  desk.join()
  desk.after(1000)
  assert.ok(desk.anchor.isJoined)
  return desk
}

test('after a restart a limit in reserve stays in force until the signals were looked at', () => {
  const before = opened()
  before.step({ kind: 'restrained', atMost: 19, why: 'stale air' })
  const desk = restarted(before, true)
  assert.equal(capacityOf(desk), 10)
  desk.step({ kind: 'restrained', atMost: 19, why: 'stale air' })
  assert.equal(capacityOf(desk), 10)
  desk.step({ kind: 'restrained', why: 'good air' })
  assert.equal(capacityOf(desk), 27)
  assert.equal(capacityOf(restarted(before, false)), 27, 'nobody looks any more: what is scheduled holds')
  assert.equal(capacityOf(restarted(opened(), true)), 27, 'what was scheduled is no limit in reserve')
})

test.run()
