// Boarding: a member's way from its disk into the mall. It asks who remembers what, then goes on with its ledger or
// opens the next one, and makes sure that a new one is known before it is used.

import { type Account, ANCHOR } from '../ledger/account.ts'
import type { Opened } from '../ledger/books.ts'
import type { Row } from '../ledger/row.ts'
import { Joining, type Memory } from './joining.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'

export interface Ticket {
  readonly memory: Memory
  /** the ledger to go on with, where the memory is intact */
  readonly opened?: Opened | undefined
  /** start without having heard from anyone; only for a mall of one gate */
  readonly alone: boolean
  /** may this account be opened now? */
  readonly mayOpen: (account: Account) => boolean
}

export class Boarding {
  readonly #me: Member
  readonly #ticket: Ticket
  readonly #joining: Joining
  readonly #enrolId: string
  #askAt = 0
  #begun: Account | undefined
  #after: Row | undefined
  #isDone = false

  constructor(me: Member, ticket: Ticket) {
    this.#me = me
    this.#ticket = ticket
    this.#joining = new Joining(me.name, ticket.memory)
    this.#enrolId = me.newId()
  }

  get isDone(): boolean {
    return this.#isDone
  }

  /** Was a new ledger begun? Undefined before that is known. */
  get isAnew(): boolean | undefined {
    return this.#isDone ? this.#begun !== undefined : undefined
  }

  get nextAt(): number {
    return this.#askAt
  }

  /** True when the message was about boarding. */
  heard(from: string, message: Message): boolean {
    if (message.kind === 'known') {
      this.#joining.known(from, message.rows)
      this.#me.hear(from, message.rows)
      return true
    }
    if (message.kind !== 'enrolled') return false
    if (from === ANCHOR && message.id === this.#enrolId) this.#joining.enrolled(message.account)
    return true
  }

  /** The shell has opened the new ledger. */
  begun(opened: Opened): void {
    this.#joining.announce(opened.account)
    this.#open(opened, this.#after)
  }

  /** As far as it goes now; asks again when it is time to. */
  go(): void {
    const me = this.#me
    const { alone, opened, mayOpen } = this.#ticket
    const roster = (me.policy?.gates ?? me.charter.gates).map(gate => gate.name)
    if (this.#begun === undefined) {
      const verdict = this.#joining.verdict(roster, alone)
      if (verdict.is === 'continue' && opened !== undefined) {
        this.#isDone = true
        return this.#open(opened)
      }
      if (verdict.is === 'open' && mayOpen(verdict.account)) {
        this.#begun = verdict.account
        this.#after = verdict.after
        return me.emit({ kind: 'begin', account: verdict.account, afterSize: 0 })
      }
    } else if (me.books?.account === this.#begun && this.#joining.isHeard(roster, alone)) {
      this.#isDone = true
      return
    }
    if (me.now >= this.#askAt) this.#ask(roster)
  }

  #ask(roster: readonly string[]): void {
    const me = this.#me
    this.#askAt = me.now + me.limits.joinRetryMs
    // thirty gates that start at once and ask everyone again and again would hear nothing but each other
    for (const name of [ANCHOR, ...roster]) if (name !== me.name && !this.#joining.hasAnswered(name)) this.#askOne(name)
    const epoch = this.#begun === undefined ? this.#joining.enrolAs(roster) : undefined
    if (epoch !== undefined) me.tell(ANCHOR, { kind: 'enrol', id: this.#enrolId, epoch })
  }

  #askOne(name: string): void {
    const me = this.#me
    me.tell(name, { kind: 'whois', name: me.name })
    me.tell(name, { kind: 'want-policies', after: me.policy?.version ?? 0 })
  }

  #open(opened: Opened, after?: Row): void {
    const books = this.#me.begin(opened, after)
    for (const known of this.#me.view.others()) books.receive(known.row, this.#me.wall)
  }
}
