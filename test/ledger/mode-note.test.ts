import assert from 'node:assert/strict'
import { MODES } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import { formatMode, type ModeText, openMode, parseMode, signMode } from '../../ledger/mode-note.ts'
import { cosign, signNote } from '../../ledger/note.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenBytes, goldenText } from './golden.ts'
import { MODES as GOLDEN } from './golden-mall.ts'
import { MALL, START, signerOf } from './paper-mall.ts'

const test = suite('ledger/mode-note')
const keyOf = (name: string) => (name === 'stranger' ? undefined : signerOf(name).verifier)
const CLEAR: ModeText = {
  epoch: 4,
  mode: 'NORMAL',
  at: START,
  reason: 'all clear',
  clears: { epoch: 3, mode: 'FIRE' },
}
const TEXT = `gatemesh/paper/mode\nat ${START}\nclears 3 FIRE\nepoch 4\nmode NORMAL\nreason all clear\n`

test('a statement comes back as it went in', () => {
  assert.equal(formatMode(CLEAR, MALL), TEXT)
  assert.deepEqual(parseMode(TEXT, MALL), CLEAR)
  for (const mode of MODES) {
    const plain = { epoch: 0, mode, at: 0, reason: '' }
    assert.deepEqual(parseMode(formatMode(plain, MALL), MALL), plain)
  }
})

test('opened, it tells who said so, in one order', () => {
  const note = signMode(CLEAR, MALL, [signerOf('bruno'), signerOf('alma')])
  assert.deepEqual(openMode(note, MALL, keyOf, { twice: true }), { ...CLEAR, by: ['alma', 'bruno'], note })
})

test('a stranger among the signers spoils it', () => {
  const note = signMode(CLEAR, MALL, [signerOf('alma')])
  assert.throws(() => openMode(cosign(note, signerOf('stranger')), MALL, keyOf), { code: 'MODE' })
  assert.throws(() => openMode(cosign(note, signerOf('bruno', ' false')), MALL, keyOf), { code: 'MODE' })
})

for (const [name, from, to] of [
  ['a mode nobody knows', 'mode NORMAL', 'mode PARTY'],
  ['no mode', 'mode NORMAL\n', ''],
  ['two modes', 'mode NORMAL', 'mode FIRE\nmode NORMAL'],
  ['lines out of order', 'epoch 4\nmode NORMAL', 'mode NORMAL\nepoch 4'],
  ['an epoch of zero said aloud', 'epoch 4', 'epoch 0'],
  ['clearing half of something', 'clears 3 FIRE', 'clears 3'],
  ['a word nobody knows', 'reason', 'season'],
  ['a reason with a control character', 'all clear', 'all\u0085clear'],
  ['another mall', 'paper', 'plastic'],
  ['another kind of text', '/mode', '/policy'],
] as const) {
  test(`${name} is refused`, () => {
    const text = TEXT.replace(from, to)
    assert.notEqual(text, TEXT)
    assert.throws(() => parseMode(text, MALL), { code: 'MODE' })
    assert.throws(() => openMode(signNote(text, [signerOf('alma')]), MALL, keyOf), { code: 'MODE' })
  })
}

test('the golden statements are these, and every bit of them turned over is refused', () => {
  for (const [name, note] of Object.entries(GOLDEN)) {
    assert.equal(goldenText(name), note())
    openMode(goldenText(name), MALL, keyOf, { twice: true })
    const bytes = goldenBytes(name)
    for (const flipped of flips(bytes)) {
      assert.throws(() => openMode(flipped.toString('utf8'), MALL, keyOf), Fault, place(bytes, flipped))
    }
  }
})

test.run()
