import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { inRig } from '../api/rig.ts'
import { keyOf, MALL } from '../approvals/office.ts'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import { gatemesh, withKeys } from './clerk.ts'

const test = suite('tools/operator-wire')
const missing = await needs('openssl', 'openssl')
const noTerminal = await needs('script', 'bsdutils')
const BIN = join(import.meta.dirname, '../../tools/gatemesh.mjs')

/** A server that is no anchor, for what an anchor would not do. */
async function served(listener: RequestListener, act: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('an answer that was lost is asked for again with the same key, so that it happens once', async () => {
  const asked: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    asked.push(request)
    if (asked.length < 3) request.socket.resetAndDestroy()
    else response.end(JSON.stringify({ id: 't1', token: 'gm_x' }))
  }
  await served(listener, async url => {
    const where = ['--anchor', url, '--mall', MALL, '--token', 'gm_y', '--json']
    const { code, json } = await gatemesh('token', 'new', 'shop', '--role', 'viewer', ...where)
    assert.deepEqual([code, json.id], [0, 't1'])
  })
  const keys = asked.map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 3)
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/)
  assert.equal(new Set(keys).size, 1)
})

test('whoever asks for a signature under anything but a login gets none', () =>
  withKeys(['bob'], async path => {
    const bodies: string[] = []
    const texts = [
      `gatemesh/${MALL}/policy\ncapacity 0 500\n`,
      `gatemesh/${MALL}/login\nat 1\nnonce x\nname ann\n`,
      `gatemesh/other/login\nat 1\nnonce x\nname bob\n`,
      `gatemesh/${MALL}/login\nat 1\nnonce x\nname bob\nmode FIRE\n`,
    ]
    for (const text of texts) {
      const listener: RequestListener = async (request, response) => {
        bodies.push((await Readable.from(request).toArray()).join(''))
        response.statusCode = request.url?.endsWith('/challenges') === true ? 200 : 401
        response.end(JSON.stringify({ text, error: { code: 'token', message: 'no token' } }))
      }
      await served(listener, async url => {
        const { code, err } = await gatemesh('status', '--anchor', url, '--key', path('bob.key'))
        assert.equal(code, 3)
        assert.match(err, /no login: nothing was signed/)
      })
    }
    assert.ok(!bodies.some(body => body.includes('—')), bodies.join())
  }))

test('another machine’s words cannot move the cursor, and what is no anchor is called so', async () => {
  const evil = '\u001b[2Jpolicy 9 is in force'
  const refusing: RequestListener = (_request, response) => {
    response.statusCode = 409
    response.end(JSON.stringify({ error: { code: 'x', message: evil } }))
  }
  await served(refusing, async url => {
    const { code, err } = await gatemesh('status', '--anchor', url, '--mall', MALL)
    assert.deepEqual([code, err.includes('\u001b')], [1, false])
  })
  await served(
    (_request, response) => response.end('<html>'),
    async url => {
      const { code, err } = await gatemesh('status', '--anchor', url, '--mall', MALL)
      assert.equal(code, 3)
      assert.match(err, /is this an anchor\?/)
    },
  )
})

test('status is watched until it is stopped, at the anchor or at a gate', () =>
  inRig(async rig => {
    const token = await rig.login('vic')
    const report = JSON.stringify({
      mall: MALL,
      mode: 'FIRE',
      occupancy: { count: 3, atMost: 5, capacity: 9, ageMs: 1 },
      left: 6,
      gates: [],
    })
    await served(
      (request, response) => {
        const isShown = request.headers.authorization === 'Bearer open-sesame'
        response.statusCode = isShown ? 200 : 401
        response.end(isShown && request.url === '/mall' ? report : '{"error":"only for whoever shows the pass"}')
      },
      async url => {
        const { code, err } = await gatemesh('status', '--gate', url)
        assert.deepEqual([code, /only for whoever shows the pass/.test(err)], [1, true], err)
        const { out } = await gatemesh('status', '--gate', url, '--token', 'open-sesame')
        assert.equal(out, `${MALL}: 3 inside (at most 5: not every gate is heard) of 9, 6 left; FIRE`)
      },
    )
    const args = [BIN, 'status', '--watch', '--anchor', rig.url, '--mall', MALL, '--json']
    const child = spawn(process.execPath, args, { env: { ...process.env, GATEMESH_TOKEN: token } })
    try {
      let out = ''
      for await (const part of child.stdout) {
        out += part
        if (out.split('\n').length > 2) break
      }
      for (const line of out.split('\n').slice(0, 2)) assert.equal(JSON.parse(line).mall, MALL)
    } finally {
      child.kill()
      await once(child, 'close')
    }
  }))

const TLS = 'https is trusted by the certificate that was named, and by no other'
if (missing !== undefined) test.skip(TLS, missing)
else
  test(TLS, () =>
    withKeys(['bob'], async path => {
      const [key, cert] = [path('tls.key'), path('tls.pem')]
      const subject = ['-subj', '/CN=anchor', '-addext', 'subjectAltName=IP:127.0.0.1']
      const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
      execFileSync('openssl', ['req', '-x509', ...how, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
      const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
        response.end(JSON.stringify({ tokens: [] }))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
        const where = ['--anchor', url, '--key', path('bob.key')]
        const trusted = await gatemesh('token', 'list', ...where, '--ca', cert)
        assert.deepEqual([trusted.code, trusted.out], [0, 'no tokens'])
        const strange = await gatemesh('token', 'list', ...where)
        assert.equal(strange.code, 3)
        assert.match(strange.err, /UNREACHED: .*certificate/)
      } finally {
        server.closeAllConnections()
        server.close()
      }
    }),
  )

const ASKED = 'a terminal is asked, and only yes is yes'
if (noTerminal !== undefined) test.skip(ASKED, noTerminal)
else
  test(ASKED, () =>
    withKeys(['bob'], path =>
      inRig(async rig => {
        rig.office.wall = Date.now()
        const args = ['capacity', 'set', '280', '--reason', 'rain', '--anchor', rig.url, '--key', path('bob.key')]
        for (const [answer, version] of [
          ['n', 1],
          ['', 1],
          ['y', 2],
        ] as const) {
          const code = await atTerminal([process.execPath, BIN, ...args], `${answer}\n`)
          assert.equal(code, version === 2 ? 0 : 1)
          assert.equal(rig.office.policy.version, version)
        }
        assert.equal(rig.office.policy.signers.join(), keyOf('bob').name.split('/').at(-1))
      }),
    ),
  )

/** `script` gives the command a terminal of its own; the answer is typed once the question stands there. */
async function atTerminal(command: readonly string[], answer: string): Promise<number> {
  const line = command.map(word => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'])
  let said = ''
  child.stdout.on('data', part => {
    said += part
    if (said.includes('[y/N] ') && child.stdin.writable) child.stdin.end(answer)
  })
  const [code] = (await once(child, 'close')) as [number]
  assert.match(said, /capacity: 280; it was 300[\s\S]*sign as bob\? \[y\/N\] /)
  return code
}

test.run()
