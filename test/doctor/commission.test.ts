import assert from 'node:assert/strict'
import type { Fault } from '../../ledger/fault.ts'
import { commission } from '../../tools/doctor/commission.ts'
import { commissionWords } from '../../tools/doctor/commission-report.ts'
import type { GateTalk } from '../../tools/doctor/gate-talk.ts'
import { suite } from '../suite.ts'
import { type Cue, ScriptDesk } from './script-desk.ts'
import { ID, type StandIn, withGate } from './stand-in.ts'

const test = suite('doctor/commission')
const PEOPLE = 3

function tried(talk: GateTalk, desk: ScriptDesk, lane?: string) {
  const times = { waitMs: 60_000, settleMs: 2000 }
  return commission({ desk, talk, by: 'ann', people: PEOPLE, ...times, lane, hardware: undefined }, 0)
}

/** People who do what they are told at one lane; `tells` is what its sensors make of one person. */
function people(gate: StandIn, lane: string, tells: Partial<Record<'in' | 'out', (walk: number) => void>> = {}): Cue[] {
  const one = (way: 'in' | 'out') => {
    gate.lane(lane)[way]++
  }
  const walk = (way: 'in' | 'out', n: number) => (tells[way] ?? (() => one(way)))(n)
  const all = (way: 'in' | 'out') => (desk: ScriptDesk) => {
    for (let n = 1; n <= PEOPLE; n++) walk(way, n)
    desk.type('')
  }
  return [
    [/one person walks IN/, desk => desk.after(5000, () => walk('in', 0))],
    [/one person walks OUT/, desk => desk.after(5000, () => walk('out', 0))],
    [/3 people walk IN/, all('in')],
    [/3 people walk OUT/, all('out')],
  ]
}

const SKIPS: Cue[] = [
  [/type KEY/, ''],
  [/type FIRE/, ''],
]

test('a lane that tells the truth is accepted, and both tests are kept as entries', () =>
  withGate(['north'], async (gate, talk) => {
    const desk = new ScriptDesk(...people(gate, 'north'), ...SKIPS)
    const report = await tried(talk, desk)
    assert.equal(report.ok, true, desk.text)
    const counts = { truthIn: 1, truthOut: 1, seenIn: 1, seenOut: 1, ok: true }
    assert.deepEqual(gate.checks, [
      { what: 'direction', lane: 'north', by: 'ann', ...counts },
      { what: 'walk', lane: 'north', by: 'ann', truthIn: 3, truthOut: 3, seenIn: 3, seenOut: 3, ok: true },
    ])
    const words = commissionWords(report)
    assert.match(words, /\nACCEPTED$/)
    assert.match(words, new RegExp(`kept as +${ID}1, ${ID}2`))
    assert.deepEqual(
      report.contacts.map(({ outcome }) => outcome),
      ['skipped', 'skipped'],
    )
  }))

test('lanes are tried one after the other, and one alone where that is asked for', () =>
  withGate(['north', 'south'], async (gate, talk) => {
    const both = new ScriptDesk(...people(gate, 'north'), ...people(gate, 'south'), ...SKIPS)
    const report = await tried(talk, both)
    assert.deepEqual(
      report.lanes.map(({ lane, ok }) => [lane, ok]),
      [
        ['north', true],
        ['south', true],
      ],
    )
    const one = await tried(talk, new ScriptDesk(...people(gate, 'south'), ...SKIPS), 'south')
    assert.deepEqual([one.ok, one.lanes.map(({ lane }) => lane)], [true, ['south']])
    await assert.rejects(tried(talk, new ScriptDesk(), 'west'), (e: Fault) =>
      /no lane west; .*north, south/.test(e.message),
    )
  }))

test('a swapped lane is found out, the walk is spared, and the entry says that it failed', () =>
  withGate(['north'], async (gate, talk) => {
    const lane = gate.lane('north')
    const tells = { in: () => lane.out++, out: () => lane.in++ }
    const desk = new ScriptDesk(...people(gate, 'north', tells), ...SKIPS)
    const report = await tried(talk, desk)
    assert.equal(report.ok, false)
    assert.match(desk.text, /SWAPPED: exchange inputs\.in and inputs\.out of lane north/)
    assert.deepEqual(
      gate.checks.map(({ what, seenIn, seenOut, ok }) => [what, seenIn, seenOut, ok]),
      [['direction', 1, 1, false]],
    )
    assert.match(commissionWords(report), /NOT ACCEPTED: lane north: direction not ok, walk not done/)
  }))

test('somebody in whom the sensor missed is unsafe, and so is an exit that it made up', () =>
  withGate(['north'], async (gate, talk) => {
    const lane = gate.lane('north')
    const missed = { in: (n: number) => n !== 2 && lane.in++ }
    const one = await tried(talk, new ScriptDesk(...people(gate, 'north', missed), ...SKIPS))
    assert.match(commissionWords(one), /walk +NOT OK: in: 2 seen of 3, −334 ‰, UNSAFE/)
    const doubled = {
      out: (n: number) => {
        lane.out += n === 3 ? 2 : 1
      },
    }
    const other = await tried(talk, new ScriptDesk(...people(gate, 'north', doubled), ...SKIPS))
    assert.match(commissionWords(other), /out: 4 seen of 3, \+334 ‰, UNSAFE: exits/)
    assert.deepEqual([one.ok, other.ok], [false, false])
  }))

