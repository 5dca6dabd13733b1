// alone: waits
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from '../../tools/mall/client.ts'
import { eventually } from '../anchor/desk.ts'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import type { Fault } from './fault.ts'
import { type OpenField, openField, whyNoField } from './field/field.ts'
import { sweepAfter } from './field/member.ts'

const run = promisify(execFile)
const test = suite('chaos/field')
const missing = (await whyNoField()) ?? (await needs('ping', 'iputils-ping'))
const client = new Client(8, 1000)
const said: string[] = []
let field: OpenField

const claim = (name: string, act: () => Promise<void>) =>
  missing === undefined ? test(name, act) : test.skip(name, missing)

async function during(fault: Fault, act: () => Promise<void>): Promise<void> {
  const end = await field.begin(fault)
  try {
    await act()
  } finally {
    await end()
    await end()
  }
}

/** Runs on a member's host. */
async function at(member: string, ...command: string[]): Promise<string> {
  const [first = '', ...rest] = [...field.member(member).through, ...command]
  const { stdout } = await run(first, rest).catch(error => error)
  return String(stdout)
}

interface Pings {
  /** of those that came back, in the order in which they did */
  readonly seqs: readonly number[]
  readonly rttMs: readonly number[]
}

async function pings(from: string, to: string, count: number, everyMs = 5): Promise<Pings> {
  const args = ['-n', '-c', String(count), '-i', String(everyMs / 1000), '-W', '0.3', field.lanOf(to)]
  const out = await at(from, 'ping', ...args)
  const back = [...out.matchAll(/icmp_seq=(\d+) .*time=([\d.]+) ms/g)]
  return { seqs: back.map(([, seq]) => Number(seq)), rttMs: back.map(([, , ms]) => Number(ms)) }
}

/** Which pairs can talk, as `a b`. */
async function pairs(): Promise<string[]> {
  const all = field.members.flatMap((a, i) => field.members.slice(i + 1).map(b => [a, b] as const))
  const heard = await Promise.all(all.map(async ([a, b]) => (await pings(a, b, 2)).seqs.length > 0))
  return all.filter((_, i) => heard[i]).map(pair => pair.join(' ').replaceAll('gate-0', 'g'))
}

const status = async (gate: string) => (await client.get(`${field.urlOf(gate)}/status`)).json
const enter = async (gate: string) => (await client.post(`${field.urlOf(gate)}/turnstile/entry`, {})).json
const leave = (gate: string) => client.post(`${field.urlOf(gate)}/turnstile/exit`, {})
const answers = (gate: string) =>
  status(gate).then(
    () => true,
    () => false,
  )
const decides = (gate: string, decision: string) => async () =>
  (await enter(gate).catch(() => ({}))).decision === decision

async function echoes(member: string): Promise<number> {
  const [names = '', values = ''] = (await at(member, 'cat', '/proc/net/snmp')).match(/^Icmp: .*$/gm) ?? []
  return Number(values.split(' ')[names.split(' ').indexOf('InEchos')])
}

test.before(async () => {
  if (missing !== undefined) return
  const dir = mkdtempSync(join(tmpdir(), 'field-'))
  const build = join(import.meta.dirname, '../..')
  field = await openField({ gates: 3, capacity: 30, legalMax: 60, seed: 7, build, dir, say: line => said.push(line) })
  await field.start()
})

test.after(async () => {
  client.close()
  await field?.close()
})

claim('halves, rings and bridges hear whom they should, and people reach every gate meanwhile', async () => {
  const ALL = ['anchor g1', 'anchor g2', 'anchor g3', 'g1 g2', 'g1 g3', 'g2 g3']
  assert.deepEqual(await pairs(), ALL)
  await during({ kind: 'halves', left: ['anchor', 'gate-01'] }, async () => {
    assert.deepEqual(await pairs(), ['anchor g1', 'g2 g3'])
    for (const gate of field.members.slice(1)) assert.ok(await answers(gate), gate)
  })
  await during({ kind: 'ring', order: field.members }, async () => {
    assert.deepEqual(await pairs(), ['anchor g1', 'anchor g3', 'g1 g2', 'g2 g3'])
  })
  await during({ kind: 'bridge', left: ['anchor'], between: 'gate-01' }, async () => {
    assert.deepEqual(await pairs(), ['anchor g1', 'g1 g2', 'g1 g3', 'g2 g3'])
    // on top of it another cut; the end of one leaves the other
    await during({ kind: 'halves', left: ['gate-03'] }, async () => {
      assert.deepEqual(await pairs(), ['anchor g1', 'g1 g2'])
    })
    assert.deepEqual(await pairs(), ['anchor g1', 'g1 g2', 'g1 g3', 'g2 g3'])
  })
  assert.deepEqual(await pairs(), ALL)
})

