// The gate: refusals in one fixed order, one answer per id, exits before everything.

import assert from 'node:assert/strict'
import { LIMITS } from '../../mesh/limits.ts'
import { type Effect, EVERYONE } from '../../mesh/message.ts'
import { occupancyOf } from '../../mesh/occupancy.ts'
import { suite } from '../suite.ts'
import { answersIn, Door, kindsOf, type Setting, sendsIn } from './door.ts'
import { books, MORNING, policy, row } from './papers.ts'

const test = suite('core/gate')

/** Reasons to refuse, in the order in which they are looked at. Each is made true without undoing the ones below it. */
const FIRE = (door: Door) => door.step({ kind: 'contact', contact: 'fire', closed: true })
const FORKED = (door: Door) =>
  door.hear('west', { kind: 'fork', rows: [row('east/1', 9), row('east/1', 9, {}, { root: 'other' })] })
const DISK = (door: Door) => door.step({ kind: 'disk', state: 'failed' })
const STOPPING = (door: Door) => door.step({ kind: 'stopping' })

interface Cause {
  readonly answer: string
  readonly setting?: Setting
  readonly happens?: (door: Door) => void
}
const CAUSES: readonly Cause[] = [
  { answer: 'REJECT_EMERGENCY fire', happens: FIRE },
  { answer: 'REJECT_FAULT forked', happens: FORKED },
  { answer: 'REJECT_FAULT joining', setting: { joined: false } },
  { answer: 'REJECT_FAULT revoked', setting: { rostered: false } },
  { answer: 'REJECT_FAULT disk', happens: DISK },
  { answer: 'REJECT_FAULT stopping', happens: STOPPING },
  { answer: 'REJECT_FAULT no-policy', setting: { policy: null } },
]

CAUSES.forEach(({ answer }, first) => {
  const causes = CAUSES.slice(first)
  test(`${answer} comes before everything further down`, () => {
    const door = new Door(Object.assign({ tokens: 5 }, ...causes.map(cause => cause.setting)))
    for (const { happens } of causes) happens?.(door)
    const effects = door.ask('p1')
    assert.deepEqual(answersIn(effects), [answer])
    assert.ok(!kindsOf(effects).includes('open'))
    assert.deepEqual(answersIn(door.ask('p1')), [answer])
  })
})

const WEST = { demand: 9, waiting: 0 }
/** What is decided when nothing is wrong, each with what comes next in the order ready as well. */
const DECISIONS: Readonly<Record<string, () => readonly [Door, Effect[]]>> = {
  'REJECT_FAULT stopping': () => {
    const door = expiring()
    door.now = 2000
    STOPPING(door)
    return [door, door.ask('p1')]
  },
  'REJECT_FAULT expired': () => {
    const door = expiring()
    door.now = 2000
    return [door, door.ask('p1')]
  },
  'ADMIT local': () => {
    const door = new Door({ tokens: 1 })
    door.grant(books('west/1'), 9)
    return [door, door.ask('p1')]
  },
  'ADMIT stolen': () => {
    const door = new Door()
    const west = books('west/1')
    door.grant(west, 9)
    assert.deepEqual(answersIn(door.ask('p1')), [])
    west.send('east/1', 1, MORNING, 'ask')
    return [door, door.hear('west', { kind: 'rows', rows: [west.row(MORNING)], re: 1 })]
  },
  'REJECT_AT_CAPACITY full': () => {
    const door = new Door()
    door.hearRow('west', books('west/1').row(MORNING), WEST)
    const none = door.ask('p1').find(effect => effect.kind === 'tell' && effect.message.kind === 'ask')
    assert.ok(none?.kind === 'tell' && none.to === 'west')
    return [door, door.hear('west', { kind: 'none', re: 1 })]
  },
  'REJECT_NO_HEADROOM out-of-reach': () => {
    const door = new Door()
    door.grant(books('west/1'), 9)
    door.after(4000)
    door.hearRow('north', books('north/1').row(MORNING), WEST)
    door.after(100)
    door.ask('p1')
    return [door, door.hear('north', { kind: 'none', re: 1 })]
  },
  'REJECT_NO_HEADROOM too-late': () => {
    const door = new Door()
    door.grant(books('west/1'), 9)
    assert.deepEqual(answersIn(door.ask('p1')), [])
    assert.deepEqual(answersIn(door.after(60)), [], 'west is asked')
    assert.deepEqual(answersIn(door.after(LIMITS.patienceMs - 61)), [])
    const effects = door.after(1)
    assert.equal(door.gate.unnecessaryRejects, 1)
    return [door, effects]
  },
}

