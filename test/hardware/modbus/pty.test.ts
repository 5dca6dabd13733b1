// alone: waits
//
// Real pseudo-terminals, with boards played by processes of their own at the speed of the wire. Four days run at the same
// time: a good and a bad one at either speed.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '../../debian.ts'
import { suite } from '../../suite.ts'
import { Day, PULSE_MS_MIN } from './day.ts'

const test = suite('hardware/modbus over a pseudo-terminal')

/** Longer than this machine is held up for on most days: three in a row are a board that is away. */
const TIMEOUT_MS = 120
/** On a good day every question is answered, however busy this machine is. */
const GOOD_TIMEOUT_MS = 1000
const FIRES = 60
/** as long as a day and its repetitions take */
const DAY_MS_MAX = 240_000
const BAD = {
  noise: 30,
  split: 100,
  lostQuestion: 8,
  lostAnswer: 8,
  wrongCrc: 10,
  missingByte: 6,
  slow: 6,
  slowMs: 200,
}

/**
 * Pulses are as short as the wire allows to be seen for certain: contacts are looked at after `blindMs` at the latest, with all
 * that a good day has to say between two looks, or two time-outs in a row on a bad one.
 */
const DAYS = {
  'good 9600': { baud: 9600, blindMs: 74, widthMs: 220, perArm: 100, eachWay: 1350, everyMs: 31 },
  'good 115200': { baud: 115_200, blindMs: 29, widthMs: 100, perArm: 200, eachWay: 2200, everyMs: 19 },
  'bad 9600': { baud: 9600, blindMs: 300, widthMs: 825, perArm: 25, eachWay: 450, everyMs: 75 },
  'bad 115200': { baud: 115_200, blindMs: 270, widthMs: 745, perArm: 27, eachWay: 650, everyMs: 55 },
} as const
type Name = keyof typeof DAYS
/** As short as a pulse, or what lies between two, may be of its width. */
const SHORTEST = 0.75

interface Played {
  readonly day: Day
  readonly latencies: readonly number[]
}

const dir = mkdtempSync(join(tmpdir(), 'pty-'))
const days: Day[] = []
const playing = new Map<Name, Promise<Played>>()
let people = 0

async function begin(options: Parameters<typeof Day.begin>[0]): Promise<Day> {
  const day = await Day.begin(options)
  days.push(day)
  return day
}

/**
 * Two failures in a row are played. With a third one, of this machine, a board is away: whoever walks then is of doubt, and that
 * is another test. Such a day is played again.
 */
async function play(name: Name): Promise<Played> {
  for (let left = 2; ; left--) {
    const played = await playOnce(name, `${name.replace(' ', '-')}-${left}`)
    const isAway = played.day.happenings.some(one => one.kind === 'fault' && one.code === 'LINK')
    if (left === 0 || !isAway) return played
    console.log(`\n  ${name}: this machine was held up for so long that a board was away; once more`)
    await played.day.end()
  }
}

async function playOnce(name: Name, port: string): Promise<Played> {
  const { perArm, eachWay, everyMs, ...rest } = DAYS[name]
  // seen late, and held up right then, it is still seen once more and then for as long as a person takes at least
  assert.ok(SHORTEST * rest.widthMs - 2 * rest.blindMs >= PULSE_MS_MIN)
  const isBad = name.startsWith('bad')
  const path = join(dir, port)
  const timeoutMs = isBad ? TIMEOUT_MS : GOOD_TIMEOUT_MS
  const day = await begin({ ...rest, path, timeoutMs, seed: rest.baud })
  if (isBad) day.player.send({ do: 'faults', faults: BAD })
  const walking = day.people({ perArm, widthMs: rest.widthMs, eachWay, everyMs })
  const latencies = isBad ? [] : await day.grants(walking)
  await walking
  await day.settled()
  return { day, latencies }
}

const atOf = (ms: readonly number[]) => {
  const sorted = ms.toSorted((a, b) => a - b)
  return (share: number) => sorted[Math.floor(share * sorted.length)]?.toFixed(1)
}

