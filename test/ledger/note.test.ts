import assert from 'node:assert/strict'
import fc from 'fast-check'
import { SecretKey } from '../../ledger/ed25519.ts'
import { BrokenLaw } from '../../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import {
  cosign,
  formatNote,
  NOTE_BYTES_MAX,
  NOTE_SIGNATURES_MAX,
  openNote,
  parseNote,
  signNote,
} from '../../ledger/note.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenBytes, goldenKeys, goldenText } from './golden.ts'

const test = suite('ledger/note')

const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const signer = (name: string) => SignerKey.parse(goldenKeys().get(name)?.signer as string)
const peter = signer('PeterNeumann')
const enoch = signer('EnochRoot')
const gate = signer('gatemesh/example/gate-07')
const numbered = (n: number) => new SignerKey(`signer-${n}`, SecretKey.fromSeed(Buffer.alloc(32, n)))

test("the notes of Go's documentation are signed to the byte", () => {
  assert.equal(signNote(TEXT, [peter]), goldenText('peter-neumann.note'))
  assert.equal(signNote(TEXT, [peter, enoch]), goldenText('two-signers.note'))
  assert.equal(cosign(goldenText('peter-neumann.note'), enoch), goldenText('two-signers.note'))
})

test('a note of the Go checksum database verifies twice', () => {
  const key = VerifierKey.parse(goldenKeys().get('sum.golang.org')?.verifier as string)
  const opened = openNote(goldenBytes('go-sum-database.note'), [key], { twice: true })
  assert.deepEqual(opened.by, [key])
  assert.match(opened.text, /^go\.sum database tree\n20852163\n/)
})

test('the text of a note may have blank lines: the last one parts it from the signatures', () => {
  const note =
    'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n' +
    '— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n'
  const parsed = parseNote(note)
  assert.match(parsed.text, /di sole:\n\ned è subito sera\.\n$/)
  assert.deepEqual(
    parsed.signatures.map(s => [s.name, s.id, s.signature.length]),
    [['quasimodo.example/salvatore', '367ba04b', 64]],
  )
  assert.equal(formatNote(parsed), note)
})

test('who signed is told in the order of the lines, unknown signers are passed over', () => {
  const note = goldenText('two-signers.note')
  const names = (trusted: SignerKey[]) =>
    openNote(
      note,
      trusted.map(s => s.verifier),
    ).by.map(k => k.name)
  assert.deepEqual(names([enoch, peter]), ['PeterNeumann', 'EnochRoot'])
  assert.deepEqual(names([enoch]), ['EnochRoot'])
  assert.deepEqual(names([gate, peter, peter]), ['PeterNeumann'])
  assert.equal(openNote(note, [peter.verifier]).text, TEXT)
})

test('a note nobody trusted has signed is never opened', () => {
  for (const trusted of [[], [gate.verifier], [new VerifierKey('PeterNeumann', gate.secret.publicKey)]]) {
    assert.throws(() => openNote(goldenText('two-signers.note'), trusted), {
      code: 'NOTE_SIGNATURE',
      message: /no signature by a trusted key, only by PeterNeumann\+c74f20a3, EnochRoot\+af0cfe78/,
    })
  }
})

test('one bad signature by a trusted key spoils the note, whoever else signed', () => {
  const [first, second] = parseNote(goldenText('two-signers.note')).signatures
  assert.ok(first && second)
  const text = TEXT.replace('answer', 'Answer')
  const half = formatNote({ text, signatures: [...parseNote(signNote(text, [peter])).signatures, second] })
  assert.deepEqual(openNote(half, [peter.verifier]).by, [peter.verifier])
  for (const twice of [false, true]) {
    assert.throws(() => openNote(half, [peter.verifier, enoch.verifier], { twice }), {
      code: 'NOTE_SIGNATURE',
      message: 'the signature in the name of EnochRoot+af0cfe78 does not verify',
    })
  }
})

test('every bit of a note counts', () => {
  for (const name of ['peter-neumann.note', 'checkpoint.note']) {
    const bytes = goldenBytes(name)
    const trusted = [peter.verifier, gate.verifier]
    assert.equal(openNote(bytes, trusted).by.length, 1)
    for (const flipped of flips(bytes)) {
      assert.throws(() => openNote(flipped, trusted), { name: 'Fault', code: /^NOTE/ }, place(bytes, flipped))
    }
  }
})

test('a bit of a note with two signatures never leaves both standing, nor the text changed', () => {
  const bytes = goldenBytes('two-signers.note')
  const trusted = [peter.verifier, enoch.verifier]
  let lostOne = 0
  for (const flipped of flips(bytes)) {
    try {
      const opened = openNote(flipped, trusted)
      assert.equal(opened.text, TEXT, place(bytes, flipped))
      assert.equal(opened.by.length, 1, place(bytes, flipped))
      lostOne++
    } catch (error) {
      assert.match((error as { code?: string }).code ?? String(error), /^NOTE/)
    }
  }
  assert.ok(lostOne > 0, 'a changed name or key id is an unknown signer, not a fault')
})

test('a note that is cut anywhere, or has anything after it, is refused', () => {
  const bytes = goldenBytes('peter-neumann.note')
  for (let end = 0; end < bytes.length; end++) {
    assert.throws(() => openNote(bytes.subarray(0, end), [peter.verifier]), { code: /^NOTE/ }, `cut at ${end}`)
  }
  for (const more of ['\n', ' ', 'x\n', '\n\n', '\0']) {
    assert.throws(() => parseNote(Buffer.concat([bytes, Buffer.from(more)])), { code: 'NOTE' }, JSON.stringify(more))
  }
})

