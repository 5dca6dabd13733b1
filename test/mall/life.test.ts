// quiet
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { hearsMulticast } from '../../tools/mall/multicast.ts'
import { suite } from '../suite.ts'
import { DEFAULT_PORT, inFolder, isAlive, RunningMall } from './running.ts'

const test = suite('mall/life')

test('it says what it does, gets ready and says where everyone is; Ctrl-C ends all of it cleanly', async () => {
  await inFolder(async dir => {
    const since = performance.now()
    const mall = await RunningMall.start(dir, '--capacity', '40')
    console.log(`  6 gates ready in ${((performance.now() - since) / 1000).toFixed(1)} s`)
    const { url, anchor, gates } = mall.place
    assert.match(mall.out, new RegExp(`^mall ready: ${url}$`, 'm'))
    assert.match(mall.out, /^starting the anchor and 6 gates, a process each/m)
    assert.match(mall.out, /^6 of 6 gates can decide$/m)
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.deepEqual(
      gates.map(gate => gate.name),
      ['gate-01', 'gate-02', 'gate-03', 'gate-04', 'gate-05', 'gate-06'],
    )
    const pids = [anchor.pid, ...gates.map(gate => gate.pid)]
    assert.equal(new Set([mall.pid, ...pids]).size, 8, 'a process each')
    assert.equal(new Set([url, anchor.url, ...gates.map(gate => gate.url)]).size, 8, 'an address each, and one for all')
    assert.match(mall.out, new RegExp(`^gate-01 has a page too: ${gates[0]?.url}, and a clicker: `, 'm'))
    for (const pid of pids) assert.ok(isAlive(pid))
    await mall.admits('gate-03', 1, 'ready means that entries are decided')
    const asked = performance.now()
    const ended = await mall.signal('SIGINT')
    console.log(`  stopped in ${((performance.now() - asked) / 1000).toFixed(1)} s`)
    assert.deepEqual([ended.code, ended.err], [0, ''])
    assert.ok(performance.now() - asked < 12_000)
    assert.match(ended.out, /^stopped with 1 of 40 people inside$/m)
    assert.equal(existsSync(join(dir, 'mall.json')), false)
    for (const pid of pids) assert.equal(isAlive(pid), false)
  })
})

test('members find each other by mDNS alone; without multicast they are told, and that is said', async () => {
  await inFolder(async dir => {
    const found = await RunningMall.start(join(dir, 'a'), '--gates', '2')
    const config = JSON.parse(readFileSync(join(dir, 'a', 'gate-01.json'), 'utf8'))
    if (await hearsMulticast('127.0.0.1')) {
      assert.match(found.out, /^members find each other by mDNS on 127.0.0.1$/m)
      assert.deepEqual([config.peers, config.mdns], [{}, { interface: '127.0.0.1' }])
    } else assert.match(found.out, /^multicast does not work here: members are told/m)
    const { lan } = await found.status('gate-01')
    assert.equal(lan.findsByMulticast, config.mdns !== false)
    await found.signal('SIGTERM')
    const told = await RunningMall.start(join(dir, 'b'), '--gates', '2', '--no-multicast')
    assert.match(told.out, /^members are told each other's addresses on 127.0.0.1$/m)
    assert.equal((await told.status('gate-01')).lan.findsByMulticast, false)
    await told.admits('gate-02')
  })
})

test('a member that dies is started again at its old address, and mall.json names its new process', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '2', '--capacity', '20')
    for (const name of ['gate-02', 'anchor']) {
      const before = mall.place
      const pid = mall.pidOf(name)
      await mall.killMember(name)
      await mall.isBack(name, pid)
      await mall.says(new RegExp(`^${name} was ended by SIGKILL; started again in 1 s$`, 'm'))
      assert.deepEqual(
        mall.place.gates.map(gate => gate.url),
        before.gates.map(gate => gate.url),
      )
      assert.equal(mall.place.url, before.url)
    }
    await mall.until('gate-02', status => status.state === 'NORMAL', 'has joined again')
    await mall.admits('gate-02')
    assert.equal((await mall.signal('SIGTERM')).code, 0)
  })
})

test('a member that hangs does not hold up the stop for long', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '2')
    const pids = ['anchor', 'gate-01', 'gate-02'].map(name => mall.pidOf(name))
    process.kill(mall.pidOf('gate-01'), 'SIGSTOP')
    const since = performance.now()
    assert.equal((await mall.signal('SIGTERM')).code, 0)
    assert.ok(performance.now() - since < 12_000)
    for (const pid of pids) assert.equal(isAlive(pid), false)
  })
})

test('keys are for their user alone', async () => {
  await inFolder(async dir => {
    const mall = new RunningMall(dir, ['--gates', '1', '--for', '1'])
    assert.equal((await mall.ended).code, 0)
    const keys = readdirSync(join(dir, 'keys'))
    assert.deepEqual(keys.sort(), ['ann.key', 'anchor.key', 'bob.key', 'gate-01.key', 'owner.key'].sort())
    for (const file of keys) assert.equal(statSync(join(dir, 'keys', file)).mode & 0o777, 0o600)
  })
})

