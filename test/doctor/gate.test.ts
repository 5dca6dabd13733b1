// quiet: waits
// A real gate with a played turnstile, and the doctor as a process beside it: people walk when it says so.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PASSAGE_RULES } from '../../hardware/passage/rules.ts'
import { policyPath } from '../../tools/founding.ts'
import { memberFilePath } from '../../tools/member-file.ts'
import { BIN, change, founded, inFolder, Running } from '../process/members.ts'
import { suite } from '../suite.ts'

const test = suite('doctor/gate')
const PEOPLE = 2
const DOUBLE_MS = 2 * PASSAGE_RULES.doubleMs

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The doctor, and what is done when it says something. */
async function doctor(
  args: readonly string[],
  hear: (said: string, child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, 'doctor', ...args])
  let out = ''
  let err = ''
  let heard = ''
  child.stdout.on('data', text => {
    out += text
  })
  child.stderr.on('data', text => {
    err += text
    heard += text
    const lines = heard.split('\n')
    heard = lines.pop() as string
    for (const line of lines) hear(line, child)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}

async function withMall(act: (dir: string, east: Running, url: string) => Promise<void>): Promise<void> {
  await inFolder(async dir => {
    await founded(dir, ['east'], 20)
    const rules = { passageMs: 2000, guardMs: 300, tailgateMs: 600 }
    const turnstile = { driver: 'sim', walkMs: 150, lanes: { north: { rules } } }
    change(dir, 'east', { turnstile })
    const config = memberFilePath(dir, 'east')
    const stopped = await doctor(['--config', config])
    assert.equal(stopped.code, 0, stopped.out)
    const anchor = new Running(dir, 'anchor', ['--birth'])
    const east = new Running(dir, 'east')
    await anchor.until('it has joined', status => status.isJoined)
    assert.equal((await anchor.post('/policy', readFileSync(policyPath(dir, 1), 'utf8'))).status, 200)
    await east.until('it decides', ({ state, balance }) => state === 'NORMAL' && balance > 0)
    const { http } = await east.heard('listening')
    await act(dir, east, String(http))
    await Promise.all([east.signal('SIGTERM'), anchor.signal('SIGTERM')])
  })
}

test('a gate is looked at stopped and running, commissioned by people, counted by hand, and missed when it is gone', () =>
  withMall(async (dir, east, url) => {
    const where = ['--config', memberFilePath(dir, 'east'), '--gate', url]
    const well = await doctor([...where, '--json'])
    const { ok, findings } = JSON.parse(well.out) as { ok: boolean; findings: { about: string; what: string }[] }
    assert.deepEqual([well.code, ok], [0, true], well.out)
    const what = (about: string) => findings.find(finding => finding.about === about)?.what ?? ''
    assert.equal(what('lock'), `held by process ${east.child.pid}`)
    assert.match(what('lane north'), /entry held by a lease, 0 in, 0 out/)
    assert.match(what('policy'), /version 1 in force; without the anchor it holds for 24 h more/)

    const walk = async (way: string, count: number) => {
      for (let n = 0; n < count; n++) {
        const { status, json } = await east.ask(
          'POST',
          '/turnstile/sim',
          JSON.stringify({ do: way }),
          'application/json',
        )
        assert.equal(json.passed, true, `${status} ${JSON.stringify(json)}`)
        // whoever follows sooner is taken for the same person
        await sleep(DOUBLE_MS)
      }
    }
    const people = (said: string, child: ChildProcess) => {
      const [, count, way = ''] = /(one person|2 people) walks? (IN|OUT)/.exec(said) ?? []
      if (count === 'one person') void walk(way.toLowerCase(), 1)
      if (count === '2 people') void walk(way.toLowerCase(), PEOPLE).then(() => child.stdin?.write('\n'))
      if (/type (KEY|FIRE)/.test(said)) child.stdin?.write('\n')
    }
    const by = ['--by', 'ann', '--wait', '30', '--json']
    const tried = await doctor(['--commission', '--people', String(PEOPLE), ...by, ...where], people)
    const report = JSON.parse(tried.out)
    assert.deepEqual([tried.code, report.ok], [0, true], `${tried.out}${tried.err}`)

    const stopped = await doctor(['--commission', ...by, ...where], (said, child) => {
      if (/one person walks IN/.test(said)) child.kill('SIGINT')
    })
    assert.deepEqual([stopped.code, JSON.parse(stopped.out).stopped], [1, 'stopped by hand'])

    const counted = await doctor(['--count', ...by, ...where], (said, child) => {
      if (/from now on/.test(said)) void walk('in', 1).then(() => child.stdin?.end('i\nq\n\n'))
    })
    assert.equal(counted.code, 0, `${counted.out}${counted.err}`)

    const lines = await (await fetch(`${url}/evidence/ledger?account=east/1&from=0`)).text()
    const checks = lines.match(/"type":"check","what":"[a-z]+","lane":"north","by":"ann".*/g)
    assert.deepEqual(
      checks?.map(line => /"what":"([a-z]+)".*"truthIn":(\d+),.*"ok":(true|false)/.exec(line)?.slice(1)),
      [
        ['direction', '1', 'true'],
        ['walk', '2', 'true'],
        ['count', '1', 'true'],
      ],
    )

    await east.signal('SIGKILL')
    const gone = await doctor(where)
    assert.equal(gone.code, 1)
    assert.match(gone.out, /^WRONG +gate +no answer from/m)
  }))

test.run()
