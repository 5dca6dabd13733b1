// quiet

import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from '../suite.ts'
import { change, founded, inFolder, isThere, opened, Running } from './members.ts'

const test = suite('process/gate')

type Mall = Awaited<ReturnType<typeof opened>>
const of = (mall: Mall, name: string) => mall.get(name) as Running

test('it says where it listens, then one line per change, and nothing while nothing changes', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    const gate = of(mall, 'g1')
    const [first] = gate.lines
    assert.equal(first?.event, 'listening')
    assert.match(String(first?.http), /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(String(first?.lan), /^127\.0\.0\.1:\d+$/)
    // a state that comes and goes between two looks is not said
    await sleep(3000)
    const states = gate.said('state').map(({ state }) => state)
    assert.equal(states.at(-1), 'NORMAL')
    assert.equal(new Set(states).size, states.length, 'each state on the way here once')
    const before = gate.lines.length
    await gate.admit(10)
    await sleep(5000)
    assert.deepEqual(gate.lines.slice(before), [], 'no line for a decision or a heartbeat')
    for (const line of gate.lines) {
      assert.equal(line.member, 'g1')
      assert.equal(typeof line.level, 'number')
      assert.ok(!Number.isNaN(Date.parse(String(line.time))))
    }
  })
})

test('SIGTERM gives its tokens to a gate in reach, exits 0, and the next start goes on with its ledger', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    const [g1, g2] = [of(mall, 'g1'), of(mall, 'g2')]
    await g1.admit(5)
    const ended = await g1.signal('SIGTERM')
    assert.deepEqual([ended.code, ended.signal, ended.err], [0, null, ''])
    assert.equal(g1.said('stopping')[0]?.why, 'SIGTERM')
    assert.equal(g1.said('stopped')[0]?.balance, 0)
    await g2.until('it holds all that is left', status => status.balance === 35)
    await sleep(1500)
    const { json } = await g2.ask('GET', '/status')
    assert.equal(json.balance, 35, 'nothing is sent after a gate that said it leaves, though it was heard a moment ago')
    const again = new Running(dir, 'g1')
    const { account, counters } = await again.until('it decides', status => status.state === 'NORMAL')
    assert.deepEqual([account, counters.admitted], ['g1/1', 5])
  })
})

test('killed at any moment it resumes the same ledger with everyone it let in', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    let gate = of(mall, 'g1')
    let admitted = 0
    for (let round = 0; round < 3; round++) {
      await gate.admit(3)
      admitted += 3
      assert.equal((await gate.signal('SIGKILL')).signal, 'SIGKILL')
      gate = new Running(dir, 'g1')
      await gate.until('it decides', status => status.state === 'NORMAL')
    }
    const { account, counters } = await gate.until('it has heard', status => status.counters.admitted >= admitted)
    assert.deepEqual([account, counters.admitted], ['g1/1', admitted])
  })
})

test('people get out while the store cannot be opened, and are counted once it can', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    await of(mall, 'g2').admit(4)
    await of(mall, 'g1').signal('SIGTERM')
    cpSync(join(dir, 'g1'), join(dir, 'aside'), { recursive: true })
    rmSync(join(dir, 'g1'), { recursive: true })
    writeFileSync(join(dir, 'g1'), 'not a folder')
    const gate = new Running(dir, 'g1')
    for (let i = 0; i < 3; i++) {
      const { status, json } = await gate.leave()
      assert.deepEqual([status, json.credited], [200, false])
    }
    const { decision, reason } = (await gate.enter()).json
    assert.deepEqual([decision, reason], ['REJECT_FAULT', 'away'])
    assert.equal((await gate.ask('GET', '/healthz')).status, 503)
    await sleep(4500)
    assert.equal(gate.said('store failed').length, 1, 'said once, though tried again and again')
    assert.match(String(gate.said('store failed')[0]?.error), /g1/)
    assert.equal((await gate.ask('GET', '/status')).json.exits.waiting, 3)
    rmSync(join(dir, 'g1'))
    cpSync(join(dir, 'aside'), join(dir, 'g1'), { recursive: true })
    const { account } = await gate.until('it decides', status => status.state === 'NORMAL')
    assert.equal(account, 'g1/1')
    await gate.until('the three are in its ledger', status => status.exits.waiting === 0)
    await of(mall, 'g2').until('one is left inside', status => status.occupancy.count === 1)
  })
})