function expiring(): Door {
  return new Door({ tokens: 5, policy: policy({ expireAfterMs: 1000 }) })
}

for (const [answer, play] of Object.entries(DECISIONS)) {
  test(`${answer}, and the same to the same id again without a second open`, () => {
    const [door, effects] = play()
    assert.deepEqual(answersIn(effects), [answer])
    assert.equal(kindsOf(effects).includes('open'), answer.startsWith('ADMIT'))
    const admitted = door.entries.filter(entry => entry.type === 'admit').length
    const again = door.ask('p1')
    assert.deepEqual(answersIn(again), [answer])
    assert.ok(!kindsOf(again).includes('open'))
    assert.equal(door.entries.filter(entry => entry.type === 'admit').length, admitted)
  })
}

test('an id asked again while it waits costs nothing and is answered once', () => {
  const door = new Door()
  const west = books('west/1')
  door.grant(west, 9)
  assert.deepEqual([door.ask('p1'), door.ask('p1')].flatMap(answersIn), [])
  assert.equal(door.gate.waiting, 1)
  west.send('east/1', 5, MORNING, 'ask')
  assert.deepEqual(answersIn(door.hearRow('west', west.row(MORNING))), ['ADMIT stolen'])
})

test('an id is forgotten after five minutes, not before', () => {
  const door = new Door({ tokens: 2 })
  door.ask('p1')
  door.sync()
  door.after(300_000)
  assert.ok(!kindsOf(door.ask('p1')).includes('open'))
  door.after(1)
  assert.ok(kindsOf(door.ask('p1')).includes('open'))
})

test('an admission takes the token in the same step, before its open and its answer, which wait for its entry', () => {
  const door = new Door({ tokens: 1 })
  const effects = door.ask('p1')
  assert.deepEqual(kindsOf(effects).slice(0, 3), ['admit', 'open', 'answer'])
  const admit = effects.find(effect => effect.kind === 'append')
  for (const effect of effects) {
    if (effect.kind === 'open' || effect.kind === 'answer') assert.equal(effect.afterSize, (admit?.seq ?? 0) + 1)
  }
  assert.equal(door.balance, 0)
})

test('two people and one token: one is admitted', () => {
  const door = new Door({ tokens: 1 })
  const all = [...door.ask('p1'), ...door.ask('p2'), ...door.after(80)]
  assert.deepEqual(answersIn(all), ['ADMIT local', 'REJECT_AT_CAPACITY full'])
})

test('those who waited before are served first', () => {
  const door = new Door()
  const west = books('west/1')
  door.grant(west, 9)
  door.ask('p1')
  door.ask('p2')
  west.send('east/1', 1, MORNING, 'ask')
  const effects = door.hearRow('west', west.row(MORNING))
  assert.deepEqual(
    effects.flatMap(effect => (effect.kind === 'open' ? [effect.id] : [])),
    ['p1'],
  )
})

test('the disk was slower than the deadline: the grant is withdrawn, and the token comes back by a lapse', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  assert.ok(!kindsOf(door.after(LIMITS.openMs - 1)).includes('withdraw'))
  assert.ok(kindsOf(door.after(1)).includes('withdraw'))
  const effects = door.step({ kind: 'withdrawn', id: 'p1' })
  assert.deepEqual(answersIn(effects), ['REJECT_FAULT disk'])
  assert.ok(kindsOf(effects).includes('lapse'))
  assert.equal(door.balance, 1)
  assert.deepEqual(answersIn(door.ask('p1')), ['REJECT_FAULT disk'])
  assert.equal(door.balance, 1)
})

