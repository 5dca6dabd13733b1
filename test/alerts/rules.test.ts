import assert from 'node:assert/strict'
import { CODES, type Code } from '../../anchor/alerts/alert.ts'
import type { Observation } from '../../anchor/alerts/observation.ts'
import { RULES, type Rule } from '../../anchor/alerts/rules.ts'
import type { BmsState } from '../../anchor/bms/state.ts'
import { suite } from '../suite.ts'
import { START } from './hand-clock.ts'
import { gate, inside, seen, WELL } from './seen.ts'

const test = suite('alerts/rules')
const LEVELS = { warn: 90, high: 97 }

function subjects(code: Code, o: Observation, raised: readonly string[] = []): string[] {
  const rule: Rule = RULES[code]
  return rule.look(o, subject => raised.includes(subject), LEVELS).map(({ subject }) => subject)
}

function signals(
  demand: NonNullable<BmsState['rules'][number]['demand']> | undefined,
  source: BmsState['sources'][number] = { name: 'co2', in: 'ppm', value: 700, at: START, isSilent: false },
): BmsState {
  const rule = { name: 'air', source: 'co2', condition: 'co2 above 1200 ppm', enact: false }
  return { sources: [source], rules: [{ ...rule, ...(demand && { demand }) }], reserve: [] }
}

const over = { at: START - 5000, account: 'east/1', count: 101, limit: 100, what: 'capacity' } as const
const drift = {
  hour: START - 3_600_000,
  gate: 'east',
  turnstile: { in: 100, out: 0 },
  optical: { in: 90, out: 0 },
  people: 10,
  perMille: 100,
  isTooMuch: true,
}

const STALE = { ...WELL.occupancy, ageMs: 60_001 }

/** For every rule: what raises it, about whom; and what is just not enough. */
const CASES = {
  OVER_ADMISSION: [
    [seen({ compliance: { ...WELL.compliance, over, overAdmissions: 1 } }), ['capacity']],
    [seen({ compliance: { ...WELL.compliance, turnstile: 121 } }), ['turnstiles']],
    [seen({ compliance: { ...WELL.compliance, optical: 121 } }), ['optical']],
    [seen({ compliance: { ...WELL.compliance, turnstile: 120, optical: 120 } }), []],
    [
      seen({
        compliance: { ...WELL.compliance, turnstile: 121 },
        collection: { entries: 9, behind: 99, lagMs: 60_000, gaps: [] },
      }),
      [],
    ],
    [seen({ compliance: { ...WELL.compliance, over: { ...over, at: START - 3_600_000 } } }), []],
  ],
  EXIT_REFUSED: [
    [seen({ exitsRefused: { total: 1, last: { at: START - 9, account: 'east/1', detail: 'stuck' } } }), ['east/1']],
    [seen({ gates: [gate('east', { said: { state: 'FAULT', fault: 'exit-blocked' } })] }), ['east']],
    [seen({ gates: [gate('east', { said: { state: 'FAULT', fault: 'disk' } })] }), []],
  ],
  EXIT_UNCOUNTED: [
    [seen({ gates: [gate('east', { said: { state: 'NORMAL', exitsUncounted: 3 } }), gate('west')] }), ['east']],
    [seen({ gates: [gate('east', { said: { state: 'NORMAL', exitsUncounted: 0 } })] }), []],
  ],
  REJECTION_SPIKE: [[seen({ rejects: { usualPerMinute: 2, perMinute: 30, isSpike: true } }), ['']]],
  GATE_SILENT: [
    [seen({ gates: [gate('east', { silentMs: 6001 }), gate('west')] }), ['east']],
    [seen({ gates: [gate('east', { silentMs: 6000 }), gate('west')] }), []],
    [seen({ gates: [gate('east', { silentMs: 9000, isBanned: true }), gate('west')] }), []],
    [seen({ upMs: 15_000, gates: [gate('east', { silentMs: 15_000 }), gate('west')] }), []],
    // all at once are one trouble
    [seen({ gates: [gate('east', { silentMs: 7000 }), gate('west', { silentMs: 7000 })] }), []],
  ],
  MALL_SILENT: [
    [seen({ gates: [gate('east', { silentMs: 7000 }), gate('west', { silentMs: 7000 })] }), ['']],
    [seen({ gates: [gate('east', { silentMs: 7000 }), gate('west')] }), []],
    [seen({ gates: [] }), []],
  ],
  ANCHOR_STALE: [
    [seen({ occupancy: STALE, gates: [gate('east', { silentMs: 60_001 })] }), ['data']],
    // its row counts for ever, and nobody can make it younger
    [seen({ occupancy: STALE, gates: [gate('east', { silentMs: 60_001, isBanned: true }), gate('west')] }), []],
    [seen({ occupancy: STALE, gates: [gate('west')] }), []],
    [seen({ state: 'FAULT', fault: 'broken-law' }), ['anchor']],
    [seen({ state: 'JOINING' }), ['anchor']],
    [seen({ occupancy: { ...STALE, ageMs: 60_000 }, gates: [gate('east', { silentMs: 60_001 })] }), []],
    [seen({ state: 'JOINING', upMs: 5000 }), []],
  ],
  FORK: [[seen({ banned: ['east'] }), ['east']]],
  EVIDENCE: [[seen({ evidence: [{ id: 'x', account: 'east/1', what: 'root', detail: 'd' }] }), ['east/1 x']]],
  SENSOR_DRIFT: [
    [seen({ drifts: [drift, { ...drift, gate: 'west', isTooMuch: false }] }), ['east']],
    [seen({ drifts: [{ ...drift, hour: START - 86_400_000 }] }), []],
  ],
  LEASE_DRIFT: [[seen({ leases: { ...WELL.leases, drift: -1, wrong: ['east/1 …'] } }), ['']]],
  DISK: [[seen({ gates: [gate('east', { said: { state: 'FAULT', fault: 'disk' } }), gate('west')] }), ['east']]],
  CLOCK_SKEW: [
    [seen({ gates: [gate('east', { skewMs: 2001 }), gate('west', { skewMs: -2001 })] }), ['east', 'west']],
    [seen({ gates: [gate('east', { skewMs: 2000 })] }), []],
  ],
  COLLECTION_BEHIND: [
    [seen({ collection: { entries: 9, behind: 1, lagMs: 60_001, gaps: [] } }), ['']],
    [
      seen({
        collection: { entries: 9, behind: 0, lagMs: 0, gaps: [{ account: 'east/1', from: 3, to: 5, why: 'gone' }] },
      }),
      ['east/1'],
    ],
    [seen({ collection: { entries: 9, behind: 1, lagMs: 60_000, gaps: [] } }), []],
  ],
  APPROVAL_WAITING: [
    [seen({ approvals: [{ id: 'a', words: ['capacity 5'], expiresAt: START + 1 }] }), ['a']],
    [seen({ approvals: [{ id: 'a', words: ['capacity 5'], expiresAt: START }] }), []],
  ],
  CAPACITY_CHANGED_FAR: [
    [
      seen({ changes: [{ at: START - 9, capacity: 79, before: 100, correction: 0, policy: 4 }] }),
      [`policy 4 at ${START - 9}`],
    ],
    [
      seen({ changes: [{ at: START - 9, capacity: 121, before: 100, correction: 0, policy: 4 }] }),
      [`policy 4 at ${START - 9}`],
    ],
    [seen({ changes: [{ at: START - 9, capacity: 80, before: 100, correction: 0, policy: 4 }] }), []],
    [seen({ changes: [{ at: START - 3_600_000, capacity: 10, before: 100, correction: 0, policy: 4 }] }), []],
  ],
  OCCUPANCY_WARN: [
    [inside(90), ['']],
    [inside(89), []],
    [inside(0, 0), []],
  ],
  OCCUPANCY_HIGH: [
    [inside(97), ['']],
    [inside(96), []],
  ],
  OCCUPANCY_FULL: [
    [inside(100), ['']],
    [inside(99), []],
  ],
  OCCUPANCY_EXCEEDED: [
    [inside(101), ['']],
    [inside(100), []],
  ],
  MODE: [[seen({ mode: 'FIRE', modeBy: 'east', modeReason: 'contact closed' }), ['FIRE']]],
  BMS_LIMIT: [
    [
      seen({ signals: signals({ atMost: 60, value: 1300, since: START, standing: 'proposed', approval: 'ab' }) }),
      ['air'],
    ],
    [seen({ signals: signals({ atMost: 60, value: 1300, since: START, standing: 'in-force' }) }), ['air']],
    [seen({ signals: signals(undefined) }), []],
  ],
  BMS_SILENT: [
    [seen({ signals: signals(undefined, { name: 'co2', in: 'ppm', isSilent: true }) }), ['co2']],
    [seen({ signals: signals(undefined, { name: 'co2', in: 'ppm', isSilent: false, trouble: 'late' }) }), []],
  ],
} as const satisfies Record<Code, readonly (readonly [Observation, readonly string[]])[]>