test('a store put back by hand is given up with --restored, even if the start that said so was cut short', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    await of(mall, 'g1').signal('SIGTERM')
    cpSync(join(dir, 'g1'), join(dir, 'old'), { recursive: true })
    for (const name of ['anchor', 'g2']) await of(mall, name).signal('SIGTERM')
    // nobody is there to ask: it gives up its ledger, and is killed before it has another
    const alone = new Running(dir, 'g1', ['--restored'])
    await alone.heard('lan')
    await alone.until('it asks who knows it', status => status.state === 'JOINING')
    await alone.signal('SIGKILL')
    assert.ok(isThere(join(dir, 'g1.restored')))
    const anchor = new Running(dir, 'anchor')
    const gate = new Running(dir, 'g1')
    new Running(dir, 'g2')
    await anchor.until('it has joined', status => status.isJoined)
    const { account } = await gate.until('it decides', status => status.state === 'NORMAL')
    assert.equal(account, 'g1/2', 'given up for good, without being told again')
    await gate.signal('SIGTERM')
    const next = new Running(dir, 'g1')
    assert.equal((await next.until('it decides', status => status.state === 'NORMAL')).account, 'g1/2')
    assert.equal(isThere(join(dir, 'g1.restored')), false, 'and that is forgotten once there is a successor')
  })
})

test('an exception that nobody foresaw is logged and leaves the door open', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1', 'g2'], 40)
    const thrower = `process.on('SIGUSR2', () => {
      setImmediate(() => { throw new Error('from nowhere') })
      Promise.reject(new Error('nobody waits'))
    })`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(thrower)}`
    const gate = new Running(dir, 'g1', [], { NODE_OPTIONS })
    await gate.heard('lan')
    for (let i = 0; i < 3; i++) {
      gate.child.kill('SIGUSR2')
      await sleep(200)
    }
    await gate.heard('unexpected')
    assert.equal((await gate.leave()).status, 200)
    const unexpected = gate.said('unexpected').map(({ error }) => String(error).split('\n')[0])
    assert.deepEqual(unexpected.sort(), ['Error: from nowhere', 'Error: nobody waits'], 'each once a minute')
    assert.equal((await gate.signal('SIGTERM')).code, 0)
  })
})

test('a second Ctrl-C ends it at once; with --with-parent the end of its input does, cleanly', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    const gate = of(mall, 'g1')
    gate.child.kill('SIGINT')
    await gate.heard('stopping')
    assert.equal((await gate.signal('SIGINT')).code, 130)
    const bound = new Running(dir, 'g1', ['--with-parent'])
    await bound.until('it decides', status => status.state === 'NORMAL')
    bound.child.stdin?.end()
    assert.equal((await bound.ended).code, 0)
    assert.match(String(bound.said('stopping')[0]?.why), /whoever started this/)
  })
})

test('a port that is taken is a fault; a mesh port that is taken is waited for', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1'], 40)
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    change(dir, 'g1', { listen: [`127.0.0.1:${port}`] })
    const gate = new Running(dir, 'g1')
    await gate.heard('lan failed')
    assert.equal((await gate.leave()).status, 200)
    await new Promise(resolve => taken.close(resolve))
    const { places } = await gate.heard('lan')
    assert.deepEqual(places, [`127.0.0.1:${port}`])
    const http = new URL(String((await gate.heard('listening')).http))
    change(dir, 'g1', { http: { host: '127.0.0.1', port: Number(http.port) } })
    // also where somebody holds on to its input
    for (const args of [[], ['--with-parent']]) {
      const { code, err } = await new Running(dir, 'g1', args).ended
      assert.equal(code, 3)
      assert.match(err, new RegExp(`^gatemesh gate: PORT: cannot listen on 127.0.0.1:${http.port}`))
    }
  })
})

test('a gate whose store another process holds waits for it', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    const second = new Running(dir, 'g1')
    const { code, error } = await second.heard('store failed')
    assert.equal(code, 'LEDGER_LOCKED', String(error))
    await of(mall, 'g1').signal('SIGTERM')
    assert.equal((await second.until('it decides', status => status.state === 'NORMAL')).account, 'g1/1')
  })
})

test('its metrics and its report of the mall are there to be read', async () => {
  await inFolder(async dir => {
    const mall = await opened(dir, ['g1', 'g2'], 40)
    const gate = of(mall, 'g1')
    await gate.admit(1)
    await gate.leave()
    const { status, json } = await gate.ask('GET', '/metrics')
    assert.equal(status, 200)
    assert.match(json, /^gatemesh_decisions_total\{decision="ADMIT"\} 1$/m)
    assert.match(json, /^gatemesh_exits_refused_total 0$/m)
    assert.match(json, /^gatemesh_fsync_seconds_count [1-9]\d*$/m)
    assert.match(json, /^gatemesh_lan_total\{what="framesIn"\} [1-9]\d*$/m)
    const { json: report } = await gate.ask('GET', '/mall')
    assert.deepEqual([report.me, report.mall, report.gates.length], ['g1', 'm', 2])
  })
})

test.run()
