// Doubt: which answers on a wire could be late ones.
//
// Law: a late answer is never taken for another question's. Frames on a wire carry no number, so after a question that
// stayed without a whole answer, an answer of the same shape may be the late one. A board answers in the order it is asked:
// once it has answered a question of another shape (a marker), nothing that was asked before can come any more.

import { answerBytes, type Question } from './pdu.ts'

/** After so long without a word from a board, it has forgotten what it was asked. */
const FORGET_MS = 3_000

interface Owed {
  readonly shapes: Set<string>
  readonly at: number
}

export class Doubt {
  readonly #owed = new Map<number, Owed>()

  /** Nothing came for this question in time, or nothing whole. */
  owe(unit: number, question: Question, now: number): void {
    const shapes = this.#owed.get(unit)?.shapes ?? new Set()
    this.#owed.set(unit, { shapes: shapes.add(shapeOf(question)), at: now })
  }

  /** The unit answered: all it was asked before is answered or lost. */
  clear(unit: number): void {
    this.#owed.delete(unit)
  }

  /** The connection is another one: what was owed on the last cannot come. */
  clearAll(): void {
    this.#owed.clear()
  }

  /** What has to be answered first: a marker, nothing, or, for `wait`, not even a marker would tell. */
  before(unit: number, question: Question, now: number): Question | 'nothing' | 'wait' {
    const owed = this.#owed.get(unit)
    if (!owed) return 'nothing'
    if (now - owed.at > FORGET_MS) {
      this.#owed.delete(unit)
      return 'nothing'
    }
    if (!owed.shapes.has(shapeOf(question))) return 'nothing'
    return markersOf(question).find(marker => !owed.shapes.has(shapeOf(marker))) ?? 'wait'
  }
}

/** Two questions of one shape have answers that cannot be told apart. */
function shapeOf(question: Question): string {
  switch (question.fn) {
    case 5:
    case 6:
      return `${question.fn} ${question.at} ${question.value}`
    case 15:
    case 16:
      return `${question.fn} ${question.at} ${question.values.length}`
    default:
      return `${question.fn} ${answerBytes(question)}`
  }
}

/** Reads that harm nothing. A board that refuses one has answered as well. */
function markersOf(question: Question): readonly Question[] {
  switch (question.fn) {
    case 1:
    case 2: {
      const { at, count } = question
      const other = question.fn === 1 ? 2 : 1
      return [
        { fn: other, at, count: 1 },
        { fn: question.fn, at, count: count > 8 ? 1 : count + 8 },
      ]
    }
    case 3:
    case 4: {
      const { fn, at } = question
      return [1, 2, 3].map(count => ({ fn, at, count }))
    }
    case 5:
    case 15:
      return [
        { fn: 1, at: 0, count: 1 },
        { fn: 2, at: 0, count: 1 },
      ]
    default:
      return [1, 2, 3].map(count => ({ fn: 3, at: question.at, count }))
  }
}
