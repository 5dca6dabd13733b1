// Whatever anybody sends, the answer is a clear one in the one shape, and never that the fault is ours.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import { OPERATIONS } from '../../anchor/access/operations.ts'
import { ENDPOINTS } from '../../anchor/api/routes/endpoints.ts'
import { MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { CASES } from './cases.ts'
import { PEOPLE, Rig } from './rig.ts'

const test = suite('api/fuzz')
const RUNS = Number(process.env.RUNS ?? 60)

let rig: Rig
const tokens: string[] = []

test.before(async () => {
  rig = await Rig.open()
  for (const name of Object.values(PEOPLE)) tokens.push(await rig.login(name))
})

test.after(() => rig.close())

type Method = 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD' | 'OPTIONS'

interface Sent {
  readonly method: Method
  readonly url: string
  readonly headers: Record<string, string>
  readonly payload?: string
}

async function check(sent: Sent): Promise<LightMyRequestResponse> {
  const reply = await rig.app.inject({ ...sent, headers: { ...sent.headers } })
  const what = `${sent.method} ${sent.url} ${sent.payload?.slice(0, 200)}: ${reply.statusCode} ${reply.body.slice(0, 300)}`
  assert.ok(reply.statusCode < 500 || reply.statusCode === 503, `${what} ${JSON.stringify(rig.faults)}`)
  assert.deepEqual(rig.faults, [], what)
  // what steps up may end at a window, which says it in a shape of its own
  const isApi = sent.url.startsWith('/api/') && !/\.\.|%2e/i.test(sent.url)
  if (reply.statusCode >= 400 && sent.method !== 'HEAD' && isApi) {
    const { error } = reply.json()
    assert.ok(typeof error.code === 'string' && typeof error.message === 'string' && error.message !== '', what)
  }
  return reply
}

const streams = new Set(ENDPOINTS.filter(one => one.answer === undefined).map(one => one.operation))
const answering = ENDPOINTS.filter(one => !streams.has(one.operation))
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '__proto__',
    'constructor',
    '0',
    '-1',
    '1e999',
    'null',
    '%',
    '%00',
    '%ff',
    '﷐',
    '💥',
    '\ud800',
  ),
  fc.integer().map(String),
)
const escaped = odd.map(text => {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ed%a0%80'
  }
})
const raw = fc.oneof(escaped, fc.constantFrom('%zz', '%', '%e0%a4%a', '..%2f..', ';', '?', '#', '//', '%2e%2e', ' '))

test('any body at any operation gives an answer that is no fault of ours', async () => {
  const bodies = fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }).map(value => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '[]',
        '{"__proto__":{}}',
        '{"note":"\\ud800"}',
        '{"a":1,"a":2}',
        '\u0000',
        '{"note":1e400}',
      ),
    },
  )
  const posts = answering.filter(one => one.shapes.body !== undefined)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...posts), bodies, fc.nat(3), fc.uuid(), async (one, payload, who, key) => {
      const url = `/api/v1${one.url.replace(':mall', MALL).replace(/:(id|gate)/, 'none')}`
      const headers = {
        authorization: `Bearer ${tokens[who]}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      }
      await check({ method: one.method, url, headers, payload })
    }),
    { numRuns: RUNS * 4 },
  )
})

test('a good body with one value made odd is refused by name, or does what it says', async () => {
  const posts = answering.filter(one => one.shapes.body !== undefined && OPERATIONS[one.operation] !== 'anyone')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...posts),
      fc.nat(20),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), odd, fc.constant(undefined)),
      fc.uuid(),
      async (one, at, value, key) => {
        const made = CASES[one.operation]
        assert.ok(made !== 'window')
        const { body, path } = await made.good(rig)
        const payload = JSON.stringify(changed(body, at, value)) ?? ''
        const url = path === undefined ? `/api/v1${one.url.replace(':mall', MALL)}` : rig.at(path)
        const headers = {
          authorization: `Bearer ${tokens[2]}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        }
        const reply = await check({ method: one.method, url, headers, payload })
        if (reply.statusCode === 400 && reply.json().error.code === 'invalid') {
          assert.match(reply.json().error.where, /^body/, payload)
        }
      },
    ),
    { numRuns: RUNS * 2 },
  )
})

