import assert from 'node:assert/strict'
import fc from 'fast-check'
import { balance } from '../../ledger/counters.ts'
import { suite } from '../suite.ts'
import { goodDay, without } from './broken-mall.ts'
import { PaperMall, START } from './paper-mall.ts'

const test = suite('ledger/verify')

test('a good day is proved, and the report says how much was', async () => {
  const report = await goodDay().close().verify()
  assert.deepEqual(report.findings, [])
  assert.equal(report.ok, true)
  assert.deepEqual(report.lost, [])
  assert.deepEqual(report.proved, { entries: 28, rows: 5, policies: 2, heads: 3, receives: 4, cuts: 20 })
  assert.equal(report.maxOccupancy, 11)
  assert.deepEqual(report.accounts, [
    { account: 'anchor/1', from: 0, size: 9, signed: 9, balance: 2, inside: 0 },
    { account: 'east/1', from: 0, size: 10, signed: 10, balance: 0, inside: 5 },
    { account: 'north/1', from: 0, size: 5, signed: 5, balance: 4, inside: -1 },
    { account: 'west/1', from: 0, size: 4, signed: 4, balance: 0, inside: 7 },
  ])
})

test('lines may come as they are read, one by one', async () => {
  const mall = goodDay().close()
  async function* slowly(lines: readonly string[]) {
    for (const line of lines) yield await Promise.resolve(line)
  }
  const ledgers = new Map([...mall.ledgers].map(([account, { lines }]) => [account, slowly(lines)]))
  assert.deepEqual(await mall.verify({ ledgers }), await mall.verify())
})

test('entries beyond the last row are read and said to be unsigned', async () => {
  const mall = goodDay().close()
  mall.exit('north/1')
  const report = await mall.verify()
  assert.equal(report.ok, true)
  const north = report.accounts.find(a => a.account === 'north/1')
  assert.deepEqual([north?.size, north?.signed], [6, 5])
})

test('a debt by force or by a cut is no fault of anybody', async () => {
  const mall = PaperMall.opened()
  mall.write('east/1', { type: 'forced', count: 9, why: 'tailgate' })
  mall.policy({ capacities: [{ from: 0, capacity: 2 }] })
  mall.budget()
  mall.admit('west/1')
  const report = await mall.close().verify()
  assert.deepEqual(report.findings, [])
  assert.deepEqual([report.maxOccupancy, report.peak?.capacity], [10, 2])
})

test('clocks do not decide: a gate a day behind proves the same', async () => {
  const mall = new PaperMall()
  mall.open('anchor/1')
  mall.policy()
  mall.budget()
  mall.open('east/1')
  mall.send('anchor/1', 'east/1', 20)
  mall.write('east/1', { type: 'receive', from: 'anchor/1', amount: 20, size: 4, at: START - 86_400_000 })
  for (let i = 0; i < 20; i++) mall.write('east/1', { type: 'admit', source: 'stolen', confidence: 1, at: 1000 - i })
  const report = await mall.close().verify()
  assert.deepEqual(report.findings, [])
  assert.equal(report.maxOccupancy, 20)
})

test('memory lost and a new epoch opened is a loss with a name, not a fault', async () => {
  const mall = PaperMall.opened()
  mall.give('north/1', 'west/1', 3)
  const [after, afterSize, afterRoot] = mall.headOf('north/1')
  mall.row('north/1')
  mall.open('north/2', { after, afterSize, afterRoot })
  mall.close()
  const report = await mall.verify(without(mall, 'north/1', 1, 9))
  assert.deepEqual(report.findings, [])
  assert.deepEqual(report.lost, [{ account: 'north/1', from: 1, to: afterSize }])
  assert.equal(report.accounts.find(a => a.account === 'north/1')?.balance, 2)
  const ledgers = new Map(mall.shown().ledgers)
  ledgers.delete('north/1')
  assert.deepEqual((await mall.verify({ ledgers })).lost, [{ account: 'north/1', from: 0, to: afterSize }])
})

test('lost entries on both sides of a trade are still replayed', async () => {
  const mall = PaperMall.opened()
  mall.give('north/1', 'west/1', 3)
  mall.give('west/1', 'north/1', 1)
  mall.give('north/1', 'west/1', 2)
  mall.close()
  mall.open('north/2')
  mall.row('north/2')
  const report = await mall.verify(without(mall, 'north/1', 2, 9))
  assert.deepEqual(report.findings, [])
  assert.deepEqual(report.lost, [{ account: 'north/1', from: 2, to: 5 }])
})

