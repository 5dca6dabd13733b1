// Mutants: ways to break the core that a person could really write. Each must be found by the simulator; one that lives
// is a hole in the simulator.

export interface Mutant {
  readonly name: string
  readonly file: string
  /** stands exactly once in the file */
  readonly find: string
  readonly replace: string
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the arm moves before the admission is on disk',
    file: 'node/gate.ts',
    find: `this.me.emit({ kind: 'open', id: request.id, afterSize })`,
    replace: `this.me.emit({ kind: 'open', id: request.id, afterSize: 0 })`,
  },
  {
    name: 'a transfer is told before the send is on disk',
    file: 'mesh/member.ts',
    find: `{ kind: 'rows', rows, re }, books.size)`,
    replace: `{ kind: 'rows', rows, re }, 0)`,
  },
  {
    name: 'the outbox lets go one entry early',
    file: 'mesh/outbox.ts',
    find: 'if (effect.afterSize <= this.#durable) this.#release(effect)',
    replace: 'if (effect.afterSize <= this.#durable + 1) this.#release(effect)',
  },
  {
    name: 'an exit that is reported twice is credited twice',
    file: 'node/uncontrolled.ts',
    find: 'if (books === undefined || this.#requests.said(`exit ${id}`) !== undefined) return',
    replace: 'if (books === undefined) return',
  },
  {
    name: 'after a restart a request that was admitted is admitted again',
    file: 'node/gate.ts',
    find: "this.#requests.remember(answer === 'left' ? `exit ${id}` : id, answer, 0, me.now)",
    replace: '',
  },
  {
    name: 'an exit waits until there is a ledger',
    file: 'node/uncontrolled.ts',
    find: `this.#me.emit({ kind: 'let-out', id, afterSize: 0 })`,
    replace: `if (this.#me.books !== undefined) this.#me.emit({ kind: 'let-out', id, afterSize: 0 })`,
  },
  {
    name: 'a smaller row replaces a larger one',
    file: 'ledger/accept.ts',
    find: `if (row.size < before.size) return { is: 'old' }`,
    replace: `if (row.size < before.size) return { is: 'next' }`,
  },
  {
    name: 'a row is believed without the sends behind it',
    file: 'ledger/accept.ts',
    find: `if ((received[donor] ?? 0) > rules.sentBy(donor, row.account)) missing.push(donor)`,
    replace: `if ((received[donor] ?? 0) < 0) missing.push(donor)`,
  },
  {
    name: 'a row that spends more than it got is believed',
    file: 'ledger/accept.ts',
    find: `if (balance(c) + c.forced < 0) return 'insolvent'`,
    replace: `if (balance(c) + c.forced < -1000) return 'insolvent'`,
  },
  {
    name: 'what a row shows is taken again every time it is heard',
    file: 'ledger/books.ts',
    find: `const amount = (donor.counters.sent[this.account] ?? 0) - this.receivedFrom(donor.account)`,
    replace: `const amount = donor.counters.sent[this.account] ?? 0`,
  },
  {
    name: 'debts are not paid',
    file: 'mesh/trader.ts',
    find: `if (due > 0) this.#me.transfer(debtor, due, 'debt')`,
    replace: `if (due > 1e9) this.#me.transfer(debtor, due, 'debt')`,
  },
  {
    name: 'a token is spent in memory only after the disk has it',
    file: 'ledger/books.ts',
    find: `    this.#counters.admitted++
    this.#balance--`,
    replace: `    this.#counters.admitted++`,
  },
  {
    name: 'the ledger is continued although others hold more of it',
    file: 'mesh/joining.ts',
    find: `return row.size > mine.size || (row.size === mine.size && row.root !== mine.root)`,
    replace: `return row.size > mine.size * 1000`,
  },
  {
    name: 'a ledger behind its mark counts as whole',
    file: 'ledger/recovery.ts',
    find: 'if (stored.size < mark.size) {',
    replace: 'if (stored.size < 0) {',
  },
  {
    name: 'the anchor gives an account that was had before',
    file: 'anchor/anchor.ts',
    find: 'given = account(name, newest + 1)',
    replace: 'given = account(name, 1)',
  },
  {
    name: 'an anchor without memory mints anew',
    file: 'anchor/anchor.ts',
    find: `for (const policy of this.me.policies.after(0)) most = Math.max(most, mintable(policy))`,
    replace: '',
  },
  {
    name: 'a grant that was withdrawn leaves all the same',
    file: 'mesh/outbox.ts',
    find: 'this.#held = this.#held.filter(e => !isGrant(e))\n    return this.#held.length < before',
    replace: 'return this.#held.some(isGrant) && before > 0',
  },
  {
    name: 'a grant on its way to the disk survives an emergency',
    file: 'node/gate.ts',
    find: `if (this.me.modes.effective !== 'NORMAL') this.#takeBack()`,
    replace: '',
  },
  {
    name: 'the milder of two modes wins',
    file: 'ledger/mode.ts',
    find: 'return severity(a.mode) > severity(b.mode) ? a : b',
    replace: 'return severity(a.mode) < severity(b.mode) ? a : b',
  },
  {
    name: 'one person can re-arm',
    file: 'mesh/modekeeper.ts',
    find: 'return signers.size >= 2 &&',
    replace: 'return signers.size >= 1 &&',
  },
  {
    name: 'a closed contact is forgotten when somebody re-arms',
    file: 'mesh/modekeeper.ts',
    find: 'for (const contact of this.#closed) mode = moreSevere(mode, MODE_OF[contact])',
    replace:
      'if (mode !== this.#statement.mode) for (const contact of this.#closed) mode = moreSevere(mode, MODE_OF[contact])',
  },
  {
    name: 'a broken promise to wait: rows that need each other never join',
    file: 'mesh/hearing.ts',
    find: 'Math.max(this.#rules.sentBy(donor, to), able.get(donor)?.counters.sent[to] ?? 0)',
    replace: 'this.#rules.sentBy(donor, to)',
  },
]
