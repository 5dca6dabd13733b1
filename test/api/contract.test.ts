// The contract: every operation that /api/v1/openapi.json describes is called here, every status it names is produced,
// and every answer is held against the schema that is named for it.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Compile } from 'typebox/compile'
import { OPERATIONS, type Operation } from '../../anchor/access/operations.ts'
import { ENDPOINTS } from '../../anchor/api/routes/endpoints.ts'
import { CHARTER, MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { CASES, type Case, type Made } from './cases.ts'
import { type Described, describe } from './description.ts'
import { PEOPLE, type Reply, Rig, read } from './rig.ts'

const test = suite('api/contract')

const rigs: Rig[] = []
const tokens = new Map<string, string>()
let rig: Rig
let open: Rig
let strict: Rig
let described: readonly Described[]

test.before(async () => {
  rig = await Rig.open()
  open = await Rig.open({ access: 'open' })
  strict = await Rig.open({ limits: { requests: 60, logins: 1, notes: 1 } })
  rigs.push(rig, open, strict)
  for (const name of Object.values(PEOPLE)) tokens.set(name, await rig.login(name))
  described = describe((await rig.ask('GET', '/api/v1/openapi.json')).json)
})

test.after(async () => {
  for (const one of rigs) await one.close()
})

test('the description names every operation that there is, each with an id, a tag, a summary and its errors', () => {
  const names = described.map(({ operation }) => operation).sort()
  const served = ENDPOINTS.map(({ operation }) => operation).sort()
  assert.deepEqual(names, served)
  const windows = Object.entries(CASES).flatMap(([name, one]) => (one === 'window' ? [name] : []))
  assert.deepEqual([...names, ...windows].sort(), Object.keys(OPERATIONS).sort())
  for (const { operation, statuses } of described) {
    assert.ok(
      [...statuses.keys()].some(status => status < 300),
      operation,
    )
    assert.ok(statuses.has(429), operation)
  }
})

for (const operation of Object.keys(CASES) as Operation[]) {
  const one = CASES[operation]
  if (one === 'window') continue
  test(`${operation} answers as it is described, with every status that is named`, () => walk(operation, one))
}

async function walk(operation: Operation, one: Case): Promise<void> {
  const it = described.find(known => known.operation === operation)
  assert.ok(it !== undefined, 'it is described')
  const seen = new Set<number>()
  for (const status of it.statuses.keys()) {
    const reply = await produced(status, it, one)
    if (reply === undefined) continue
    assert.equal(reply.status, status, `${operation} ${status}: ${reply.text.slice(0, 300)}`)
    seen.add(status)
    const schema = it.statuses.get(status)
    if (schema === undefined) continue
    const check = Compile(schema)
    assert.ok(
      check.Check(reply.json),
      `${operation} ${status}: ${JSON.stringify(check.Errors(reply.json)).slice(0, 300)}`,
    )
    if (status >= 400) assert.match((reply.json as { error: { code: string } }).error.code, /^[a-z-]+$/)
  }
  assert.deepEqual([...seen], [...it.statuses.keys()], 'every status that is named is produced')
}

async function produced(status: number, it: Described, one: Case): Promise<Reply | undefined> {
  const own = one.own?.[status]
  const desk = rig.desk
  if (own !== undefined) {
    try {
      return await send(rig, it, await own(rig))
    } finally {
      rig.desk = desk
    }
  }
  if (status === (one.status ?? 200)) return send(rig, it, await one.good(rig))
  switch (status) {
    case 400: {
      const good = await one.good(rig)
      const path = good.path ?? below(it)
      return send(rig, it, { ...good, path: `${path}${path.includes('?') ? '&' : '?'}nonsense=1` })
    }
    case 401:
      return send(rig, it, await one.good(rig), null)
    case 403:
      return send(rig, it, await one.good(rig), await stranger(it))
    case 404:
      return send(open, it, { ...(await one.good(open)), path: filled(it).replace(`/${MALL}/`, '/nowhere/') }, null)
    case 409:
      return atOnce(it, one)
    case 413:
      return send(rig, it, { ...(await one.good(rig)), body: { note: 'x'.repeat(1_000_000) } })
    case 415:
      return send(rig, it, { ...(await one.good(rig)), body: 'a text', headers: { 'content-type': 'text/plain' } })
    case 422:
      return twice(it, one)
    case 429:
      return tooMany(it, one)
    case 500:
      return without(
        () => {
          throw new Error('a fault, as the test wished')
        },
        it,
        one,
      )
    case 503:
      return without(() => new Map(), it, one)
    default:
      return undefined
  }
}

/** The same request while it is under way. */
async function atOnce(it: Described, one: Case): Promise<Reply> {
  const key = { 'idempotency-key': randomUUID() }
  const good = { ...(await one.good(rig)), headers: key }
  const { cabinet } = rig
  const get = cabinet.get.bind(cabinet)
  let release = () => undefined as undefined
  const held = new Promise<undefined>(resolve => {
    release = () => resolve(undefined) as undefined
  })
  cabinet.get = key => (key.startsWith('idem/') ? held.then(() => get(key)) : get(key))
  const first = send(rig, it, good)
  await new Promise(resolve => setTimeout(resolve, 30))
  const second = await send(rig, it, good)
  release()
  cabinet.get = get
  assert.ok((await first).status < 300, (await first).text.slice(0, 300))
  return second
}

/** Another request under the same key. */
async function twice(it: Described, one: Case): Promise<Reply> {
  const headers = { 'idempotency-key': randomUUID() }
  const good = await one.good(rig)
  const first = await send(rig, it, { ...good, headers })
  assert.ok(first.status < 300, first.text)
  const other = await one.other?.(rig, good)
  assert.ok(other !== undefined, 'there is another request to try')
  return send(rig, it, { ...other, headers })
}

async function tooMany(it: Described, one: Case): Promise<Reply> {
  const good = await one.good(rig)
  let reply: Reply
  do reply = await send(strict, it, good, null)
  while (reply.status !== 429)
  assert.ok(Number(reply.headers['retry-after']) > 0)
  return reply
}

async function without(desks: Rig['desks'], it: Described, one: Case): Promise<Reply> {
  const before = rig.desks
  const good = await one.good(rig)
  const token = await mine(it)
  rig.desks = desks
  try {
    return await send(rig, it, good, token)
  } finally {
    rig.desks = before
  }
}

/** Somebody who may not: of a role that is not named, or of another mall. */
async function stranger({ operation }: Described): Promise<string> {
  const who = OPERATIONS[operation]
  const role = (['viewer', 'auditor', 'operator'] as const).find(r => !who.includes(r))
  if (role !== undefined) return tokens.get(PEOPLE[role]) as string
  const south = { ...rig.desk, mall: 'south', charter: { ...CHARTER, mall: 'south' } }
  rig.desks = () =>
    new Map([
      [MALL, rig.desk],
      ['south', south],
    ])
  const granted = await rig.access.issue({ mall: 'south', name: 'wall', role: 'viewer', by: 'ann' })
  return granted?.secret as string
}

/** Somebody who may. Withdrawing is for who signed; whoever logs out needs a token to spare. */
async function mine({ operation }: Described): Promise<string | null> {
  const who = OPERATIONS[operation]
  if (typeof who === 'string') return null
  if (operation === 'logout') return rig.login('vic')
  if (operation === 'withdrawApproval') return tokens.get('bob') as string
  return tokens.get(who.includes('marshal') ? 'ann' : 'aud') as string
}

async function send(to: Rig, it: Described, made: Made, token?: string | null): Promise<Reply> {
  const shown = token === undefined ? await mine(it) : token
  const path = made.path?.startsWith('/api/') ? made.path : made.path === undefined ? filled(it) : to.at(made.path)
  const isPost = it.method !== 'GET'
  const headers: Record<string, string> = {
    ...(isPost ? { 'idempotency-key': randomUUID() } : {}),
    ...(made.body !== undefined && typeof made.body !== 'string' ? { 'content-type': 'application/json' } : {}),
    ...(shown === null ? {} : { authorization: `Bearer ${shown}` }),
    ...made.headers,
  }
  const text = made.body === undefined ? '' : typeof made.body === 'string' ? made.body : JSON.stringify(made.body)
  const response = await to.begin(it.method, path, headers, asked => asked.end(text))
  if (response.headers['content-type'] !== 'text/event-stream') return read(response)
  response.destroy()
  return { status: response.statusCode ?? 0, headers: response.headers, text: '', json: undefined }
}

function below(it: Described): string {
  return filled(it).replace(`/api/v1/malls/${MALL}`, '')
}

function filled({ path }: Described): string {
  return path.replace('{mall}', MALL).replace('{id}', 'none')
}

test.run()
