// A bus at its real speed: a question takes its time on the wire before a board acts on it, and so does the answer before
// it is there. Here is where frames break. A board answers in the order in which it was asked, also when it is slow.

import { Chance } from './chance.ts'
import type { PlayedCounter } from './played-counter.ts'
import type { PlayedRelay } from './played-relay.ts'
import { type Faults, now, type PlayerArguments } from './script.ts'
import { type Asked, Ear } from './wire.ts'

const BITS = 10
/** between two characters of one frame, and between two frames, as the standard has it */
const GAP_CHARACTERS = 3.5
const GAP_MS_FAST = 1.75
const IN_A_ROW_MAX = 2
/** what a look asks for, by function: inputs of a relay board, registers of a counter; for another number it is a marker */
const LOOKS = new Map([
  [2, 8],
  [3, 4],
])

export class PlayedBus {
  readonly #a: PlayerArguments
  readonly #boards: ReadonlyMap<number, PlayedRelay | PlayedCounter>
  readonly #seen: (unit: number) => void
  readonly #chance: Chance
  #ear = new Ear()
  #send: (bytes: Buffer) => void = () => {}
  #answeredAt = Number.NEGATIVE_INFINITY
  #silent = new Set<number>()
  /** boards that have not sent their last answer yet */
  readonly #busyUntil = new Map<number, number>()
  /** of a board, since the last look at it that went well */
  readonly #failures = new Map<number, number>()
  /** what that was before a look that went well from here: the next question tells whether it did so over there */
  readonly #looked = new Map<number, number>()
  faults: Faults = {}
  readonly figures = {
    questions: 0,
    answers: 0,
    /** asked before the line was quiet for as long as it has to be */
    early: 0,
    noise: 0,
    lostQuestions: 0,
    lostAnswers: 0,
    split: 0,
    wrongCrc: 0,
    missingByte: 0,
    slow: 0,
  }

  constructor(
    a: PlayerArguments,
    boards: ReadonlyMap<number, PlayedRelay | PlayedCounter>,
    /** all inputs of a board were asked for, and its answer is well */
    seen: (unit: number) => void,
  ) {
    this.#a = a
    this.#boards = boards
    this.#seen = seen
    this.#chance = new Chance(a.seed)
  }

  plug(send: (bytes: Buffer) => void): void {
    this.#ear = new Ear()
    this.#send = send
  }

  unplug(): void {
    this.#send = () => {}
  }

  power(unit: number, isOn: boolean): void {
    if (isOn) this.#silent.delete(unit)
    else this.#silent.add(unit)
  }

  hear(chunk: Buffer): void {
    const at = now()
    const gapMs = this.#a.baud > 19_200 ? GAP_MS_FAST : this.#wireMs(GAP_CHARACTERS)
    for (const asked of this.#ear.hear(chunk)) {
      this.figures.questions++
      if (at - this.#answeredAt < gapMs) this.figures.early++
      this.#actAt(asked, at + this.#wireMs(asked.bytes))
    }
  }

  #actAt(asked: Asked, at: number): void {
    notBefore(at, () => {
      const busyUntil = this.#busyUntil.get(asked.unit) ?? 0
      if (busyUntil > now()) this.#actAt(asked, busyUntil)
      else this.#act(asked)
    })
  }

  #act(asked: Asked): void {
    const { faults } = this
    const board = this.#boards.get(asked.unit)
    if (!board || this.#silent.has(asked.unit)) return
    this.#judgeLast(asked)
    // more than a few in a row is a board that is away: that is played by `power` and `unplug`
    const failures = this.#failures.get(asked.unit) ?? 0
    const isSpared = failures >= IN_A_ROW_MAX
    const befalls = (chance: number | undefined) => this.#chance.perMille(chance) && !isSpared
    if (befalls(faults.lostQuestion)) {
      this.#failures.set(asked.unit, failures + 1)
      this.figures.lostQuestions++
      return
    }
    const answer = board.answer(asked)
    if (befalls(faults.lostAnswer)) {
      this.#failures.set(asked.unit, failures + 1)
      this.figures.lostAnswers++
      return
    }
    const isSlow = befalls(faults.slow)
    if (isSlow) this.figures.slow++
    const whole = this.#spoilt(answer, befalls)
    const isWell = !isSlow && whole === answer
    if (!isWell) this.#failures.set(asked.unit, failures + 1)
    else if (isLook(asked)) {
      this.#looked.set(asked.unit, failures)
      this.#seen(asked.unit)
    }
    const pieces = isSpared ? [whole] : this.#pieces(this.#noisy(whole))
    const at = now()
    let bytes = 0
    pieces.forEach((piece, k) => {
      bytes += piece.length
      // half of what an adapter may hold back lies between two pieces
      const waitMs = this.#a.turnaroundMs + this.#wireMs(bytes) + 8 * k + (isSlow ? (faults.slowMs ?? 0) : 0)
      this.#busyUntil.set(asked.unit, at + waitMs)
      notBefore(at + waitMs, () => {
        this.#answeredAt = now()
        this.#send(piece)
      })
    })
    this.figures.answers++
  }

  /** Whoever asks for a marker has not got what went before, though nothing was done to it here: this machine was held up. */
  #judgeLast(asked: Asked): void {
    const before = this.#looked.get(asked.unit)
    if (before === undefined) return
    this.#looked.delete(asked.unit)
    this.#failures.set(asked.unit, isMarker(asked) ? before + 1 : 0)
  }

  #spoilt(whole: Buffer, befalls: (chance: number | undefined) => boolean): Buffer {
    if (befalls(this.faults.wrongCrc)) {
      this.figures.wrongCrc++
      const bit = this.#chance.below(8 * whole.length)
      const wrong = Buffer.from(whole)
      wrong[bit >> 3] = (wrong[bit >> 3] as number) ^ (1 << (bit & 7))
      return wrong
    }
    if (!befalls(this.faults.missingByte)) return whole
    this.figures.missingByte++
    const gone = this.#chance.below(whole.length)
    return Buffer.concat([whole.subarray(0, gone), whole.subarray(gone + 1)])
  }

  #noisy(bytes: Buffer): Buffer {
    if (!this.#chance.perMille(this.faults.noise)) return bytes
    this.figures.noise++
    const noise = Array.from({ length: 1 + this.#chance.below(6) }, () => this.#chance.below(256))
    return Buffer.concat([Buffer.from(noise), bytes])
  }

  #pieces(bytes: Buffer): Buffer[] {
    if (bytes.length < 2 || !this.#chance.perMille(this.faults.split)) return [bytes]
    this.figures.split++
    const cut = 1 + this.#chance.below(bytes.length - 1)
    return [bytes.subarray(0, cut), bytes.subarray(cut)]
  }

  #wireMs(characters: number): number {
    return (characters * BITS * 1000) / this.#a.baud
  }
}

function isLook({ fn, word }: Asked): boolean {
  return LOOKS.get(fn) === word
}

/** Asked to find out where the answers stand; nobody here has another use for coils. */
function isMarker(asked: Asked): boolean {
  return asked.fn === 1 || (LOOKS.has(asked.fn) && !isLook(asked))
}

/** Timers of a few ms may come a part of one early; the wire does not. */
function notBefore(at: number, act: () => void): void {
  const leftMs = at - now()
  if (leftMs <= 0) return act()
  setTimeout(() => notBefore(at, act), Math.ceil(leftMs))
}
