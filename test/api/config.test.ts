import assert from 'node:assert/strict'
import { readApi } from '../../anchor/api/config.ts'
import { Form } from '../../mesh/form.ts'
import { suite } from '../suite.ts'

const test = suite('api/config')

function config(http: unknown) {
  const form = Form.read(JSON.stringify({ http }), { file: 'anchor.json', dir: '/etc/gatemesh' })
  const read = readApi(form)
  form.close()
  form.check()
  return read
}

test('reads need a token unless a config says otherwise, which it may for its own machine only', () => {
  assert.deepEqual(config({ port: 8081 }), { host: '127.0.0.1', port: 8081, access: 'tokens' })
  assert.deepEqual(config({ host: '10.0.0.2', port: 443 }), { host: '10.0.0.2', port: 443, access: 'tokens' })
  assert.equal(config({ port: 0, access: 'open' }).access, 'open')
})

test('a certificate is two files, from the folder of the config', () => {
  const tls = { cert: 'tls/cert.pem', key: '/etc/ssl/key.pem' }
  assert.deepEqual(config({ port: 0, tls }).tls, { cert: '/etc/gatemesh/tls/cert.pem', key: '/etc/ssl/key.pem' })
  assert.throws(() => config({ port: 0, tls: { cert: 'a' } }), { message: /http\.tls\.key: is missing/ })
})

test('limits that are not said are the usual ones', () => {
  assert.deepEqual(config({ port: 0, limits: { notes: 5 } }).limits, { requests: 6000, logins: 30, notes: 5 })
})

test('what would open reads to a network, and whatever is misspelt, is refused by name', () => {
  const wrong: [http: unknown, says: RegExp][] = [
    [{ host: '0.0.0.0', port: 80, access: 'open' }, /http\.access: "tokens": 0\.0\.0\.0 can be reached from elsewhere/],
    [{ port: 80, acces: 'open' }, /http\.acces: there is no such field; did you mean access\?/],
    [{ port: 80, access: 'all' }, /http\.access: one of tokens, open, not "all"/],
    [{ port: 70_000 }, /http\.port: a whole number from 0 to 65535/],
    [{ port: 0, limits: { logins: 0 } }, /http\.limits\.logins: a whole number from 1/],
    [undefined, /http: is missing/],
    [5, /http: an object in braces/],
  ]
  for (const [http, says] of wrong) assert.throws(() => config(http), { code: 'CONFIG', message: says })
})

test.run()