async function checked(name: Name): Promise<Played> {
  const played = await (playing.get(name) as Promise<Played>)
  const { day } = played
  assert.deepEqual(Object.fromEntries(day.seen), Object.fromEntries(day.played))
  const { perArm, eachWay } = DAYS[name]
  const total = [...day.played.values()].reduce((sum, counts) => sum + counts.in + counts.out, 0)
  assert.equal(total, 3 * perArm + 2 * eachWay)
  people += total
  return played
}

const missing = await needs('socat', 'socat')
if (missing) test.skip('pseudo-terminals', missing)
else {
  test.before(() => {
    for (const name of Object.keys(DAYS) as Name[]) {
      const day = play(name)
      day.catch(() => undefined)
      playing.set(name, day)
    }
  })
  test.after(async () => {
    for (const day of days) await day.end()
    rmSync(dir, { recursive: true, force: true })
  })

  for (const baud of [9600, 115_200] as const) {
    test(
      `on a good day at ${baud} baud nobody is lost and nobody counted twice`,
      async () => {
        const { day, latencies } = await checked(`good ${baud}`)
        assert.deepEqual(
          day.happenings.filter(({ kind }) => kind === 'fault'),
          [],
        )
        const { early, questions, stoodStillMs } = await day.player.figures()
        assert.equal(early, 0, 'the line is quiet between two frames')
        const at = atOf(latencies)
        console.log(
          `\n  ${baud} baud: grant to relay p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${latencies.length} grants, two boards, ` +
            `${questions} questions; people stood still for ${stoodStillMs} ms of this machine's)`,
        )
      },
      { timeoutMs: DAY_MS_MAX },
    )

    test(
      `noise, lost, split, broken and slow frames at ${baud} baud lose nobody and count nobody twice`,
      async () => {
        const { day } = await checked(`bad ${baud}`)
        const { noise, split, lostQuestions, lostAnswers, wrongCrc, missingByte, slow } = await day.player.figures()
        for (const count of [noise, split, lostQuestions, lostAnswers, wrongCrc, missingByte, slow]) assert.ok(count)
        const { timeOuts = 0, broken = 0, markers = 0 } = day.io.figures
        assert.ok(timeOuts > 0 && broken > 0 && markers > 0)
      },
      { timeoutMs: DAY_MS_MAX },
    )

    test(`a fire loop that opens at ${baud} baud lets the arm go, before anybody is told`, async () => {
      const day = await begin({ path: join(dir, `fire-${baud}`), baud, timeoutMs: GOOD_TIMEOUT_MS, widthMs: 100 })
      const tookMs: number[] = []
      for (let k = 0; k < FIRES; k++) tookMs.push(await day.fire())
      const at = atOf(tookMs)
      console.log(`\n  ${baud} baud: fire loop to relay p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${FIRES} fires)`)
      const raised = day.happenings.filter(one => one.kind === 'contact' && one.isRaised)
      assert.equal(raised.length, FIRES)
      assert.equal(day.guard.state().lanes[0]?.isHeld, false)
    })

    test(`people who walk while the port is unplugged at ${baud} baud are counted once when it is back`, async () => {
      const path = join(dir, `unplugged-${baud}`)
      const day = await begin({ path, baud, timeoutMs: TIMEOUT_MS, widthMs: 100 })
      const walking = day.people({ perArm: 0, widthMs: 100, eachWay: 60, everyMs: 40 })
      for (let k = 0; k < 2; k++) {
        const from = day.player.journal.length
        const before = day.happenings.length
        const faults = (isOver: boolean) =>
          day.happenings
            .slice(before)
            .filter(one => one.kind === 'fault' && one.code === 'LINK' && one.isOver === isOver)
        day.player.send({ do: 'unplug' })
        await day.until(() => faults(false).length >= 4)
        // nobody can be let in, and nobody is told that they were
        assert.equal(await day.io.outputs.get('lamp')?.open(), false)
        await day.player.until(line => line.what === 'passed', from)
        day.player.send({ do: 'replug' })
        await day.until(() => faults(true).length >= 4, 15_000)
      }
      await walking
      await day.settled()
      assert.deepEqual(Object.fromEntries(day.seen), Object.fromEntries(day.played))
      assert.equal(day.io.figures.reopened, 2)
    })
  }

  test('these were ten thousand people', () => {
    console.log(`\n  ${people} people, none lost, none doubled`)
    assert.ok(people >= 10_000)
  })
}

test.run()
