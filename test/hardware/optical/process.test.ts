// quiet
//
// A gate as a process, and a camera that it asks: followed, killed, and back.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { change, inFolder, opened, Running } from '../../process/members.ts'
import { suite } from '../../suite.ts'
import { Camera } from './camera.ts'

const test = suite('hardware/optical/process')

const WAIT_MS_MAX = 30_000

interface Seen {
  readonly in: number
  readonly tailgaters: number
  readonly isSound: boolean
  readonly counters: readonly { readonly heardAgoMs: number | null }[]
}

async function seen(gate: Running, what: string, holds: (optical: Seen) => boolean): Promise<Seen> {
  const until = performance.now() + WAIT_MS_MAX
  for (;;) {
    const { optical } = (await gate.ask('GET', '/turnstile/state')).json
    if (holds(optical)) return optical
    assert.ok(performance.now() < until, `waited too long until ${what}: ${JSON.stringify(optical)}`)
    await sleep(50)
  }
}

const forcedAt = async (gate: Running): Promise<number> => (await gate.ask('GET', '/status')).json.counters.forced ?? 0

test('whoever follows, and whoever walks in while the gate is dead, is counted once, by a camera behind a lock', async () => {
  const camera = await new Camera().open()
  camera.lock = { kind: 'digest', user: 'gate', password: 'hush-hush', algorithm: 'SHA-256' }
  camera.in = 500
  try {
    await inFolder(async dir => {
      const members = await opened(dir, ['north'], 40)
      const soft = members.get('north') as Running
      await soft.signal('SIGTERM')
      const pull = { url: camera.url('gate:hush-hush'), everyMs: 200, timeoutMs: 1000 }
      change(dir, 'north', { optical: { lens: { format: 'axis', pull, walkMs: 1000 } } })
      const first = new Running(dir, 'north')
      await first.until('it decides', status => status.state === 'NORMAL' && status.balance > 0)
      await seen(first, 'the camera was heard', ({ isSound }) => isSound)
      await first.admit(2)
      camera.in += 3
      await seen(first, 'the follower was found', ({ tailgaters }) => tailgaters === 1)
      assert.equal(await forcedAt(first), 1)
      await first.signal('SIGKILL')
      camera.in += 4
      const second = new Running(dir, 'north')
      await second.until('it decides', status => status.state === 'NORMAL')
      // a kill can come before what was found is in the memory: it is in the ledger, and not found again
      await seen(second, 'those who walked in meanwhile were found', ({ tailgaters }) => tailgaters >= 4)
      assert.equal(await forcedAt(second), 5)
      const { out } = await second.signal('SIGTERM')
      assert.ok(!`${out}${JSON.stringify(second.lines)}`.includes('hush-hush'))
      const third = new Running(dir, 'north')
      await third.until('it decides', status => status.state === 'NORMAL')
      await seen(third, 'the camera was heard', ({ isSound }) => isSound)
      await third.admit(1)
      camera.in += 2
      await seen(third, 'one more was found', ({ tailgaters }) => tailgaters >= 1)
      assert.equal(await forcedAt(third), 6)
    })
  } finally {
    await camera.close()
  }
})

test.run()
