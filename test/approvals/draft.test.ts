import assert from 'node:assert/strict'
import fc from 'fast-check'
import { draftMode, draftPolicy } from '../../anchor/approvals/draft.ts'
import { needsOfPolicy } from '../../anchor/approvals/needs.ts'
import { parseReclaim, type Wish } from '../../anchor/approvals/wish.ts'
import { wordsOf } from '../../anchor/pages/wording.js'
import { SignerKey } from '../../ledger/key.ts'
import { CALM } from '../../ledger/mode.ts'
import { formatMode } from '../../ledger/mode-note.ts'
import { needsTwo, type Policy, scheduled } from '../../ledger/policy.ts'
import { formatPolicy, type PolicyText, policyHash } from '../../ledger/policy-note.ts'
import { suite } from '../suite.ts'
import { CHARTER, FIRST, HOUR_MS, keyOf, MALL, MORNING } from './office.ts'

const test = suite('approvals/draft')

function inForce(change: Partial<PolicyText> = {}): Policy {
  const text = { ...FIRST, ...change }
  return { ...text, hash: policyHash(text, MALL), signers: ['ann', 'bob'] }
}

const draft = (wish: Wish, before = inForce(), at = MORNING) =>
  draftPolicy({ charter: CHARTER, before, wish, reason: 'why', at })

/** The lines that a draft changes. */
function changes(wish: Wish, before = inForce()): string[] {
  const was = new Set(formatPolicy(before, MALL).split('\n'))
  const now = formatPolicy(draft(wish, before), MALL).split('\n')
  const gone = [...was].filter(line => !now.includes(line)).map(line => `- ${line}`)
  const added = now.filter(line => !was.has(line)).map(line => `+ ${line}`)
  const isNews = (line: string) => !/^. (version|previous|reason) /.test(line)
  return [...gone, ...added].filter(isNews)
}

const SOUTH = keyOf('south').verifier.toString()
const WEST_NEW = SignerKey.generate(`gatemesh/${MALL}/west`).verifier.toString()
const [, WEST = ''] = CHARTER.gates.map(({ key }) => key)

test('a draft changes what was wished and nothing else', () => {
  const table: [wish: Wish, changes: string[]][] = [
    [{ kind: 'capacity', capacity: 250 }, ['- capacity 0 300', `+ capacity ${MORNING} 250`]],
    [{ kind: 'capacity', capacity: 250, from: MORNING + 5 }, [`+ capacity ${MORNING + 5} 250`]],
    [
      {
        kind: 'schedule',
        steps: [
          { from: 9, capacity: 2 },
          { from: 3, capacity: 1 },
        ],
      },
      ['- capacity 0 300', '+ capacity 3 1', '+ capacity 9 2'],
    ],
    [{ kind: 'margin', perMille: 20 }, ['+ margin-per-mille 20']],
    [{ kind: 'recount', actual: 90, counted: 100, at: 7 }, ['+ correction -10', '+ recount 7 90 100']],
    [
      { kind: 'recount', actual: 100, counted: 100, at: 7, reclaim: [{ account: 'west/1', amount: 18 }] },
      ['+ reclaimed west/1 18', '+ recount 7 100 100'],
    ],
    [{ kind: 'gate-add', key: SOUTH }, [`+ gate ${SOUTH}`]],
    [{ kind: 'gate-rotate', name: 'west', key: WEST_NEW }, [`- gate ${WEST}`, `+ gate ${WEST_NEW}`]],
    [{ kind: 'gate-remove', name: 'west' }, [`- gate ${WEST}`]],
    [{ kind: 'share', perMille: 250 }, ['- max-share-per-mille 600', '+ max-share-per-mille 250']],
    [{ kind: 'rules', confidenceMin: 800 }, ['- confidence-min 700', '+ confidence-min 800']],
    [{ kind: 'rules', expireAfterMs: HOUR_MS }, ['- expire-after-ms 86400000', '+ expire-after-ms 3600000']],
  ]
  for (const [wish, expected] of table) assert.deepEqual(changes(wish), expected, JSON.stringify(wish))
  const { version, previous, reason } = draft({ kind: 'share', perMille: 1 })
  assert.deepEqual([version, previous, reason], [2, inForce().hash, 'why'])
})

