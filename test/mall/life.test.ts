import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { inFolder, RunningMall } from './running.ts'

const test = suite('mall/life')

test('it says what it is, gets ready and says where it is; Ctrl-C ends it cleanly', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(dir, '--gates', '3', '--capacity', '40')
    assert.match(mall.out, /^gatemesh mall: anchor and gates in one process .*libp2p is not in yet/)
    const { url, anchor, gates } = mall.place
    assert.match(mall.out, new RegExp(`^mall ready: ${url}$`, 'm'))
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    const { pid } = anchor
    assert.deepEqual(
      gates,
      ['gate-01', 'gate-02', 'gate-03'].map(name => ({ name, pid, url: `${url}/gates/${name}` })),
    )
    assert.equal((await mall.enter('gate-03')).json.decision, 'ADMIT', 'ready means that entries are decided')
    const ended = await mall.signal('SIGINT')
    assert.deepEqual([ended.code, ended.err], [0, ''])
    assert.match(ended.out, /stopped with 1 of 40 people inside/)
    assert.equal(existsSync(join(dir, 'mall.json')), false)
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
    const mall = new RunningMall(dir, ['--gates', '2', '--capacity', '400', '--crowd', 'rush', '--for', '3'])
    const { code, out, err } = await mall.ended
    assert.deepEqual([code, err], [0, ''], out)
    const inside = Number(/stopped with (\d+) of 400/.exec(out)?.[1])
    assert.ok(inside > 0, out)
    const again = await RunningMall.start(dir)
    const { occupancy } = await again.report()
    assert.deepEqual([occupancy.count, occupancy.capacity], [inside, 400])
  })
})

test('a later start may lower the capacity, never raise it above the charter, and keeps its gates', async () => {
  await inFolder(async dir => {
    const first = await RunningMall.start(dir, '--gates', '2', '--capacity', '30')
    for (let i = 0; i < 12; i++) assert.equal((await first.enter('gate-01')).json.decision, 'ADMIT')
    await first.signal('SIGTERM')
    const second = await RunningMall.start(dir, '--capacity', '10')
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
  })
})

test('stopped while it starts, or without its charter, it leaves everything as it was', async () => {
  await inFolder(async dir => {
    const mall = new RunningMall(dir, ['--gates', '2', '--capacity', '30'])
    while (!mall.out.includes('everyone asks')) await new Promise(resolve => setTimeout(resolve, 5))
    const { code, out, err } = await mall.signal('SIGTERM')
    assert.deepEqual([code, err], [0, ''], out)
    assert.doesNotMatch(out, /mall ready/)
    const again = await RunningMall.start(dir)
    assert.equal((await again.enter('gate-02')).json.decision, 'ADMIT')
    await again.signal('SIGTERM')
    rmSync(join(dir, 'charter.note'))
    const orphan = await new RunningMall(dir, []).ended
    assert.equal(orphan.code, 3)
    assert.match(orphan.err, /HOME: .*charter.note is gone/)
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

test('a folder that is in use, and a port that was asked for and is taken, are faults', async () => {
  await inFolder(async dir => {
    const mall = await RunningMall.start(join(dir, 'a'), '--gates', '1')
    const second = await new RunningMall(join(dir, 'a'), []).ended
    assert.equal(second.code, 3)
    assert.match(second.err, /LEDGER_LOCKED/)
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const third = await new RunningMall(join(dir, 'b'), ['--gates', '1', '--port', String(port)]).ended
    await new Promise(resolve => taken.close(resolve))
    assert.equal(third.code, 3)
    assert.match(third.err, new RegExp(`PORT: cannot listen on 127.0.0.1:${port}`))
    assert.equal((await mall.signal('SIGTERM')).code, 0, 'and the first goes on unharmed')
  })
})

test.run()
