import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { SecretKey } from '../../ledger/ed25519.ts'
import { Fault } from '../../ledger/fault.ts'
import { isKeyName, SignerKey, VerifierKey } from '../../ledger/key.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenKeys } from './golden.ts'

const test = suite('ledger/key')

const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const SMALL_ORDER = Buffer.concat([Buffer.of(1, 1), Buffer.alloc(31)]).toString('base64')

test('published keys are read, and written the same', () => {
  assert.ok(goldenKeys().size >= 4)
  for (const { what, signer, verifier } of goldenKeys().values()) {
    assert.equal(String(VerifierKey.parse(verifier)), verifier, what)
    if (signer === undefined) continue
    assert.equal(String(SignerKey.parse(signer)), signer, what)
    assert.equal(String(SignerKey.parse(signer).verifier), verifier, what)
  }
})

test('a key says name, id and public key', () => {
  const key = VerifierKey.parse(PETER)
  assert.equal(key.name, 'PeterNeumann')
  assert.equal(key.id, 'c74f20a3')
  assert.equal(key.publicKey.bytes.toString('base64'), 'GlzZBxQ8OExB6DDFvOEqqIF+xWSaqr8sMTiLNbLXRNY=')
})

test('the same public key under another name has another id, and is another key', () => {
  const [one, other] = ['a', 'b'].map(name => new VerifierKey(name, VerifierKey.parse(PETER).publicKey))
  assert.ok(one && other && one.id !== other.id && !one.equals(other))
  assert.ok(one.equals(new VerifierKey('a', VerifierKey.parse(PETER).publicKey)))
})

test('a verifier key with anything wrong is refused, and the fault names it', () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['', /three parts/],
    ['PeterNeumann', /three parts/],
    ['PeterNeumann+c74f20a3', /three parts/],
    [PETER.replace('PeterNeumann', ''), /starts with a name/],
    [PETER.replace('PeterNeumann', 'Peter Neumann'), /starts with a name/],
    [PETER.replace('PeterNeumann', 'Peter\u2003Neumann'), /starts with a name/],
    [PETER.replace('PeterNeumann', 'peterNeumann'), /has id [0-9a-f]{8}, not "c74f20a3"/],
    [PETER.replace('c74f20a3', 'C74F20A3'), /lower-case hex/],
    [PETER.replace('c74f20a3', 'c74f20a'), /lower-case hex/],
    [PETER.replace('c74f20a3', 'c74f20a4'), /has id c74f20a3, not "c74f20a4"/],
    [`${PETER}\n`, /one spelling/],
    [`${PETER}=`, /one spelling/],
    [PETER.replace('ARpc', 'AR pc'), /one spelling/],
    [PETER.replace('+ARpc', '+AXpc'), /has id/],
    [PETER.replace('+ARpc', '+Ahpc'), /not of type 1/],
    ['PeterNeumann+c74f20a3+', /not of type 1/],
    ['PeterNeumann+c74f20a3+AQ==', /not 32 bytes/],
    [`PeterNeumann+c74f20a3+${SMALL_ORDER}`, /no strict ed25519 point/],
  ]
  for (const [text, message] of table) {
    assert.throws(() => VerifierKey.parse(text), { name: 'Fault', code: 'KEY', message }, JSON.stringify(text))
  }
})

test('every bit of a verifier key counts', () => {
  const bytes = Buffer.from(PETER)
  for (const flipped of flips(bytes)) {
    assert.throws(() => VerifierKey.parse(flipped.toString('utf8')), { code: 'KEY' }, place(bytes, flipped))
  }
})

test('a damaged signer key is refused, and no message or printed key tells the secret', () => {
  const text = goldenKeys().get('PeterNeumann')?.signer as string
  const payload = text.slice(text.lastIndexOf('+AYEK') + 1)
  const bytes = Buffer.from(text)
  for (const flipped of flips(bytes)) {
    const damaged = flipped.toString('utf8')
    assert.throws(
      () => SignerKey.parse(damaged),
      (error: unknown) => {
        assert.ok(error instanceof Fault && error.code === 'KEY', place(bytes, flipped))
        const said = inspect(error, { depth: 9 })
        for (let i = 0; i + 8 <= payload.length; i++) assert.ok(!said.includes(payload.slice(i, i + 8)), said)
        return true
      },
    )
  }
  const printed = inspect(SignerKey.parse(text), { depth: 9 }) + JSON.stringify(SignerKey.parse(text))
  assert.ok(!printed.includes(payload.slice(4, 20)))
  assert.ok(!printed.includes(SignerKey.parse(text).secret.seed.toString('hex')))
})

test('a verifier key is no signer key', () => {
  assert.throws(() => SignerKey.parse(PETER), { code: 'KEY', message: /starts with PRIVATE\+KEY\+/ })
})

test('a name stands between spaces and pluses, so it has neither', () => {
  for (const name of ['a', 'gatemesh/mall-1/gate-07', 'sum.golang.org', 'Ångström', '門', '🚪', 'a"b']) {
    assert.ok(isKeyName(name), name)
  }
  const spaces = [' ', '\t', '\n', '\r', '\u000b', '\u0085', '\u00a0', '\u1680', '\u2003', '\u2028', '\u202f', '\u3000']
  for (const odd of ['+', '\u0000', '\u001f', '\ud800', ...spaces]) {
    assert.equal(isKeyName(`a${odd}b`), false, JSON.stringify(odd))
    assert.throws(() => SignerKey.generate(`a${odd}b`), { code: 'KEY' })
  }
  assert.equal(isKeyName(''), false)
})

test('whatever key is made is read back the same', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter(isKeyName)
  fc.assert(
    fc.property(name, fc.uint8Array({ minLength: 32, maxLength: 32 }), (name, seed) => {
      const signer = new SignerKey(name, SecretKey.fromSeed(seed))
      assert.equal(String(SignerKey.parse(String(signer))), String(signer))
      assert.ok(VerifierKey.parse(String(signer.verifier)).equals(signer.verifier))
    }),
    { numRuns: 50 },
  )
})

test.run()