test('each way of spelling a note wrongly has its own words', () => {
  const good = goldenText('peter-neumann.note')
  const line = good.slice(good.indexOf('— '))
  const short = Buffer.from('c74f20a3', 'hex').toString('base64')
  const table: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['empty', '', /no blank line/],
    ['no blank line', TEXT + line, /no blank line/],
    ['no signature', `${TEXT}\n`, /no signature after/],
    ['no newline at the end', good.slice(0, -1), /last line does not end/],
    ['hyphen for em dash', good.replace('— ', '- '), /line 1: does not start with an em dash/],
    ['en dash', good.replace('— ', '– '), /line 1: does not start with an em dash/],
    ['no space after the dash', good.replace('— ', '—'), /line 1: does not start with an em dash/],
    ['two spaces', good.replace('— ', '—  '), /line 1: not a key name: ""/],
    ['plus in the name', good.replace('PeterNeumann x', 'Peter+Neumann x'), /line 1: not a key name/],
    ['unicode space in the name', good.replace('PeterNeumann x', 'Peter\u00a0Neumann x'), /line 1: not a key name/],
    ['no signature in the line', good.replace(/ x08g.*/, ''), /line 1: no space/],
    ['space at the end', good.replace('AM=\n', 'AM= \n'), /line 1: not base64/],
    ['padding missing', good.replace('AM=\n', 'AM\n'), /line 1: not base64/],
    ['stray bits', good.replace('AM=\n', 'AN=\n'), /line 1: not base64/],
    ['url alphabet', good.replace('go/ZJ', 'go_ZJ'), /line 1: not base64/],
    ['only a key id', good.replace(/ x08g.*/, ` ${short}`), /line 1: too short/],
    ['the same line twice', good + line, /two signatures in the name of PeterNeumann\+c74f20a3/],
    ['carriage returns', good.replaceAll('\n', '\r\n'), /line 1: control character 13/],
    ['tab', good.replace('then you', 'then\tyou'), /line 2: control character 9/],
    ['nul', `${TEXT}\0${good}`, /line 3: control character 0/],
    ['half a surrogate pair', `\ud83d${good}`, /surrogate/],
    ['bytes that are no UTF-8', Buffer.concat([Buffer.of(0xff), Buffer.from(good)]), /not valid UTF-8/],
    ['overlong UTF-8', Buffer.concat([Buffer.of(0xc1, 0x81), Buffer.from(good)]), /not valid UTF-8/],
    ['too long', 'x'.repeat(NOTE_BYTES_MAX) + good, /longer than 1048576 bytes/],
    ['too long in bytes only', 'é'.repeat(NOTE_BYTES_MAX / 2) + good, /longer than 1048576 bytes/],
    ['too long as bytes', Buffer.alloc(NOTE_BYTES_MAX + 1, 65), /longer than 1048576 bytes/],
  ]
  for (const [what, note, message] of table) {
    assert.throws(() => parseNote(note), { name: 'Fault', code: 'NOTE', message }, what)
  }
})

test('a byte order mark is part of the text, as bytes and as a string', () => {
  const marked = signNote(`\ufeff${TEXT}`, [peter])
  assert.equal(openNote(Buffer.from(marked), [peter.verifier]).text, `\ufeff${TEXT}`)
  assert.throws(() => openNote(`\ufeff${goldenText('peter-neumann.note')}`, [peter.verifier]), {
    code: 'NOTE_SIGNATURE',
  })
})

test('up to a hundred may sign, each once', () => {
  const signers = Array.from({ length: NOTE_SIGNATURES_MAX }, (_, n) => numbered(n))
  const note = signNote(TEXT, signers)
  assert.equal(
    openNote(
      note,
      signers.map(s => s.verifier),
    ).by.length,
    NOTE_SIGNATURES_MAX,
  )
  assert.throws(() => cosign(note, peter), { code: 'NOTE', message: /more than 100 signatures/ })
  assert.throws(() => signNote(TEXT, [peter, peter]), { code: 'NOTE', message: /two signatures/ })
})

test('signing again changes nothing; a false signature in my name is not replaced', () => {
  const note = goldenText('two-signers.note')
  assert.equal(cosign(note, peter), note)
  assert.equal(cosign(note, enoch), note)
  const forged = note.replace(/(EnochRoot \S{20})./, '$1B')
  assert.notEqual(forged, note)
  assert.throws(() => cosign(forged, enoch), { code: 'NOTE', message: /another signature in the name of EnochRoot/ })
})

test('two trusted keys of one name and id are a fault, not a choice', () => {
  const twin = Object.assign(Object.create(VerifierKey.prototype), {
    name: peter.name,
    id: peter.verifier.id,
    publicKey: gate.secret.publicKey,
  }) as VerifierKey
  assert.throws(() => openNote(goldenText('peter-neumann.note'), [twin, peter.verifier]), {
    code: 'NOTE_SIGNATURE',
    message: /two trusted keys/,
  })
})

test('an unsigned note or a text without its newline is a bug of ours', () => {
  assert.throws(() => signNote(TEXT, []), BrokenLaw)
  assert.throws(() => signNote('no newline', [peter]), BrokenLaw)
  assert.throws(() => signNote('bell\u0007\n', [peter]), { code: 'NOTE' })
})

test('whatever is signed is opened with the same text, and read and written the same', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map(s => [...s].filter(c => c >= ' ').join(''))
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 4 }), (lines, n) => {
      const text = `${lines.join('\n')}\n`
      const signers = Array.from({ length: n }, (_, i) => numbered(i))
      const note = signNote(text, signers)
      const opened = openNote(
        Buffer.from(note, 'utf8'),
        signers.map(s => s.verifier),
      )
      assert.equal(opened.text, text)
      assert.equal(opened.by.length, n)
      assert.equal(formatNote(parseNote(note)), note)
    }),
  )
})

test.run()
