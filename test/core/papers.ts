// Papers: the charter, policies and rows of a mall of three gates, as small as a test needs them.

import type { Account } from '../../ledger/account.ts'
import { Books } from '../../ledger/books.ts'
import type { Charter } from '../../ledger/charter.ts'
import { type Budget, type Counters, noCounters } from '../../ledger/counters.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import { CheapPen } from '../sim/pen.ts'

export const GATES = ['east', 'west', 'north'] as const
/** wall clock at which every test begins */
export const MORNING = 1_790_000_000_000

export const CHARTER: Charter = {
  mall: 'test',
  legalMax: 100,
  anchor: 'anchor',
  operators: [
    { name: 'ann', role: 'marshal', key: 'ann' },
    { name: 'bob', role: 'operator', key: 'bob' },
    { name: 'cat', role: 'operator', key: 'cat' },
    { name: 'vic', role: 'viewer', key: 'vic' },
  ],
  gates: GATES.map(name => ({ name, key: name })),
  exitsPerMinuteMax: 240,
  aloneMovePerMille: 200,
}

/** The first policy, or with `version` a later one that stands on the one before. */
export function policy(over: Partial<Policy> = {}): Policy {
  const { version = 1 } = over
  return {
    version,
    ...(version > 1 && { previous: `policy ${version - 1}` }),
    capacities: [{ from: 0, capacity: 10 }],
    correction: 0,
    reclaimed: [],
    gates: CHARTER.gates,
    maxSharePerMille: 1000,
    expireAfterMs: 86_400_000,
    confidenceMin: 700,
    marginPerMille: 0,
    reason: 'test',
    signers: ['ann', 'bob'],
    hash: `policy ${version}`,
    ...over,
  }
}

export function budget(capacity: number, over: Partial<Budget> = {}): Budget {
  return { capacity, correction: 0, reclaimed: 0, carried: 0, ...over }
}

let ids = 0
export function newId(): string {
  return `i${(ids++).toString(36)}`
}

/** An account as its honest owner keeps it. */
export function books(account: Account): Books {
  return new Books({ account, pen: new CheapPen(), counters: noCounters() }, () => {}, newId)
}

/** An anchor that holds the budget of the first policy and has sent to each account what is said. */
export function anchorBooks(capacity: number, grants: Readonly<Record<Account, number>> = {}): Books {
  const anchor = books('anchor/1')
  anchor.setBudget(budget(capacity), { version: 1, hash: 'policy 1' }, MORNING)
  for (const to in grants) anchor.send(to, grants[to] as number, MORNING, 'grant')
  return anchor
}

/** A row as anyone might write it, honest or not; totals are right unless said otherwise. */
export function row(account: Account, size: number, counters: Partial<Counters> = {}, over: Partial<Row> = {}): Row {
  const sum = (tally: Counters['sent'] = {}) => Object.values(tally).reduce((a, b) => a + b, 0)
  const totals = { sentTotal: sum(counters.sent), receivedTotal: sum(counters.received) }
  return {
    account,
    size,
    root: `root ${size}`,
    at: MORNING,
    counters: { ...noCounters(), ...totals, ...counters },
    ...over,
  }
}
