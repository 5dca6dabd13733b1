// quiet
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { needs } from '../../debian.ts'
import { inFolder, Running } from '../../process/members.ts'
import { suite } from '../../suite.ts'
import { now } from '../player/script.ts'
import { LANE, openedWith, PlayedDoor } from './door.ts'

const test = suite('hardware/process/kill')

const HOLD_MS = 1000
/** The board counts in steps of 100 ms and rounds up; the rest is a machine that is busy. */
const BOARD_MS = 600
const ROUNDS = 4

async function withDoor(act: (door: PlayedDoor, dir: string) => Promise<void>): Promise<void> {
  await inFolder(async dir => {
    const door = await PlayedDoor.open(dir, 'g1', { baud: 115_200, holdMs: HOLD_MS, pollMs: 10 })
    try {
      await act(door, dir)
    } finally {
      await door.player.stop()
    }
  })
}

const missing = await needs('socat', 'socat')
if (missing === undefined) {
  test('a gate killed with -9 while it holds its entry locked: the board lets go by itself', () =>
    withDoor(async (door, dir) => {
      const gate = (await openedWith(dir, new Map([['g1', door]]), 20)).get('g1') as Running
      await door.lock(true)
      await gate.signal('SIGKILL')
      const [killed, from] = [now(), door.now]
      const { at } = await door.lock(false, from)
      console.log(`\nreleased ${Math.round(at - killed)} ms after kill -9, of a lease of ${HOLD_MS} ms`)
      assert.ok(at - killed < HOLD_MS + BOARD_MS, `${at - killed} ms`)
      const again = new Running(dir, 'g1')
      await door.lock(true, from)
      await again.signal('SIGTERM')
      await door.lock(false, from)
    }))

  test('a gate killed with -9 around an exit, at any moment of it: the person is out, and counted once', () =>
    withDoor(async (door, dir) => {
      let gate = (await openedWith(dir, new Map([['g1', door]]), 20)).get('g1') as Running
      const people = 2 * ROUNDS
      for (let k = 0; k < people; k++) {
        const from = door.now
        const { json } = await gate.post('/turnstile/entry', JSON.stringify({ arm: LANE }))
        assert.equal(json.decision, 'ADMIT', JSON.stringify(json))
        await door.player.until(line => line.what === 'relay' && line.relay === 0 && line.isOn, from)
        await door.walk('in', 20, true)
      }
      await gate.until('all are inside', status => status.counters.admitted === people)
      for (let k = 0; k < ROUNDS; k++) {
        const walking = door.walk('out', 40)
        await sleep(15 * k)
        await gate.signal('SIGKILL')
        await walking
        gate = new Running(dir, 'g1')
        const out = await gate.until('they are counted', status => status.counters.exited >= k + 1)
        assert.equal(out.counters.exited, k + 1)
      }
      await door.walk('out', 20)
      const { counters } = await gate.until('the next one too', status => status.counters.exited >= ROUNDS + 1)
      assert.deepEqual(
        [counters.exited, counters.admitted + counters.forced - counters.lapsed],
        [ROUNDS + 1, people],
        JSON.stringify(counters),
      )
    }))
} else test.skip('gates killed at boards', missing)

test.run()
