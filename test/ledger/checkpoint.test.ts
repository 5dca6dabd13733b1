import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  type Checkpoint,
  formatCheckpoint,
  openCheckpoint,
  parseCheckpoint,
  speaksFor,
} from '../../ledger/checkpoint.ts'
import { BrokenLaw } from '../../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { signNote } from '../../ledger/note.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenBytes, goldenKeys, goldenText } from './golden.ts'

const test = suite('ledger/checkpoint')

const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='
const gate = SignerKey.parse(goldenKeys().get('gatemesh/example/gate-07')?.signer as string)
const peter = SignerKey.parse(goldenKeys().get('PeterNeumann')?.signer as string)

test('the head of the Go checksum database is read', () => {
  const text = goldenText('go-sum-database.note').split('\n\n')[0]
  const head = { origin: 'go.sum database tree', size: 20852163, root: ROOT, extensions: [] }
  assert.deepEqual(parseCheckpoint(`${text}\n`), head)
  assert.equal(formatCheckpoint(head), `${text}\n`)
})

test('the golden checkpoint is signed by its gate, and written the same', () => {
  const head = openCheckpoint(goldenBytes('checkpoint.note'), [gate.verifier], { twice: true })
  assert.equal(head.origin, 'gatemesh/example/gate-07/1')
  assert.equal(head.size, 11)
  assert.deepEqual(head.extensions, ['admitted 7', 'exited 2'])
  assert.deepEqual(head.by, [gate.verifier])
  assert.equal(signNote(formatCheckpoint(head), [gate]), goldenText('checkpoint.note'))
})

test('each way of spelling a head wrongly has its own words', () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['', /last line does not end/],
    ['\n', /line 1 is empty/],
    [`o\n1\n${ROOT}`, /last line does not end/],
    ['o\n', /fewer than three lines/],
    ['o\n1\n', /fewer than three lines/],
    [`\n1\n${ROOT}\n`, /line 1 is empty/],
    [`o\n1\n${ROOT}\n\n`, /line 4 is empty/],
    [`o\n1\n${ROOT}\nx\n\ny\n`, /line 5 is empty/],
    [`o\n01\n${ROOT}\n`, /line 2: not a size: "01"/],
    [`o\n-1\n${ROOT}\n`, /line 2: not a size/],
    [`o\n 1\n${ROOT}\n`, /line 2: not a size/],
    [`o\n1e3\n${ROOT}\n`, /line 2: not a size/],
    [`o\n9007199254740992\n${ROOT}\n`, /line 2: not a size/],
    [`o\n1\n${ROOT} \n`, /line 3/],
    [`o\n1\n${ROOT.slice(0, -1)}\n`, /line 3/],
    [`o\n1\n${ROOT.replace('I=', 'J=')}\n`, /line 3/],
    [`o\n1\n${Buffer.alloc(31).toString('base64')}\n`, /line 3/],
  ]
  for (const [text, message] of table) {
    assert.throws(() => parseCheckpoint(text), { code: 'CHECKPOINT', message }, JSON.stringify(text))
  }
})

test('what cannot be read back is never written', () => {
  const good: Checkpoint = { origin: 'o', size: 1, root: ROOT, extensions: ['x'] }
  for (const bad of [
    { origin: '' },
    { origin: 'a\nb' },
    { size: -1 },
    { size: 1.5 },
    { size: Number.NaN },
    { size: 1e21 },
    { root: 'x' },
    { extensions: [''] },
    { extensions: ['a\n'] },
  ]) {
    assert.throws(() => formatCheckpoint({ ...good, ...bad }), BrokenLaw, JSON.stringify(bad))
  }
})

test('every bit of a signed checkpoint counts', () => {
  const bytes = goldenBytes('checkpoint.note')
  for (const flipped of flips(bytes)) {
    assert.throws(() => openCheckpoint(flipped, [gate.verifier]), { name: 'Fault' }, place(bytes, flipped))
  }
})

test('a key speaks for its own name and its epochs, for nothing else', () => {
  const key = new VerifierKey('gatemesh/m/gate-07', gate.secret.publicKey)
  for (const origin of ['gatemesh/m/gate-07', 'gatemesh/m/gate-07/1', 'gatemesh/m/gate-07/12']) {
    assert.ok(speaksFor(key, origin), origin)
  }
  for (const rest of ['0', '01', '', 'x', '1/1', '1x', '-1'])
    assert.ok(!speaksFor(key, `gatemesh/m/gate-07/${rest}`), rest)
  for (const origin of [
    'gatemesh/m/gate-071',
    'gatemesh/m/gate-0712',
    'gatemesh/m/gate-07-1',
    'gatemesh/m/gate-0',
    'gatemesh/m',
    '/1',
    '',
  ]) {
    assert.ok(!speaksFor(key, origin), origin)
  }
})

test('a trusted key cannot state the head of another ledger', () => {
  const text = goldenText('checkpoint.note').split('\n\n')[0]
  const trusted = [gate.verifier, peter.verifier]
  assert.throws(() => openCheckpoint(signNote(`${text}\n`, [peter]), trusted), {
    code: 'CHECKPOINT',
    message: 'the head of gatemesh/example/gate-07/1 is not signed by its own key but by PeterNeumann',
  })
  assert.equal(openCheckpoint(signNote(`${text}\n`, [peter, gate]), trusted).by.length, 2)
})

test('whatever head is written is read back the same', () => {
  const line = fc.string({ minLength: 1 })
  const root = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(b => Buffer.from(b).toString('base64'))
  const head = fc.record({ origin: line, size: fc.maxSafeNat(), root, extensions: fc.array(line, { maxLength: 5 }) })
  fc.assert(fc.property(head, head => assert.deepEqual({ ...parseCheckpoint(formatCheckpoint(head)) }, { ...head })))
})

test.run()