claim('who is deaf is heard, and who is mute hears', async () => {
  for (const deaf of [true, false]) {
    await pings('gate-02', 'gate-01', 1)
    await during({ kind: 'one-way', whose: ['gate-02'], deaf }, async () => {
      const before = await Promise.all(['gate-01', 'gate-02'].map(echoes))
      const both = await Promise.all([pings('gate-02', 'gate-01', 5), pings('gate-01', 'gate-02', 5)])
      assert.deepEqual(
        both.map(({ seqs }) => seqs.length),
        [0, 0],
        'no answer either way',
      )
      const after = await Promise.all(['gate-01', 'gate-02'].map(echoes))
      assert.deepEqual(
        after.map((n, i) => n - (before[i] as number)),
        deaf ? [5, 0] : [0, 5],
        'asked one way only',
      )
    })
  }
})

claim('a flapping cut comes and goes', async () => {
  await during({ kind: 'flapping', left: ['gate-01'], everyMs: 250 }, async () => {
    const { seqs } = await pings('gate-01', 'gate-02', 100, 20)
    const gaps = seqs.filter((seq, i) => i > 0 && seq - (seqs[i - 1] as number) > 5).length
    assert.ok(gaps >= 2, `${gaps} gaps in ${seqs.length} answers of 100`)
  })
  assert.equal((await pings('gate-01', 'gate-02', 5)).seqs.length, 5)
})

claim('packets are lost, late, doubled and overtaken, each when it is said, and not otherwise', async () => {
  const calm = await pings('gate-01', 'gate-02', 100)
  assert.deepEqual(
    calm.seqs,
    Array.from({ length: 100 }, (_, i) => i + 1),
  )
  const before = await field.carried()
  await during({ kind: 'loss', percent: 40 }, async () => {
    const { seqs } = await pings('gate-01', 'gate-02', 200)
    assert.ok(seqs.length > 30 && seqs.length < 120, `${seqs.length} of 200, and 72 were expected`)
  })
  await during({ kind: 'delay', ms: 40, jitterMs: 10 }, async () => {
    const { rttMs, seqs } = await pings('gate-01', 'gate-02', 50)
    assert.ok(Math.min(...rttMs) >= 80, `${Math.min(...rttMs)} ms there and back`)
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
      'late, and in order',
    )
  })
  await during({ kind: 'duplication', percent: 50 }, async () => {
    const { seqs } = await pings('gate-01', 'gate-02', 100)
    assert.ok(seqs.length > new Set(seqs).size + 30, `${seqs.length} answers to ${new Set(seqs).size}`)
  })
  await during({ kind: 'reordering', percent: 30 }, async () => {
    const { seqs } = await pings('gate-01', 'gate-02', 200)
    const overtaken = seqs.filter((seq, i) => i > 0 && seq < (seqs[i - 1] as number)).length
    assert.ok(overtaken > 20, `${overtaken} of ${seqs.length} came after a later one`)
  })
  const after = await field.carried()
  for (const what of ['lost', 'late', 'doubled', 'held'] as const) assert.ok(after[what] > before[what] + 20, what)
  const again = await pings('gate-01', 'gate-02', 100)
  assert.equal(again.seqs.length, 100)
  assert.equal((await field.carried()).lost, after.lost)
})

