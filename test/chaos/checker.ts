// Checker: every law, from the journal of a run and the ledgers exported after it. It believes no counter of any gate.

import type { Books } from './books.ts'
import type { Finding } from './finding.ts'
import { History } from './history.ts'
import type { Line } from './journal.ts'
import { calm } from './laws/calm.ts'
import { ceiling } from './laws/ceiling.ts'
import { ending } from './laws/ending.ts'
import { alive, exitFree } from './laws/exits.ts'
import { interval } from './laws/interval.ts'
import { ledgers } from './laws/ledgers.ts'

/** While the storm blows: all that needs no ledger and no ending. */
export function checkSoFar(lines: readonly Line[]): Finding[] {
  const history = new History(lines)
  return inOrder([...ceiling(history), ...calm(history), ...alive(history), ...exitFree(history)])
}

export function check(lines: readonly Line[], books: Books): Finding[] {
  const history = new History(lines)
  const ofViews = books.epochs.length === 0 ? [] : interval(history, books)
  return inOrder([...checkSoFar(lines), ...ledgers(history, books), ...ofViews, ...ending(history, books)])
}

function inOrder(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => a.t - b.t)
}
