// Lane test: one lane under somebody's feet: one person each way, then a walk of a known count each way.
//
// Laws: how many truly walked is said by a person and never guessed from what was seen. A test is kept as an entry as soon
// as it is done; one that was skipped or ran out of time is no test, and nothing is kept of it.

import type { LaneConfig } from '../../hardware/config.ts'
import type { FaultCode } from '../../hardware/turnstile.ts'
import type { CheckOf } from '../../ledger/entry.ts'
import { type Accuracy, accuracyOf, type Way, wayWords } from './accuracy.ts'
import type { Desk } from './desk.ts'
import { type Direction, directionOf, directionWords, swapWords } from './direction.ts'
import type { GateTalk } from './gate-talk.ts'
import { LaneEye, type Seen } from './lane-eye.ts'
import { settle, waitFor } from './waiting.ts'

export interface TestOptions {
  readonly desk: Desk
  readonly talk: GateTalk
  readonly by: string
  /** who walk each way */
  readonly people: number
  /** for one person at the arm; a walk has as long for each */
  readonly waitMs: number
  /** after the last one: second edges and slow counters come a little later */
  readonly settleMs: number
}

interface Tested {
  /** of the entry that keeps it */
  readonly id: string
  readonly ok: boolean
  readonly doubles: number
  readonly noises: number
  readonly words: readonly string[]
}

export interface DirectionTested extends Tested {
  readonly direction: Direction
}

export interface WalkTested extends Tested {
  readonly accuracy: Accuracy
}

export interface LaneTested {
  readonly lane: string
  /** undefined: skipped, or nobody walked in time */
  readonly direction?: DirectionTested
  readonly walk?: WalkTested
  readonly confidence: number
  readonly faults: readonly FaultCode[]
  readonly ok: boolean
}

const WAY_WORDS = { in: 'IN, as a visitor would', out: 'OUT' } as const satisfies Record<Way, string>
/** Lines are read until one is understood; who never finds the word is not asked for ever. */
const TRIES = 5

export async function testLane(o: TestOptions, lane: string, config: LaneConfig | undefined): Promise<LaneTested> {
  o.desk.say(`\nlane ${lane}: keep visitors away from it until this is done; s skips a step`)
  const direction = await directionTest(o, lane, config)
  // a walk through a lane that tells nothing right would only cost everybody's time
  const isWorthIt = direction === undefined || direction.ok
  if (!isWorthIt) o.desk.say('  the walk is left out until that is mended')
  const walk = isWorthIt ? await walkTest(o, lane) : undefined
  const { state } = await LaneEye.open(o.talk, lane)
  return {
    lane,
    ...(direction === undefined ? {} : { direction }),
    ...(walk === undefined ? {} : { walk }),
    confidence: state.confidence,
    faults: state.faults,
    ok: direction?.ok === true && walk?.ok === true && state.isUp && state.faults.length === 0,
  }
}

async function directionTest(
  o: TestOptions,
  lane: string,
  config: LaneConfig | undefined,
): Promise<DirectionTested | undefined> {
  const whenIn = await onePerson(o, lane, 'in')
  if (whenIn === undefined) return undefined
  const whenOut = await onePerson(o, lane, 'out')
  if (whenOut === undefined) return undefined
  const direction = directionOf(whenIn, whenOut)
  const seen = sum(whenIn, whenOut)
  const { state } = await LaneEye.open(o.talk, lane)
  const words = directionWords(direction, swapWords(lane, config, Object.keys(state.inputs)))
  const id = await keep(o, 'direction', lane, { in: 1, out: 1 }, seen, direction.ok)
  told(o.desk, 'direction', direction.ok, words)
  return { id, ok: direction.ok, direction, doubles: seen.doubles, noises: seen.noises, words }
}

