// Gate alarms: what gates' own sirens sounded, as they hang it on the board, brought into the alert book.
//
// Law: an item of the board stays open until the alert that it became was acknowledged or is over; the same alarm sounded
// again hangs up a new one then, and so a new alert. One that was hung up long before we came is history.

import { ANCHOR } from '../../ledger/account.ts'
import type { Alert as Item } from '../../mesh/board/item.ts'
import { gateAlarmRule, subjectOf } from './alarm-table.ts'
import type { AlertBook } from './alert-book.ts'

/** What of the board is needed here. */
export interface Hung {
  alerts(): readonly Item[]
  acknowledge(id: string, by: string): void
}

/** A gate that was cut off hangs up what it has when it is back. */
const OLD_MS = 3_600_000

export class GateAlarms {
  readonly #board: Hung
  readonly #book: Pick<AlertBook, 'alarmed' | 'list'>
  /** by the id of the item; false once it was taken off */
  readonly #taken = new Map<string, boolean>()

  constructor(board: Hung, book: Pick<AlertBook, 'alarmed' | 'list'>) {
    this.#board = board
    this.#book = book
  }

  look(wall: number): void {
    const items = this.#board.alerts().filter(({ gate, by }) => gate === by && gate !== ANCHOR)
    const open = new Map(this.#book.list({ state: 'raised' }).map(alert => [`${alert.code} ${alert.subject}`, alert]))
    for (const { id, gate, code, text, at, acknowledged } of items) {
      if (acknowledged !== undefined || this.#taken.get(id) === false) continue
      const rule = gateAlarmRule(code)
      if (rule === undefined) continue
      const subject = subjectOf(code, gate, text)
      if (!this.#taken.has(id) && wall - at < OLD_MS) {
        this.#taken.set(id, true)
        this.#book.alarmed(code, subject, `${gate} says: ${text}`)
        continue
      }
      const alert = open.get(`${rule.code} ${subject}`)
      if (alert !== undefined && alert.acknowledged === undefined) continue
      this.#taken.set(id, false)
      this.#board.acknowledge(id, alert?.acknowledged?.by ?? 'anchor')
    }
    const known = new Set(items.map(({ id }) => id))
    for (const id of this.#taken.keys()) if (!known.has(id)) this.#taken.delete(id)
  }
}
