// quiet: waits
// A mall of real processes: one gate is killed, another loses its disk. Whoever is asked shows what it has, and that is whole.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { About } from '../../ledger/audit/about.ts'
import { VerifierKey } from '../../ledger/key.ts'
import * as command from '../../tools/audit/commands/export.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { BIN, inFolder, Running as Member, opened, type Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { agreed } from './agreed.ts'
import { bareMark } from './bare-mark.ts'
import { second } from './second.ts'

const test = suite('audit/export')

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(...args: readonly string[]): Promise<Outcome> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [BIN, 'audit', 'export', ...args])
    let [out, err] = ['', '']
    child.stdout.on('data', text => {
      out += text
    })
    child.stderr.on('data', text => {
      err += text
    })
    child.on('close', code => resolve({ code, out, err }))
  })
}

interface Shown {
  readonly about: About
  readonly custody: readonly Record<string, unknown>[]
  /** as `account from to` */
  readonly ledgers: readonly string[]
  readonly findings: readonly string[]
  readonly lost: readonly string[]
  readonly entries: number
}

async function look(dir: string, out: string): Promise<Shown> {
  const vkey = readFileSync(join(dir, 'owner.vkey'), 'utf8').trim()
  const verified = await verifyBundle(out, VerifierKey.parse(vkey))
  assert.deepEqual(agreed(await second(out, vkey)), agreed(verified))
  const { findings, lost, proved } = verified
  const about = JSON.parse(readFileSync(join(out, 'data/bundle.json'), 'utf8')) as About
  const custody = readFileSync(join(out, 'data/custody.jsonl'), 'utf8').trim().split('\n')
  return {
    about,
    custody: custody.map(line => JSON.parse(line)),
    ledgers: about.ledgers.map(({ account, from, to }) => `${account} ${from} ${to}`),
    findings: findings.map(({ kind, account, what }) => `${kind} ${account} ${what}`),
    lost: lost.map(({ account }) => account),
    entries: proved.entries,
  }
}

async function exported(dir: string, name: string, ...args: readonly string[]): Promise<Shown & Outcome> {
  const out = join(dir, name)
  const outcome = await run(out, ...args)
  assert.equal(outcome.code, 0, outcome.err)
  return { ...outcome, ...(await look(dir, out)) }
}

const urlOf = async (member: Running) => String((await member.heard('listening')).http)

/** What it has written is where the anchor keeps it. */
async function collected(anchor: Running, account: string, size: number): Promise<void> {
  const until = performance.now() + 20_000
  for (;;) {
    const { json } = await anchor.ask('GET', '/api/v1/malls/m/evidence/inventory')
    const held = JSON.parse(typeof json === 'string' ? json : JSON.stringify(json)).ledgers as {
      account: string
      size: number
    }[]
    if (held.some(one => one.account === account && one.size >= size)) return
    assert.ok(performance.now() < until, `${account} was not collected up to ${size}: ${JSON.stringify(held)}`)
    await sleep(50)
  }
}