test('any address, query and header gives an answer that is no fault of ours', async () => {
  const names = ['cursor', 'limit', 'from', 'to', 'gate', 'type', 'state', 'after', 'reason', 'code', 'severity']
  const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), escaped), raw), { maxLength: 3 })
  const header = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_=+/ ;,"\\{}%~'), maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...answering),
      fc.option(raw, { freq: 2, nil: MALL }),
      raw,
      query,
      fc.record({ 'idempotency-key': header, 'last-event-id': header, cookie: header }),
      fc.nat(4),
      async (one, mall, id, pairs, headers, who) => {
        const path = one.url.replace(':mall', () => mall).replace(/:(id|gate)/, () => id)
        const url = `/api/v1${path}?${pairs.map(pair => pair.join('=')).join('&')}`
        const authorization = who === 4 ? headers.cookie : `Bearer ${tokens[who]}`
        await check({ method: one.method, url, headers: { ...headers, authorization } })
      },
    ),
    { numRuns: RUNS * 6 },
  )
})

test('any address at all, under any method, gives an answer that is no fault of ours', async () => {
  const methods: Method[] = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']
  const heads = [
    '',
    'api',
    'api/v1',
    'api/v1/malls',
    `api/v1/malls/${MALL}`,
    'malls',
    'pages',
    'policy',
    'modes',
    'metrics',
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...methods),
      fc.constantFrom(...heads),
      fc.array(raw, { maxLength: 3 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
      async (method, head, parts, payload) => {
        const url = `/${[head, ...parts].join('/')}`
        if (/^\/events(\?|$)|stream(\?|$)/.test(url)) return
        const hasBody = method !== 'GET' && method !== 'HEAD'
        await check({ method, url, headers: {}, ...(hasBody ? { payload } : {}) })
      },
    ),
    { numRuns: RUNS * 4 },
  )
})

test('a note with any text and any signature lines is refused with what is wrong with it', async () => {
  const lines = fc.array(
    fc.oneof(
      fc.constantFrom(
        `gatemesh/${MALL}/policy`,
        `gatemesh/${MALL}/mode`,
        'version 2',
        'capacity 0 1',
        'epoch 0',
        'mode FIRE',
        '',
      ),
      fc.constantFrom(
        `— gatemesh/${MALL}/ann AAAA`,
        `— gatemesh/${MALL}/bob ${'A'.repeat(92)}`,
        '— x y',
        'recount 1 2 3',
      ),
      fc.string({ unit: 'binary', maxLength: 30 }),
    ),
    { maxLength: 12 },
  )
  const paths = fc.constantFrom(
    '/policy',
    '/modes',
    '/recounts',
    '/approvals',
    `/approvals/${'0'.repeat(64)}/signatures`,
    '/login',
  )
  await fc.assert(
    fc.asyncProperty(paths, lines, async (path, all) => {
      const payload = JSON.stringify({ note: `${all.join('\n')}\n` })
      const headers = { 'content-type': 'application/json' }
      const reply = await check({ method: 'POST', url: rig.at(path), headers, payload })
      assert.ok(reply.statusCode >= 400, 'nobody signed it')
    }),
    { numRuns: RUNS * 3 },
  )
})

/** The body with one of its values, counted through its depths, put otherwise; undefined takes it away. */
function changed(body: unknown, at: number, value: unknown): unknown {
  const spots: (readonly [Record<string, unknown>, string])[] = []
  const copy = structuredClone(body)
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    for (const key of Object.keys(node)) {
      spots.push([node as Record<string, unknown>, key])
      walk((node as Record<string, unknown>)[key])
    }
  }
  walk(copy)
  const spot = spots[at % Math.max(1, spots.length)]
  if (spot === undefined) return value
  const [node, key] = spot
  if (at > spots.length) node[`${key}x`] = value
  else node[key] = value
  return copy
}

test.run()
