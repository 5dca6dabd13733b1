import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DEMERITS, STANDING, Standing } from '../../mesh/lan/standing.ts'
import { suite } from '../suite.ts'

const test = suite('lan/standing')

const { framesPerSecond, bytesPerSecond, heapSeconds, demeritsMax, cutOffMs } = STANDING

/** As the LAN does it for each frame: true where this one was the last straw. */
function takes(standing: Standing, name: string, bytes: number, now: number): boolean {
  return !standing.allows(name, bytes, now) && standing.isTooMuch(name, now)
}

test('honest traffic up to the limit is never dropped nor blamed, however it is spread', () => {
  const second = fc.array(fc.record({ ms: fc.nat(999), bytes: fc.nat(2000) }), { maxLength: 300 })
  fc.assert(
    fc.property(fc.array(second, { minLength: 1, maxLength: 10 }), seconds => {
      const standing = new Standing()
      seconds.forEach((frames, s) => {
        for (const { ms, bytes } of frames.sort((a, b) => a.ms - b.ms)) {
          assert.equal(standing.allows('east', bytes, 5000 + s * 1000 + ms), true)
        }
      })
      assert.equal(standing.score('east', 5000 + seconds.length * 1000) === 0, true)
    }),
    { numRuns: 50 },
  )
})

test('a heap of two seconds’ worth passes at once, and again once the time for it has passed', () => {
  const standing = new Standing()
  const heap = framesPerSecond * heapSeconds
  for (const now of [0, heapSeconds * 1000]) {
    for (let k = 0; k < heap; k++) assert.equal(standing.allows('east', 10, now), true, `${k}`)
    assert.equal(standing.allows('east', 10, now), false)
  }
})

test('bytes are limited as frames are', () => {
  const standing = new Standing()
  for (let k = 0; k < 8 * heapSeconds; k++) assert.equal(standing.allows('east', 1 << 20, 0), true)
  assert.equal(standing.allows('east', 1 << 20, 0), false)
  assert.equal(standing.allows('east', bytesPerSecond, 1000), true)
})

test('whoever floods is cut off, once, for a while, and then may begin anew', () => {
  const standing = new Standing()
  let straws = 0
  for (let k = 0; k < framesPerSecond * heapSeconds + 2 * demeritsMax - 1; k++) {
    if (takes(standing, 'east', 10, 1000)) straws++
  }
  assert.equal(straws, 1)
  assert.equal(standing.isCutOff('east', 1000), true)
  assert.equal(standing.isCutOff('east', 999 + cutOffMs), true)
  assert.equal(standing.isCutOff('east', 1000 + cutOffMs), false)
  assert.equal(standing.allows('east', 10, 1000 + cutOffMs), true)
  assert.equal(standing.isCutOff('west', 1000), false)
})

test('garbage costs: ten pieces of it, or two oversized frames, and it is cut off', () => {
  for (const demerits of [DEMERITS.garbage, DEMERITS.oversized]) {
    const standing = new Standing()
    const pieces = Math.ceil(demeritsMax / demerits)
    for (let k = 1; k <= pieces; k++) {
      standing.blame('east', demerits, 0)
      assert.equal(standing.isTooMuch('east', 0), k === pieces)
    }
    assert.equal(standing.isTooMuch('east', 0), false)
  }
})

test('nobody is cut off for a word or two: demerits fade', () => {
  const standing = new Standing()
  const every = DEMERITS.garbage * 1000
  for (let k = 0; k < 1000; k++) {
    standing.blame('east', DEMERITS.garbage, k * every)
    assert.equal(standing.isTooMuch('east', k * every), false)
  }
  assert.equal(standing.score('east', 1000 * every + 10_000), -0)
})

test('the score tells gossip what the demerits are', () => {
  const standing = new Standing()
  standing.blame('east', 30, 0)
  assert.equal(standing.score('east', 0), -30)
  assert.equal(standing.score('east', 10_000), -20)
})

test('of one never heard of there is nothing bad to say', () => {
  const standing = new Standing()
  assert.equal(standing.isCutOff('new', 0), false)
  assert.equal(standing.isTooMuch('new', 0), false)
})

test('one peer’s flood takes nothing from another', () => {
  const standing = new Standing()
  for (let k = 0; k < 50_000; k++) takes(standing, 'flooder', 100, k / 10)
  for (let k = 0; k < framesPerSecond; k++) assert.equal(standing.allows('honest', 100, 5000), true)
})

test.run()
