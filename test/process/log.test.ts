import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Clock } from '../../mesh/clock.ts'
import { type Alarm, Siren } from '../../mesh/siren.ts'
import { noTally } from '../../node/door.ts'
import { Rates } from '../../node/rates.ts'
import { suite } from '../suite.ts'

const test = suite('process/log')

test('an alarm is heard once a minute of each code and subject, with how often it was not', () => {
  let now = 0
  const heard: Alarm[] = []
  const clock: Clock = { now: () => now, wall: () => 0, in: () => () => undefined }
  const siren = new Siren(clock, alarm => heard.push(alarm))
  for (let i = 0; i < 120; i++) {
    siren.sound('REFUSED', `from g2: note ${i}`)
    siren.sound('REFUSED', `from g3: note ${i}`)
    siren.sound('DISK', 'g1: a write failed')
    now += 1000
  }
  const said = heard.map(({ code, subject, unsaid }) => `${code} ${subject} ${unsaid}`)
  const first = ['REFUSED from g2 0', 'REFUSED from g3 0', 'DISK g1 0']
  assert.deepEqual(said, [...first, 'REFUSED from g2 59', 'REFUSED from g3 59', 'DISK g1 59'])
})

test('a stranger who makes up subjects does not fill the memory', () => {
  let heard = 0
  const clock: Clock = { now: () => 0, wall: () => 0, in: () => () => undefined }
  const siren = new Siren(clock, () => heard++)
  for (let i = 0; i < 10_000; i++) siren.sound('GARBAGE', `from x${i}: y`)
  assert.equal(heard, 10_000)
})

test('rates are people a minute over the last minute', () => {
  const rates = new Rates()
  const tally = noTally()
  let last = rates.perMinute(tally, 0)
  for (let second = 1; second <= 300; second++) {
    tally.local++
    tally.stolen++
    if (second % 2 === 0) tally.out++
    if (second % 6 === 0) tally.atCapacity++
    last = rates.perMinute(tally, second * 1000)
  }
  assert.deepEqual(last, {
    localPerMinute: 60,
    stolenPerMinute: 60,
    exitsPerMinute: 30,
    atCapacityPerMinute: 10,
    noHeadroomPerMinute: 0,
    emergencyPerMinute: 0,
    faultPerMinute: 0,
  })
  for (let second = 301; second <= 400; second++) last = rates.perMinute(tally, second * 1000)
  assert.equal(last.localPerMinute, 0)
})

const FLOOD = `
import { pinoLog } from ${JSON.stringify(join(import.meta.dirname, '../../mesh/pino-log.ts'))}
const log = pinoLog({ member: 'g1', level: 'info' })
let longest = 0
let before = performance.now()
for (let i = 0; i < 3000; i++) {
  log.info('line', { i, pad: 'x'.repeat(1000) })
  if (i % 100 === 0) await new Promise(resolve => setImmediate(resolve))
  longest = Math.max(longest, performance.now() - before)
  before = performance.now()
}
process.stderr.write(JSON.stringify({ longest: Math.round(longest) }))
await new Promise(resolve => setTimeout(resolve, 500))
log.info('after', {})
await log.flush()
process.stderr.write(' done')
`

test('nobody waits for a reader of the log that stands still, and whole lines come out when it moves again', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', FLOOD])
  let err = ''
  let out = ''
  const told = new Promise<void>(resolve => {
    child.stderr.on('data', text => {
      err += text
      resolve()
    })
  })
  await told
  const { longest } = JSON.parse(err.split(' ')[0] as string)
  assert.ok(longest < 1000, `held up for ${longest} ms`)
  child.stdout.on('data', text => {
    out += text
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  assert.equal(code, 0, err)
  const lines = out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(lines[0].event, 'line')
  assert.ok(lines.length < 3000, 'what was beyond the limit is lost')
  assert.ok(lines.length > 500, `${lines.length} lines`)
})

test('a reader that is gone does not end the process', async () => {
  const script = FLOOD.replace(
    'await log.flush()',
    'await new Promise(resolve => setTimeout(resolve, 300))\nawait log.flush()',
  )
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  child.stdout.destroy()
  let err = ''
  child.stderr.on('data', text => {
    err += text
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  assert.deepEqual([code, err.endsWith('done')], [0, true], err)
})

test.run()
