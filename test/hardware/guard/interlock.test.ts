import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Interlock } from '../../../hardware/interlock.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/interlock')

const wired = () => new Interlock({ fire: true, key: true })

test('nothing is locked before the fire loop was seen closed', () => {
  const interlock = wired()
  assert.equal(interlock.mayHold, false)
  assert.equal(interlock.now('fire'), 'unknown')
  assert.equal(interlock.saw('fire', false), false, 'quiet at the first look is no news')
  assert.equal(interlock.mayHold, true)
})

test('an open loop latches: closing it again changes nothing until somebody re-arms', () => {
  const interlock = wired()
  interlock.saw('fire', false)
  assert.equal(interlock.saw('fire', true), true)
  assert.deepEqual([interlock.isLatched, interlock.mayHold], [true, false])
  assert.equal(interlock.saw('fire', false), true)
  assert.deepEqual([interlock.isLatched, interlock.mayHold], [true, false])
  assert.equal(interlock.rearm(), true)
  assert.deepEqual([interlock.isLatched, interlock.mayHold], [false, true])
})

test('nobody can re-arm an open loop, or one that cannot be read', () => {
  const interlock = wired()
  interlock.saw('fire', true)
  assert.equal(interlock.rearm(), false)
  interlock.saw('fire', false)
  interlock.sees(false)
  assert.equal(interlock.rearm(), false)
  interlock.sees(true)
  assert.equal(interlock.rearm(), true)
})

test('a loop that cannot be read is no fire, and nothing is locked while it is so', () => {
  const interlock = wired()
  interlock.saw('fire', false)
  assert.equal(interlock.sees(false), true)
  assert.equal(interlock.sees(false), false, 'which is news once')
  assert.deepEqual([interlock.mayHold, interlock.isLatched, interlock.now('fire')], [false, false, 'unknown'])
  interlock.sees(true)
  assert.equal(interlock.mayHold, true)
})

test('the key switch is told and unlocks nothing by itself', () => {
  const interlock = wired()
  interlock.saw('fire', false)
  assert.equal(interlock.saw('key', true), true)
  assert.deepEqual([interlock.mayHold, interlock.isLatched, interlock.now('key')], [true, false, true])
})

test('where no loop is wired to us it is wired to the lock, and we may hold', () => {
  assert.equal(new Interlock({ fire: false, key: false }).mayHold, true)
})

test('in any order of events, a lock is allowed only on a loop that is seen closed, and re-armed since it opened', () => {
  const moves = fc.array(fc.constantFrom('open', 'closed', 'blind', 'seeing', 'rearm', 'key'), { maxLength: 30 })
  fc.assert(
    fc.property(moves, script => {
      const interlock = wired()
      let [isOpen, isSeen, isBlind, hadFire] = [false, false, false, false]
      for (const move of script) {
        if (move === 'open' || move === 'closed') {
          isSeen = true
          isOpen = move === 'open'
          hadFire ||= isOpen
          interlock.saw('fire', isOpen)
        } else if (move === 'blind' || move === 'seeing') {
          isBlind = move === 'blind'
          interlock.sees(!isBlind)
        } else if (move === 'rearm') {
          if (interlock.rearm()) {
            assert.ok(!isOpen)
            hadFire = false
          }
        } else interlock.saw('key', true)
        assert.equal(interlock.mayHold, isSeen && !isOpen && !isBlind && !hadFire)
      }
    }),
  )
})

test.run()
