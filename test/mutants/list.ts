// Mutants: ways to break the core that a person could really write. Each must be found by the simulator; one that lives
// is a hole in the simulator.

export interface Mutant {
  readonly name: string
  readonly file: string
  /** stands exactly once in the file */
  readonly find: string
  readonly replace: string
  /** the first seed from 1 on that broke a law when last hunted through; tried first, to save time */
  readonly seed: number
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the arm moves before the admission is on disk',
    file: 'node/gate.ts',
    find: `this.me.emit({ kind: 'open', id: request.id, afterSize })`,
    replace: `this.me.emit({ kind: 'open', id: request.id, afterSize: 0 })`,
    seed: 1,
  },
  {
    name: 'a transfer is told before the send is on disk',
    file: 'mesh/member.ts',
    find: `{ kind: 'rows', rows, re }, books.size)`,
    replace: `{ kind: 'rows', rows, re }, 0)`,
    seed: 1,
  },
  {
    name: 'the outbox lets go one entry early',
    file: 'mesh/outbox.ts',
    find: 'if (effect.afterSize <= this.#durable) return this.#release(effect)',
    replace: 'if (effect.afterSize <= this.#durable + 1) return this.#release(effect)',
    seed: 1,
  },
  {
    name: 'an exit that is reported twice is credited twice',
    file: 'node/uncontrolled.ts',
    find: ') !== undefined) return\n    this.#requests.remember(',
    replace: ') === null) return\n    this.#requests.remember(',
    seed: 1,
  },
  {
    name: 'after a restart a request that was admitted is admitted again',
    file: 'node/gate.ts',
    find: 'for (const { id, answer } of boot.recent) {',
    replace: 'for (const { id, answer } of []) {',
    seed: 5,
  },
  {
    name: 'an exit waits until there is a ledger',
    file: 'node/uncontrolled.ts',
    find: `this.#me.emit({ kind: 'let-out', id, afterSize: 0 })`,
    replace: `if (this.#me.books !== undefined) this.#me.emit({ kind: 'let-out', id, afterSize: 0 })`,
    seed: 2,
  },
  {
    name: 'a smaller row replaces a larger one',
    file: 'ledger/accept.ts',
    find: `if (row.size < before.size) return { is: 'old' }`,
    replace: `if (row.size < before.size) return { is: 'next' }`,
    seed: 10,
  },
  {
    name: 'a row is believed without the sends behind it',
    file: 'ledger/accept.ts',
    find: `if ((received[donor] ?? 0) > rules.sentBy(donor, row.account)) missing.push(donor)`,
    replace: `if ((received[donor] ?? 0) < 0) missing.push(donor)`,
    seed: 16,
  },
  {
    name: 'what a row shows is taken again every time it is heard',
    file: 'ledger/books.ts',
    find: `const amount = (donor.counters.sent[this.account] ?? 0) - this.receivedFrom(donor.account)`,
    replace: `const amount = donor.counters.sent[this.account] ?? 0`,
    seed: 1,
  },
  {
    name: 'debts are not paid',
    file: 'mesh/trader.ts',
    find: `if (due > 0) this.#me.transfer(debtor, due, 'debt')`,
    replace: `if (due > 1e9) this.#me.transfer(debtor, due, 'debt')`,
    seed: 1,
  },
  {
    name: 'a token is spent in memory only after the disk has it',
    file: 'ledger/books.ts',
    find: `    this.#counters.admitted++
    this.#balance--`,
    replace: `    this.#counters.admitted++`,
    seed: 1,
  },
  {
    name: 'the ledger is continued although others hold more of it',
    file: 'mesh/joining.ts',
    find: `return row.size > mine.size || (row.size === mine.size && row.root !== mine.root)`,
    replace: `return row.size > mine.size * 1000`,
    seed: 114,
  },
  {
    name: 'a ledger behind its mark counts as whole',
    file: 'ledger/recovery.ts',
    find: 'if (stored.size < mark.size) {',
    replace: `if (stored.size < mark.size) {
    return { kind: 'intact', account: stored.account, size: stored.size, root: stored.root, flaws: [] }`,
    seed: 2,
  },
  {
    name: 'the anchor gives an account that was had before',
    file: 'anchor/anchor.ts',
    find: 'given = account(name, newest + 1)',
    replace: 'given = account(name, 1)',
    seed: 8,
  },
  {
    name: 'an anchor without memory mints anew',
    file: 'anchor/anchor.ts',
    find: `for (const policy of this.me.policies.after(0)) most = Math.max(most, mintable(policy))`,
    replace: '',
    seed: 26,
  },
  {
    name: 'a grant that was withdrawn leaves all the same',
    file: 'mesh/outbox.ts',
    find: 'for (const grant of grants) this.#withdrawn.add(grant)',
    replace: '',
    seed: 3,
  },
  {
    name: 'a grant on its way to the disk survives an emergency',
    file: 'node/gate.ts',
    find: `if (this.me.modes.effective !== 'NORMAL') this.#takeBack()`,
    replace: '',
    seed: 3,
  },
  {
    name: 'the milder of two modes wins',
    file: 'ledger/mode.ts',
    find: 'return severity(a.mode) > severity(b.mode) ? a : b',
    replace: 'return severity(a.mode) < severity(b.mode) ? a : b',
    seed: 1,
  },
  {
    name: 'one person can re-arm',
    file: 'mesh/modekeeper.ts',
    find: 'return signers.size >= 2 &&',
    replace: 'return signers.size >= 1 &&',
    seed: 12,
  },
  {
    name: 'a closed contact is forgotten when somebody re-arms',
    file: 'mesh/modekeeper.ts',
    find: 'for (const contact of this.#closed) mode = moreSevere(mode, MODE_OF[contact])',
    replace:
      'if (mode !== this.#statement.mode) for (const contact of this.#closed) mode = moreSevere(mode, MODE_OF[contact])',
    seed: 276,
  },
  {
    name: 'rows that need each other never join',
    file: 'mesh/hearing.ts',
    find: 'Math.max(this.#rules.sentBy(donor, to), able.get(donor)?.[0]?.row.counters.sent[to] ?? 0)',
    replace: 'this.#rules.sentBy(donor, to)',
    seed: 1,
  },
]
