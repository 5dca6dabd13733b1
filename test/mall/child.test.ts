import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Child } from '../../tools/mall/child.ts'
import { suite } from '../suite.ts'
import { inFolder, isAlive } from './running.ts'

const test = suite('mall/child')

const listening = `console.log(JSON.stringify({ level: 30, event: 'listening', http: 'http://127.0.0.1:1' }));`
const untilStdinEnds = `process.stdin.resume().on('end', () => process.exit(0));`

interface Rig {
  readonly child: Child
  readonly said: string[]
  readonly alarms: string[]
  readonly log: string
}

/** A member in a few lines, for what real ones do not do: die at once, again and again, or never stop. */
async function withChild(script: string, mayRestart: boolean, act: (rig: Rig) => Promise<void>): Promise<void> {
  await inFolder(async dir => {
    const said: string[] = []
    const alarms: string[] = []
    const child = new Child({
      name: 'gate-01',
      args: () => ['-e', script],
      logs: dir,
      mayRestart,
      say: line => said.push(line),
      alarm: line => alarms.push(line),
      changed: () => undefined,
    })
    try {
      child.start()
      await act({ child, said, alarms, log: join(dir, 'gate-01.log') })
    } finally {
      await child.kill()
      child.close()
    }
  })
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 1500 && !holds(); i++) await sleep(10)
  assert.ok(holds(), what)
}

test('one that is killed is started again, with another pid, and says where it listens', async () => {
  await withChild(listening + untilStdinEnds, true, async ({ child, said }) => {
    await until(() => child.url !== undefined, 'it listens')
    const { pid } = child
    process.kill(pid, 'SIGKILL')
    await until(() => child.url === undefined, 'it is down')
    await until(() => child.url !== undefined, 'it listens again')
    assert.notEqual(child.pid, pid)
    assert.deepEqual(said, ['gate-01 was ended by SIGKILL; started again in 1 s'])
    const last = child.pid
    await child.end()
    assert.equal(isAlive(last), false)
    assert.equal(said.length, 1, 'who is asked to end is not started again')
  })
})

test('one that dies five times in a row stays down, with its last words', async () => {
  const script = `console.log('once'); console.error('no such charter'); process.exit(3)`
  await withChild(script, true, async ({ child, said, alarms, log }) => {
    await until(() => child.isGivenUp, 'it is given up')
    assert.equal(said.length, 4)
    assert.match(said[0] as string, /^gate-01 ended with code 3; started again in 1 s$/)
    assert.equal(alarms.length, 1)
    assert.match(
      alarms[0] as string,
      /ended with code 3, 5 times in 10 s, and stays down; its last words:\n[\s\S]*no such charter/,
    )
    assert.equal(readFileSync(log, 'utf8').match(/once/g)?.length, 5, 'every start is in its log')
    await sleep(1200)
    assert.equal(child.isRunning, false)
  })
})

test('where members may not be started again one death is enough', async () => {
  await withChild(listening + untilStdinEnds, false, async ({ child, said }) => {
    await until(() => child.url !== undefined, 'it listens')
    process.kill(child.pid, 'SIGKILL')
    await until(() => child.isGivenUp, 'it is given up')
    assert.deepEqual(said, ['gate-01 was ended by SIGKILL and stays down'])
  })
})

test('one that does not hear SIGTERM is still ended by its pid', async () => {
  const script = `process.on('SIGTERM', () => undefined); ${listening}${untilStdinEnds}`
  await withChild(script, true, async ({ child, said }) => {
    await until(() => child.url !== undefined, 'it listens')
    const ending = child.end()
    await sleep(200)
    assert.equal(child.isRunning, true)
    await child.kill()
    await ending
    assert.equal(child.isRunning, false)
    assert.deepEqual(said, [])
  })
})

test('warnings are shown in one short line and not again at once; the file is turned when it is large', async () => {
  const warn = `console.log(JSON.stringify({ level: 40, time: 1, pid: 2, event: 'refused', from: 'x', why: 'y'.repeat(999) }));`
  const script = `${warn}${warn}console.log('{"level":30,"event":"state"}'); console.log('{"level":');
    for (let i = 0; i < 70; i++) console.log('z'.repeat(100_000)); ${listening}${untilStdinEnds}`
  await withChild(script, true, async ({ child, alarms, log }) => {
    await until(() => child.url !== undefined, 'it listens')
    assert.equal(alarms.length, 1)
    assert.match(alarms[0] as string, /^gate-01: refused, from x, why y+…$/)
    assert.ok((alarms[0] as string).length < 210)
    assert.ok(existsSync(`${log}.1`))
    for (const file of [log, `${log}.1`]) assert.ok(statSync(file).size < 5_300_000, file)
  })
})

test.run()
