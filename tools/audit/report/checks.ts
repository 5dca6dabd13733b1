// Checks: when the sensors of each lane were last held against the truth, by walking through or by counting by hand.
//
// Law: a check stands until the next one of its kind, however long ago it was; one that was made after the period says
// nothing of it.

import { type Account, nameOf } from '../../../ledger/account.ts'
import type { Checked } from '../../../ledger/entry.ts'
import { type Accuracy, accuracyOf } from '../../doctor/accuracy.ts'

export interface CheckTold extends Pick<Checked, 'what' | 'lane' | 'by' | 'at' | 'ok'> {
  readonly gate: string
  readonly accuracy: Accuracy
}

/** A gate has few lanes; somebody who makes names up fills no report. */
const LISTED_MAX = 1000

export class Checks {
  readonly #to: number
  readonly #last = new Map<string, CheckTold>()

  constructor(to: number) {
    this.#to = to
  }

  add(account: Account, entry: Checked): void {
    const { what, lane, by, at, ok } = entry
    if (at >= this.#to) return
    const gate = nameOf(account)
    const key = JSON.stringify([gate, lane, what])
    const before = this.#last.get(key)
    if (before === undefined ? this.#last.size >= LISTED_MAX : before.at > at) return
    const truth = { in: entry.truthIn, out: entry.truthOut }
    const accuracy = accuracyOf(truth, { in: entry.seenIn, out: entry.seenOut })
    this.#last.set(key, { gate, what, lane, by, at, ok, accuracy })
  }

  /** By gate and lane, the newest of each first. */
  get list(): CheckTold[] {
    const place = ({ gate, lane }: CheckTold) => `${gate}\0${lane}`
    return [...this.#last.values()].sort((a, b) => {
      return place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : b.at - a.at
    })
  }
}
