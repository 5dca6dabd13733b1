// Seeking: whom a gate asks for tokens, and who at its door has something to wait for.

import assert from 'node:assert/strict'
import { LIMITS } from '../../mesh/limits.ts'
import { type Ask, type Effect, EVERYONE } from '../../mesh/message.ts'
import { TRANSIT_MS } from '../../mesh/trader.ts'
import { suite } from '../suite.ts'
import { answersIn, Door, sendsIn } from './door.ts'
import { books, CHARTER, MORNING, policy } from './papers.ts'

const test = suite('core/seeking')
const OTHERS = CHARTER.gates.map(({ name }) => name).filter(name => name !== 'east')
const FULL = 'REJECT_AT_CAPACITY full'

/** Asks behind which people wait: a prefetch is none. */
function peopleAskedFor(effects: readonly Effect[]): { readonly to: string; readonly ask: Ask }[] {
  const asks = effects.flatMap(effect =>
    effect.kind === 'tell' && effect.message.kind === 'ask' ? [{ to: effect.to, ask: effect.message.ask }] : [],
  )
  return asks.filter(({ ask }) => ask.waiting > 0)
}

function isNone(effect: Effect): boolean {
  return effect.kind === 'tell' && effect.message.kind === 'none' && !effect.message.isKept
}

/** East has nothing; these hold ten each, as far as it knows. */
function empty(...rich: readonly string[]): Door {
  const gates = [...CHARTER.gates, ...rich.map(name => ({ name, key: name }))]
  const door = new Door({ more: rich, policy: policy({ gates, capacities: [{ from: 0, capacity: 90 }] }) })
  for (const name of rich) door.grant(books(`${name}/1`), 10)
  door.after(60)
  return door
}

/** The mall is full, and west, where most people are, is where tokens gather. */
function full(): Door {
  const door = new Door()
  for (const name of OTHERS) {
    const hint = { demand: name === 'west' ? 9 : 0, waiting: 0 }
    door.hearRow(name, books(`${name}/1`).row(MORNING), hint)
  }
  door.after(60)
  return door
}

test('an ask leaves at once: it stands on nothing that is still on its way to the disk', () => {
  const door = new Door({ tokens: 1 })
  door.grant(books('west/1'), 9)
  door.after(60)
  door.ask('p1')
  const ask = door.ask('p2').find(effect => effect.kind === 'tell' && effect.message.kind === 'ask')
  assert.ok(ask?.kind === 'tell' && ask.afterSize === 1)
})

test('a crowd at an empty door does not ask everybody at once', () => {
  const door = empty('g1', 'g2', 'g3', 'g4', 'g5', 'g6')
  const asked = Array.from({ length: 30 }, (_, i) => peopleAskedFor(door.ask(`p${i}`))).flat()
  assert.equal(asked.length, 4)
  assert.equal(new Set(asked.map(({ to }) => to)).size, 4)
  const [next] = peopleAskedFor(door.hear(asked[0]?.to ?? '', { kind: 'none', re: asked[0]?.ask.re ?? 0 }))
  assert.equal(next?.ask.waiting, 27, 'the next ask is for all whom no ask under way is for')
})

test('who keeps what it has for a crowd of its own is not asked for it', () => {
  const door = new Door({ policy: policy({ capacities: [{ from: 0, capacity: 90 }] }) })
  door.grant(books('west/1'), 40, { demand: 20, waiting: 0, keeps: 38 })
  door.grant(books('north/1'), 10, { demand: 20, waiting: 0, keeps: 7 })
  door.after(60)
  assert.equal(peopleAskedFor(door.ask('p1'))[0]?.to, 'north')
})

test('who said no is not asked again on the row that it had before', () => {
  const door = empty()
  const west = books('west/1')
  door.grant(west, 10)
  door.after(60)
  const [first] = peopleAskedFor(door.ask('p1'))
  door.hear('west', { kind: 'none', re: first?.ask.re ?? 0 })
  door.after(150)
  const second = door.ask('p2')
  assert.deepEqual([peopleAskedFor(second), answersIn(second)], [[], []], 'there is a token, so it may still come')
  door.now += TRANSIT_MS - 1
  assert.equal(peopleAskedFor(door.hearRow('west', west.row(MORNING + door.now))).length, 1, 'for p2')
})

