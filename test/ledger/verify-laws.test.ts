import { LAPSE_ENTRIES_MAX } from '../../ledger/audit/laws.ts'
import { suite } from '../suite.ts'
import { after, BrokenMalls } from './broken-mall.ts'
import { MALL, PaperMall, START, uuid7 } from './paper-mall.ts'

const test = suite('ledger/verify laws')
const malls = new BrokenMalls(test)
const ID = uuid7(START, 0xdef)

for (const [says, change, signers] of [
  ['a policy above the legal maximum', { capacities: [{ from: 0, capacity: 41 }] }, ['alma', 'bruno']],
  [
    'a schedule that goes above it later',
    {
      capacities: [
        { from: 0, capacity: 20 },
        { from: 9, capacity: 41 },
      ],
    },
    ['alma', 'bruno'],
  ],
  ['a large move signed by one operator', { capacities: [{ from: 0, capacity: 25 }] }, ['alma']],
  ['a recount signed by one operator', { correction: 1 }, ['bruno']],
  ['a policy signed by a viewer', { reason: 'because' }, ['alma', 'vera']],
  ['a policy signed by no operator', { reason: 'because' }, []],
] as const) {
  malls.breaks(
    says,
    'policy anchor',
    after(mall => mall.policy(change, [...signers])),
  )
}
malls.breaks(
  'a policy that follows another past',
  'policy anchor',
  after(mall => mall.policy({ previous: mall.charterHash })),
)
malls.breaks(
  'a policy nobody can show',
  'policy east/1 2',
  after(mall => mall.write('east/1', { type: 'policy', version: 1, hash: mall.charterHash })),
)

malls.breaks('a ledger that is not opened', 'open west/1 0', () => {
  const mall = new PaperMall()
  mall.write('west/1', { type: 'optical', in: 1, out: 1 })
  return mall.close().verify()
})
malls.breaks(
  'a ledger opened twice',
  'open east/1 2',
  after(mall => mall.open('east/1')),
)
malls.breaks(
  'a ledger opened for another mall',
  'open east/2 0',
  after(mall => {
    const { key } = mall.charter.gates[0] as { key: string }
    mall.write('east/2', { type: 'open', mall: 'elsewhere', account: 'east/2', key })
  }),
)
malls.breaks(
  'a ledger opened for another account',
  'open east/2 0',
  after(mall => {
    const { key } = mall.charter.gates[0] as { key: string }
    mall.write('east/2', { type: 'open', mall: MALL, account: 'east/3', key })
  }),
)
malls.breaks(
  'a ledger that cites half a head',
  'open east/2 0',
  after(mall => mall.open('east/2', { after: 'east/1' })),
)
malls.breaks(
  "a ledger that cites another gate's",
  'open east/2 0',
  after(mall => {
    const [after, afterSize, afterRoot] = mall.headOf('west/1')
    mall.open('east/2', { after, afterSize, afterRoot })
  }),
)

malls.breaks(
  'a gate that writes a checkpoint',
  'entry east/1 2',
  after(mall => mall.write('east/1', { type: 'checkpoint', heads: [] })),
)
malls.breaks(
  'an anchor that counts people',
  'entry anchor/1 6',
  after(mall => mall.write('anchor/1', { type: 'optical', in: 1, out: 0 })),
)
malls.breaks(
  'an anchor that checks sensors',
  'entry anchor/1 6',
  after(mall =>
    mall.write('anchor/1', {
      ...{ type: 'check', what: 'walk', lane: 'a', by: 'b', ok: true },
      ...{ truthIn: 1, truthOut: 1, seenIn: 1, seenOut: 1 },
    }),
  ),
)
malls.breaks(
  'a row that counts one more',
  'counters east/1 2',
  after(mall => {
    mall.admit('east/1')
    mall.row('east/1', { counters: { ...mall.rowOf('east/1').counters, admitted: 2 } })
    mall.admit('east/1')
  }),
)
malls.breaks(
  'a row of the anchor that promises more',
  'counters anchor/1 5',
  after(mall => {
    mall.row('anchor/1', { budget: { capacity: 21, correction: 0, reclaimed: 0, carried: 0 } })
    mall.write('anchor/1', { type: 'enrol', account: 'east/2' })
  }),
)