test('an anchor that lost its memory carries what it minted before', async () => {
  const mall = PaperMall.opened()
  mall.open('anchor/2')
  mall.budget({ carried: 20 }, 'anchor/2')
  assert.deepEqual((await mall.close().verify()).findings, [])
})

test('what a closed account held may be put back into use', async () => {
  const mall = PaperMall.opened()
  mall.open('north/2')
  mall.policy({ reclaimed: [{ account: 'north/1', amount: 5 }] })
  mall.budget()
  mall.give('anchor/1', 'north/2', 10)
  assert.deepEqual((await mall.close().verify()).findings, [])
})

test('a gate may follow a newer policy before its ledger says so', async () => {
  const mall = PaperMall.opened()
  mall.write('east/1', { type: 'policy', version: 1, hash: mall.policies[0]?.hash as string })
  mall.policy({ confidenceMin: 500 })
  mall.write('east/1', { type: 'exit', credited: true, confidence: 550 })
  assert.deepEqual((await mall.close().verify()).findings, [])
})

const GATES = ['east/1', 'north/1', 'west/1'] as const
const move = fc.record({
  kind: fc.constantFrom('admit', 'admit', 'admit', 'exit', 'forced', 'send', 'take', 'cut', 'row'),
  gate: fc.constantFrom(...GATES),
  other: fc.constantFrom('anchor/1', ...GATES),
  n: fc.integer({ min: 1, max: 3 }),
})

test('any lawful day is proved, and its fullest moment found', async () => {
  const property = fc.asyncProperty(fc.array(move, { maxLength: 80 }), async moves => {
    const mall = PaperMall.opened()
    const held = (account: string) => balance(mall.rowOf(account).counters, mall.rowOf(account).budget)
    let people = 0
    let most = 0
    for (const { kind, gate, other, n } of moves) {
      const [from, to] = n === 1 ? [gate, other] : [other, gate]
      if (kind === 'admit' && held(gate) >= 1) {
        mall.admit(gate)
        people++
      }
      if (kind === 'exit' && people > 0) {
        mall.exit(gate)
        people--
      }
      if (kind === 'forced') {
        mall.write(gate, { type: 'forced', count: n, why: 'tailgate' })
        people += n
      }
      if (kind === 'send' && from !== to && held(from) >= n) mall.send(from, to, n)
      if (kind === 'take' && from !== to) {
        const due = (mall.rowOf(from).counters.sent[to] ?? 0) - (mall.rowOf(to).counters.received[from] ?? 0)
        if (due > 0) mall.receive(to, from, due)
      }
      if (kind === 'cut') {
        mall.policy({ capacities: [{ from: 0, capacity: 6 * n }] })
        mall.budget()
      }
      if (kind === 'row') mall.row(gate)
      most = Math.max(most, people)
    }
    const report = await mall.close().verify()
    assert.deepEqual(report.findings, [])
    assert.equal(report.maxOccupancy, most)
  })
  await fc.assert(property, { numRuns: 40 })
})

test('a policy shown before and after its second signature is one policy', async () => {
  const mall = PaperMall.opened()
  const { version, previous, hash, note } = mall.policy({ correction: 2 })
  mall.budget()
  const half = mall.policy({ correction: 2, version, ...(previous === undefined ? {} : { previous }) }, ['alma'])
  assert.equal(half.hash, hash)
  mall.policies.pop()
  mall.close()
  for (const policies of [
    [half.note, note],
    [note, half.note],
  ]) {
    const shown = [mall.policies[0]?.note as string, ...(policies as string[])]
    assert.deepEqual((await mall.verify({ policies: shown })).findings, [])
  }
})

test('one altered ledger accuses nobody else', async () => {
  const mall = PaperMall.opened()
  mall.admit('east/1')
  mall.give('east/1', 'west/1', 4)
  for (let i = 0; i < 9; i++) mall.admit('west/1')
  mall.exit('east/1')
  mall.close()
  const lines = mall.linesOf('east/1').map(line => line.replace('"amount":4', '"amount":1'))
  const { findings, accounts } = await mall.verify({ ledgers: new Map(mall.shown().ledgers).set('east/1', lines) })
  assert.deepEqual(
    findings.map(f => [f.kind, f.account, f.seq]),
    [['chain', 'east/1', 3]],
  )
  // with the hash its neighbour cites in its place, the tree has the signed root: all other entries are as signed
  assert.equal(accounts.find(a => a.account === 'east/1')?.signed, mall.sizeOf('east/1'))
})

test.run()