test('--for ends it by itself, with a crowd inside, and the next start goes on with the same people', async () => {
  await inFolder(async dir => {
    const mall = new RunningMall(dir, ['--gates', '2', '--capacity', '400', '--crowd', 'rush', '--for', '4'])
    const { code, out, err } = await mall.ended
    assert.deepEqual([code, err], [0, ''], out)
    const inside = Number(/stopped with (\d+) of 400/.exec(out)?.[1])
    assert.ok(inside > 20, out)
    const again = await RunningMall.start(dir)
    const { occupancy } = await again.status('anchor')
    assert.deepEqual([occupancy.count, occupancy.capacity], [inside, 400])
    assert.match(again.out, new RegExp(`^${inside} of 400 people inside, 2 gates, crowd: off$`, 'm'))
  })
})

test('those who are inside at a start go home, and a crowd goes on while a gate is down', async () => {
  await inFolder(async dir => {
    const first = await RunningMall.start(dir, '--gates', '3', '--capacity', '300')
    await first.admits('gate-01', 200)
    await first.signal('SIGTERM')
    const mall = new RunningMall(dir, ['--crowd', 'evening', '--no-restart'])
    await mall.ready()
    await mall.killMember('gate-02')
    await mall.until('gate-01', status => status.occupancy.count < 190, 'hears of people who went home', 20_000)
    await mall.until('gate-03', status => status.counters.exited > 3 && status.counters.admitted > 0, 'is used', 20_000)
    assert.equal((await mall.signal('SIGTERM')).code, 0)
  })
})

test('a later start may lower the capacity, never raise it above the charter, and keeps its gates', async () => {
  await inFolder(async dir => {
    const first = await RunningMall.start(dir, '--gates', '2', '--capacity', '30')
    await first.admits('gate-01', 12)
    await first.signal('SIGTERM')
    const second = await RunningMall.start(dir, '--capacity', '10')
    assert.match(second.out, /^operators sign policy 2: capacity 10$/m)
    const { decision, reason } = (await second.enter('gate-01')).json
    assert.match(decision, /^REJECT_(AT_CAPACITY|NO_HEADROOM)$/, reason)
    await second.heard('gate-02', 12)
    for (let i = 0; i < 4; i++) assert.equal((await second.leave('gate-02')).json.credited, true)
    await second.signal('SIGTERM')
    for (const wrong of [
      ['--capacity', '31'],
      ['--gates', '3'],
    ]) {
      const { code, err } = await new RunningMall(dir, wrong).ended
      assert.equal(code, 2, err)
      assert.match(err, /another --dir/)
    }
    const third = await RunningMall.start(dir, '--capacity', '30')
    assert.match(third.out, /^operators sign policy 3: capacity 30$/m)
    await third.admits('gate-01')
  })
})

test('stopped while it starts, or without its charter, it leaves everything as it was', async () => {
  await inFolder(async dir => {
    const mall = new RunningMall(dir, ['--gates', '2', '--capacity', '30'])
    await mall.says(/^starting the anchor/m)
    const { code, out, err } = await mall.signal('SIGTERM')
    assert.deepEqual([code, err], [0, ''], out)
    assert.doesNotMatch(out, /mall ready/)
    const again = await RunningMall.start(dir)
    await again.admits('gate-02')
    await again.signal('SIGTERM')
    rmSync(join(dir, 'charter.note'))
    const orphan = await new RunningMall(dir, []).ended
    assert.equal(orphan.code, 3)
    assert.match(orphan.err, /FOUNDING: .* is of a mall that was founded here before/)
  })
})

test('wrong use is code 2 and names the flag', async () => {
  const wrong = [
    ['--gates', '0'],
    ['--gates', 'many'],
    ['--capacity', '-1'],
    ['--port', '70000'],
    ['--crowd', 'angry'],
    ['--for', '0'],
    ['--seed', 'x'],
    ['--fast'],
  ]
  await inFolder(async dir => {
    await Promise.all(
      wrong.map(async args => {
        const { code, err } = await new RunningMall(join(dir, 'none'), args).ended
        assert.equal(code, 2, `${args.join(' ')}: ${err}`)
        assert.ok(err.includes(args[0] as string), err)
      }),
    )
    assert.equal(existsSync(join(dir, 'none')), false)
  })
})

test('a folder that is in use, and a port that was asked for and is taken, are faults; the default port moves on', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(join(dir, 'a'), '--gates', '1')
    const second = await new RunningMall(join(dir, 'a'), []).ended
    assert.equal(second.code, 3)
    assert.match(second.err, /HOME_LOCKED: another mall runs in /)
    const { port } = new URL(mall.place.url)
    const third = await new RunningMall(join(dir, 'b'), ['--gates', '1', '--port', port]).ended
    assert.equal(third.code, 3)
    assert.match(third.err, new RegExp(`PORT: cannot listen on 127.0.0.1:${port}`))

    const taken = createServer()
    const isTaken = new Promise<void>(resolve =>
      taken.once('error', () => resolve()).listen(8080, '127.0.0.1', resolve),
    )
    await isTaken
    const moved = await RunningMall.start(join(dir, 'c'), '--gates', '1', DEFAULT_PORT)
    await new Promise(resolve => taken.close(resolve))
    assert.match(moved.out, /^port 8080 is taken, so this mall is on 80\d\d$/m)
    assert.match(moved.place.url, /^http:\/\/127\.0\.0\.1:80\d\d$/)
    await mall.admits('gate-01', 1, 'and the first goes on unharmed')
  })
})

test.run()
