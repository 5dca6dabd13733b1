import assert from 'node:assert/strict'
import { testContacts } from '../../tools/doctor/contacts.ts'
import type { GateTalk } from '../../tools/doctor/gate-talk.ts'
import { suite } from '../suite.ts'
import { type Cue, ScriptDesk } from './script-desk.ts'
import { type StandIn, withGate } from './stand-in.ts'

const test = suite('doctor/contacts')

function tried(talk: GateTalk, desk: ScriptDesk, wired?: { fire: boolean; key: boolean }) {
  return testContacts({ desk, talk, waitMs: 30_000, wired })
}

/** Somebody opens and closes the loop of a gate that does as it must, but for the lanes that stay held. */
function fire(gate: StandIn, ...held: string[]): Cue[] {
  const open = () => {
    gate.turnstile.fire = true
    gate.turnstile.isLatched = true
    gate.mode = 'FIRE'
    for (const lane of gate.lanes) lane.isHeld = held.includes(lane.name)
  }
  const close = () => {
    gate.turnstile.fire = false
  }
  return [
    [/type FIRE/, 'FIRE'],
    [/open the fire loop/, desk => desk.after(2000, open)],
    [/close it again/, desk => desk.after(2000, close)],
  ]
}

test('Enter raises nothing: only the word does, and it is said first what it will do to the whole mall', () =>
  withGate(['north'], async (gate, talk) => {
    for (const word of ['', 'y', 'yes', 'fire', 'FIRE!']) {
      const desk = new ScriptDesk([/type KEY/, word], [/type FIRE/, word])
      const [key, loop] = await tried(talk, desk)
      assert.deepEqual([key?.outcome, loop?.outcome], ['skipped', 'skipped'], word)
      assert.match(desk.text, /raises FIRE in the WHOLE MALL[^\n]*two people re-arm[^\n]*\n {2}type FIRE/)
      assert.match(desk.text, /raises EVACUATE in the WHOLE MALL/)
      assert.doesNotMatch(desk.text, /open the fire loop/)
    }
    assert.equal(gate.mode, 'NORMAL')
  }))

test('a fire loop that opens the arms, latches and stays latched is well', () =>
  withGate(['north', 'south'], async (gate, talk) => {
    const desk = new ScriptDesk([/type KEY/, ''], ...fire(gate))
    const [, loop] = await tried(talk, desk)
    assert.equal(loop?.outcome, 'ok', desk.text)
    assert.match(desk.text, /the mall stays in FIRE until two people re-arm/)
  }))

test('an arm that is held in a fire is told by name', () =>
  withGate(['north', 'south'], async (gate, talk) => {
    const [, loop] = await tried(talk, new ScriptDesk([/type KEY/, ''], ...fire(gate, 'south')))
    assert.equal(loop?.outcome, 'failed')
    assert.match(loop?.words.join() ?? '', /STILL HELD: south/)
  }))

test('a latch that opens by itself, or a mode that goes back, is wrong', () =>
  withGate(['north'], async (gate, talk) => {
    const cues = fire(gate).slice(0, 2)
    const desk = new ScriptDesk([/type KEY/, ''], ...cues, [
      /close it again/,
      d =>
        d.after(1000, () => {
          Object.assign(gate.turnstile, { fire: false, isLatched: false })
          gate.mode = 'NORMAL'
        }),
    ])
    const [, loop] = await tried(talk, desk)
    assert.deepEqual(loop?.words, ['the mode went back to NORMAL by itself', 'the latch opened by itself'])
  }))

test('a contact that the gate never sees ends by itself', () =>
  withGate(['north'], async (_gate, talk) => {
    const [key] = await tried(talk, new ScriptDesk([/type KEY/, 'KEY'], [/type FIRE/, '']))
    assert.deepEqual([key?.outcome, key?.words.length], ['failed', 1])
  }))

test('a contact that cannot be read is none where none is wired, and broken where one is', () =>
  withGate(['north'], async (gate, talk) => {
    Object.assign(gate.turnstile, { fire: 'unknown', key: 'unknown' })
    const outcomes = async (wired?: { fire: boolean; key: boolean }) =>
      (await tried(talk, new ScriptDesk(), wired)).map(({ outcome }) => outcome)
    assert.deepEqual(await outcomes(), ['absent', 'absent'])
    assert.deepEqual(await outcomes({ fire: true, key: false }), ['absent', 'failed'])
  }))

test.run()
