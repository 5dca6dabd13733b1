import assert from 'node:assert/strict'
import { noCounters } from '../../ledger/counters.ts'
import { Fault } from '../../ledger/fault.ts'
import { isUuid7 } from '../../ledger/line.ts'
import type { ModeStatement } from '../../ledger/mode.ts'
import { signMode } from '../../ledger/mode-note.ts'
import { openPolicy, signPolicy } from '../../ledger/policy-note.ts'
import type { Row } from '../../ledger/row.ts'
import { signRow } from '../../ledger/row-note.ts'
import { Keyring } from '../../mesh/keyring.ts'
import type { Message } from '../../mesh/message.ts'
import { newId } from '../../mesh/real-clock.ts'
import { uuid7 } from '../../mesh/uuid7.ts'
import { fromWire, MESSAGE_BYTES_MAX, toWire } from '../../mesh/wire.ts'
import { Home, MALL } from '../../tools/mall/home.ts'
import { Random } from '../sim/random.ts'
import { suite } from '../suite.ts'
import { inFolder } from './running.ts'

const test = suite('mall/wire')

const ROOT = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
const nobody = { row: () => undefined, mode: () => undefined }

async function withHome(act: (home: Home, ring: Keyring) => void): Promise<void> {
  await inFolder(async dir => {
    await Home.found(dir, { gates: 2, legalMax: 9 })
    const home = await Home.open(dir)
    act(home, new Keyring(home.charters, () => home.charter.gates))
  })
}

function signedRow(home: Home, name: string, size: number): Row {
  const row = { account: `${name}/1`, size, root: ROOT, at: 5, counters: { ...noCounters(), admitted: 2 } }
  return { ...row, note: signRow(row, MALL, home.key(name)) }
}

function messages(home: Home): Message[] {
  const rows = [signedRow(home, 'gate-01', 7), signedRow(home, 'gate-02', 3)] as const
  const said = { epoch: 0, mode: 'FIRE', at: 7, reason: 'contact closed' } as const
  const statement: ModeStatement = { ...said, by: ['gate-02'], note: signMode(said, MALL, [home.key('gate-02')]) }
  const text = {
    version: 1,
    capacities: [{ from: 0, capacity: 9 }],
    correction: 0,
    reclaimed: [],
    gates: home.charter.gates,
    maxSharePerMille: 1000,
    expireAfterMs: 1000,
    confidenceMin: 700,
    marginPerMille: 0,
    reason: 'opening',
  }
  const policy = openPolicy(
    signPolicy(
      text,
      MALL,
      ['anchor', 'ann', 'bob'].map(n => home.key(n)),
    ),
    home.charter,
  )
  return [
    { kind: 'rows', rows },
    { kind: 'rows', rows, re: 4, hint: { demand: 1.5, waiting: 2 }, mode: { epoch: 1, mode: 'NORMAL' } },
    { kind: 'ask', ask: { re: 1, account: 'gate-01/1', want: 3, waiting: 1, forMs: 79.5 } },
    { kind: 'none', re: 1 },
    { kind: 'none', re: 1, broker: 'gate-02' },
    { kind: 'none', re: 1, isKept: true },
    { kind: 'late', tokens: 2 },
    { kind: 'want', accounts: ['gate-01/1', 'anchor/2'] },
    { kind: 'mode', statement },
    { kind: 'policies', policies: [policy] },
    { kind: 'want-policies', after: 0 },
    { kind: 'whois', name: 'gate-01' },
    { kind: 'known', name: 'gate-01', rows: [rows[0]] },
    { kind: 'enrol', id: newId(), epoch: 1 },
    { kind: 'enrolled', id: newId(), account: 'gate-01/1' },
    { kind: 'fork', rows },
  ]
}

test('every kind of message arrives as it was said, opened from its signatures', async () => {
  await withHome((home, ring) => {
    for (const message of messages(home)) {
      const text = toWire(message, nobody)
      assert.ok(text !== undefined, message.kind)
      assert.deepEqual(fromWire(text, ring), { message, refused: [] })
    }
  })
})

