// Liar: a gate with a valid key and no scruples. Its core is the honest one, so that it is trusted and given tokens;
// then it says what it likes. It can sign only for itself: rows of others that it makes up nobody believes.

import type { Account } from '../../ledger/account.ts'
import { copyCounters } from '../../ledger/counters.ts'
import type { Row } from '../../ledger/row.ts'
import type { Message } from '../../mesh/message.ts'
import type { Host } from './host.ts'
import type { Random } from './random.ts'

export type Lie =
  | 'lie-fork'
  | 'lie-counterfeit'
  | 'lie-receipt'
  | 'lie-exits'
  | 'lie-replay'
  | 'lie-garbage'
  | 'lie-forgery'

export class Liar {
  readonly host: Host
  readonly #random: Random
  readonly #say: (to: string, message: Message) => void
  readonly #old: Row[] = []
  /**
   * The most its lies can bring into the world by the rules: exits it claims, within the rate of its lanes, and what it
   * holds once more for every gate that it tells another history. Anything beyond is a hole in the rules.
   */
  spoils = 0
  #extraExits = 0
  #extraSize = 0
  #extraSent: Record<Account, number> = {}
  #account: Account | undefined

  constructor(host: Host, random: Random, say: (to: string, message: Message) => void) {
    this.host = host
    this.#random = random
    this.#say = say
  }

  /** Every row of its own goes out with the lies told so far, or it would fork itself at once. */
  twist(message: Message): Message {
    if (message.kind !== 'rows') return message
    const rows = message.rows.map(row => {
      if (row.account !== this.host.core?.me.books?.account) return row
      const twisted = this.#twisted(row)
      if (this.#random.chance(0.1)) this.#old.push(twisted)
      return twisted
    })
    return { ...message, rows }
  }

  tell(lie: Lie, peers: readonly string[], much: number): void {
    const books = this.host.core?.me.books
    const view = this.host.core?.me.view
    if (books === undefined || view === undefined) return
    const [a, b] = [this.#random.pick(peers), this.#random.pick(peers)]
    const accountOf = (name: string): Account => view.current(name) ?? `${name}/1`
    const row = this.#twisted(books.row(this.host.wall))
    switch (lie) {
      case 'lie-fork': {
        // the same tokens to two gates, on one size
        const held = Math.max(1, books.balance)
        this.spoils += 2 * held
        for (const name of [a, b]) this.#speak(name, this.#with(row, { to: accountOf(name), amount: held, size: 1 }))
        return
      }
      case 'lie-counterfeit': {
        const amount = much < 0.4 ? 5 + Math.floor(much * 100) : 500 + Math.floor(much * 500)
        // what it does hold it can spend twice, once by this row and once by its ledger: a fork by another name
        if (amount <= books.balance) this.spoils += amount
        this.#speak(a, this.#with(row, { to: accountOf(a), amount, size: 1 }))
        return
      }
      case 'lie-receipt': {
        // tokens it never got, said to come from a gate that never sent them
        const amount = 5 + Math.floor(much * 100)
        const claimed = this.#with(row, { to: accountOf(a), amount, size: 2 })
        const from = accountOf(b)
        claimed.counters.received[from] = (claimed.counters.received[from] ?? 0) + amount
        claimed.counters.receivedTotal += amount
        this.#speak(a, claimed)
        return
      }
      case 'lie-exits': {
        const count = 1 + Math.floor(much * 40)
        this.#extraExits += count
        this.spoils += count
        this.#extraSize += 2
        const to = accountOf(a)
        this.#extraSent[to] = (this.#extraSent[to] ?? 0) + count
        this.#speak(a, this.#twisted(books.row(this.host.wall)))
        return
      }
      case 'lie-replay': {
        const old = this.#old.length > 0 ? this.#random.pick(this.#old) : row
        for (const name of peers) this.#speak(name, old)
        return
      }
      case 'lie-garbage': {
        const wants = [-5, 0, 0.5, Number.NaN, 1e15]
        const account = this.#random.pick([books.account, accountOf(a), 'nobody/1', ''])
        const ask = { re: 1, account, want: this.#random.pick(wants), waiting: this.#random.pick(wants), forMs: 50 }
        this.#say(a, { kind: 'ask', ask })
        this.#say(a, { kind: 'known', name: a, rows: [] })
        this.#say(a, { kind: 'fork', rows: [row, row] })
        this.#say(a, { kind: 'want', accounts: ['', 'nobody/9', accountOf(b)] })
        return
      }
      case 'lie-forgery': {
        const theirs = view.get(accountOf(b))?.row
        if (theirs === undefined) return
        const forged = this.#with(theirs, { to: accountOf(a), amount: 50, size: 3 })
        this.#say(a, { kind: 'rows', rows: [forged] })
        this.#say(a, { kind: 'fork', rows: [theirs, forged] })
        return
      }
    }
  }

  #speak(to: string, row: Row): void {
    this.#say(to, { kind: 'rows', rows: [row] })
  }

  #twisted(row: Row): Row {
    if (row.account !== this.#account) {
      // found out by its own lies after a restart, it had to open a new account
      this.#account = row.account
      this.#extraExits = 0
      this.#extraSize = 0
      this.#extraSent = {}
    }
    const counters = copyCounters(row.counters)
    counters.exited += this.#extraExits
    for (const to in this.#extraSent) {
      counters.sent[to] = (counters.sent[to] ?? 0) + (this.#extraSent[to] as number)
      counters.sentTotal += this.#extraSent[to] as number
    }
    return { ...row, size: row.size + this.#extraSize, counters }
  }

  #with(row: Row, a: { to: Account; amount: number; size: number }): Row {
    const counters = copyCounters(row.counters)
    counters.sent[a.to] = (counters.sent[a.to] ?? 0) + a.amount
    counters.sentTotal += a.amount
    return { ...row, size: row.size + a.size, root: `lie ${a.to} ${a.amount}`, counters }
  }
}