malls.breaks(
  'an admission without a token',
  'overspent east/1 7',
  after(mall => {
    for (let i = 0; i < 7; i++) mall.admit('east/1')
  }),
)
malls.breaks(
  'a send of more than there is',
  'overspent east/1 2',
  after(mall => mall.send('east/1', 'west/1', 6)),
)
malls.breaks(
  'an anchor that sends beyond its budget',
  'overspent anchor/1 6',
  after(mall => mall.send('anchor/1', 'west/1', 6)),
)
malls.breaks(
  'an admission in debt',
  'overspent east/1 3',
  after(mall => {
    mall.write('east/1', { type: 'forced', count: 5, why: 'manual' })
    mall.admit('east/1')
  }),
)
malls.breaks('a lost account whose row admits too much', 'overspent east/1 8', () => {
  const mall = PaperMall.opened().close()
  const row = mall.rowOf('east/1')
  mall.row('east/1', { size: 9, counters: { ...row.counters, admitted: 7, forced: 1 } })
  mall.open('east/2')
  mall.row('east/2')
  return mall.verify()
})

malls.breaks('tokens sent to oneself', 'self east/1 2', () => {
  const mall = PaperMall.opened().close()
  mall.give('east/1', 'east/1', 2)
  return mall.verify()
})
malls.breaks(
  'tokens nobody sent',
  'receive east/1 2',
  after(mall => mall.receive('east/1', 'west/1', 1)),
)
malls.breaks(
  'more tokens than were sent',
  'receive east/1 2',
  after(mall => {
    mall.send('west/1', 'east/1', 2)
    mall.receive('east/1', 'west/1', 3)
  }),
)
malls.breaks(
  'tokens received before they were sent',
  'receive east/1 2',
  after(mall => {
    mall.send('west/1', 'east/1', 1)
    mall.receive('east/1', 'west/1', 1, 2)
  }),
)
malls.breaks(
  'tokens received twice',
  'receive east/1 3',
  after(mall => {
    mall.give('west/1', 'east/1', 1)
    mall.receive('east/1', 'west/1', 1)
  }),
)
malls.breaks(
  'tokens whose sending they caused',
  'receive east/1 2',
  after(mall => {
    mall.receive('east/1', 'west/1', 5, 4)
    mall.give('east/1', 'west/1', 5)
    mall.send('west/1', 'east/1', 5)
  }),
)
malls.breaks('a lost account whose row has what nobody sent', 'receive east/1 8', () => {
  const mall = PaperMall.opened().close()
  const { counters } = mall.rowOf('east/1')
  mall.row('east/1', { size: 9, counters: { ...counters, received: { 'anchor/1': 6 }, receivedTotal: 6 } })
  mall.open('east/2')
  mall.row('east/2')
  return mall.verify()
})

malls.breaks(
  'a lapse of nothing',
  'lapse east/1 3',
  after(mall => {
    mall.admit('east/1')
    mall.write('east/1', { type: 'lapse', admit: ID })
  }),
)
malls.breaks(
  'an admission taken back twice',
  'lapse east/1 4',
  after(mall => {
    mall.admit('east/1', ID)
    mall.write('east/1', { type: 'lapse', admit: ID })
    mall.write('east/1', { type: 'lapse', admit: ID })
  }),
)
malls.breaks(
  'an admission taken back long after',
  `lapse east/1 ${LAPSE_ENTRIES_MAX + 3}`,
  after(mall => {
    mall.admit('east/1', ID)
    for (let i = 0; i < LAPSE_ENTRIES_MAX; i++) mall.write('east/1', { type: 'optical', in: i, out: 0 })
    mall.write('east/1', { type: 'lapse', admit: ID })
  }),
)
malls.breaks(
  'an uncertain exit credited by a gate that names no policy',
  'exit east/1 2',
  after(mall => mall.write('east/1', { type: 'exit', credited: true, confidence: 599 })),
)
malls.breaks(
  'an uncertain exit credited under an older policy',
  'exit east/1 3',
  after(mall => {
    const { version, hash } = mall.policy({ confidenceMin: 700 })
    mall.write('east/1', { type: 'policy', version, hash })
    mall.write('east/1', { type: 'exit', credited: true, confidence: 650 })
  }),
)