for (const code of CODES) {
  test(`${code}: what raises it and what does not`, () => {
    assert.deepEqual(subjects(code, WELL), [], 'all is well')
    for (const [o, expected] of CASES[code]) assert.deepEqual(subjects(code, o), expected)
    assert.ok(
      CASES[code].some(([, expected]) => expected.length > 0),
      'something raises it',
    )
  })
}

test('levels of occupancy are cleared further down than they are raised', () => {
  for (const [code, raise, clear] of [
    ['OCCUPANCY_WARN', 90, 84],
    ['OCCUPANCY_HIGH', 97, 93],
    ['OCCUPANCY_FULL', 100, 98],
  ] as const) {
    assert.deepEqual(subjects(code, inside(raise - 1)), [])
    assert.deepEqual(subjects(code, inside(raise - 1), ['']), [''], `${code} stays`)
    assert.deepEqual(subjects(code, inside(clear), ['']), [], `${code} is over`)
  }
  const skewed = (skewMs: number) => seen({ gates: [gate('east', { skewMs })] })
  assert.deepEqual(subjects('CLOCK_SKEW', skewed(1500)), [])
  assert.deepEqual(subjects('CLOCK_SKEW', skewed(1500), ['east']), ['east'])
})

test('a gate that was silent before all fell silent stays on the list', () => {
  const o = seen({ gates: [gate('east', { silentMs: 90_000 }), gate('west', { silentMs: 7000 })] })
  assert.deepEqual(subjects('GATE_SILENT', o, ['east']), ['east'])
})

test('a cut is noticed within ten seconds', () => {
  // the rule needs six, a look comes once a second, and nothing is held
  const { holdMs } = RULES.GATE_SILENT
  assert.ok(6001 + holdMs + 1000 <= 10_000)
  assert.deepEqual([RULES.MALL_SILENT.holdMs, RULES.EXIT_REFUSED.holdMs, RULES.MODE.holdMs], [0, 0, 0])
})

test.run()
