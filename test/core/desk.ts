// Desk: one real anchor in a test's hand, with three gates that the test plays.

import { Anchor, type AnchorBoot, type AnchorEvent, type AnchorOptions } from '../../anchor/anchor.ts'
import type { Account } from '../../ledger/account.ts'
import type { Books } from '../../ledger/books.ts'
import { noCounters } from '../../ledger/counters.ts'
import type { Body } from '../../ledger/entry.ts'
import { LIMITS } from '../../mesh/limits.ts'
import type { Effect, Message } from '../../mesh/message.ts'
import { CheapPen } from '../sim/pen.ts'
import { CHARTER, GATES, MORNING, newId } from './papers.ts'

const NOTHING: AnchorBoot = { memory: { kind: 'blank' }, rows: [], policies: [], proofs: [], modes: [], enrolled: [] }

export class Desk {
  readonly anchor: Anchor
  readonly entries: Body[] = []
  /** the account whose ledger it began */
  begun: Account | undefined
  now = 0

  constructor(boot: Partial<AnchorBoot>, options: AnchorOptions = {}) {
    this.anchor = new Anchor({ name: 'anchor', charter: CHARTER, limits: LIMITS, key: 'anchor', newId }, options)
    this.step({ kind: 'booted', boot: { ...NOTHING, ...boot } })
  }

  /** The mall on its first morning, every gate there with an empty account. */
  static opening(options: AnchorOptions = {}): Desk {
    const desk = new Desk({}, { ...options, birth: true })
    desk.join()
    return desk
  }

  get books(): Books {
    return this.anchor.me.books as Books
  }

  step(event: AnchorEvent): Effect[] {
    const effects = this.anchor.step(event, this.now, MORNING + this.now)
    const begins: Account[] = []
    for (const effect of effects) {
      if (effect.kind === 'append') this.entries.push(effect.body)
      else if (effect.kind === 'begin') begins.push(effect.account)
    }
    for (const account of begins) {
      this.begun = account
      const opened = { account, pen: new CheapPen(), counters: noCounters() }
      effects.push(...this.step({ kind: 'begun', opened }))
    }
    return effects
  }

  after(ms: number): Effect[] {
    this.now += ms
    return this.step({ kind: 'ticked' })
  }

  hear(from: string, message: Message): Effect[] {
    return this.step({ kind: 'heard', from, message })
  }

  /** Every gate says what it remembers of the anchor, until that is enough. */
  join(): void {
    for (let round = 0; round < 2; round++) {
      const rows = this.anchor.me.books === undefined ? [] : [this.books.row(MORNING)]
      for (const gate of GATES) this.hear(gate, { kind: 'known', name: 'anchor', rows })
    }
  }

  /** The regular word of a gate. */
  hearBooks(gate: Books): Effect[] {
    const from = gate.account.slice(0, gate.account.indexOf('/'))
    return this.hear(from, { kind: 'rows', rows: [gate.row(MORNING + this.now)] })
  }
}
