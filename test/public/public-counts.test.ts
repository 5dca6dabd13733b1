// quiet

import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { Calendar } from '../../anchor/public/calendar.ts'
import { NOTHING_PUBLIC, type PublicConfig, readPublic } from '../../anchor/public/config.ts'
import type { Below } from '../../anchor/public/laplace.ts'
import { PublicCounts } from '../../anchor/public/public-counts.ts'
import { blurred, perVisit, SLACK_MS, scaleOf, wordsOf } from '../../anchor/public/release.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { Form } from '../../mesh/form.ts'
import { Random } from '../sim/random.ts'
import { suite } from '../suite.ts'

const test = suite('public/counts')

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOISY: PublicConfig = { ...NOTHING_PUBLIC, counts: 'noisy' }
const COARSE: PublicConfig = { ...NOTHING_PUBLIC, counts: 'coarse' }

function config(value: object): PublicConfig {
  const form = Form.read(JSON.stringify({ public: value }), { file: 'anchor.json', dir: '/' })
  const read = readPublic(form)
  form.check()
  return read
}

/** A mall in a test's hand: its clocks, its count, its disk, and the process over it. */
class Stage {
  now = 0
  wall = 12 * HOUR + 3 * MINUTE
  count = 120
  mode: 'NORMAL' | 'FIRE' = 'NORMAL'
  ageMs = 0
  readonly errors: unknown[] = []
  readonly chances: number[] = []
  readonly cabinet = new MemoryCabinet()
  readonly #config: PublicConfig
  readonly #below: Below
  #due: (() => void) | undefined
  #counts!: PublicCounts

  constructor(config: PublicConfig, seed = 1) {
    const random = new Random(seed)
    this.#config = config
    this.#below = n => {
      this.chances.push(n)
      return random.int(n)
    }
  }

  async start(config = this.#config): Promise<void> {
    await this.#counts?.stop()
    this.#counts = await PublicCounts.open({
      mall: 'north',
      config,
      cabinet: this.cabinet,
      clock: {
        now: () => this.now,
        wall: () => this.wall,
        in: (_ms, act) => {
          this.#due = act
          return () => {
            this.#due = undefined
          }
        },
      },
      log: { info: () => undefined, warn: () => undefined, error: (_event, fields) => this.errors.push(fields) },
      below: this.#below,
      look: () => ({
        occupancy: { count: this.count, atMost: this.count, capacity: 300, ageMs: this.ageMs },
        mode: this.mode,
      }),
    })
    this.#counts.start()
    await turn()
  }

  /** Time passes, in seconds as the process looks, and as `setMs` says somebody sets the clock. */
  async pass(ms: number, stepMs = 1000): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.now += stepMs
      this.wall += stepMs
      this.#due?.()
      await turn()
    }
  }

  get answer() {
    const answer = this.#counts.answer()
    assert.ok(answer !== undefined)
    return answer
  }
}

test('nothing is told unless somebody wrote down how', async () => {
  assert.equal(config({}).counts, 'off')
  assert.deepEqual(readPublic(Form.read('{}', { file: 'a', dir: '/' })), NOTHING_PUBLIC)
  assert.throws(() => config({ counts: 'exact' }), {
    message: /public\.counts: one of off, coarse, noisy, not "exact"/,
  })
  assert.throws(() => config({ epsilon: 1 }), { message: /public\.epsilon: there is no such field/ })
  assert.throws(() => config({ everyMinutes: 0 }), { message: /public\.everyMinutes: a whole number from 1 to 1440/ })
  const stage = new Stage(NOTHING_PUBLIC)
  await stage.start()
  assert.throws(() => stage.answer, { message: /answer !== undefined/ })
})

test('coarse: steps and words, renewed every minute and not before', async () => {
  const stage = new Stage(COARSE)
  await stage.start()
  const first = stage.answer
  assert.deepEqual([first.count, first.capacity, first.words], [120, 300, 'quiet'])
  assert.deepEqual(first.how, { mechanism: 'coarse', step: 20, everyMinutes: 1 })
  assert.equal(first.nextAt, 12 * HOUR + 4 * MINUTE)
  stage.count = 171
  await stage.pass(59_000)
  assert.equal(stage.answer.count, 120)
  await stage.pass(1000)
  assert.deepEqual([stage.answer.count, stage.answer.words], [180, 'busy'])
  for (let count = 0; count <= 330; count++) {
    const told = blurred({ count, capacity: 300 }, COARSE, () => 0)
    assert.ok(
      told % 20 === 0 && told >= 0 && told <= 300 && (Math.abs(told - count) <= 10 || told === 300),
      `${count}: ${told}`,
    )
  }
  stage.wall -= 2 * HOUR
  await stage.pass(1000)
  assert.equal(stage.answer.at, stage.wall, 'a clock that went back is followed: there is no chance to be drawn twice')
})

test('words are those of the figure that is told', () => {
  const words = [0, 149, 150, 269, 270, 299, 300].map(count => wordsOf({ count, capacity: 300 }, 'NORMAL'))
  assert.deepEqual(words, ['quiet', 'quiet', 'busy', 'busy', 'nearly full', 'nearly full', 'full'])
  assert.equal(wordsOf({ count: 1, capacity: 300 }, 'FIRE'), 'closed')
  assert.equal(wordsOf(undefined, 'NORMAL'), 'unknown')
})