test('reclaimed tokens add up over versions, and a head count is of one version', () => {
  const before = inForce({
    correction: 4,
    recount: { at: 1, actual: 9, counted: 5 },
    reclaimed: [{ account: 'west/1', amount: 18 }],
  })
  const next = draft({ kind: 'gate-remove', name: 'west', reclaim: [{ account: 'west/1', amount: 2 }] }, before)
  assert.deepEqual([next.reclaimed, next.recount, next.correction], [[{ account: 'west/1', amount: 20 }], undefined, 4])
})

test('a capacity for later keeps what comes before it and drops what was scheduled after', () => {
  const [six, eight] = [MORNING + HOUR_MS, MORNING + 3 * HOUR_MS]
  const before = inForce({
    capacities: [
      { from: 0, capacity: 300 },
      { from: six, capacity: 200 },
      { from: eight, capacity: 100 },
    ],
  })
  const from = MORNING + 2 * HOUR_MS
  const { capacities } = draft({ kind: 'capacity', capacity: 250, from }, before)
  assert.deepEqual(capacities, [
    { from: 0, capacity: 300 },
    { from: six, capacity: 200 },
    { from, capacity: 250 },
  ])
})

test('one person may change by a little what a schedule of two put in force since', () => {
  const before = inForce({
    capacities: [
      { from: 0, capacity: 300 },
      { from: MORNING - 1, capacity: 200 },
    ],
  })
  const next = draft({ kind: 'capacity', capacity: 210 }, before)
  assert.equal(scheduled(next, MORNING), 210)
  assert.equal(needsOfPolicy(next, before, CHARTER).signatures, 1)
  const far = draft({ kind: 'capacity', capacity: 300 }, before)
  assert.deepEqual(far.capacities, [{ from: MORNING, capacity: 300 }], 'what is over is left out where two sign anyway')
  assert.equal(needsOfPolicy(far, before, CHARTER).signatures, 2)
})

test('a wish that cannot be is refused, and says why', () => {
  const table: [wish: Wish, why: RegExp][] = [
    [{ kind: 'capacity', capacity: 501 }, /capacity: a whole number from 0 to 500/],
    [{ kind: 'capacity', capacity: 1.5 }, /whole number/],
    [{ kind: 'capacity', capacity: 300 }, /would change nothing/],
    [{ kind: 'capacity', capacity: 200, from: -1 }, /./],
    [{ kind: 'schedule', steps: [] }, /at least one step/],
    [
      {
        kind: 'schedule',
        steps: [
          { from: 1, capacity: 1 },
          { from: 1, capacity: 2 },
        ],
      },
      /order of time/,
    ],
    [{ kind: 'margin', perMille: 1001 }, /margin/],
    [{ kind: 'recount', actual: -1, counted: 0, at: 0 }, /people found/],
    [{ kind: 'gate-add', key: 'x' }, /key/],
    [{ kind: 'gate-add', key: keyOf('south', 'other').verifier.toString() }, /not a key of north/],
    [{ kind: 'gate-add', key: WEST }, /west is on the roster, with this key/],
    [{ kind: 'gate-add', key: CHARTER.anchor }, /anchor/],
    [{ kind: 'gate-rotate', name: 'south', key: SOUTH }, /south is not on the roster/],
    [{ kind: 'gate-rotate', name: 'west', key: SOUTH }, /a key of south, not of west/],
    [{ kind: 'gate-rotate', name: 'west', key: WEST }, /west is on the roster, with this key/],
    [{ kind: 'gate-rotate', name: 'west', key: CHARTER.operators[0]?.key ?? '' }, /a key of ann, not of west/],
    [{ kind: 'gate-remove', name: 'south' }, /south is not on the roster/],
    [{ kind: 'share', perMille: 600 }, /would change nothing/],
    [{ kind: 'rules' }, /would change nothing/],
  ]
  for (const [wish, why] of table) {
    assert.throws(() => draft(wish), { name: 'Fault', message: why }, JSON.stringify(wish))
  }
  const silent = { charter: CHARTER, before: inForce(), wish: { kind: 'share', perMille: 1 }, at: 1 } as const
  for (const reason of ['', 'a\nb', 'x'.repeat(401)]) {
    assert.throws(() => draftPolicy({ ...silent, reason }), { message: /a reason/ })
  }
  assert.throws(() => draftMode({ wish: { kind: 'clear' }, current: CALM, at: 1, reason: 'r' }), /nothing to clear/)
  assert.deepEqual(parseReclaim('west/1=18'), { account: 'west/1', amount: 18 })
  for (const text of ['west/1', 'west=1', 'west/1=0', 'west/1=1=2'])
    assert.throws(() => parseReclaim(text), /as in gate-07/)
})

