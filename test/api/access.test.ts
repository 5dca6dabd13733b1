import assert from 'node:assert/strict'
import { Allowance } from '../../anchor/access/allowance.ts'
import { LOGINS_PER_PERSON_MAX } from '../../anchor/access/tokens.ts'
import { SignerKey } from '../../ledger/key.ts'
import { signNote } from '../../ledger/note.ts'
import { CHARTER, keyOf, MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/access')
const HOUR_MS = 3_600_000

const challenge = async (rig: Rig, name: string) => (await rig.post('/login/challenges', { name })).json.text as string
const attempt = (rig: Rig, note: string) => rig.post('/login', { note })

test('who signs a challenge with the key in the charter is let in, with the role that the charter gives', async () => {
  await inRig(async rig => {
    for (const { name, role } of CHARTER.operators) {
      const reply = await attempt(rig, signNote(await challenge(rig, name), [keyOf(name)]))
      assert.equal(reply.status, 200)
      assert.match(reply.json.token, /^gm_[A-Za-z0-9_-]{43}$/)
      assert.equal(reply.json.expiresAt, rig.office.wall + 12 * HOUR_MS)
      const who = await rig.get('/login', reply.json.token)
      assert.deepEqual(who.json, { name, role, kind: 'person' })
    }
  })
})

test('a challenge says what it is for in its first line, so that no signature on it can pass for anything else', async () => {
  await inRig(async rig => {
    const text = await challenge(rig, 'ann')
    assert.match(text, /^gatemesh\/north\/login\nat \d+\nnonce [A-Za-z0-9_-]+\nname ann\n$/)
    const note = signNote(text, [keyOf('ann'), keyOf('bob')])
    for (const path of ['/policy', '/modes', '/recounts', '/approvals']) {
      assert.equal((await rig.post(path, { note })).json.error.code, 'not-a-note', path)
    }
  })
})

test('a challenge is good once, and for a minute', async () => {
  await inRig(async rig => {
    const note = signNote(await challenge(rig, 'ann'), [keyOf('ann')])
    assert.equal((await attempt(rig, note)).status, 200)
    assert.equal((await attempt(rig, note)).status, 401)
    const late = signNote(await challenge(rig, 'ann'), [keyOf('ann')])
    rig.skip(61_000)
    assert.equal((await attempt(rig, late)).status, 401)
    const inTime = signNote(await challenge(rig, 'ann'), [keyOf('ann')])
    rig.skip(58_000)
    assert.equal((await attempt(rig, inTime)).status, 200)
  })
})

test('a wall clock that jumps makes no old challenge good again', async () => {
  await inRig(async rig => {
    const note = signNote(await challenge(rig, 'ann'), [keyOf('ann')])
    rig.skip(10 * 60_000)
    rig.office.wall -= 10 * 60_000
    assert.equal((await attempt(rig, note)).status, 401)
  })
})

test('a failed login says the same whatever was wrong with it', async () => {
  await inRig(async rig => {
    const text = await challenge(rig, 'ann')
    const nobody = SignerKey.generate('gatemesh/north/nobody')
    const forged = SignerKey.generate('gatemesh/north/ann')
    const wrong: Record<string, string> = {
      'signed by another operator': signNote(text, [keyOf('bob')]),
      'signed with another key of that name': signNote(text, [forged]),
      'signed with the right key under another name': signNote(text, [
        new SignerKey('gatemesh/north/bob', keyOf('ann').secret),
      ]),
      'of a name that nobody has': signNote(await challenge(rig, 'nobody'), [nobody]),
      'signed by two': signNote(await challenge(rig, 'ann'), [keyOf('ann'), keyOf('bob')]),
      'of another mall': signNote(text.replace('north', 'south'), [keyOf('ann', 'south')]),
      'with a nonce of their own': signNote(text.replace(/nonce ....../, 'nonce zzzzzz'), [keyOf('ann')]),
      'with a later time': signNote(
        text.replace(/at (\d+)/, (_, at) => `at ${Number(at) + 1}`),
        [keyOf('ann')],
      ),
      'with a line more': signNote(`${text}and more\n`, [keyOf('ann')]),
      'not a note': 'ann, really',
      'a challenge for somebody else': signNote(text.replace('name ann', 'name bob'), [keyOf('bob')]),
    }
    const said = new Set<string>()
    for (const [what, note] of Object.entries(wrong)) {
      const { status, text } = await attempt(rig, note)
      assert.ok(status === 401 || status === 429, `${what}: ${status}`)
      if (status === 401) said.add(text)
    }
    assert.equal(said.size, 1)
    assert.deepEqual(rig.faults, [])
  })
})

test('who fails too often in one name is told to wait, and whoever it belongs to is let in all the same', async () => {
  await inRig(async rig => {
    const text = await challenge(rig, 'ann')
    const statuses: number[] = []
    for (let i = 0; i < 14; i++) statuses.push((await attempt(rig, signNote(text, [keyOf('bob')]))).status)
    assert.deepEqual(statuses, [...new Array(10).fill(401), ...new Array(4).fill(429)])
    assert.equal((await attempt(rig, signNote(text, [keyOf('ann')]))).status, 200)
    rig.skip(6000)
    assert.equal((await attempt(rig, signNote(text, [keyOf('bob')]))).status, 401)
  })
})

test('logins are limited for each address', async () => {
  await inRig(
    async rig => {
      const statuses: number[] = []
      for (let i = 0; i < 4; i++) statuses.push((await rig.post('/login', { note: 'x' })).status)
      assert.deepEqual(statuses, [401, 401, 401, 429])
    },
    { limits: { requests: 1000, logins: 3, notes: 1000 } },
  )
})

test('an allowance forgets names rather than grow', () => {
  const allowance = new Allowance({ atOnce: 1, everyMs: 1000, namesMax: 3 })
  for (const name of ['a', 'b', 'c']) assert.ok(allowance.take(name, 0))
  assert.ok(!allowance.take('a', 10))
  assert.ok(allowance.take('d', 20), 'a is forgotten for it')
  assert.ok(allowance.take('a', 30))
  assert.ok(!allowance.take('d', 40))
})

test('no token can be found on the disk, neither of people nor of programs', async () => {
  await inRig(async rig => {
    const token = await rig.login('ann')
    const made = await rig.post('/tokens', { name: 'wall', role: 'viewer' }, token)
    assert.equal(made.status, 201)
    let kept = ''
    for await (const items of rig.cabinet.read({ from: 'a', to: '~' })) kept += JSON.stringify(items)
    for (const secret of [token, made.json.token]) {
      assert.ok(!kept.includes(secret) && !kept.includes(secret.slice(3)), 'only a hash is kept')
      assert.ok(!kept.includes(Buffer.from(secret).toString('base64').slice(0, 30)))
    }
    assert.ok(!JSON.stringify([...rig.lines, ...rig.faults]).includes(token.slice(3)), 'nor in the log')
  })
})

test('tokens survive a restart, end with their time, and at once when they are revoked', async () => {
  await inRig(async rig => {
    const ann = await rig.login('ann')
    const program = await rig.post('/tokens', { name: 'wall', role: 'viewer' }, ann)
    const brief = await rig.post(
      '/tokens',
      { name: 'brief', role: 'viewer', expiresAt: rig.office.wall + HOUR_MS },
      ann,
    )
    await rig.restart()
    assert.equal((await rig.get('/occupancy', ann)).status, 200)
    assert.equal((await rig.get('/occupancy', brief.json.token)).status, 200)
    rig.skip(HOUR_MS)
    assert.equal((await rig.get('/occupancy', brief.json.token)).status, 401)
    rig.skip(11 * HOUR_MS)
    assert.equal((await rig.get('/occupancy', ann)).status, 401)
    assert.equal((await rig.get('/occupancy', program.json.token)).status, 200)
    const again = await rig.login('ann')
    assert.equal((await rig.delete(`/tokens/${program.json.id}`, again)).status, 200)
    assert.equal((await rig.get('/occupancy', program.json.token)).status, 401)
    assert.deepEqual(
      (await rig.get('/tokens', again)).json.tokens.map((token: { name: string }) => token.name),
      ['ann'],
    )
    await rig.restart()
    assert.equal((await rig.get('/occupancy', program.json.token)).status, 401)
  })
})

test('a program gets no more than a marshal may give it: never a marshal’s own rights', async () => {
  await inRig(async rig => {
    const ann = await rig.login('ann')
    assert.equal((await rig.post('/tokens', { name: 'p', role: 'marshal' }, ann)).status, 400)
    const past = await rig.post('/tokens', { name: 'p', role: 'viewer', expiresAt: rig.office.wall }, ann)
    assert.deepEqual([past.status, past.json.error.where], [422, 'body/expiresAt'])
    const { json } = await rig.post('/tokens', { name: 'p', role: 'operator' }, ann)
    assert.equal((await rig.post('/tokens', { name: 'q', role: 'viewer' }, json.token)).status, 403)
    const brought = await rig.office.approvals.bring(rig.office.note({ kind: 'capacity', capacity: 100 }, ['bob']))
    const withdrawn = await rig.delete(`/approvals/${brought.id}`, json.token)
    assert.equal(withdrawn.status, 403, 'a program has signed nothing')
  })
})

test('somebody whom the charter no longer names, or names otherwise, is nobody', async () => {
  await inRig(async rig => {
    const token = await rig.login('bob')
    const desk = rig.desk
    const named = (change: object) => {
      const operators = CHARTER.operators.map(one => (one.name === 'bob' ? { ...one, ...change } : one))
      rig.desk = { ...desk, charter: { ...CHARTER, operators } }
    }
    for (const change of [{ name: 'rob' }, { role: 'viewer' }, { key: keyOf('cat').verifier.toString() }]) {
      named(change)
      assert.equal((await rig.get('/occupancy', token)).status, 401, JSON.stringify(change))
    }
    named({})
    assert.equal((await rig.get('/occupancy', token)).status, 200)
  })
})

test('a person’s oldest logins end when there are too many', async () => {
  await inRig(async rig => {
    const first = await rig.login('vic')
    const other = await rig.login('ann')
    for (let i = 0; i < LOGINS_PER_PERSON_MAX; i++) {
      rig.skip(1)
      await rig.login('vic')
    }
    assert.equal((await rig.get('/occupancy', first)).status, 401)
    const { tokens } = (await rig.get('/tokens', other)).json
    assert.equal(tokens.filter((token: { name: string }) => token.name === 'vic').length, LOGINS_PER_PERSON_MAX)
  })
})

test('a browser gets a cookie that scripts cannot read, which reads, and changes only for our own pages', async () => {
  await inRig(async rig => {
    const reply = await attempt(rig, signNote(await challenge(rig, 'ann'), [keyOf('ann')]))
    const [set = ''] = reply.headers['set-cookie'] ?? []
    assert.match(set, /^gatemesh-north=gm_[^;]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
    const cookie = `theme=dark; ${set.split(';')[0]}`
    const host = rig.url.replace('http://', '')
    assert.equal((await rig.ask('GET', rig.at('/occupancy'), { headers: { cookie } })).status, 200)
    const body = { from: 1, to: 2, reason: 'r' }
    const hold = (headers: Record<string, string>) =>
      rig.ask('POST', rig.at('/holds'), { body, headers: { cookie, 'idempotency-key': 'key-of-mine', ...headers } })
    assert.equal((await hold({})).status, 403, 'no origin')
    assert.equal((await hold({ origin: 'https://elsewhere.example' })).status, 403)
    assert.equal((await hold({ origin: 'null' })).status, 403)
    assert.equal((await hold({ origin: `http://${host}` })).status, 201)
    const out = await rig.ask('DELETE', rig.at('/login'), { headers: { cookie, origin: `http://${host}` } })
    assert.match((out.headers['set-cookie'] ?? [''])[0] ?? '', /Max-Age=0/)
    assert.equal((await rig.ask('GET', rig.at('/occupancy'), { headers: { cookie } })).status, 401)
  })
})

test('a token is good for its own mall only', async () => {
  await inRig(async rig => {
    const south = { ...rig.desk, mall: 'south', charter: { ...CHARTER, mall: 'south' } }
    rig.desks = () =>
      new Map([
        [MALL, rig.desk],
        ['south', south],
      ])
    const ann = await rig.login('ann')
    assert.equal((await rig.ask('GET', '/api/v1/malls/south/occupancy', { token: ann })).json.error.code, 'other-mall')
    assert.deepEqual(
      (await rig.ask('GET', '/api/v1/malls', { token: ann })).json.malls.map((mall: { mall: string }) => mall.mall),
      ['north'],
    )
    const cookie = `gatemesh-south=${ann}`
    assert.equal((await rig.ask('GET', '/api/v1/malls/south/occupancy', { headers: { cookie } })).status, 401)
  })
})

test('what is no token is told so', async () => {
  await inRig(async rig => {
    for (const authorization of [
      'Bearer',
      'Bearer ',
      'Bearer gm_short',
      'Basic YW5uOmFubg==',
      `Bearer gm_${'A'.repeat(43)}`,
    ]) {
      const reply = await rig.ask('GET', rig.at('/occupancy'), { headers: { authorization } })
      assert.equal(reply.status, 401, authorization)
      assert.equal(reply.headers['www-authenticate'], 'Bearer realm="gatemesh"')
    }
  })
})

test('a disk that fails lets nobody in that it does not know afterwards', async () => {
  await inRig(async rig => {
    const note = signNote(await challenge(rig, 'ann'), [keyOf('ann')])
    rig.cabinet.failNext()
    assert.equal((await attempt(rig, note)).status, 500)
    assert.equal(rig.faults.length, 1)
    assert.equal((await rig.get('/tokens', await rig.login('ann'))).json.tokens.length, 1)
  })
})

test.run()