/** What the lane told of one person; undefined where it was skipped, or nobody came. */
async function onePerson(
  { desk, talk, waitMs, settleMs }: TestOptions,
  lane: string,
  way: Way,
): Promise<Seen | undefined> {
  // before the word is out: whoever is quick was seen too
  const eye = await LaneEye.open(talk, lane)
  desk.flush()
  desk.say(`  one person walks ${WAY_WORDS[way]}, now (Enter: somebody did, and it shows nothing)`)
  const came = await waitFor(desk, {
    limitMs: waitMs,
    look: () => eye.look(),
    isIt: seen => seen.in + seen.out > 0,
    words: (seen, leftS) => `  nothing seen yet, ${leftS} s left${seen.noises > 0 ? `, noise ${seen.noises}` : ''}`,
  })
  if (came.kind === 'late') {
    desk.say('  nobody was seen in time, and nobody said that somebody walked: skipped')
    return undefined
  }
  if (came.kind === 'typed' && isSkip(came.line)) return undefined
  await settle(desk, settleMs)
  return eye.conclude()
}

async function walkTest(o: TestOptions, lane: string): Promise<WalkTested | undefined> {
  const walkedIn = await walk(o, lane, 'in')
  if (walkedIn === undefined) return undefined
  const walkedOut = await walk(o, lane, 'out')
  if (walkedOut === undefined) return undefined
  const truth = { in: walkedIn.truth, out: walkedOut.truth }
  const seen = sum(walkedIn.seen, walkedOut.seen)
  const accuracy = accuracyOf(truth, seen)
  const words = [wayWords('in', accuracy.in), wayWords('out', accuracy.out)]
  const id = await keep(o, 'walk', lane, truth, seen, accuracy.ok)
  told(o.desk, 'walk', accuracy.ok, words)
  return { id, ok: accuracy.ok, accuracy, doubles: seen.doubles, noises: seen.noises, words }
}

async function walk(
  { desk, talk, people, waitMs, settleMs }: TestOptions,
  lane: string,
  way: Way,
): Promise<{ readonly truth: number; readonly seen: Seen } | undefined> {
  const eye = await LaneEye.open(talk, lane)
  desk.flush()
  desk.say(
    `  ${people} people walk ${WAY_WORDS[way]}, one after the other. Enter once all ${people} are through, or how many it were`,
  )
  for (let tries = 0; tries < TRIES; tries++) {
    const came = await waitFor(desk, {
      limitMs: waitMs * people,
      needsWord: true,
      look: () => eye.look(),
      isIt: () => false,
      words: (seen, leftS) => `  ${seen.in} in and ${seen.out} out seen so far, ${leftS} s left`,
    })
    if (came.kind !== 'typed') break
    if (isSkip(came.line)) return undefined
    const truth = came.line === '' ? people : wholeOf(came.line)
    if (truth !== undefined) {
      await settle(desk, settleMs)
      return { truth, seen: await eye.conclude() }
    }
    desk.say(`  Enter for ${people}, another number, or s to skip`)
  }
  desk.say('  nobody said that the walk is over: skipped')
  return undefined
}

function keep(
  { talk, by }: TestOptions,
  what: CheckOf,
  lane: string,
  truth: { readonly in: number; readonly out: number },
  seen: Seen,
  ok: boolean,
): Promise<string> {
  const counts = { truthIn: truth.in, truthOut: truth.out, seenIn: seen.in, seenOut: seen.out }
  return talk.check({ what, lane, by, ...counts, ok })
}

function told(desk: Desk, what: string, ok: boolean, words: readonly string[]): void {
  desk.say(`  ${what} ${ok ? 'ok' : 'NOT OK'}: ${words.join('\n    ')}`)
}

function sum(a: Seen, b: Seen): Seen {
  return { in: a.in + b.in, out: a.out + b.out, doubles: a.doubles + b.doubles, noises: a.noises + b.noises }
}

function isSkip(line: string): boolean {
  return /^s(kip)?$/i.test(line)
}

function wholeOf(line: string): number | undefined {
  return /^\d{1,6}$/.test(line) ? Number(line) : undefined
}
