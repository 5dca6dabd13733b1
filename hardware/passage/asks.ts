// Asks: somebody stands before the arm, or pressed the button.
//
// Laws: one question at a time, and none while somebody who was let in has yet to walk; one that comes meanwhile is kept
// as long as its person stands there, or for three seconds. A contact that simply stays does not ask for ever: after a
// no it asks again now and then, after a grant that nobody took it does not, and in the end it is stuck.

import { Debounce } from './debounce.ts'
import type { PassageRules } from './rules.ts'
import type { Sighting } from './sighting.ts'

/** Whoever pressed and has gone by now has gone away. */
const KEEP_MS = 3_000
/** A gate decides within its deadline; an answer that is not there by now will not come. */
const ANSWER_MS = 5_000
/** Somebody who still stands there after a no would like to know when that changes. */
const REPEAT_MS = 5_000
const STUCK_MS = 60_000

export class Asks {
  readonly #rules: PassageRules
  readonly #debounce: Debounce
  /** since when the contact is active */
  #since: number | undefined
  /** an edge that nobody was asked about yet */
  #edgeAt: number | undefined
  #askedAt: number | undefined
  /** from here on a contact that is still active asks again */
  #repeatAt = Number.POSITIVE_INFINITY
  #isStuck = false

  constructor(rules: PassageRules) {
    this.#rules = rules
    this.#debounce = new Debounce(rules)
  }

  signal(isActive: boolean, at: number): readonly Sighting[] {
    const seen: Sighting[] = [...this.tick(at)]
    this.#debounce.level(isActive, at)
    seen.push(...this.tick(at))
    return seen
  }

  tick(now: number): readonly Sighting[] {
    const seen: Sighting[] = []
    const burst = this.#debounce.settle(now)
    const open = burst ?? this.#debounce.open
    if (open?.isSolid && this.#since === undefined) {
      this.#since = open.from
      if (this.#askedAt === undefined) this.#edgeAt = open.from
    }
    if (burst && !burst.isSolid) seen.push({ kind: 'noise', isHint: false })
    if (burst) {
      this.#since = undefined
      this.#repeatAt = Number.POSITIVE_INFINITY
      if (this.#isStuck)
        seen.push({ kind: 'stuck', signal: 'ask', isStuck: false, detail: 'the ask contact rests again' })
      this.#isStuck = false
    }
    if (this.#since !== undefined && !this.#isStuck && now - this.#since >= STUCK_MS) {
      this.#isStuck = true
      const detail = `the ask contact is active for ${STUCK_MS} ms and longer`
      seen.push({ kind: 'stuck', signal: 'ask', isStuck: true, detail })
    }
    if (this.#askedAt !== undefined && now - this.#askedAt >= ANSWER_MS) this.#askedAt = undefined
    return seen
  }

  /** Whether to ask the gate now, which then waits for the answer; `isIdle`: nobody else is on the way. */
  ask(now: number, isIdle: boolean): boolean {
    const edge = this.#edgeAt
    if (edge !== undefined && this.#since === undefined && now - edge > KEEP_MS) this.#edgeAt = undefined
    if (!isIdle || this.#askedAt !== undefined) return false
    const isAgain = this.#since !== undefined && !this.#isStuck && now >= this.#repeatAt
    if (this.#edgeAt === undefined && !isAgain) return false
    this.#askedAt = now
    this.#edgeAt = undefined
    this.#repeatAt = Number.POSITIVE_INFINITY
    return true
  }

  granted(): void {
    this.#askedAt = undefined
    this.#repeatAt = Number.POSITIVE_INFINITY
  }

  refused(now: number): void {
    this.#askedAt = undefined
    this.#repeatAt = now + REPEAT_MS
  }

  /** The person of the grant is in: whoever holds the contact now is the next one. */
  walked(now: number): void {
    this.#repeatAt = now + this.#rules.doubleMs
  }

  forget(): void {
    this.#debounce.forget()
  }

  get dues(): readonly number[] {
    return [
      this.#debounce.wakeAt,
      ...(this.#since === undefined ? [] : [this.#repeatAt, this.#since + STUCK_MS]),
      ...(this.#askedAt === undefined ? [] : [this.#askedAt + ANSWER_MS]),
    ]
  }
}
