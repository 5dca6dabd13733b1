import assert from 'node:assert/strict'
import { SparingLog } from '../../mesh/lan/sparing-log.ts'
import { suite } from '../suite.ts'

const test = suite('lan/sparing-log')

function logAt(): {
  log: SparingLog
  lines: { event: string; fields: object | undefined }[]
  at: (ms: number) => void
} {
  let now = 0
  const lines: { event: string; fields: object | undefined }[] = []
  const say = (event: string, fields?: object) => void lines.push({ event, fields })
  const log = new SparingLog({ info: say, warn: say, error: say }, () => now)
  return { log, lines, at: ms => (now = ms) }
}

test('the same thing is said once a minute', () => {
  const { log, lines, at } = logAt()
  for (let ms = 0; ms < 180_000; ms += 100) {
    at(ms)
    log.warn('stranger', 'k1', { peer: 'k1' })
  }
  assert.deepEqual(lines, Array(3).fill({ event: 'stranger', fields: { peer: 'k1' } }))
})

test('different things of different kinds are each said', () => {
  const { log, lines } = logAt()
  for (const event of ['stranger', 'frame']) for (const about of ['a', 'b']) log.warn(event, about, { about })
  assert.equal(lines.length, 4)
})

test('of one kind twenty things a minute, the last of which says that there is more; other kinds are not silenced', () => {
  const { log, lines } = logAt()
  for (let k = 0; k < 100_000; k++) log.warn('stranger', `k${k}`, { peer: `k${k}` })
  log.warn('frame', 'east', { peer: 'east' })
  assert.equal(lines.length, 21)
  assert.match(JSON.stringify(lines[19]), /more/)
  assert.deepEqual(lines[20], { event: 'frame', fields: { peer: 'east' } })
})

test.run()