test('a mall in an emergency is not told to be quiet because people leave', async () => {
  const stage = new Stage(COARSE)
  await stage.start()
  stage.mode = 'FIRE'
  assert.deepEqual([stage.answer.words, stage.answer.count], ['closed', null])
})

test('noisy: nothing after a start until the next boundary, then one figure until the next, and how it was made', async () => {
  const stage = new Stage(NOISY)
  await stage.start()
  await stage.pass(12 * MINUTE - 1000)
  assert.deepEqual([stage.answer.count, stage.answer.words, stage.chances.length], [null, 'unknown', 0])
  assert.equal(stage.answer.nextAt, 12 * HOUR + 15 * MINUTE)
  await stage.pass(1000)
  const { count, how, at } = stage.answer
  assert.ok(count !== null && count >= 0 && count <= 300)
  assert.equal(at, 12 * HOUR + 15 * MINUTE)
  assert.deepEqual(how, {
    mechanism: 'discrete Laplace',
    epsilon: 1,
    perVisitHours: 4,
    releasesPerVisit: 17,
    everyMinutes: 15,
    error95: 51,
  })
  const drawn = stage.chances.length
  stage.count = 0
  await stage.pass(15 * MINUTE - 1000)
  assert.deepEqual([stage.answer.count, stage.chances.length], [count, drawn])
  await stage.pass(1000)
  assert.ok(stage.chances.length > drawn)
})

test('a visit is counted in no more releases than the noise was made for, however it lies between them', () => {
  for (const [everyMinutes, visitHours] of [
    [15, 4],
    [1, 4],
    [7, 3],
    [60, 1],
    [1440, 1],
  ] as const) {
    const own = { ...NOISY, everyMinutes, visitHours }
    const spacing = everyMinutes * MINUTE - SLACK_MS
    // the densest that the calendar allows
    const touched = Math.floor((visitHours * HOUR) / spacing) + 1
    assert.equal(perVisit(own), touched)
    assert.deepEqual(scaleOf({ ...own, epsilonPerMille: 500 }), { num: touched * 1000, den: 500 })
  }
})

test('at most one draw per epoch, later ones only, and none nearer than an epoch, whatever clock and restarts do', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed)
    const everyMs = 15 * MINUTE
    let disk: number | undefined
    let calendar = new Calendar({ everyMs, isPlain: false, last: disk })
    let [now, wall, life] = [0, 100 * HOUR, 0]
    const drawn: { epoch: number; now: number; life: number }[] = []
    for (let i = 0; i < 600; i++) {
      const step = random.chance(0.9) ? 1000 * random.int(90) : random.int(everyMs * 2)
      now += step
      wall += step
      if (random.chance(0.03)) wall += (random.int(3) - 1) * random.int(2 * HOUR)
      if (random.chance(0.03)) {
        life++
        calendar = new Calendar({ everyMs, isPlain: false, last: disk })
      }
      const epoch = calendar.due({ now, wall })
      if (epoch === undefined) continue
      calendar.drawn(epoch, now)
      disk = epoch
      const before = drawn.at(-1)
      assert.ok(before === undefined || epoch > before.epoch, `seed ${seed}: ${epoch} after ${before?.epoch}`)
      if (before?.life === life)
        assert.ok(now - before.now >= everyMs - SLACK_MS, `seed ${seed}: ${now - before.now} ms`)
      drawn.push({ epoch, now, life })
    }
    assert.ok(drawn.length > 5, `seed ${seed}: ${drawn.length} draws`)
  }
})

test('after a restart the same figure is told until the next boundary, and no other is drawn', async () => {
  const stage = new Stage(NOISY)
  await stage.start()
  await stage.pass(13 * MINUTE)
  const { count } = stage.answer
  const drawn = stage.chances.length
  stage.count = 290
  await stage.start()
  await stage.pass(2 * MINUTE)
  assert.deepEqual([stage.answer.count, stage.chances.length], [count, drawn])
  // the clock is set back and the process started anew: what was told is not told again with other chances
  stage.wall -= 20 * MINUTE
  await stage.start()
  await stage.pass(15 * MINUTE)
  assert.equal(stage.chances.length, drawn)
  await stage.start({ ...NOISY, everyMinutes: 5 })
  await stage.pass(10 * MINUTE)
  assert.equal(stage.chances.length, drawn, 'shorter epochs within one that was told of are told of too')
})

test('a figure that the disk did not take is not told, and not drawn again', async () => {
  const stage = new Stage(NOISY)
  await stage.start()
  const { write } = stage.cabinet
  stage.cabinet.write = () => Promise.reject(new Error('full'))
  await stage.pass(13 * MINUTE)
  const drawn = stage.chances.length
  assert.ok(drawn > 0)
  assert.equal(stage.answer.count, null)
  assert.deepEqual(stage.errors, [{ error: 'full' }])
  stage.cabinet.write = write
  await stage.pass(10 * MINUTE)
  assert.deepEqual([stage.answer.count, stage.chances.length], [null, drawn])
  await stage.pass(4 * MINUTE)
  assert.notEqual(stage.answer.count, null)
})

test('what was heard too long ago is not told as the present', async () => {
  const stage = new Stage(NOISY)
  await stage.start()
  stage.ageMs = HOUR
  await stage.pass(20 * MINUTE, 10_000)
  assert.equal(stage.answer.count, null)
  stage.ageMs = 0
  await stage.pass(15 * MINUTE, 10_000)
  assert.notEqual(stage.answer.count, null)
  stage.wall += 3 * HOUR
  assert.equal(stage.answer.count, null)
})

test.run()