claim('a clock jumps for its member alone, forwards and back, and what measures time does not', async () => {
  const clocks = async () => {
    const { env } = field.member('gate-01')
    const asked = run('python3', ['-c', 'import time; print(time.time(), time.monotonic())'], {
      env: { ...process.env, ...env },
    })
    const { stdout: out } = await asked
    sweepAfter(asked.child.pid as number)
    const [wall = 0, monotonic = 0] = out.split(' ').map(Number)
    return {
      wall: wall * 1000 - Date.now(),
      monotonic: monotonic * 1000 - Number(process.hrtime.bigint() / 1_000_000n),
    }
  }
  const own = async (gate: string) =>
    Number.parseInt((await enter(gate)).id.replace('-', '').slice(0, 12), 16) - Date.now()
  for (const byMs of [3_600_000, -86_400_000]) {
    await during({ kind: 'clock', member: 'gate-01', byMs }, async () => {
      const { wall, monotonic } = await clocks()
      assert.ok(Math.abs(wall - byMs) < 2000, `${wall}`)
      assert.ok(Math.abs(monotonic) < 2000, `${monotonic}`)
      // the process that runs, by the time in the ids that it gives
      assert.ok(Math.abs((await own('gate-01')) - byMs) < 2000)
      assert.ok(Math.abs(await own('gate-02')) < 2000)
    })
  }
  assert.ok(Math.abs((await clocks()).wall) < 2000)
  assert.ok(Math.abs(await own('gate-01')) < 2000)
})

for (const kind of ['disk-full', 'io-error'] as const) {
  claim(
    `${kind}: entries are rejected, exits answered, and all is well again afterwards, in the same process`,
    async () => {
      await eventually('it admits', 10_000, decides('gate-03', 'ADMIT'))
      const { pid } = field.member('gate-03')
      await during({ kind, member: 'gate-03' }, async () => {
        await eventually('it notices', 10_000, decides('gate-03', 'REJECT_FAULT'))
        for (let i = 0; i < 3; i++) assert.equal((await leave('gate-03')).status, 200)
        await eventually('others admit', 5000, decides('gate-02', 'ADMIT'))
      })
      await eventually('it admits again', 15_000, decides('gate-03', 'ADMIT'))
      assert.equal(field.member('gate-03').pid, pid)
    },
  )
}

claim('operators change the capacity, raise a mode and clear it, and what they cannot do is said', async () => {
  const everywhere = async (holds: (status: { mode: string; occupancy: { capacity: number } }) => boolean) =>
    (await Promise.all(field.members.slice(1).map(status))).every(holds)
  await during({ kind: 'capacity', to: 12 }, async () => {
    await eventually('12 everywhere', 5000, () => everywhere(({ occupancy }) => occupancy.capacity === 12))
  })
  await eventually('30 again', 5000, () => everywhere(({ occupancy }) => occupancy.capacity === 30))
  await during({ kind: 'mode', mode: 'EVACUATE', at: 'gate-02' }, async () => {
    await eventually('everywhere', 5000, () => everywhere(({ mode }) => mode === 'EVACUATE'))
    assert.equal((await enter('gate-01')).decision, 'REJECT_EMERGENCY')
  })
  assert.ok(await everywhere(({ mode }) => mode === 'NORMAL'))
  await during({ kind: 'anchor-gone' }, async () => {
    assert.equal(field.member('anchor').isRunning, false)
    await during({ kind: 'capacity', to: 12 }, async () => undefined)
    assert.match(said.join('\n'), /a capacity of 12 waits: the anchor is down/)
  })
})

claim('who is stopped is silent until it goes on, and who is killed comes back as another process', async () => {
  const { pid } = field.member('gate-01')
  await during({ kind: 'stop', member: 'gate-01' }, async () => {
    assert.match(readFileSync(`/proc/${pid}/stat`, 'utf8'), /\) T /)
    assert.equal(await answers('gate-01'), false)
  })
  assert.ok(await answers('gate-01'))
  await during({ kind: 'kill', member: 'gate-01' }, async () => {
    assert.equal(existsSync(`/proc/${pid}`), false)
    // who is killed for two reasons runs once both are over
    await during({ kind: 'kill', member: 'gate-01' }, async () => undefined)
    assert.equal(field.member('gate-01').isRunning, false)
  })
  const seen = new Set([pid])
  await during({ kind: 'restart-storm', members: ['gate-01', 'gate-02'], everyMs: 200 }, async () => {
    for (let i = 0; i < 20; i++, await sleep(50)) seen.add(field.member('gate-01').pid)
  })
  assert.ok(seen.size >= 4, `${seen.size} processes`)
  assert.deepEqual(field.deaths, [])
})

