// Reunion: what must be true once the storm is over and everything is mended.

import { type Account, nameOf } from '../../ledger/account.ts'
import type { Host } from './host.ts'
import { balanceOf, type Oracle } from './oracle.ts'

/** Everyone knows everyone's row, as of a moment ago; nobody honest is banned; nobody is left in an emergency. */
export function checkTogether(hosts: readonly Host[], oracle: Oracle, sizes: ReadonlyMap<Account, number>): void {
  for (const host of hosts) {
    const me = host.core?.me
    if (me === undefined || !host.core?.isJoined) return oracle.fail('converge', `${host.name} has not joined again`)
    if (me.isOutlived) oracle.fail('justice', `${host.name} believes that it lives twice`)
    for (const name of me.banned.keys()) {
      if (!oracle.liars.has(name)) oracle.fail('justice', `${host.name} banned ${name}, which is honest`)
    }
    const mode = me.modes.effective
    if (mode !== 'NORMAL') oracle.fail('converge', `${host.name} is still in ${mode}`)
    for (const other of hosts) {
      const books = other.core?.me.books
      if (other === host || books === undefined) continue
      const known = me.view.get(books.account)?.row.size ?? 0
      const due = sizes.get(books.account) ?? Number.POSITIVE_INFINITY
      if (known < due) oracle.fail('converge', `${host.name} knows ${known} of ${books.account}, which had ${due}`)
    }
  }
}

/** Nobody holds a token while somebody is in debt: the mall is above its capacity and must not admit. */
export function checkDebts(hosts: readonly Host[], oracle: Oracle): void {
  // what a closed account owed when its disk was lost nobody can know; its tokens are frozen instead
  const debts = oracle.debts(account => oracle.current(nameOf(account))?.account === account)
  if (debts === 0) return
  for (const host of hosts) {
    const held = host.core?.me.books?.balance ?? 0
    if (held > 0) oracle.fail('debts', `${host.name} holds ${held} while debts of ${debts} are unpaid`)
  }
}

/** While a token is free in the mall, somebody at any door gets it; without this, refusing everyone would pass. */
export function checkUseful(
  hosts: readonly Host[],
  oracle: Oracle,
  tryEntry: (gate: Host) => string | undefined,
): void {
  for (const gate of hosts) {
    if (gate.gate === undefined) continue
    let free = 0
    for (const host of hosts) {
      const truth = host.core?.me.books && oracle.accounts.get(host.core.me.books.account)
      if (truth) free += Math.max(0, balanceOf(truth))
    }
    if (free === 0 || oracle.debts() > 0) continue
    // a message may be late by chance; three in a row would be the mesh's doing
    let said: string | undefined
    for (let tries = 0; tries < 3 && said !== 'ADMIT'; tries++) said = tryEntry(gate)
    if (said !== 'ADMIT') oracle.fail('useful', `${gate.name} said ${said} while ${free} tokens were free`)
  }
}
