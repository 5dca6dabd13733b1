// quiet

import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCharter } from '../../ledger/charter-note.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { signMode } from '../../ledger/mode-note.ts'
import { openPolicy, type PolicyText, signPolicy } from '../../ledger/policy-note.ts'
import { keyPath, policyPath, policyText } from '../../tools/founding.ts'
import { suite } from '../suite.ts'
import { founded, inFolder, isThere, opened, Running } from './members.ts'

const test = suite('process/anchor')

const key = (dir: string, name: string) => SignerKey.parse(readFileSync(keyPath(dir, name), 'utf8').trim())
const keys = (dir: string, ...names: string[]) => names.map(name => key(dir, name))
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

function charterOf(dir: string) {
  return openCharter(read(dir, 'charter.note'), VerifierKey.parse(read(dir, 'owner.vkey').trim())).charter
}

test('policies are taken in with the signatures they need, and each refusal says why', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    const anchor = mall.get('anchor') as Running
    const charter = charterOf(dir)
    const before = openPolicy(readFileSync(policyPath(dir, 1), 'utf8'), charter)
    const next = (capacity: number, more: Partial<PolicyText> = {}): PolicyText => ({
      ...policyText(charter, { capacity, before, reason: 'test' }),
      ...more,
    })
    const signed = (text: PolicyText, ...names: string[]) => signPolicy(text, 'm', keys(dir, ...names))
    const wrong: [note: string, status: number, says: RegExp][] = [
      ['nonsense', 400, /not a policy of this mall/],
      [signed(next(20), 'anchor'), 403, /no operator has signed it/],
      [signed(next(20), 'anchor', 'ann', 'g1'), 400, /neither the anchor nor an operator/],
      [signed(next(41), 'anchor', 'ann', 'bob'), 400, /more people than the charter, which allows 40/],
      [signed(next(20, { version: 5 }), 'anchor', 'ann', 'bob'), 409, /does not follow: policy 1 is in force/],
      [readFileSync(policyPath(dir, 1), 'utf8'), 409, /it was enacted at/],
    ]
    for (const [note, status, says] of wrong) {
      const reply = await anchor.post('/policy', note)
      assert.equal(reply.status, status, JSON.stringify(reply.json))
      assert.match(reply.json.error, says)
    }
    const one = await anchor.post('/policy', signed(next(20), 'ann'))
    assert.equal(one.status, 202, 'one signature waits for another')
    assert.match(one.json.missing, /one more|another|1 more/)
    const { status, json } = await anchor.post('/policy', signed(next(20), 'bob'))
    assert.deepEqual([status, json.version, json.capacity], [200, 2, 20])
    for (const name of ['g1', 'g2']) {
      await (mall.get(name) as Running).until('it knows', s => s.policyVersion === 2 && s.occupancy.capacity === 20)
    }
  })
})

test('a mode brought to the anchor, or to a gate with the anchor dead, is in force everywhere', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    const [anchor, g1, g2] = ['anchor', 'g1', 'g2'].map(name => mall.get(name) as Running) as [
      Running,
      Running,
      Running,
    ]
    const at = Date.now()
    const raise = signMode({ epoch: 0, mode: 'LOCKDOWN', at, reason: 'drill' }, 'm', keys(dir, 'bob'))
    assert.equal((await anchor.post('/modes', raise)).status, 200)
    for (const gate of [g1, g2]) await gate.until('it is closed', status => status.mode === 'LOCKDOWN')
    assert.equal((await g1.enter()).json.decision, 'REJECT_EMERGENCY')
    assert.equal((await g1.leave()).status, 200)
    assert.equal((await anchor.post('/modes', raise)).status, 409, 'it changes nothing any more')
    await anchor.signal('SIGKILL')
    const clears = { epoch: 0, mode: 'LOCKDOWN' } as const
    const clear = { epoch: 1, mode: 'NORMAL', at: at + 1, reason: 'over', clears } as const
    const { status, json } = await g2.post('/modes', signMode(clear, 'm', keys(dir, 'bob')))
    assert.equal(status, 400)
    assert.match(json.error, /bob may not say NORMAL/)
    assert.equal((await g2.post('/modes', signMode(clear, 'm', keys(dir, 'ann', 'bob')))).status, 200)
    await g1.until('it is open again', s => s.mode === 'NORMAL')
    // the log goes its own way, and may come a moment later
    await g1.until('it has said so', () => g1.said('mode').length >= 2)
    const modes = g1.said('mode').map(({ mode, was }) => [was, mode])
    assert.deepEqual(modes, [
      ['NORMAL', 'LOCKDOWN'],
      ['LOCKDOWN', 'NORMAL'],
    ])
  })
})

test('without --birth an anchor with no ledger opens none and mints nothing', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const anchor = new Running(dir, 'anchor')
    const gate = new Running(dir, 'g1')
    assert.match(String((await anchor.heard('doubt')).doubt), /needs --birth/)
    await gate.heard('peer-up')
    await sleep(2000)
    const { status, json } = await anchor.post('/policy', readFileSync(policyPath(dir, 1), 'utf8'))
    assert.equal(status, 503)
    assert.match(json.error, /not joined yet/)
    assert.equal((await anchor.ask('GET', '/status')).json.account, '')
    assert.equal(isThere(join(dir, 'born')), false)
  })
})

test('an anchor that lost its store is not born again: what it may have minted is carried', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    assert.ok(isThere(join(dir, 'born')))
    await (mall.get('anchor') as Running).signal('SIGTERM')
    rmSync(join(dir, 'anchor'), { recursive: true })
    const again = new Running(dir, 'anchor', ['--birth'])
    const { account } = await again.until('it has joined', status => status.isJoined)
    assert.equal(account, 'anchor/2')
    let held = 0
    for (let i = 0; i < 20; i++) {
      await sleep(100)
      const all = await Promise.all(
        [...mall.keys()].map(name => (name === 'anchor' ? again : (mall.get(name) as Running)).ask('GET', '/status')),
      )
      held = all.reduce((sum, { json }) => sum + json.balance, 0)
      assert.ok(held <= 40, `${held} tokens for 40 people`)
    }
    assert.equal((await again.signal('SIGINT')).code, 0)
  })
})

test.run()