malls.breaks(
  'a capacity that no policy has',
  'budget anchor/1 7',
  after(mall => mall.budget({ capacity: 19 })),
)
malls.breaks(
  'a correction that no policy has',
  'budget anchor/1 7',
  after(mall => mall.budget({ correction: -1 })),
)
malls.breaks(
  'a budget minted twice',
  'budget anchor/2 2',
  after(mall => {
    mall.open('anchor/2')
    mall.budget({}, 'anchor/2')
  }),
)
malls.breaks(
  'a change that its policy did not make',
  'policy anchor/1 6',
  after(mall => {
    const { version, signers, reason } = mall.policy({ correction: 2, reason: 'heads counted' })
    const signed = { by: signers.join(','), reason, policy: version }
    mall.write('anchor/1', { type: 'change', what: 'correction', before: '0', after: '1', ...signed })
    mall.write('anchor/1', { type: 'change', what: 'correction', before: '0', after: '2', ...signed })
  }),
)
malls.breaks(
  'a head count under a name that did not sign it',
  'policy anchor/1 7',
  after(mall => {
    const recount = { at: 1, actual: 6, counted: 4 }
    const { version, signers, reason } = mall.policy({ correction: 2, recount, reason: 'heads counted' })
    const told = { type: 'recount', actual: 6, counted: 4, residual: 2, reason, policy: version } as const
    mall.write('anchor/1', { ...told, by: signers.join(',') })
    mall.write('anchor/1', { ...told, by: 'mallory' })
  }),
)
malls.breaks(
  'a budget that goes back to an older policy',
  'budget anchor/1 8',
  after(mall => {
    mall.policy({ reason: 'newer' })
    mall.budget()
    mall.write('anchor/1', { type: 'budget', capacity: 20, correction: 0, reclaimed: 0, carried: 0, policy: 1 })
  }),
)
malls.breaks(
  'more reclaimed than was held',
  'reclaim anchor/1 7',
  after(mall => {
    mall.open('north/2')
    mall.policy({ reclaimed: [{ account: 'north/1', amount: 6 }] })
    mall.budget()
  }),
)
malls.breaks(
  'a head that never was',
  'checkpoint anchor/1 6',
  after(mall => {
    const [account, size] = mall.headOf('east/1')
    mall.write('anchor/1', { type: 'checkpoint', heads: [[account, size, mall.charterHash]] })
  }),
)
malls.breaks(
  'a new epoch that cites a head that never was',
  'checkpoint east/2 0',
  after(mall => mall.open('east/2', { after: 'east/1', afterSize: 2, afterRoot: mall.charterHash })),
)
malls.breaks(
  'tokens of a living account used twice',
  'occupancy west/1 19',
  after(mall => {
    mall.policy({ reclaimed: [{ account: 'east/1', amount: 5 }] })
    mall.budget()
    mall.give('anchor/1', 'west/1', 10)
    mall.give('north/1', 'west/1', 5)
    for (let i = 0; i < 5; i++) mall.admit('east/1')
    for (let i = 0; i < 16; i++) mall.admit('west/1')
    for (let i = 0; i < 5; i++) mall.exit('east/1')
  }),
)

malls.cover(['bag', 'empty', 'charter', 'roster', 'row', 'fork', 'unsigned', 'chain', 'gap', 'root', 'truncated'])

test.run()
