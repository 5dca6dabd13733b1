import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Timeline } from '../../../hardware/timeline.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/timeline')

test('time as it is, as long as we hear in time', () => {
  const timeline = new Timeline()
  assert.deepEqual([timeline.moved(10), timeline.at(12), timeline.moved(15)], [10, 12, 15])
})

test('a pulse that we hear of late is as long as it was', () => {
  const timeline = new Timeline()
  timeline.at(1300)
  const from = timeline.moved(1010)
  const to = timeline.moved(1130)
  assert.deepEqual([from, to - from], [1300, 120])
})

test('the next person is seen in real time again', () => {
  const timeline = new Timeline()
  timeline.at(1300)
  timeline.moved(1010)
  timeline.moved(1130)
  assert.equal(timeline.moved(3000), 3000)
})

test('it never goes back, and between two moves of one person there is never less time than there was', () => {
  const steps = fc.array(fc.record({ ms: fc.nat(400), late: fc.nat(300), isMove: fc.boolean() }), { maxLength: 40 })
  fc.assert(
    fc.property(steps, script => {
      const timeline = new Timeline()
      let [clock, told, moved, movedTold] = [0, 0, 0, 0]
      for (const { ms, late, isMove } of script) {
        clock += ms
        const at = Math.max(moved, clock - late)
        const now = isMove ? timeline.moved(at) : timeline.at(clock)
        assert.ok(now >= told)
        told = now
        if (!isMove) continue
        if (at - moved <= 1000 && moved > 0) assert.ok(now - movedTold >= at - moved)
        moved = at
        movedTold = now
      }
    }),
  )
})

test.run()