test('nobody is told no at once while somebody in reach has a token; nor kept for long', () => {
  const door = empty()
  door.grant(books('west/1'), 10)
  door.after(60)
  const [first] = peopleAskedFor(door.ask('p1'))
  assert.deepEqual(answersIn(door.hear('west', { kind: 'none', re: first?.ask.re ?? 0 })), [])
  assert.ok(Math.abs(door.gate.wakeAt - door.now - TRANSIT_MS) < 0.5, 'fewer where more people come')
  assert.deepEqual(answersIn(door.after(TRANSIT_MS)), ['REJECT_NO_HEADROOM too-late'])
})

test('who keeps what it has while nobody waits is asked all the same for whoever does', () => {
  const door = new Door({ tokens: 1 })
  door.grant(books('west/1'), 9)
  door.after(60)
  const ahead = door.ask('p1').find(effect => effect.kind === 'tell' && effect.message.kind === 'ask')
  assert.ok(ahead?.kind === 'tell' && ahead.message.kind === 'ask' && ahead.message.ask.waiting === 0)
  door.hear('west', { kind: 'none', re: ahead.message.ask.re })
  assert.equal(peopleAskedFor(door.ask('p2')).length, 1)
})

test('whoever comes while an answer is due waits for it, and is asked for once it takes long', () => {
  const door = full()
  const asked = (effects: readonly Effect[]) => peopleAskedFor(effects).map(({ to, ask }) => [to, ask.waiting])
  assert.deepEqual(asked(door.ask('p1')), [['west', 1]])
  assert.deepEqual(asked(door.ask('p2')), [])
  assert.deepEqual(asked(door.after(25)), [['west', 1]], 'p1 is asked for already')
})

test('where somebody who was asked says nothing people wait longer, and no longer once there is an answer', () => {
  const [patience, longest] = [LIMITS.decisionMs - LIMITS.writeMs, LIMITS.patienceMs]
  const silent = full()
  silent.ask('p1')
  assert.deepEqual(answersIn(silent.after(longest - 1)), [])
  assert.deepEqual(answersIn(silent.after(1)), [FULL])
  for (const [at, wait] of [
    [30, patience - 30],
    [patience + 30, 0],
  ] as const) {
    const door = full()
    const [ask] = peopleAskedFor(door.ask('p1'))
    assert.deepEqual(answersIn(door.after(at)), [])
    const told = answersIn(door.hear('west', { kind: 'none', re: ask?.ask.re ?? 0, isKept: true }))
    if (wait > 0) assert.deepEqual([told, answersIn(door.after(wait - 1))], [[], []], 'it is in line')
    assert.deepEqual(wait > 0 ? answersIn(door.after(1)) : told, [FULL])
  }
})

test('who waits is told in time to leave the disk its part, and a token that comes at the last moment lets them in', () => {
  const door = empty()
  const west = books('west/1')
  door.grant(west, 10)
  door.after(60)
  door.ask('p1')
  assert.deepEqual(answersIn(door.after(64)), [])
  west.send('east/1', 1, MORNING, 'ask')
  assert.deepEqual(answersIn(door.hear('west', { kind: 'rows', rows: [west.row(MORNING)], re: 1 })), ['ADMIT stolen'])
  const leftMs = LIMITS.openMs - 64
  assert.ok(!door.after(leftMs - 1).some(({ kind }) => kind === 'withdraw'), 'the disk may still be busy with it')
  assert.ok(door.after(1).some(({ kind }) => kind === 'withdraw'))
})