claim(
  'everything at once ends, in any order, in a mall that is whole: also a wipe, and power that fails meanwhile',
  async () => {
    await field.heal()
    const { account } = await status('gate-02')
    const ends = [
      await field.begin({ kind: 'halves', left: ['anchor', 'gate-01'] }),
      await field.begin({ kind: 'disk-full', member: 'gate-01' }),
      await field.begin({ kind: 'wipe', member: 'gate-02' }),
      await field.begin({ kind: 'clock', member: 'gate-03', byMs: -60_000 }),
    ]
    assert.deepEqual(
      field.lost.map(({ member, store }) => [member, existsSync(store)]),
      [['gate-02', true]],
    )
    assert.equal(existsSync(field.storeOf('gate-02')), false)
    const file = (name: string) => join(field.folderOf('gate-03'), name)
    const synced = await open(file('synced'), 'w')
    await synced.write('x')
    await synced.sync()
    await synced.close()
    writeFileSync(file('unsynced'), 'x'.repeat(5000))
    ends.push(await field.begin({ kind: 'power' }))
    assert.equal(readFileSync(file('synced'), 'utf8'), 'x')
    assert.ok(!existsSync(file('unsynced')) || readFileSync(file('unsynced'), 'utf8') === '')
    for (const name of field.members) assert.equal(field.member(name).isRunning, false)
    assert.throws(() => writeFileSync(join(field.folderOf('gate-01'), 'more'), 'x'.repeat(100_000)), { code: 'ENOSPC' })
    for (const end of ends.toReversed().slice(0, 3)) await end()
    await field.heal()
    assert.equal((await status('gate-02')).account, account.replace('/1', '/2'))
    await eventually('the wiped one admits', 10_000, decides('gate-02', 'ADMIT'))
    assert.deepEqual(field.deaths, [])
  },
)

claim('a member that ends by itself is a finding, and is started again', async () => {
  const { pid } = field.member('gate-01')
  process.kill(pid, 'SIGKILL')
  await eventually('it is back', 10_000, async () => field.member('gate-01').pid !== pid)
  assert.deepEqual(
    field.deaths.map(({ member, how }) => [member, how]),
    [['gate-01', 'was ended by SIGKILL']],
  )
})

/** Hosts, networks and mounts of this process and folder. */
async function leftOf(pid: number, dir: string): Promise<string[]> {
  const [hosts, links] = await Promise.all([run('ip', ['netns']), run('ip', ['-o', 'link'])])
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter(line => line.includes(dir))
  return [...`${hosts.stdout}${links.stdout}`.split('\n').filter(line => line.includes(`gm${pid}x`)), ...mounts]
}

claim('nothing is left of a field that was closed, nor of one whose process was told to end', async () => {
  assert.ok((await leftOf(process.pid, field.dir)).length > 8)
  await field.stop()
  await field.close()
  await field.close()
  assert.deepEqual(await leftOf(process.pid, field.dir), [])
  assert.equal(existsSync(field.dir), false)
  const dir = mkdtempSync(join(tmpdir(), 'field-'))
  const script = `
    const { openField } = await import(${JSON.stringify(join(import.meta.dirname, 'field/field.ts'))})
    const field = await openField({ gates: 1, capacity: 5, legalMax: 5, seed: 1, build: '.', dir: ${JSON.stringify(dir)} })
    console.log('built')
    setTimeout(() => undefined, 60_000)`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise(resolve => other.on('close', resolve))
  await new Promise(resolve => other.stdout.once('data', resolve))
  assert.ok((await leftOf(other.pid as number, dir)).length > 4)
  other.kill('SIGTERM')
  assert.equal(await ended, 143)
  assert.deepEqual(await leftOf(other.pid as number, dir), [])
})

test.run()