test('what nobody signed does not leave, and what somebody else signed does not arrive', async () => {
  await withHome((home, ring) => {
    const { note, ...unsigned } = signedRow(home, 'gate-01', 7)
    assert.equal(toWire({ kind: 'rows', rows: [unsigned] }, nobody), '{"kind":"rows","rows":[]}')
    assert.equal(toWire({ kind: 'extend', until: 9, by: ['ann', 'bob'] }, nobody), undefined)
    const forged = String(note).replace('admitted 2', 'admitted 1')
    const good = String(signedRow(home, 'gate-02', 3).note)
    const { message, refused } = fromWire(JSON.stringify({ kind: 'rows', rows: [forged, good] }), ring)
    assert.equal(refused.length, 1)
    assert.deepEqual(message.kind === 'rows' && message.rows.map(row => row.account), ['gate-02/1'])
    // opened once it is remembered, but not for a gate that has left the roster
    const small = new Keyring(home.charters, () => roster)
    let roster = home.charter.gates
    assert.equal(small.row(good).size, 3)
    roster = roster.filter(gate => gate.name !== 'gate-02')
    assert.throws(() => small.row(good), { code: 'ROSTER' })
  })
})

test('garbage of any shape is a fault with a name, never anything worse', async () => {
  await withHome((home, ring) => {
    const random = new Random('garbage')
    const odd: unknown[] = [null, -1, 1.5, '', 'x', [], {}, [[]], true, '__proto__', { kind: 'rows' }]
    const texts = messages(home).map(message => toWire(message, nobody) as string)
    let refused = 0
    const check = (text: string) => {
      try {
        fromWire(text, ring)
      } catch (error) {
        assert.ok(error instanceof Fault, `${text.slice(0, 200)}: ${error}`)
        refused++
      }
    }
    for (const value of odd) check(JSON.stringify(value) ?? '')
    for (const text of texts) {
      for (const field of Object.keys(JSON.parse(text))) {
        for (const value of odd) check(JSON.stringify({ ...JSON.parse(text), [field]: value }))
      }
      for (let i = 0; i < 30; i++) check(text.slice(0, random.int(text.length)) + text.slice(random.int(text.length)))
    }
    assert.ok(refused > 300, `${refused} refused`)
    assert.throws(() => fromWire(' '.repeat(MESSAGE_BYTES_MAX + 1), ring), { code: 'MESSAGE' })
  })
})

test('an id is a UUIDv7 for every time and every chance', () => {
  for (const wall of [0, 1, 1_790_000_000_000, 2 ** 48 - 1]) {
    for (let byte = 0; byte < 256; byte++) assert.ok(isUuid7(uuid7(wall, new Uint8Array(10).fill(byte))))
  }
  assert.equal(uuid7(0x0123456789ab, new Uint8Array(10).fill(0xff)), '01234567-89ab-7fff-bfff-ffffffffffff')
})

test('an idle row that its own author repeats is taken at its word, and only that', () =>
  withHome((home, ring) => {
    const first = signedRow(home, 'gate-01', 7)
    const again = (row: Row) => signRow(row, MALL, home.key('gate-01'))
    /** with the signature of another row */
    const forged = (row: Row) => `${again(row).split('\n\n')[0]}\n\n${again({ ...first, at: 1 }).split('\n\n')[1]}`
    const taken = (note: string, from?: string) => {
      const { message } = fromWire(JSON.stringify({ kind: 'rows', rows: [note] }), ring, from)
      return message.kind === 'rows' ? message.rows[0] : undefined
    }
    const later = { ...first, at: 6 }
    // nothing was checked yet: the signature counts
    assert.equal(taken(forged(later), 'gate-01'), undefined)
    assert.equal(taken(first.note as string, 'gate-01')?.at, 5)
    const repeated = taken(forged(later), 'gate-01')
    assert.deepEqual([repeated?.at, repeated?.note], [6, first.note], 'what is handed on is what was checked')
    // from another mouth, with other content, of another epoch, or older, it is what its signature is worth
    assert.equal(taken(forged(later), 'gate-02'), undefined)
    assert.equal(taken(forged(later)), undefined)
    assert.equal(taken(forged({ ...later, size: 8 }), 'gate-01'), undefined)
    assert.equal(taken(forged({ ...later, account: 'gate-01/2' }), 'gate-01'), undefined)
    const counters = { ...first.counters, admitted: 3 }
    assert.equal(taken(forged({ ...later, counters }), 'gate-01'), undefined)
    assert.equal(taken(forged({ ...later, at: 4 }), 'gate-01'), undefined)
    assert.equal(taken(again({ ...later, counters, size: 8 }), 'gate-01')?.counters.admitted, 3)
    assert.equal(taken(forged({ ...later, at: 9 }), 'gate-01'), undefined, 'a row that was overtaken is no repetition')
  }))

test.run()