for (const [how, re, sent] of [
  ['that was asked for and comes too late goes on to where tokens gather', 1, ['1 to west/1 (broker)']],
  ['that comes unasked rests: its sender took this for the right place', undefined, []],
] as const) {
  test(`a token ${how}`, () => {
    const door = full()
    door.after(300)
    for (const name of OTHERS)
      door.hearRow(name, books(`${name}/1`).row(MORNING + 400), { demand: name === 'west' ? 9 : 0, waiting: 0 })
    const giver = books('north/1')
    door.grant(giver, 1)
    giver.send('east/1', 1, MORNING, 'ask')
    const rows = [giver.row(MORNING + 500)]
    assert.deepEqual(
      sendsIn(door.hear('north', re === undefined ? { kind: 'rows', rows } : { kind: 'rows', rows, re })),
      sent,
    )
  })
}

test('who asks for people at its own door has nothing, whatever its row says', () => {
  const door = empty('g1')
  const ask = { re: 3, account: 'g1/1', want: 1, waiting: 1, forMs: 60 }
  door.hear('g1', { kind: 'ask', ask })
  assert.deepEqual(peopleAskedFor(door.ask('p1')), [])
  const ahead = empty('g1')
  ahead.hear('g1', { kind: 'ask', ask: { ...ask, waiting: 0, forMs: 0 } })
  assert.equal(peopleAskedFor(ahead.ask('p1')).length, 1, 'a prefetch says nothing of the kind')
})

test('an ask that is kept in line is for those it was made for, and for nobody who comes later', () => {
  const door = empty('g1')
  const [ask] = peopleAskedFor(door.ask('p1'))
  door.hear('g1', { kind: 'none', re: ask?.ask.re ?? 0, isKept: true })
  assert.deepEqual(answersIn(door.ask('p2')), [])
  assert.deepEqual(answersIn(door.after(TRANSIT_MS)), ['REJECT_NO_HEADROOM too-late'], 'p2')
  assert.deepEqual(answersIn(door.after(20)), [], 'p1 is in line')
  assert.deepEqual(answersIn(door.after(40)), ['REJECT_NO_HEADROOM too-late'])
})

test('nobody waits longer because of what is asked later for others', () => {
  const door = full()
  const patience = LIMITS.decisionMs - LIMITS.writeMs
  const [first] = peopleAskedFor(door.ask('p1'))
  door.hear('west', { kind: 'none', re: first?.ask.re ?? 0, isKept: true })
  door.after(patience - 5)
  const [second] = peopleAskedFor(door.ask('p2'))
  const later = door.after(6)
  assert.deepEqual(answersIn(later), [], 'west may still say yes to what was asked in the time of p1')
  assert.equal(peopleAskedFor(later).length, 1, 'and is asked again after it')
  assert.deepEqual(answersIn(door.hear('west', { kind: 'none', re: second?.ask.re ?? 0, isKept: true })), [FULL], 'p1')
})

test('a crowd is not kept waiting for somebody who says nothing', () => {
  const door = full()
  for (let i = 0; i < 110; i++) door.ask(`p${i}`)
  door.after(30)
  const patience = LIMITS.decisionMs - LIMITS.writeMs
  const [crowded] = peopleAskedFor([...door.after(175), ...door.ask('q1')])
  assert.equal(crowded?.to, 'west')
  assert.deepEqual(answersIn(door.after(patience - 1)), [])
  assert.deepEqual(answersIn(door.after(1)), [FULL])
})

for (const [answer, more] of [
  ['says no', {}],
  ['keeps the ask in line', { isKept: true }],
] as const) {
  test(`where few come, a broker that ${answer} is asked again for the next person, and for nobody twice`, () => {
    const door = full()
    const [first] = peopleAskedFor(door.ask('p1'))
    door.hear('west', { kind: 'none', re: first?.ask.re ?? 0, ...more })
    assert.deepEqual(answersIn(door.ask('p2')), [FULL], 'it has just said so')
    door.after(6)
    assert.deepEqual(
      peopleAskedFor(door.ask('p3')).map(({ to, ask }) => [to, ask.waiting]),
      [['west', 1]],
    )
  })

  test(`a crowd does not ask a broker again for each, that ${answer}`, () => {
    const door = full()
    for (let i = 0; i < 200; i++) door.ask(`p${i}`)
    assert.equal(answersIn(door.after(26)).length, 199, 'those who came after the first have nothing to wait for')
    door.after(75)
    const [first] = peopleAskedFor(door.ask('q1'))
    assert.equal(first?.to, 'west')
    door.hear('west', { kind: 'none', re: first?.ask.re ?? 0, ...more })
    for (const [ms, asks] of [
      [6, 0],
      [93, 0],
      [2, 1],
    ] as const) {
      door.after(ms)
      assert.equal(peopleAskedFor(door.ask(`after ${ms}`)).length, asks, `${ms} ms later`)
    }
  })
}

