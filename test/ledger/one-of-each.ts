// One entry of every type, with every optional field somewhere, and text that needs care.

import { toBase64 } from '../../ledger/base64.ts'
import type { Body } from '../../ledger/entry.ts'
import { leafHash } from '../../ledger/tree.ts'
import { START, signerOf, uuid7 } from './paper-mall.ts'

export const HASH = toBase64(leafHash('some text'))
const key = signerOf('east').verifier.toString()

type Draft = Body extends infer T ? (T extends unknown ? Omit<T, 'id' | 'at'> : never) : never

const DRAFTS: readonly Draft[] = [
  { type: 'open', mall: 'paper', account: 'east/1', key },
  { type: 'open', mall: 'paper', account: 'east/2', key, after: 'east/1', afterSize: 17, afterRoot: HASH },
  { type: 'admit', source: 'local', confidence: 1000 },
  { type: 'admit', source: 'stolen', confidence: 0 },
  { type: 'reject', code: 'REJECT_AT_CAPACITY', reason: 'full', confidence: 870 },
  { type: 'reject', code: 'REJECT_NO_HEADROOM', reason: 'out-of-reach', confidence: 870 },
  { type: 'reject', code: 'REJECT_EMERGENCY', reason: 'fire', confidence: 870 },
  { type: 'reject', code: 'REJECT_FAULT', reason: '', confidence: 870 },
  { type: 'exit', credited: true, confidence: 999 },
  { type: 'exit', credited: false, confidence: 12 },
  { type: 'forced', count: 1, why: 'tailgate' },
  { type: 'forced', count: 3, why: 'manual' },
  { type: 'forced', count: 1_000_000_000, why: 'fire' },
  { type: 'lapse', admit: uuid7(START, 3) },
  { type: 'send', to: 'west/1', amount: 1, why: 'ask' },
  { type: 'send', to: 'anchor/2', amount: 40, why: 'debt' },
  { type: 'receive', from: 'anchor/1', amount: 400, size: 9_007_199_254_740_991 },
  { type: 'mode', epoch: 0, mode: 'NORMAL', by: 'alma,bruno', reason: 'said "all clear" \\ back to work' },
  { type: 'mode', epoch: 7, mode: 'FIRE', by: 'east', reason: 'Brandmelder 3 – 火 🔥' },
  { type: 'policy', version: 3, hash: HASH },
  { type: 'budget', capacity: 500, correction: -4, reclaimed: 12, carried: 0, policy: 3 },
  { type: 'budget', capacity: 0, correction: 4, reclaimed: 0, carried: 500, policy: 4 },
  { type: 'enrol', account: 'west/3' },
  { type: 'optical', in: 120, out: 0 },
  { type: 'fault', code: 'DISK', detail: 'mended', count: 2 },
  { type: 'fork', account: 'west/2', size: 88 },
  { type: 'checkpoint', heads: [] },
  {
    type: 'checkpoint',
    heads: [
      ['east/1', 9, HASH],
      ['west/1', 10, HASH],
      ['west/10', 1, HASH],
      ['west/2', 88, HASH],
    ],
  },
  {
    type: 'change',
    what: 'capacity',
    before: '300',
    after: '100',
    by: 'alma,bruno',
    reason: 'a lift is out',
    policy: 5,
  },
  { type: 'recount', actual: 3, counted: -1, residual: 4, by: 'alma,bruno', reason: 'night', policy: 6 },
  {
    type: 'check',
    what: 'walk',
    lane: 'north',
    by: 'Jörg, tech',
    truthIn: 10,
    truthOut: 10,
    seenIn: 9,
    seenOut: 10,
    ok: false,
  },
]

export const ONE_OF_EACH: readonly Body[] = DRAFTS.map(
  (draft, i) => ({ id: uuid7(START + i * 1000, i + 1), at: START + i * 1000, ...draft }) as Body,
)