test('once it is on disk a grant is not withdrawn', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  door.sync()
  assert.ok(!kindsOf(door.after(LIMITS.openMs)).includes('withdraw'))
  assert.ok(!kindsOf(FIRE(door)).includes('withdraw'))
})

test('the disk failed: the grant is withdrawn and its token stays spent, also after the disk is mended', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  assert.ok(kindsOf(DISK(door)).includes('withdraw'))
  assert.deepEqual(answersIn(door.step({ kind: 'withdrawn', id: 'p1' })), ['REJECT_FAULT disk'])
  door.step({ kind: 'disk', state: 'ok' })
  assert.equal(door.balance, 0)
  door.step({ kind: 'lapsed', id: 'p1' })
  assert.equal(door.balance, 0)
})

test('an emergency takes back what has not left: the token returns, the person is told why', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  assert.ok(kindsOf(FIRE(door)).includes('withdraw'))
  assert.deepEqual(answersIn(door.step({ kind: 'withdrawn', id: 'p1' })), ['REJECT_EMERGENCY fire'])
  assert.equal(door.balance, 1)
})

test('nobody walked through: the admission lapses once, and only if it was one', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  door.sync()
  for (const id of ['p1', 'p1', 'p9']) door.step({ kind: 'lapsed', id })
  assert.equal(door.balance, 1)
  door.ask('p2')
  door.sync()
  door.step({ kind: 'passed', id: 'p2' })
  door.step({ kind: 'lapsed', id: 'p2' })
  assert.equal(door.balance, 0)
})

test('an admission that lapsed is not given again to the same id', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  door.sync()
  door.step({ kind: 'lapsed', id: 'p1' })
  assert.deepEqual(answersIn(door.ask('p1')), ['REJECT_FAULT lapsed'])
  assert.equal(door.balance, 1)
})

test('refused unlogged while the disk was away: the entry after mending says how many', () => {
  const door = new Door({ tokens: 1 })
  DISK(door)
  for (const id of ['p1', 'p2']) door.ask(id)
  assert.ok(!door.entries.some(entry => entry.type === 'reject'))
  door.step({ kind: 'disk', state: 'ok' })
  const mended = door.entries.find(entry => entry.type === 'fault')
  assert.ok(mended?.type === 'fault' && mended.count === 2)
})

test('an expired policy rejects; a signed extension lifts that for its time, one by a viewer does not', () => {
  const door = expiring()
  door.now = 1001
  assert.deepEqual(answersIn(door.ask('p1')), ['REJECT_FAULT expired'])
  door.hear('west', { kind: 'extend', until: MORNING + 5000, by: ['vic'] })
  assert.deepEqual(answersIn(door.ask('p2')), ['REJECT_FAULT expired'])
  door.hear('west', { kind: 'extend', until: MORNING + 5000, by: ['bob'] })
  assert.deepEqual(answersIn(door.ask('p3')), ['ADMIT local'])
  door.now = 5001
  assert.deepEqual(answersIn(door.ask('p4')), ['REJECT_FAULT expired'])
})

test('a word of the anchor renews a policy, also by way of another gate', () => {
  const door = expiring()
  door.now = 1001
  door.hearRow('west', door.anchor.row(MORNING + 900))
  assert.deepEqual(answersIn(door.ask('p1')), ['ADMIT local'])
})

const steps = (to: number) => [
  { from: 0, capacity: 10 },
  { from: MORNING + 1000, capacity: to },
]

