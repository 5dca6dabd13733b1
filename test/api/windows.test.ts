import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressKey } from '../../anchor/api/app.ts'
import { CHARTER, MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/windows')
const OPEN = { access: 'open' } as const

function withSouth(rig: Rig): void {
  const south = { ...rig.desk, mall: 'south', charter: { ...CHARTER, mall: 'south' } }
  rig.desks = () =>
    new Map([
      [MALL, rig.desk],
      ['south', south],
    ])
}

/** The first words of a stream. */
async function firstOf(rig: Rig, path: string): Promise<string> {
  const response = await rig.begin('GET', path, {}, asked => asked.end())
  assert.equal(response.headers['content-type'], 'text/event-stream')
  for await (const part of response) {
    response.destroy()
    return String(part)
  }
  return ''
}

test('one mall has its page, report, events and status at the root, as a gate has', async () => {
  await inRig(async rig => {
    const page = await rig.ask('GET', '/')
    assert.equal(page.status, 200)
    assert.match(page.text, /<!doctype html>/)
    assert.match(page.headers['content-security-policy'] as string, /script-src 'self'/)
    assert.match(page.text, /src="\/pages\/dashboard\.js"/)
    assert.equal((await rig.ask('GET', '/mall')).json.mall, MALL)
    assert.equal((await rig.ask('GET', '/status')).json.name, 'anchor')
    const { stepMs, at, count } = (await rig.ask('GET', '/trend')).json
    assert.deepEqual([stepMs, at, count], [60_000, [], []])
    assert.match(await firstOf(rig, '/events'), /^retry: 1000\ndata: \{"mall":"north"/)
    assert.equal((await rig.ask('HEAD', '/')).status, 200)
    assert.match((await rig.ask('GET', '/metrics')).headers['content-type'] as string, /^text\/plain; version=0\.0\.4/)
  }, OPEN)
})

test('several malls share the root, and each has its windows below its name', async () => {
  await inRig(async rig => {
    withSouth(rig)
    const page = (await rig.ask('GET', '/')).text
    assert.equal((await rig.ask('GET', '/malls/south/')).text, page)
    assert.equal((await rig.ask('GET', '/malls/nowhere/')).status, 404)
    assert.equal((await rig.ask('GET', '/malls/south/mall')).status, 200)
    assert.equal((await rig.ask('GET', '/malls/south/trend')).status, 200)
    assert.equal((await rig.ask('GET', '/malls/south/status')).status, 200)
    assert.match(await firstOf(rig, '/malls/south/events'), /^retry/)
    assert.equal((await rig.ask('GET', '/status')).status, 404)
    assert.equal((await rig.ask('GET', '/malls/nowhere/status')).status, 404)
  }, OPEN)
})

test('where tokens are asked for, the windows ask for them too, and a browser is told where to log in', async () => {
  await inRig(async rig => {
    for (const path of ['/mall', '/trend', '/events', '/status', '/metrics', `/malls/${MALL}/mall`]) {
      assert.equal((await rig.ask('GET', path)).status, 401, path)
    }
    const page = await rig.ask('GET', '/status', { headers: { accept: 'text/html,*/*' } })
    assert.match(page.text, /href="\/"/)
    assert.equal((await rig.ask('GET', '/')).status, 200, 'the page itself holds nothing, and logs people in')
    const token = await rig.login('vic')
    for (const path of ['/', '/mall', '/status', '/metrics']) {
      assert.equal((await rig.ask('GET', path, { token })).status, 200, path)
    }
    assert.equal((await rig.ask('GET', '/metrics', { token })).text, `# all quiet in ${MALL}\n`, 'and of no other mall')
    assert.equal((await rig.ask('GET', '/healthz')).status, 200, 'whoever watches the process needs no token')
  })
})

test('notes are taken in at the root as plain text, whatever their type is called', async () => {
  await inRig(async rig => {
    const { office } = rig
    const bring = (path: string, body: string, headers = {}) => rig.ask('POST', path, { body, headers })
    const near = office.note({ kind: 'capacity', capacity: 310 }, ['bob'])
    const { status, json } = await bring('/policy', near)
    assert.deepEqual([status, json.version, json.hash, json.capacity], [200, 2, office.policy.hash, 310])
    const again = await bring('/policy', near, { 'content-type': 'text/plain;charset=UTF-8' })
    assert.equal(again.status, 409)
    assert.match(again.json.error, /^it was enacted at /)
    const far = await bring('/policy', office.note({ kind: 'capacity', capacity: 100 }, ['bob']))
    assert.deepEqual([far.status, far.json.outcome], [202, 'pending'])
    const raise = office.modeNote({ kind: 'raise', mode: 'FIRE' }, ['bob'])
    assert.match((await bring('/policy', raise)).json.error, /not a policy of this mall/)
    const raised = await bring('/modes', raise, { 'content-type': 'application/x-www-form-urlencoded' })
    assert.deepEqual([raised.status, raised.json.mode, raised.json.epoch], [200, 'FIRE', 0])
    assert.equal((await bring('/modes', raise)).status, 409)
    assert.equal((await bring(`/malls/${MALL}/modes`, 'nonsense')).status, 400)
    assert.equal((await bring('/modes', '')).status, 400)
    assert.equal((await bring('/policy', 'x'.repeat(300_000))).status, 413)
  })
})

test('a mall that is still starting shows what it can, and says of the rest that it must wait', async () => {
  await inRig(async rig => {
    rig.desks = () => new Map()
    assert.equal((await rig.ask('GET', '/status')).status, 200)
    assert.equal((await rig.ask('GET', '/mall')).status, 200)
    const { status, json } = await rig.ask('POST', '/modes', { body: 'x' })
    assert.equal(status, 503)
    assert.match(json.error, /brought to any gate/)
    rig.desk = { ...rig.desk, report: () => undefined as never }
    assert.equal((await rig.ask('GET', '/mall')).status, 503)
    assert.equal((await rig.ask('GET', '/events')).status, 503)
    assert.deepEqual(rig.faults, [])
  }, OPEN)
})

test('an unhealthy process says so with its status', async () => {
  const health = () => ({ ok: false, malls: { north: { ok: false, state: 'FAULT' } } })
  await inRig(
    async rig => {
      const { status, json } = await rig.ask('GET', '/healthz')
      assert.deepEqual([status, json], [503, health()])
    },
    {},
    { health },
  )
})

test('pages are files of one folder, asked for by name, and may do nothing but what is theirs', async () => {
  await inRig(async rig => {
    const page = await rig.ask('GET', '/pages/wording.js')
    assert.equal(page.status, 200)
    assert.match(page.headers['content-type'] as string, /^text\/javascript/)
    const policy = page.headers['content-security-policy'] as string
    assert.match(policy, /default-src 'none'.*script-src 'self'/)
    assert.ok(!policy.includes('unsafe'))
    for (const file of ['wording.d.ts', '../desk.ts', '..%2fdesk.ts', '%2e%2e/desk.ts', '%00', 'nothing.js', '.']) {
      const { status } = await rig.ask('GET', `/pages/${file}`)
      assert.ok(status === 404 || status === 400, `${file}: ${status}`)
    }
  })
})

test('every answer has its safety headers, none lets another site read it, and each can be found in the log', async () => {
  await inRig(async rig => {
    const headers = { origin: 'https://elsewhere.example' }
    const options = { headers: { ...headers, 'access-control-request-method': 'POST' } }
    for (const reply of [
      await rig.ask('GET', '/api/v1/openapi.json', { headers }),
      await rig.ask('GET', '/nothing', { headers }),
      await rig.ask('POST', rig.at('/policy'), { headers, body: { note: 'x' } }),
      await rig.ask('OPTIONS', rig.at('/policy'), options),
      await rig.ask('GET', '/pages/wording.js', { headers }),
    ]) {
      const names = Object.keys(reply.headers)
      assert.deepEqual(
        names.filter(name => name.startsWith('access-control')),
        [],
      )
      assert.equal(reply.headers['x-content-type-options'], 'nosniff')
      assert.equal(reply.headers['referrer-policy'], 'no-referrer')
      assert.match(reply.headers['content-security-policy'] as string, /default-src 'none'/)
      assert.match(reply.headers['x-request-id'] as string, /^[0-9a-f-]{36}$/)
      assert.equal(reply.headers['strict-transport-security'], undefined, 'there is no TLS here')
      assert.ok(!names.includes('x-powered-by') && !names.includes('server'))
    }
    const said = rig.lines.filter(({ event }) => event === 'request')
    assert.deepEqual(
      said.map(({ fields }) => [fields.operation, fields.status]),
      [['bringPolicy', 400]],
    )
  })
})

test('another method at an address that there is gets told which ones there are', async () => {
  await inRig(async rig => {
    for (const [method, path, allow] of [
      ['PUT', rig.at('/policy'), 'GET, POST'],
      ['POST', rig.at('/occupancy'), 'GET'],
      ['DELETE', '/status', 'GET'],
      ['GET', '/policy', 'POST'],
      ['POST', '/healthz', 'GET'],
    ] as const) {
      const reply = await rig.ask(method, path)
      assert.deepEqual([reply.status, reply.headers.allow], [405, allow], `${method} ${path}`)
    }
  })
})

test('what is no request gets a clear no, and costs nobody else anything', async () => {
  await inRig(async rig => {
    const { port } = new URL(rig.url)
    const say = (bytes: string) =>
      new Promise<string>((resolve, reject) => {
        let heard = ''
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
        socket.on('data', part => {
          heard += part
        })
        socket.on('close', () => resolve(heard))
        socket.on('error', reject)
      })
    assert.match(await say('\x16\x03\x01 hello\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*\{"error":\{"code":"bad-request"/)
    const long = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`
    assert.match(await say(long), /^HTTP\/1\.1 431 /)
    const cut = connect(Number(port), '127.0.0.1', () => {
      cut.write('POST /modes HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf')
      cut.destroy()
    })
    await sleep(50)
    assert.equal((await rig.ask('GET', '/healthz')).status, 200)
    assert.deepEqual(rig.faults, [])
  })
})

test('an address is known by its network: IPv6 neighbours and mapped IPv4 are not counted apart', () => {
  assert.equal(addressKey('10.0.0.7'), '10.0.0.7')
  assert.equal(addressKey('::ffff:10.0.0.7'), '10.0.0.7')
  assert.equal(addressKey('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2')
  assert.equal(addressKey('2001:db8:1:2::9'), '2001:db8:1:2')
  assert.equal(addressKey('2001:db8::9'), '2001:db8:0:0')
  assert.equal(addressKey('::1'), '0:0:0:0')
})

test.run()
