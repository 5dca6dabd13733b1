import assert from 'node:assert/strict'
import { Agenda } from '../../../hardware/sim/agenda.ts'
import type { Clock } from '../../../hardware/turnstile.ts'
import { suite } from '../../suite.ts'
import { ModelClock } from './model-clock.ts'

const test = suite('hardware/sim/agenda')

/** A program that is held up: whatever is due meanwhile is played afterwards. */
class StalledClock extends ModelClock implements Clock {
  heldUpMs = 0

  override now(): number {
    return super.now() + this.heldUpMs
  }
}

test('what is due happens in order and at its time, also in a program that was held up', async () => {
  const clock = new StalledClock()
  const agenda = new Agenda(clock)
  const start = clock.now()
  const played: [what: string, atMs: number][] = []
  const note = (what: string) => () => played.push([what, agenda.now - start])
  agenda.in(9, note('third'))
  agenda.in(2, () => {
    note('first')()
    agenda.in(3, note('second'))
    agenda.in(20, note('fourth'))
  })
  agenda.in(9, note('third too'))
  clock.heldUpMs = 500
  await clock.pass(10)
  assert.deepEqual(played, [
    ['first', 2],
    ['second', 5],
    ['third', 9],
    ['third too', 9],
    ['fourth', 22],
  ])
  assert.equal(agenda.now, clock.now())
})

test('what was called off does not happen, and nothing does once it is over', async () => {
  const clock = new ModelClock()
  const agenda = new Agenda(clock)
  const played: string[] = []
  const off = agenda.in(5, () => played.push('called off'))
  agenda.in(6, () => played.push('done'))
  agenda.in(8, () => played.push('too late'))
  off()
  await clock.pass(7)
  agenda.end()
  agenda.in(1, () => played.push('after the end'))
  await clock.pass(100)
  assert.deepEqual([played, clock.timers], [['done'], 0])
})

test('somebody who throws does not keep others from what they planned', async () => {
  const clock = new ModelClock()
  const agenda = new Agenda(clock)
  const played: string[] = []
  agenda.in(5, () => {
    throw new Error('a bug')
  })
  agenda.in(5, () => played.push('done'))
  await assert.rejects(clock.pass(10), /a bug/)
  await clock.pass(10)
  assert.deepEqual(played, ['done'])
})

test.run()