test('what comes a little late belongs to the step before it', () =>
  withGate(['north'], async (gate, talk) => {
    const lane = gate.lane('north')
    const desk = new ScriptDesk(
      [
        /one person walks IN/,
        d => {
          d.after(5000, () => lane.in++)
          d.after(6500, () => lane.in++)
        },
      ],
      [/one person walks OUT/, d => d.after(1000, () => lane.out++)],
      ...SKIPS,
    )
    const report = await tried(talk, desk)
    assert.equal(report.lanes[0]?.direction?.direction.in, 'twice')
  }))

test('how many truly walked is what the person says', () =>
  withGate(['north'], async (gate, talk) => {
    const lane = gate.lane('north')
    const desk = new ScriptDesk(
      ...people(gate, 'north').slice(0, 2),
      [
        /3 people walk IN/,
        d => {
          lane.in += 2
          d.type('what?')
        },
      ],
      [/Enter for 3/, '2'],
      [/3 people walk OUT/, d => d.type('0')],
      ...SKIPS,
    )
    const report = await tried(talk, desk)
    assert.deepEqual([gate.checks[1]?.truthIn, gate.checks[1]?.truthOut, report.ok], [2, 0, true])
  }))

test('a step that is skipped is no test: nothing is kept of it, and the gate is not accepted', () =>
  withGate(['north'], async (gate, talk) => {
    const desk = new ScriptDesk([/one person walks IN/, 's'], [/3 people walk IN/, 'skip'], ...SKIPS)
    const report = await tried(talk, desk)
    assert.deepEqual([report.ok, gate.checks], [false, []])
    assert.match(commissionWords(report), /NOT ACCEPTED: lane north: direction not done, walk not done/)
  }))

test('a step in which nobody came ends by itself and is no test', () =>
  withGate(['north'], async (gate, talk) => {
    const desk = new ScriptDesk([/3 people walk IN/, 's'], ...SKIPS)
    await tried(talk, desk)
    assert.match(desk.text, /nobody was seen in time/)
    assert.deepEqual(gate.checks, [])
  }))

test('somebody walked and nothing shows: that is a test, and it failed', () =>
  withGate(['north'], async (gate, talk) => {
    const desk = new ScriptDesk([/one person walks IN/, ''], ...people(gate, 'north').slice(1, 2), ...SKIPS)
    const report = await tried(talk, desk)
    assert.deepEqual(
      gate.checks.map(({ what, seenIn, ok }) => [what, seenIn, ok]),
      [['direction', 0, false]],
    )
    assert.match(desk.text, /in: not seen; out: told as it was/)
    assert.equal(report.ok, false)
  }))

test('a gate that was started anew in the middle of a step makes it void', () =>
  withGate(['north'], async (gate, talk) => {
    const desk = new ScriptDesk([
      /one person walks IN/,
      d =>
        d.after(1000, () => {
          gate.startedAt = 2
          gate.lane('north').in = 1
        }),
    ])
    await assert.rejects(tried(talk, desk), (e: Fault) => e.code === 'STARTED_ANEW')
    assert.deepEqual(gate.checks, [])
  }))

test('a gate that does not answer for a moment is asked again', () =>
  withGate(['north'], async (gate, talk) => {
    const cues = people(gate, 'north')
    const desk = new ScriptDesk(
      [
        /one person walks IN/,
        d =>
          d.after(1000, () => {
            gate.deaf = 3
            d.after(2000, () => gate.lane('north').in++)
          }),
      ],
      ...cues.slice(1),
      ...SKIPS,
    )
    assert.equal((await tried(talk, desk)).ok, true, desk.text)
  }))

test('a lane with a fault is not accepted though it counted right', () =>
  withGate(['north'], async (gate, talk) => {
    gate.lane('north').faults = ['NOISE']
    const report = await tried(talk, new ScriptDesk(...people(gate, 'north'), ...SKIPS))
    assert.match(commissionWords(report), /faults now: NOISE(.|\n)*NOT ACCEPTED: lane north: NOISE/)
  }))

test('after Ctrl-C, or when nobody is left to answer, what was done is told and nothing more is asked', () =>
  withGate(['north'], async (gate, talk) => {
    const cues = people(gate, 'north').slice(0, 2)
    const interrupted = new ScriptDesk(...cues, [
      /3 people walk IN/,
      d => {
        d.isInterrupted = true
      },
    ])
    const one = await tried(talk, interrupted)
    assert.deepEqual([one.ok, one.stopped], [false, 'stopped by hand'])
    assert.equal(gate.checks.length, 1)
    assert.match(commissionWords(one), /ended early: stopped by hand; what was done before is kept/)
    const ended = new ScriptDesk(...people(gate, 'north').slice(0, 2), [
      /3 people walk IN/,
      d => {
        d.isEnded = true
      },
    ])
    const other = await tried(talk, ended)
    assert.match(other.stopped ?? '', /nobody is there to answer/)
  }))

test('nobody commissions a gate that lets nobody in, one without lanes, or without its pass', () =>
  withGate(['north'], async (gate, talk) => {
    const refused = (code: string) => assert.rejects(tried(talk, new ScriptDesk()), (e: Fault) => e.code === code)
    gate.mode = 'EVACUATE'
    await refused('MODE')
    gate.mode = 'NORMAL'
    gate.state = 'JOINING'
    await refused('STATE')
    gate.state = 'NORMAL'
    gate.lanes.length = 0
    await refused('NO_LANES')
    gate.pass = 'swordfish'
    await refused('PASS')
  }))

test.run()
