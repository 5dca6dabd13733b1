import assert from 'node:assert/strict'
import { closedAccounts } from '../../anchor/approvals/closed.ts'
import { noCounters } from '../../ledger/counters.ts'
import { View } from '../../ledger/view.ts'
import { policy, row } from '../core/papers.ts'
import { suite } from '../suite.ts'

const test = suite('approvals/closed')

function holding(account: string, received: number, sent: Readonly<Record<string, number>> = {}) {
  const sentTotal = Object.values(sent).reduce((sum, n) => sum + n, 0)
  const counters = { ...noCounters(), received: { 'anchor/1': received }, receivedTotal: received, sent, sentTotal }
  return { ...row(account, 3), counters }
}

const NOBODY = new Set<string>()

test('what a lost ledger and a gate off the roster held can be put back, and nothing else', () => {
  const view = new View()
  for (const one of [holding('east/1', 18), holding('east/2', 5, { 'west/1': 2 }), holding('west/1', 7)])
    view.put(one, 0)
  view.put(holding('gone/1', 4), 0)
  view.put({ ...row('north/1', 3), counters: noCounters() }, 0)
  assert.deepEqual(closedAccounts({ view, policy: policy(), banned: NOBODY }), [
    { account: 'east/1', amount: 18 },
    { account: 'gone/1', amount: 4 },
  ])
  view.put(holding('west/2', 0), 0)
  const reclaimed = [
    { account: 'east/1', amount: 18 },
    { account: 'gone/1', amount: 1 },
  ]
  assert.deepEqual(
    closedAccounts({ view, policy: policy({ reclaimed }), banned: NOBODY }),
    [
      { account: 'gone/1', amount: 3 },
      { account: 'west/1', amount: 9 },
    ],
    'what was on its way to it counts too',
  )
  const left = closedAccounts({ view, policy: policy({ reclaimed }), banned: new Set(['west']) })
  assert.deepEqual(left, [{ account: 'gone/1', amount: 3 }], 'what a gate that forked held may be spent elsewhere')
})

test.run()