const count = fc.integer({ min: 0, max: 500 })
const anyPolicy = fc.record({
  capacities: fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 1e13 }), count), {
      selector: ([from]) => from,
      minLength: 1,
      maxLength: 4,
    })
    .map(steps => steps.map(([from, capacity]) => ({ from, capacity })).sort((a, b) => a.from - b.from)),
  marginPerMille: fc.integer({ min: 0, max: 1000 }),
  correction: fc.integer({ min: -99, max: 99 }),
  reclaimed: fc
    .subarray(['west/1', 'west/2', 'east/1'])
    .chain(all => fc.tuple(...all.map(account => fc.integer({ min: 1, max: 9 }).map(amount => ({ account, amount }))))),
  gates: fc.subarray([...CHARTER.gates, { name: 'south', key: SOUTH }]),
  maxSharePerMille: fc.integer({ min: 0, max: 1000 }),
  expireAfterMs: fc.integer({ min: 0, max: 1e9 }),
  confidenceMin: fc.integer({ min: 0, max: 1000 }),
  reason: fc.constantFrom('a', 'b'),
})

test('no difference between two policies goes unsaid', () => {
  fc.assert(
    fc.property(anyPolicy, anyPolicy, anyPolicy, (a, b, c) => {
      const text = (change: Partial<PolicyText>) => formatPolicy({ ...FIRST, ...change, version: 2 }, MALL)
      const before = formatPolicy({ ...FIRST, ...a }, MALL)
      const meaning = (p: typeof a) =>
        JSON.stringify({ ...p, capacities: p.capacities.map((s, i) => (i === 0 ? s.capacity : s)) })
      const words = (p: typeof a) => wordsOf(text(p), before).join('\n')
      assert.equal(words(b) === words(c), meaning(b) === meaning(c))
    }),
    { numRuns: 300 },
  )
})

test('a reason is given wherever it takes two, and none where one is enough', () => {
  fc.assert(
    fc.property(anyPolicy, anyPolicy, (a, b) => {
      const before = inForce(a)
      const next = { ...FIRST, ...b, version: 2, previous: before.hash }
      const { signatures, why } = needsOfPolicy(next, before, CHARTER)
      assert.equal(signatures === 2, needsTwo(next, before, CHARTER))
      assert.equal(why.length > 0, signatures === 2)
    }),
    { numRuns: 300 },
  )
})

test('words are for people, and hide nothing', () => {
  const before = formatPolicy(inForce(), MALL)
  const words = (wish: Wish) => wordsOf(formatPolicy(draft(wish), MALL), before).slice(1, -1)
  assert.deepEqual(words({ kind: 'capacity', capacity: 250, from: MORNING }), ['capacity: 250; it was 300'])
  assert.deepEqual(words({ kind: 'capacity', capacity: 250, from: MORNING + HOUR_MS }), [
    'capacity: 300, then 250 from 2026-10-20 09:00 UTC; it was 300',
  ])
  assert.deepEqual(words({ kind: 'margin', perMille: 25 }), ['kept back for what sensors miss: 2.5 %; it was 0 %'])
  assert.deepEqual(words({ kind: 'gate-remove', name: 'west', reclaim: [{ account: 'west/1', amount: 18 }] }), [
    '18 tokens of west/1 are put back into use',
    'gate west is taken off the roster',
  ])
  const odd = before.replace('version 1', 'unheard-of 7\nversion 2').replace('opening', 'a\u202eb\u200bc')
  assert.deepEqual(wordsOf(odd, before).slice(1), ['also says: unheard-of 7', 'reason: a\\u{202e}b\\u{200b}c'])
  const current = { ...CALM, epoch: 3, mode: 'FIRE' } as const
  const clear = draftMode({ wish: { kind: 'clear' }, current, at: MORNING, reason: 'drill over' })
  assert.deepEqual(wordsOf(formatMode(clear, MALL)), [
    're-arm: FIRE of epoch 3 ends and epoch 4 begins; entries are decided again',
    'said at 2026-10-20 08:00 UTC',
    'reason: drill over',
  ])
})

test.run()
