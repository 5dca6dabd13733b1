import assert from 'node:assert/strict'
import { Crowd, type Doors } from '../../tools/mall/crowd.ts'
import { Rush } from '../../tools/mall/rush.ts'
import { HandClock } from '../alerts/hand-clock.ts'
import { suite } from '../suite.ts'

const test = suite('mall/people')

/** Doors of a mall with room for so many. */
class Hall implements Doors {
  readonly width = 3
  readonly entries: number[] = []
  inside = 0
  room: number

  constructor(room: number) {
    this.room = room
  }

  async enter(door: number): Promise<boolean> {
    this.entries.push(door)
    if (this.inside >= this.room) return false
    this.inside++
    return true
  }

  async leave(): Promise<boolean> {
    this.inside--
    return true
  }
}

/** Steps of a tenth of a second, each with time for what it set going. */
async function pass(clock: HandClock, seconds: number): Promise<void> {
  for (let i = 0; i < seconds * 10; i++) {
    clock.pass(100)
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('a rush comes to one door within four seconds; who got in stays a while and leaves', async () => {
  const [clock, hall] = [new HandClock(), new Hall(25)]
  const rush = new Rush({ id: 1, clock, doors: hall, gate: 'gate-02', door: 1, people: 40, seed: 7 })
  rush.start()
  await pass(clock, 2)
  assert.equal(rush.report.isAnswered, false)
  await pass(clock, 2)
  const { gate, people, admitted, turnedAway, inside, isAnswered } = rush.report
  assert.deepEqual([gate, people, admitted, turnedAway, inside, isAnswered], ['gate-02', 40, 25, 15, 25, true])
  assert.deepEqual(new Set(hall.entries), new Set([1]))
  await pass(clock, 40)
  assert.deepEqual([rush.report.inside, hall.inside], [0, 0])
})

test('a rush that is stopped leaves everyone where they are', async () => {
  const [clock, hall] = [new HandClock(), new Hall(25)]
  const rush = new Rush({ id: 1, clock, doors: hall, gate: 'gate-01', door: 0, people: 10, seed: 7 })
  rush.start()
  await pass(clock, 2)
  rush.stop()
  const { inside } = hall
  await pass(clock, 60)
  assert.ok(inside > 0 && inside < 10)
  assert.equal(hall.inside, inside)
})

test('a crowd turns into another while it runs: who is inside goes home, and is nobody’s twice', async () => {
  const [clock, hall] = [new HandClock(), new Hall(300)]
  const crowd = new Crowd({ clock, doors: hall, capacity: 300, kind: 'off', seed: 1 })
  hall.inside = 50
  crowd.start(50)
  await pass(clock, 60)
  assert.deepEqual([hall.inside, hall.entries.length], [50, 0], 'off from the start: only you')
  crowd.turn('steady', 50)
  await pass(clock, 60)
  assert.equal(crowd.kind, 'steady')
  assert.ok(hall.entries.length > 200, `${hall.entries.length} came`)
  crowd.turn('evening', hall.inside)
  crowd.turn('off', hall.inside)
  const { length } = hall.entries
  await pass(clock, 600)
  assert.deepEqual([hall.inside, hall.entries.length], [0, length], 'all went home, once each, and nobody came')
  hall.inside = 10
  crowd.turn('evening', 10)
  crowd.turn('off', 10)
  await pass(clock, 600)
  assert.equal(hall.inside, 0, 'those whom nobody waited for went home too')
  crowd.stop()
})

test.run()
