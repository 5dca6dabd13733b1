// quiet
// A capacity cut below what is inside, at gates that run as processes.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { inFolder, opened, type Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { Operators } from './desk.ts'

const test = suite('anchor/cut')
const GATES = ['g1', 'g2', 'g3']
const CAPACITY = 300
const CUT = 100
const INSIDE = 250

/** Somebody tries every door again and again; when each was let in. */
class Insistent {
  readonly admittedAt: number[] = []
  asked = 0
  #isOver = false
  readonly #done: Promise<unknown>

  constructor(gates: readonly Running[]) {
    this.#done = Promise.all(gates.map(gate => this.#insist(gate)))
  }

  stop(): Promise<unknown> {
    this.#isOver = true
    return this.#done
  }

  async #insist(gate: Running): Promise<void> {
    while (!this.#isOver) {
      this.asked++
      if ((await gate.enter()).json.decision === 'ADMIT') this.admittedAt.push(performance.now())
      await sleep(20)
    }
  }
}

for (const then of ['runs on', 'is killed at once']) {
  test(
    `${CAPACITY} to ${CUT} with ${INSIDE} inside: nobody comes in a second later, until enough have left; the anchor ${then}`,
    () =>
      inFolder(async dir => {
        const members = await opened(dir, GATES, CAPACITY, 'in reach')
        const gates = GATES.map(name => members.get(name) as Running)
        const anchor = members.get('anchor') as Running
        await Promise.all(gates.map((gate, i) => gate.admit(Math.floor(INSIDE / 3) + (i === 0 ? 1 : 0))))
        const people = new Insistent(gates)
        try {
          // whoever is let in while the cut is being signed and brought is inside as well
          const { status, json } = await anchor.post(
            '/policy',
            new Operators(dir).signed({ capacity: CUT }, 'ann', 'bob'),
          )
          const cutAt = performance.now()
          assert.equal(status, 200, JSON.stringify(json))
          if (then !== 'runs on') await anchor.signal('SIGKILL')
          await sleep(3000)
          const late = people.admittedAt.filter(at => at > cutAt + 1000)
          assert.deepEqual(late, [], 'nobody after a second')
          const inside = INSIDE + people.admittedAt.length
          assert.ok(people.asked > 60, `${people.asked} asked`)
          assert.ok(inside <= CAPACITY)
          // as many leave as must, each by another door; one less, and still nobody comes in
          const before = people.admittedAt.length
          for (let left = 0; left < inside - CUT; left++) await (gates[left % 3] as Running).leave()
          await sleep(1500)
          assert.equal(people.admittedAt.length, before, `${CUT} are inside, and that is all there may be`)
          for (let i = 0; i < 5; i++) await (gates[i % 3] as Running).leave()
          const until = performance.now() + 15_000
          while (people.admittedAt.length < before + 5) {
            assert.ok(performance.now() < until, `only ${people.admittedAt.length - before} of 5 came in by themselves`)
            await sleep(50)
          }
          await sleep(500)
          assert.equal(people.admittedAt.length, before + 5, 'as many as left, and no more')
        } finally {
          // what went wrong is told, and not that the gates are gone after it
          await people.stop()
        }
      }),
    { timeoutMs: 120_000 },
  )
}

test.run()
