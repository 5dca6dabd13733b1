import assert from 'node:assert/strict'
import { Stopped } from '../../tools/doctor/desk.ts'
import type { GateTalk } from '../../tools/doctor/gate-talk.ts'
import { countWords, handCount } from '../../tools/doctor/hand-count.ts'
import { WHOLE_GATE } from '../../tools/doctor/lane-eye.ts'
import { suite } from '../suite.ts'
import { ScriptDesk } from './script-desk.ts'
import { withGate } from './stand-in.ts'

const test = suite('doctor/hand-count')
const MINUTE = 60_000

function counted(talk: GateTalk, desk: ScriptDesk, lane = 'north') {
  return handCount({ desk, talk, by: 'bob', lane, forMs: 15 * MINUTE, answerMs: MINUTE, settleMs: 1000 })
}

/** Keys pressed once a second from the start. */
function pressing(keys: string): (desk: ScriptDesk) => void {
  return desk => {
    for (const [i, key] of [...keys].entries()) desk.after(1000 * (i + 1), () => desk.type(key))
  }
}

test('keys are held against what the gate saw in that time, and kept', () =>
  withGate(['north'], async (gate, talk) => {
    Object.assign(gate.lane('north'), { in: 500, out: 400 })
    const desk = new ScriptDesk(
      [
        /from now on/,
        d => {
          pressing('iiioo')(d)
          d.after(MINUTE, () => Object.assign(gate.lane('north'), { in: 502, out: 402 }))
        },
      ],
      [/you pressed 3 in and 2 out/, ''],
    )
    const result = await counted(talk, desk)
    const counts = { truthIn: 3, truthOut: 2, seenIn: 2, seenOut: 2, ok: false }
    assert.deepEqual(gate.checks, [{ what: 'count', lane: 'north', by: 'bob', ...counts }])
    assert.equal(result.seconds, 900)
    assert.match(
      countWords(result),
      /for 15 min 0 s: NOT OK\n.*2 seen of 3.*UNSAFE(.|\n)*1 person more inside than counted/,
    )
  }))

test('a mistake is taken back, the end may come early, and two numbers outweigh the keys', () =>
  withGate(['north'], async (gate, talk) => {
    const undone = new ScriptDesk([/from now on/, pressing('iiuq')], [/you pressed 1 in and 0 out/, ''])
    const early = await counted(talk, undone)
    assert.deepEqual([gate.checks[0]?.truthIn, gate.checks[0]?.truthOut], [1, 0])
    assert.ok(early.seconds < 10)
    await counted(talk, new ScriptDesk([/from now on/, pressing('iq')], [/you pressed 1 in/, '41 38']))
    assert.deepEqual([gate.checks[1]?.truthIn, gate.checks[1]?.truthOut], [41, 38])
  }))

test('who counts is not told what the gate counts before they are done', () =>
  withGate(['north'], async (gate, talk) => {
    const desk = new ScriptDesk(
      [
        /from now on/,
        d => {
          gate.lane('north').in = 777
          pressing('iq')(d)
        },
      ],
      [/you pressed/, ''],
    )
    await counted(talk, desk)
    assert.doesNotMatch(desk.text, /777/)
  }))

test('a script says two numbers and goes away', () =>
  withGate(['north'], async (gate, talk) => {
    const desk = new ScriptDesk([
      /from now on/,
      d => {
        d.type('12 9')
        d.isEnded = true
        Object.assign(gate.lane('north'), { in: 12, out: 9 })
      },
    ])
    const result = await counted(talk, desk)
    assert.deepEqual([result.ok, result.seconds, gate.checks[0]?.truthIn], [true, 900, 12])
  }))

test('a count that nobody finished is not kept', () =>
  withGate(['north'], async (gate, talk) => {
    const ended = new ScriptDesk([
      /from now on/,
      d => {
        d.isEnded = true
      },
    ])
    await assert.rejects(counted(talk, ended), Stopped)
    const interrupted = new ScriptDesk([/from now on/, d => d.after(1000, () => (d.isInterrupted = true))])
    await assert.rejects(counted(talk, interrupted), Stopped)
    const dumb = new ScriptDesk([/from now on/, pressing('iq')])
    await assert.rejects(counted(talk, dumb), Stopped)
    assert.deepEqual(gate.checks, [])
  }))

test('a gate without lanes is counted as a whole', () =>
  withGate([], async (gate, talk) => {
    const desk = new ScriptDesk(
      [
        /from now on/,
        d => {
          gate.counters = { admitted: 5, forced: 1, lapsed: 1, exited: 2 }
          gate.out = 2
          d.type('q')
        },
      ],
      [/you pressed/, '5 2'],
    )
    const result = await counted(talk, desk, WHOLE_GATE)
    assert.deepEqual([result.ok, gate.checks[0]?.seenIn, gate.checks[0]?.seenOut], [true, 5, 2])
  }))

test.run()
