import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sdNotify, watchdogMs } from '../../mesh/sd-notify.ts'
import { suite } from '../suite.ts'
import { founded, inFolder, Running } from './members.ts'

const test = suite('process/sd-notify')

/** Receives datagrams as systemd does: each as one line of JSON, and what was passed along is let go. */
const RECEIVER = `
import json, os, socket, sys
path = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind('\\0' + path[1:] if path[0] == '@' else path)
print('ready', flush=True)
while True:
    data, extra, _, _ = s.recvmsg(4096, socket.CMSG_SPACE(64))
    for level, kind, fds in extra:
        if kind == socket.SCM_RIGHTS:
            for i in range(0, len(fds) - 3, 4): os.close(int.from_bytes(fds[i:i + 4], sys.byteorder))
    print(json.dumps(data.decode()), flush=True)
`

interface Receiver {
  readonly heard: string[]
  until(text: string): Promise<void>
  stop(): Promise<void>
}

async function receiver(path: string): Promise<Receiver> {
  const child = spawn('python3', ['-c', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const heard: string[] = []
  let out = ''
  child.stdout.on('data', text => {
    out += text
    const lines = out.split('\n')
    out = lines.pop() as string
    for (const line of lines) {
      const said = line === 'ready' ? line : (JSON.parse(line) as string).trim()
      if (said !== 'BARRIER=1') heard.push(said)
    }
  })
  const until = async (text: string) => {
    for (let i = 0; i < 400 && !heard.includes(text); i++) await sleep(25)
    assert.ok(heard.includes(text), `never heard ${text}, only ${heard.join(', ')}`)
  }
  await until('ready')
  heard.length = 0
  const gone = new Promise<void>(resolve => child.on('close', () => resolve()))
  const stop = () => {
    child.kill('SIGKILL')
    return gone
  }
  return { heard, until, stop }
}

const missing = ['python3', 'systemd-notify'].find(tool => spawnSync(tool, ['--version']).status !== 0)
const needs = missing === undefined ? undefined : `${missing} is not on this machine`
const claim = (name: string, act: () => Promise<void>) =>
  needs === undefined ? test(name, act) : test.skip(name, needs)

test('where nobody listens nothing is said and nothing is started', async () => {
  const quiet = sdNotify({}, process.pid)
  quiet.ready()
  quiet.status('fine')
  quiet.watch(() => assert.fail('nobody asked for a watchdog'))
  await quiet.stopping()
})

test('the watchdog is for the process it names, in the time it names', () => {
  assert.equal(watchdogMs({ WATCHDOG_USEC: '10000000' }, 7), 10_000)
  assert.equal(watchdogMs({ WATCHDOG_USEC: '10000000', WATCHDOG_PID: '7' }, 7), 10_000)
  for (const env of [
    {},
    { WATCHDOG_USEC: '10000000', WATCHDOG_PID: '8' },
    { WATCHDOG_USEC: '0' },
    { WATCHDOG_USEC: 'x' },
  ]) {
    assert.equal(watchdogMs(env, 7), undefined)
  }
})

for (const kind of ['file', 'abstract']) {
  claim(
    `states, signs of life and the end arrive at a socket that is ${kind === 'file' ? 'a file' : 'abstract'}`,
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'notify-'))
      const path = kind === 'file' ? join(dir, 'notify') : `@gatemesh-test-${process.pid}`
      const systemd = await receiver(path)
      try {
        let isWell = true
        const notify = sdNotify({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '400000' }, process.pid)
        notify.ready()
        notify.status('NORMAL')
        notify.status('NORMAL')
        notify.status('a "quoted"\nline; $(touch no)')
        await systemd.until('STATUS=a "quoted" line; $(touch no)')
        assert.deepEqual(
          systemd.heard,
          ['READY=1', 'STATUS=NORMAL', 'STATUS=a "quoted" line; $(touch no)'],
          'in order, once',
        )
        notify.watch(() => isWell)
        await systemd.until('WATCHDOG=1')
        await sleep(1000)
        const beats = systemd.heard.filter(line => line === 'WATCHDOG=1').length
        assert.ok(beats >= 3, `${beats} signs of life in a second at 200 ms each`)
        isWell = false
        await sleep(400)
        const before = systemd.heard.length
        await sleep(600)
        assert.equal(systemd.heard.length, before, 'who is not well gives no sign of life')
        await notify.stopping()
        await systemd.until('STOPPING=1')
      } finally {
        await systemd.stop()
        rmSync(dir, { recursive: true, force: true })
      }
    },
  )
}

claim('a gate is ready when people can get out, says its state, and stops with a word', async () => {
  await inFolder(async dir => {
    await founded(dir, ['g1', 'g2'], 40)
    const path = join(dir, 'notify')
    const systemd = await receiver(path)
    try {
      const gate = new Running(dir, 'g1', [], { NOTIFY_SOCKET: path, WATCHDOG_USEC: '1000000' })
      await systemd.until('READY=1')
      assert.equal((await gate.leave()).status, 200)
      await systemd.until('STATUS=JOINING joining')
      await systemd.until('WATCHDOG=1')
      gate.child.kill('SIGSTOP')
      await sleep(700)
      const before = systemd.heard.length
      await sleep(1500)
      assert.equal(systemd.heard.length, before, 'a process that hangs is silent')
      gate.child.kill('SIGCONT')
      const { code } = await gate.signal('SIGTERM')
      assert.equal(code, 0)
      await systemd.until('STOPPING=1')
    } finally {
      await systemd.stop()
    }
  })
})

test.run()