test('an anchor, a gate, a disk and a folder of disks each show what they have, and what is lacking is said', async () => {
  await inFolder(async dir => {
    const members = await opened(dir, ['east', 'north', 'west'], 60, 'in reach')
    const of = (name: string) => members.get(name) as Running
    for (const name of ['east', 'north', 'west']) await of(name).admit(3)
    for (let i = 0; i < 2; i++) await of('west').leave()
    const anchor = await urlOf(of('anchor'))

    const whole = await exported(dir, 'whole', '--anchor', anchor, '--by', 'Ann', '--json')
    assert.deepEqual(whole.findings, [])
    assert.deepEqual(
      whole.about.ledgers.map(one => one.account),
      ['anchor/1', 'east/1', 'north/1', 'west/1'],
    )
    const { seal, entries } = JSON.parse(whole.out) as { seal: string; entries: number }
    assert.match(seal, /^[0-9a-f]{64}$/)
    assert.equal(entries, whole.entries)
    const [act, source] = whole.custody
    assert.equal(act?.by, 'Ann')
    assert.deepEqual([source?.kind, source?.url, source?.name], ['anchor', anchor, 'anchor'])
    assert.ok(!JSON.stringify(whole.custody).includes(dir), 'no path of a machine')

    const again = await run(join(dir, 'whole'), '--anchor', anchor)
    assert.deepEqual([again.code, /is there already/.test(again.err)], [3, true])

    const one = await exported(dir, 'one', '--anchor', anchor, '--gate', 'west')
    assert.deepEqual(one.findings, [])
    assert.deepEqual(one.about.gates, ['west'])
    assert.deepEqual(
      one.about.ledgers.map(({ account }) => account),
      ['anchor/1', 'west/1'],
    )
    assert.ok(readdirSync(join(dir, 'one/data/rows/east')).length > 0, 'rows of everyone')

    const live = await exported(dir, 'live', '--gate', await urlOf(of('west')))
    assert.deepEqual(live.findings, [])
    assert.deepEqual([live.about.source, live.about.gates], ['gate', ['west']])
    assert.ok(live.about.ledgers.some(({ account }) => account === 'west/1'))

    // west: comes back with nothing
    await collected(of('anchor'), 'west/1', (await of('west').until('it is there', () => true)).ledger.size)
    await of('west').signal('SIGKILL')
    for (const name of readdirSync(dir))
      if (/^west(\.(copies|board|trend).*)?$/.test(name)) rmSync(join(dir, name), { recursive: true })
    const reborn = new Member(dir, 'west')
    members.set('west', reborn)
    const { account } = await reborn.until('it has an account again', status => status.account === 'west/2')
    assert.equal(account, 'west/2')
    await collected(of('anchor'), 'west/2', 1)

    // east: no goodbye, and somebody who came long after the others
    await of('east').admit(1)
    const { ledger } = await of('east').until('it is quiet', status => status.ledger.size > 3)
    const running = await run(join(dir, 'running'), '--disk', join(dir, 'east.json'))
    assert.deepEqual([running.code, /a gate runs on it/.test(running.err)], [3, true])
    await collected(of('anchor'), 'east/1', ledger.size)
    await of('east').signal('SIGKILL')
    const before = digestOf(join(dir, 'east'))
    const disk = await exported(dir, 'disk', '--disk', join(dir, 'east'))
    assert.deepEqual(disk.findings, [])
    assert.deepEqual([disk.about.source, disk.about.gates], ['disk', ['east']])
    assert.equal(digestOf(join(dir, 'east')), before, 'nothing on the disk was written to')

    const after = await exported(dir, 'after', '--anchor', anchor)
    assert.deepEqual([after.findings, after.lost], [[], []])
    const accounts = ['anchor/1', 'east/1', 'north/1', 'west/1', 'west/2']
    assert.deepEqual(
      after.about.ledgers.map(one => one.account),
      accounts,
    )

    for (const name of ['west', 'north', 'anchor']) await of(name).signal('SIGTERM')
    const gone = await run(join(dir, 'gone'), '--anchor', anchor)
    assert.deepEqual([gone.code, /no answer from/.test(gone.err)], [3, true])
    const all = await exported(dir, 'all', '--dir', dir)
    assert.deepEqual(all.findings, [], 'what a disk lost, the anchor had collected')
    assert.deepEqual([all.about.gates, all.about.ledgers.map(one => one.account)], [null, accounts])

    damage(join(dir, 'east/1'))
    await bareMark(join(dir, 'east'))
    const hurt = await exported(dir, 'hurt', '--disk', join(dir, 'east.json'))
    assert.match(hurt.err, /DAMAGED: east\/1|MISSING: east\/1/)
    assert.ok(hurt.custody.some(({ what, account: whose }) => what === 'missing' && whose === 'east/1'))
    const mended = await exported(dir, 'mended', '--disk', join(dir, 'east.json'), '--disk', join(dir, 'anchor.json'))
    assert.deepEqual(
      mended.findings.filter(finding => finding.includes('east/1')),
      [],
      'the anchor has the rest',
    )
    assert.ok(!JSON.stringify(hurt.custody).includes('/tmp'), 'no path of a machine')
  })
})

test('what is asked for wrongly is told what was expected', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'odd.json'), 'odd')
    const out = join(dir, 'o')
    const wrong: readonly (readonly [RegExp, ...string[]])[] = [
      [/takes one folder/],
      [/exactly one of/, out],
      [/exactly one of/, out, '--gate', 'west'],
      [/exactly one of/, out, '--gate', 'http://127.0.0.1:1', '--dir', dir],
      [/an address or a gate's name/, out, '--dir', dir, '--gate', 'West!'],
      [/--to is not after --from/, out, '--dir', dir, '--from', '2026-02-02', '--to', '2026-02-01'],
      [/--from takes a day/, out, '--dir', dir, '--from', 'yesterday'],
      [/is not this machine: it takes https/, out, '--anchor', 'http://anchor.example'],
      [/there is no such folder/, out, '--dir', join(dir, 'none')],
      [/no mall is in it/, out, '--dir', dir],
      [/there is nothing there/, out, '--disk', join(dir, 'none')],
      [/neither a data folder nor a config/, out, '--disk', join(dir, 'odd.json')],
      [/--charter goes with --disk/, out, '--dir', dir, '--charter', join(dir, 'odd.json')],
      [/is there already/, dir, '--dir', dir],
      [/no answer from/, out, '--gate', 'http://127.0.0.1:1'],
    ]
    for (const [expected, ...args] of wrong) await assert.rejects(command.run([...args]), { message: expected })
    assert.deepEqual(readdirSync(dir), ['odd.json'])
  })
})

/** Cuts its newest log off in the midst of the last admission, as a disk that gives up would. */
function damage(epoch: string): void {
  const [log] = readdirSync(epoch)
    .filter(name => name.endsWith('.log'))
    .sort()
    .reverse()
  const path = join(epoch, log as string)
  const at = readFileSync(path).lastIndexOf('"type":"admit"')
  assert.ok(at > 0, 'the log has an admission')
  truncateSync(path, at)
}

function digestOf(dir: string): string {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(one => one.isFile())
  return names.map(one => `${one.name} ${readFileSync(join(one.parentPath, one.name)).toString('base64')}`).join('\n')
}

test.run()
