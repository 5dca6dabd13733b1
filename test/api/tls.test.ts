import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signNote } from '../../ledger/note.ts'
import { keyOf, MALL } from '../approvals/office.ts'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import { inRig, type Reply, Rig, read } from './rig.ts'

const test = suite('api/tls')
const missing = await needs('openssl', 'openssl')
const dir = mkdtempSync(join(tmpdir(), 'tls-'))
const cert = join(dir, 'cert.pem')
const key = join(dir, 'key.pem')

test.after(() => rmSync(dir, { recursive: true, force: true }))

function ask(rig: Rig, method: string, path: string, body?: object): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const options = { method, headers, ca: readFileSync(cert), agent: false }
    const asked = request(`${rig.url}${path}`, options, response => resolve(read(response)))
    asked.on('error', reject)
    asked.end(body === undefined ? '' : JSON.stringify(body))
  })
}

if (missing !== undefined) test.skip('the API speaks TLS with the certificate of its config', missing)
else {
  test('the API speaks TLS with the certificate of its config, and makes its cookies secure', async () => {
    const subject = ['-subj', '/CN=anchor', '-addext', 'subjectAltName=IP:127.0.0.1']
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    execFileSync('openssl', [...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    await inRig(
      async rig => {
        assert.match(rig.url, /^https:/)
        const health = await ask(rig, 'GET', '/healthz')
        assert.equal(health.status, 200)
        assert.equal(health.headers['strict-transport-security'], 'max-age=31536000')
        const at = `/api/v1/malls/${MALL}/login`
        const { json } = await ask(rig, 'POST', `${at}/challenges`, { name: 'ann' })
        const login = await ask(rig, 'POST', at, { note: signNote(json.text, [keyOf('ann')]) })
        assert.match(login.headers['set-cookie']?.[0] ?? '', /; Secure$/)
        await assert.rejects(fetch(rig.url.replace('https', 'http')), TypeError)
        assert.equal((await ask(rig, 'GET', '/healthz')).status, 200, 'who speaks otherwise is nobody’s trouble')
      },
      { tls: { cert, key } },
    )
  })
}

test('a certificate that is not there, or is none, is told with the field of the config', async () => {
  const none = join(dir, 'none.pem')
  await assert.rejects(Rig.open({ tls: { cert: none, key: none } }), {
    code: 'CONFIG',
    message: /^http\.tls\.cert: ENOENT/,
  })
  writeFileSync(none, 'not a certificate')
  await assert.rejects(Rig.open({ tls: { cert: none, key: none } }), { code: 'CONFIG', message: /^http\.tls: / })
})

test.run()
