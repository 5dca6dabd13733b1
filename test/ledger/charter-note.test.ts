import assert from 'node:assert/strict'
import type { Charter } from '../../ledger/charter.ts'
import { formatCharter, openCharter, parseCharter, signCharter } from '../../ledger/charter-note.ts'
import { Fault } from '../../ledger/fault.ts'
import { SignerKey } from '../../ledger/key.ts'
import { cosign, parseNote } from '../../ledger/note.ts'
import { leafHash } from '../../ledger/tree.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenBytes, goldenText } from './golden.ts'
import { PaperMall, signerOf } from './paper-mall.ts'

const test = suite('ledger/charter-note')
const { charter, owner, charterNote } = new PaperMall()
const key = (name: string, salt = '') => signerOf(name, salt).verifier.toString()

test('a charter comes back as it went in', () => {
  assert.deepEqual(parseCharter(formatCharter(charter)), charter)
  assert.deepEqual(openCharter(charterNote, owner.verifier, { twice: true }).charter, charter)
})

test('the golden charter is this one', () => {
  assert.equal(goldenText('mall/charter.note'), charterNote)
})

test('its hash is the leaf hash of the text without the signature', () => {
  const { text } = parseNote(charterNote)
  assert.equal(openCharter(charterNote, owner.verifier).hash, leafHash(text).toString('base64'))
})

test('only the owner opens it', () => {
  assert.throws(() => openCharter(charterNote, signerOf('anchor').verifier), { code: 'NOTE_SIGNATURE' })
  assert.throws(() => openCharter(cosign(charterNote, signerOf('anchor')), owner.verifier), { code: 'CHARTER' })
})

const [alma, bruno] = charter.operators as [Charter['operators'][0], Charter['operators'][0]]
const spare = signerOf('alma')
for (const [name, change] of [
  ['a gate named twice', { gates: [...charter.gates, { name: 'east', key: key('east', ' new') }] }],
  ['an operator who is a gate', { gates: [...charter.gates, { name: 'alma', key: key('alma', ' new') }] }],
  ['a gate called anchor', { gates: [{ name: 'anchor', key: key('anchor', ' new') }] }],
  ['an anchor by another name', { anchor: key('east', ' new') }],
  ['no anchor', { anchor: '' }],
  [
    'two operators with one key',
    { operators: [alma, { ...bruno, key: new SignerKey('gatemesh/paper/bruno', spare.secret).verifier.toString() }] },
  ],
  [
    'a key of another mall',
    { gates: [{ name: 'x', key: SignerKey.generate('gatemesh/plastic/x').verifier.toString() }] },
  ],
  ['a mall without a name', { mall: '' }],
  ['a mall with a slash', { mall: 'a/b' }],
  ['a role nobody knows', { operators: [{ ...alma, role: 'king' as 'marshal' }] }],
] as const satisfies readonly (readonly [string, Partial<Charter>])[]) {
  test(`${name} is neither signed nor read`, () => {
    assert.throws(() => signCharter({ ...charter, ...change }, owner), Fault)
    assert.throws(() => parseCharter(formatCharter({ ...charter, ...change })), Fault)
  })
}

for (const [name, from, to] of [
  ['lines out of order', /(anchor .*\n)(exits.*\n)/, '$2$1'],
  ['a word nobody knows', 'legal-max', 'illegal-max'],
  ['a maximum said twice', 'legal-max 40\n', 'legal-max 40\nlegal-max 400\n'],
  ['a leading zero', 'legal-max 40', 'legal-max 040'],
  ['another kind of text', '/charter', '/policy'],
] as const) {
  test(`${name} is refused`, () => {
    const text = formatCharter(charter).replace(from, to)
    assert.notEqual(text, formatCharter(charter))
    assert.throws(() => parseCharter(text), { code: 'CHARTER' })
  })
}

test('every bit of a charter turned over is refused', () => {
  const bytes = goldenBytes('mall/charter.note')
  for (const flipped of flips(bytes)) {
    assert.throws(() => openCharter(flipped.toString('utf8'), owner.verifier), Fault, place(bytes, flipped))
  }
})

test.run()