test('that nothing is left is told at once by a gate that others take for rich, and only then', () => {
  const told = (effects: readonly Effect[]) =>
    effects.some(effect => effect.kind === 'tell' && effect.to === EVERYONE && effect.message.kind === 'rows')
  for (const [tokens, isUrgent] of [
    [10, true],
    [9, false],
  ] as const) {
    const door = new Door({ tokens })
    assert.ok(told(door.after(1000)), 'the others know what it has')
    for (let i = 1; i < tokens; i++) assert.ok(!told(door.ask(`p${i}`)))
    assert.ok(!told(door.after(1)))
    door.ask(`p${tokens}`)
    assert.equal(told(door.after(1)), isUrgent, `${tokens} tokens`)
    assert.equal(told(door.after(1)), false, 'once')
  }
})

/** One person is inside, the mall is full, and since a moment ago west is where tokens gather. */
function justNamed(): Door {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  door.after(100)
  for (const name of OTHERS) {
    const hint = { demand: name === 'west' ? 9 : 0, waiting: 0 }
    door.hearRow(name, books(`${name}/1`).row(MORNING + door.now), hint)
  }
  door.after(60)
  assert.equal(door.gate.trader.broker, 'west')
  return door
}

test('a token that stays here while the broker is new is told of at once: people would be turned away elsewhere', () => {
  const door = justNamed()
  const effects = door.leave('x1')
  assert.deepEqual(sendsIn(effects), [])
  const rows = effects.flatMap(effect =>
    effect.kind === 'tell' && effect.to === EVERYONE && effect.message.kind === 'rows' ? effect.message.rows : [],
  )
  assert.deepEqual(
    rows.map(({ account, counters }) => [account, counters.exited]),
    [['east/1', 1]],
  )
  const again = [door.after(1), door.after(1)].flat()
  assert.ok(!again.some(effect => effect.kind === 'tell' && effect.to === EVERYONE), 'once')
})

test('whoever waits at the door of the broker is not put out by those who ask later from elsewhere', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  for (const name of ['west', 'north']) door.hearRow(name, books(`${name}/1`).row(MORNING))
  door.after(100)
  assert.equal(door.gate.trader.broker, 'east')
  for (const id of ['p2', 'p3']) assert.deepEqual(answersIn(door.ask(id)), [])
  const ask = { re: 1, account: 'west/1', want: 1, waiting: 1, forMs: 60 }
  const later = [...door.hear('west', { kind: 'ask', ask }), ...door.after(TRANSIT_MS)]
  assert.deepEqual([answersIn(later), later.some(isNone)], [[], true])
})

/** East is where tokens gather, and two who were let in there are inside. */
function broker(): Door {
  const door = new Door({ tokens: 2 })
  for (const id of ['i1', 'i2']) door.ask(id)
  for (const name of ['west', 'north']) door.hearRow(name, books(`${name}/1`).row(MORNING))
  door.after(100)
  return door
}

/** Two from elsewhere are in its line. */
function lined(): Door {
  const door = broker()
  const ask = { re: 1, account: 'west/1', want: 2, waiting: 2, forMs: 60 }
  assert.ok(!door.hear('west', { kind: 'ask', ask }).some(isNone))
  return door
}