test('a scheduled cut takes effect by the clock of the gate', () => {
  const door = new Door({ tokens: 10, policy: policy({ capacities: steps(4) }) })
  assert.deepEqual(sendsIn(door.after(999)), [])
  assert.deepEqual(sendsIn(door.after(1)), ['6 to anchor/1 (debt)'])
  assert.deepEqual(sendsIn(door.after(1000)), [])
  assert.equal(door.balance, 4)
})

test('a scheduled raise does not', () => {
  const door = new Door({ tokens: 10, policy: policy({ capacities: steps(12) }) })
  const before = door.balance
  assert.deepEqual(sendsIn(door.after(5000)), [])
  assert.equal(door.balance, before)
})

test('the limit that is shown is the one that is paid for, whether or not the anchor has said so yet', () => {
  const limit = ({ gate: { me } }: Door) => occupancyOf(me, me.now).capacity
  const cut = new Door({ tokens: 10, policy: policy({ capacities: steps(4) }) })
  assert.equal(limit(cut), 10)
  cut.after(1000)
  assert.equal(limit(cut), 4)
  const raised = new Door({ tokens: 10, policy: policy({ capacities: steps(12) }) })
  raised.after(1000)
  assert.equal(limit(raised), 10)
})

test('whoever looks at a gate that joins does not make it a peer of its own', () => {
  // a status page was read while the row that others hold of us was in the view like anyone's; a push to it came next
  const door = new Door({ joined: false, tokens: 9 })
  door.hear('west', { kind: 'known', name: 'east', rows: [row('east/1', 0)] })
  door.hear('west', { kind: 'rows', rows: [row('west/1', 1)] })
  assert.deepEqual(
    door.gate.trader.reach.map(known => known.row.account).filter(account => account.startsWith('east')),
    [],
  )
})

test('a debt is paid before the next admission', () => {
  const door = new Door({ tokens: 2, policy: policy({ capacities: steps(2) }) })
  door.grant(books('west/1'), 8)
  door.now = 1000
  const effects = door.ask('p1')
  assert.deepEqual(sendsIn(effects), ['2 to anchor/1 (debt)'])
  assert.ok(!kindsOf(effects).includes('open'))
})

test('people forced in make a balance negative, and peers pay for it', () => {
  const door = new Door({ tokens: 1 })
  door.step({ kind: 'intruded', id: 'f1', count: 3, why: 'tailgate' })
  assert.equal(door.balance, -2)
  assert.ok(!kindsOf(door.ask('p1')).includes('open'))

  const peer = new Door({ tokens: 5 })
  const west = books('west/1')
  west.forced('f2', MORNING, 2, 'tailgate')
  assert.deepEqual(sendsIn(peer.hearRow('west', west.row(MORNING))), ['2 to west/1 (debt)'])
  assert.deepEqual(sendsIn(peer.hearRow('west', west.row(MORNING + 1))), [])
})

test('a gate off the roster whose fire contact closes lets go, and tells the shell when it opens again', () => {
  const door = new Door({ rostered: false })
  const kinds = kindsOf(FIRE(door))
  assert.ok(kinds.includes('mode') && kinds.includes('release'))
  const opened = door.step({ kind: 'contact', contact: 'fire', closed: false })
  assert.ok(opened.some(effect => effect.kind === 'mode' && effect.mode === 'NORMAL'))
})

test('others hear soon of who came in or left, and of people turned away with the next row that is due anyway', () => {
  const rowsIn = (effects: readonly Effect[]) =>
    effects.filter(effect => effect.kind === 'tell' && effect.to === EVERYONE).length
  const door = new Door({ tokens: 1 })
  door.after(1000)
  door.ask('p1')
  assert.equal(rowsIn(door.after(100)), 1)
  for (let person = 2; person < 9; person++) {
    const effects = [...door.ask(`p${person}`), ...door.after(100)]
    assert.equal(answersIn(effects).length, 1)
    assert.equal(rowsIn(effects), 0)
  }
  assert.equal(rowsIn([...door.leave('x1'), ...door.after(100)]), 1)
})

test.run()
