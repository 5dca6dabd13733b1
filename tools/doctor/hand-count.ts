// Hand count: a person counts one lane in business, and the gate's own count of that time is held against it.
//
// Laws: whoever counts does not see what the gate counts until they are done. What they did not finish is not kept.

import { type Accuracy, accuracyOf, type Flow, wayWords } from './accuracy.ts'
import { Stopped } from './desk.ts'
import { LaneEye } from './lane-eye.ts'
import type { TestOptions } from './lane-test.ts'
import { answerTo, LOOK_EVERY_MS, settle } from './waiting.ts'

export interface CountOptions extends Pick<TestOptions, 'desk' | 'talk' | 'by'> {
  readonly lane: string
  readonly forMs: number
  readonly answerMs: number
  /** a person in the arm is counted by eye before the sensor is done with them */
  readonly settleMs: number
}

export interface HandCounted {
  readonly mall: string
  readonly gate: string
  readonly lane: string
  readonly by: string
  readonly seconds: number
  readonly accuracy: Accuracy
  readonly ok: boolean
  readonly id: string
}

const HELP = 'i: one in, o: one out, u: the last one was a mistake, q: done before the time is over'

export async function handCount(o: CountOptions): Promise<HandCounted> {
  const { desk, talk, lane, by } = o
  const { mall, gate } = await talk.who()
  const eye = await LaneEye.open(talk, lane)
  desk.say(`counting lane ${lane} of ${gate} for ${Math.ceil(o.forMs / 60_000)} min, from now on`)
  desk.say(`${HELP}\nor count on paper and say the two numbers at the end`)
  const since = desk.now()
  const tally = new Tally()
  await counted(o, tally, since)
  const seconds = Math.round((desk.now() - since) / 1000)
  await settle(desk, o.settleMs)
  const seen = await eye.conclude()
  const truth = await truthOf(o, tally)
  const accuracy = accuracyOf(truth, seen)
  const counts = { truthIn: truth.in, truthOut: truth.out, seenIn: seen.in, seenOut: seen.out }
  const id = await talk.check({ what: 'count', lane, by, ...counts, ok: accuracy.ok })
  return { mall, gate, lane, by, seconds, accuracy, ok: accuracy.ok, id }
}

export function countWords({ gate, lane, by, seconds, accuracy, ok, id }: HandCounted): string {
  const { missing } = accuracy
  const net = missing === 0 ? [] : [`  together: ${missingWords(missing)}`]
  return [
    '',
    `${gate}, lane ${lane}, counted by ${by} for ${Math.floor(seconds / 60)} min ${seconds % 60} s: ${ok ? 'ok' : 'NOT OK'}`,
    `  ${wayWords('in', accuracy.in)}`,
    `  ${wayWords('out', accuracy.out)}`,
    ...net,
    `  kept as ${id}`,
  ].join('\n')
}

function missingWords(missing: number): string {
  const people = Math.abs(missing) === 1 ? '1 person' : `${Math.abs(missing)} people`
  return missing > 0 ? `${people} more inside than counted, UNSAFE` : `${people} counted inside who are not there`
}

/** What was pressed, one after the other. */
class Tally {
  readonly #pressed: ('in' | 'out')[] = []
  /** two numbers that were said instead */
  said: Flow | undefined

  get flow(): Flow {
    const came = this.#pressed.filter(way => way === 'in').length
    return { in: came, out: this.#pressed.length - came }
  }

  get isTouched(): boolean {
    return this.#pressed.length > 0 || this.said !== undefined
  }

  /** False where it means nothing. */
  take(word: string): boolean {
    if (word === 'i') this.#pressed.push('in')
    else if (word === 'o') this.#pressed.push('out')
    else if (word === 'u') this.#pressed.pop()
    else {
      this.said = flowOf(word) ?? this.said
      return flowOf(word) !== undefined
    }
    return true
  }
}

async function counted({ desk, forMs }: CountOptions, tally: Tally, since: number): Promise<void> {
  const until = since + forMs
  desk.keys(true)
  try {
    for (let left = forMs; left > 0; left = until - desk.now()) {
      const { in: came, out } = tally.flow
      const minutes = Math.floor(left / 60_000)
      const seconds = Math.floor((left % 60_000) / 1000)
      desk.progress(`${came} in, ${out} out; ${minutes}:${String(seconds).padStart(2, '0')} left`)
      const word = (await desk.typed(Math.min(LOOK_EVERY_MS, left)))?.toLowerCase()
      if (word === 'q') return
      if (word !== undefined && !tally.take(word)) desk.say(HELP)
    }
  } finally {
    desk.keys(false)
  }
}

const TRIES = 5

/** Pressed and said, unless there is somebody to ask. */
async function truthOf({ desk, answerMs }: CountOptions, tally: Tally): Promise<Flow> {
  if (tally.said !== undefined) return tally.said
  const { in: came, out } = tally.flow
  if (desk.isOver && tally.isTouched) return tally.flow
  for (let tries = 0; tries < TRIES; tries++) {
    const question = `you pressed ${came} in and ${out} out: Enter if that is right, or two numbers, in and out`
    const line = await answerTo(desk, question, answerMs)
    if (line === undefined) break
    const said = line === '' ? tally.flow : flowOf(line)
    if (said !== undefined) return said
  }
  throw new Stopped('nobody said how many it were: nothing is kept')
}

function flowOf(line: string): Flow | undefined {
  const [, came, out] = /^(\d{1,6})[ ,;]+(\d{1,6})$/.exec(line) ?? []
  return came === undefined || out === undefined ? undefined : { in: Number(came), out: Number(out) }
}