test('where the line is full nobody is told so before a token that is on its way would be there', () => {
  const ask = { re: 2, account: 'north/1', want: 1, waiting: 1, forMs: 60 }
  const here = lined()
  assert.deepEqual(answersIn(here.ask('p2')), [])
  assert.ok(Math.abs(here.gate.wakeAt - here.now - TRANSIT_MS) < 0.1)
  assert.deepEqual(answersIn(here.after(TRANSIT_MS - 1)), [])
  assert.deepEqual(answersIn(here.after(1)), [FULL])
  const there = lined()
  assert.ok(!there.hear('north', { kind: 'ask', ask }).some(effect => effect.kind === 'tell'), 'it is not in line')
  assert.equal(there.gate.wakeAt, there.now + TRANSIT_MS)
  assert.ok(!there.after(TRANSIT_MS - 1).some(isNone))
  assert.ok(there.after(1).some(isNone))
  const lucky = lined()
  lucky.hear('north', { kind: 'ask', ask })
  assert.deepEqual(
    ['x1', 'x2'].flatMap(id => sendsIn(lucky.leave(id))),
    ['1 to west/1 (ask)', '1 to north/1 (ask)'],
  )
})

test('in a crowd whoever finds the line full is told at once', () => {
  const door = broker()
  for (let i = 0; i < 2000; i++) door.ask(`c${i}`)
  // no flood any more
  door.after(1000)
  assert.equal(door.gate.trader.broker, 'east')
  for (const id of ['p1', 'p2']) assert.deepEqual(answersIn(door.ask(id)), [], 'there is a line')
  assert.deepEqual(answersIn(door.ask('p3')), [FULL])
  door.hearRow('north', books('north/1').row(MORNING), { demand: 20, waiting: 1 })
  const ask = { re: 2, account: 'north/1', want: 1, waiting: 1, forMs: 60 }
  assert.ok(door.hear('north', { kind: 'ask', ask }).some(isNone))
})

test('in a crowd no gate looks busier to itself than others believe it to be', () => {
  const gates = [...CHARTER.gates, { name: 'a1', key: 'a1' }]
  const door = new Door({ more: ['a1'], policy: policy({ gates, capacities: [{ from: 0, capacity: 90 }] }) })
  const { demandPerSecondMax: demand } = door.gate.me.limits
  door.hearRow('a1', books('a1/1').row(MORNING), { demand, waiting: 0 })
  for (let i = 0; i < 3000; i++) door.ask(`p${i}`)
  door.after(60)
  assert.equal(door.gate.trader.broker, 'a1', 'as busy as we are, and the first by name')
})

test('the broker counts people in line, not asks', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  for (const name of ['west', 'north']) door.hearRow(name, books(`${name}/1`).row(MORNING))
  door.after(100)
  const none = (re: number, waiting: number) => {
    const ask = { re, account: 'west/1', want: waiting, waiting, forMs: 60 }
    return [...door.hear('west', { kind: 'ask', ask }), ...door.after(TRANSIT_MS)].some(isNone)
  }
  assert.ok(none(1, 3), 'more than the two that it keeps where no token comes by')
  assert.ok(!none(2, 2))
  assert.ok(none(3, 1))
})

test('an ask that claims to be of use for ever leaves the line like any other', () => {
  const door = broker()
  const ask = { re: 1, account: 'west/1', want: 2, waiting: 2, forMs: 1e12 }
  door.hear('west', { kind: 'ask', ask })
  door.after(LIMITS.decisionMs)
  const next = door.hear('north', { kind: 'ask', ask: { ...ask, account: 'north/1', forMs: 60 } })
  assert.ok(next.some(effect => effect.kind === 'tell' && effect.message.kind === 'none' && effect.message.isKept))
})

for (const waiting of [0, -9]) {
  test(`asks that claim to be for ${waiting} people fill the line like any other`, () => {
    const door = new Door({ tokens: 1 })
    door.ask('p1')
    for (const name of ['west', 'north']) door.hearRow(name, books(`${name}/1`).row(MORNING))
    door.after(100)
    const asks = Array.from({ length: 9 }, (_, re) => ({ re, account: 'west/1', want: 1, waiting, forMs: 60 }))
    const effects = asks.flatMap(ask => door.hear('west', { kind: 'ask', ask }))
    assert.equal([...effects, ...door.after(TRANSIT_MS)].filter(isNone).length, 7)
  })
}

test.run()
