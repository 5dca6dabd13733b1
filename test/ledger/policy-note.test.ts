import assert from 'node:assert/strict'
import { Fault } from '../../ledger/fault.ts'
import { cosign, parseNote, signNote } from '../../ledger/note.ts'
import {
  formatPolicy,
  openPolicy,
  type PolicyText,
  parsePolicy,
  policyHash,
  signPolicy,
} from '../../ledger/policy-note.ts'
import { leafHash } from '../../ledger/tree.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenBytes, goldenText } from './golden.ts'
import { HASH } from './one-of-each.ts'
import { FIRST_POLICY, MALL, PaperMall, signerOf } from './paper-mall.ts'

const test = suite('ledger/policy-note')
const { charter } = new PaperMall()
const POLICY: PolicyText = {
  ...FIRST_POLICY,
  version: 4,
  previous: HASH,
  capacities: [
    { from: 0, capacity: 20 },
    { from: 999, capacity: 21 },
    { from: 1000, capacity: 0 },
  ],
  correction: -3,
  reclaimed: [
    { account: 'east/1', amount: 2 },
    { account: 'west/1', amount: 9 },
  ],
  gates: charter.gates,
  reason: 'Sonntag – half the mall',
}
const signers = (...names: string[]) => names.map(name => signerOf(name))

test('a policy comes back as it went in, its schedule in order of time', () => {
  assert.deepEqual(parsePolicy(formatPolicy(POLICY, MALL), MALL), POLICY)
  assert.deepEqual(parsePolicy(formatPolicy(FIRST_POLICY, MALL), MALL), FIRST_POLICY)
})

test('opened, it tells which operators signed and what its hash is', () => {
  const note = signPolicy(POLICY, MALL, signers('anchor', 'bruno', 'alma'))
  const hash = leafHash(parseNote(note).text).toString('base64')
  assert.deepEqual(openPolicy(note, charter, { twice: true }), { ...POLICY, signers: ['alma', 'bruno'], hash, note })
  assert.equal(policyHash(POLICY, MALL), hash)
})

test('operators may add their signatures one after another', () => {
  const note = signPolicy(POLICY, MALL, signers('alma'))
  const whole = cosign(cosign(note, signerOf('bruno')), signerOf('anchor'))
  assert.deepEqual(openPolicy(whole, charter).signers, ['alma', 'bruno'])
})

test('without the anchor it is no policy', () => {
  assert.throws(() => openPolicy(signPolicy(POLICY, MALL, signers('alma', 'bruno')), charter), { code: 'POLICY' })
})

test('a signature of a gate, or of a false operator, spoils it', () => {
  const note = signPolicy(POLICY, MALL, signers('anchor', 'alma'))
  assert.throws(() => openPolicy(cosign(note, signerOf('east')), charter), { code: 'POLICY' })
  assert.throws(() => openPolicy(cosign(note, signerOf('bruno', ' false')), charter), { code: 'POLICY' })
})

test('a gate that is somebody else by the charter is refused', () => {
  for (const gate of [
    { name: 'alma', key: signerOf('alma', ' new').verifier.toString() },
    { name: 'bruno', key: signerOf('bruno').verifier.toString() },
  ]) {
    const note = signPolicy({ ...POLICY, gates: [gate] }, MALL, signers('anchor', 'alma'))
    assert.throws(() => openPolicy(note, charter), { code: 'POLICY' })
  }
})

for (const [name, from, to] of [
  ['lines out of order', /(correction .*\n)(expire.*\n)/, '$2$1'],
  ['a word nobody knows', 'correction', 'corruption'],
  ['a correction of zero', 'correction -3', 'correction 0'],
  ['minus zero', 'correction -3', 'correction -0'],
  ['a step without a time', 'capacity 999 21', 'capacity 21'],
  ['a step with too much', 'capacity 999 21', 'capacity 999 21 22'],
  ['no version', 'version 4\n', ''],
  ['a previous that is no hash', `previous ${HASH}`, 'previous 3'],
  ['an account reclaimed twice', 'reclaimed east/1 2\n', 'reclaimed east/1 2\nreclaimed east/1 3\n'],
  ['nothing reclaimed', 'reclaimed east/1 2', 'reclaimed east/1 0'],
  ['a long reason', 'half the mall', 'x'.repeat(400)],
  ['a control character in the reason', 'half', 'ha\u0085lf'],
  ['an empty reason', /reason .*\n/, 'reason \n'],
  ['another mall', MALL, 'plastic'],
  ['another kind of text', '/policy', '/charter'],
] as const) {
  test(`${name} is refused`, () => {
    const text = formatPolicy(POLICY, MALL).replace(from, to)
    assert.notEqual(text, formatPolicy(POLICY, MALL))
    assert.throws(() => parsePolicy(text, MALL), Fault)
    assert.throws(() => openPolicy(signNote(text, signers('anchor', 'alma')), charter), Fault)
  })
}

test('every bit of a policy turned over is refused', () => {
  const bytes = goldenBytes('mall/policies/3.note')
  assert.deepEqual(openPolicy(goldenText('mall/policies/3.note'), charter).signers, ['alma', 'bruno'])
  for (const flipped of flips(bytes)) {
    assert.throws(() => openPolicy(flipped.toString('utf8'), charter), Fault, place(bytes, flipped))
  }
})

test.run()
