// quiet

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeReport } from '../../tools/audit/report/make-report.ts'
import type { Report } from '../../tools/audit/report/report.ts'
import { sheet } from '../../tools/audit/report/sheet.ts'
import { signerOf } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { PaperDay } from './paper-day.ts'
import { day, EVENTFUL, HOUR, ReportRig, twoDays, ZONE } from './report-rig.ts'

const test = suite('audit/report-command')

const rig = new ReportRig()
const mall = twoDays()
let whole = ''

test.before(async () => {
  whole = await rig.bundle(mall)
})

test.after(() => rig.end())

test('what somebody wrote is text, whatever it looks like', async () => {
  const evil = `</style></title><script>alert(1)</script><img src=x onerror="alert('2')">&amp; \u202egnp.exe`
  const day1 = new PaperDay({ capacity: 20, legalMax: 20, opens: EVENTFUL })
  const { mall: paper } = day1
  day1.day({ opens: EVENTFUL, visitors: 30, hours: 3 })
  const at = EVENTFUL + HOUR
  paper.write('east/1', { type: 'mode', epoch: 0, mode: 'EVACUATE', by: evil, reason: evil, at })
  paper.write('east/1', { type: 'fault', code: evil, detail: evil, count: 1, at })
  paper.write('east/1', { type: 'reject', code: 'REJECT_FAULT', reason: evil, confidence: 1, at })
  paper.row('east/1')
  paper.policy({ capacities: [{ from: 0, capacity: 19 }], reason: evil })
  paper.write('anchor/1', { type: 'policy', version: 2, hash: paper.policies[1]?.hash ?? '', at: EVENTFUL + 4 * HOUR })
  const budget = { correction: 0, reclaimed: 0, carried: 0, policy: 2, at: EVENTFUL + 4 * HOUR }
  paper.write('anchor/1', { type: 'budget', capacity: 18, ...budget })
  paper.row('anchor/1')
  const report = await rig.report(await rig.bundle(paper), day('2026-11-16'), paper)
  const page = sheet(report)
  assert.deepEqual(report.verdict.findings, [])
  assert.ok(!/<script|<img|<[^>]*\son\w+=|\u202e/i.test(page))
  assert.equal(page.split('</style>').length, 2)
  assert.ok(page.split('&lt;script&gt;alert(1)&lt;/script&gt;').length > 4)
  assert.ok(page.includes('&amp;amp; \ufffdgnp.exe'))
  assert.ok(!/(src|href|url)\s*[=(]\s*["']?(?!#unknown)/i.test(page.replaceAll('&lt;img src=x', '')))
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function gatemesh(...args: string[]): Promise<Ran> {
  const cwd = await rig.dir
  const bin = join(import.meta.dirname, '../../tools/gatemesh.mjs')
  return new Promise(done => {
    execFile(process.execPath, [bin, 'audit', 'report', ...args], { cwd }, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

test('the command writes page and table, prints figures, and says by its code whether all was well', async () => {
  const dir = await rig.dir
  const key = join(dir, 'owner.vkey')
  await writeFile(key, `${mall.owner.verifier}\n`)
  const common = ['--charter-key', key, '--time-zone', ZONE]
  const fine = await gatemesh(
    whole,
    '--day',
    '2026-11-16',
    ...common,
    '--csv',
    'day.csv',
    '--json',
    '--out',
    'day.html',
  )
  assert.equal(fine.code, 0, fine.err)
  const told = JSON.parse(fine.out) as Report & { occupancy: { peak: { occupancy: number } } }
  const page = await readFile(join(dir, 'day.html'), 'utf8')
  assert.ok(page.includes(`<strong>${told.occupancy.peak.occupancy}</strong>`))
  assert.ok(page.includes(told.evidence.seal ?? 'none'))
  assert.ok(page.includes(mall.owner.verifier.fingerprint))
  assert.ok(page.includes(mall.headOf('anchor/1')[2]))
  assert.equal((await readFile(join(dir, 'day.csv'), 'utf8')).split('\r\n').length, 1 + 1440 + 1)

  const ledger = join(whole, 'data/ledgers/east/1.jsonl')
  const lines = await readFile(ledger, 'utf8')
  await writeFile(ledger, lines.replace('"credited":true', '"credited":false'))
  const mangled = await gatemesh(whole, '--day', '2026-11-16', ...common)
  await writeFile(ledger, lines)
  assert.equal(mangled.code, 1)
  assert.match(mangled.out, /NOT VERIFIED/)
  const warned = await readFile(join(dir, 'paper-2026-11-16.html'), 'utf8')
  assert.match(warned, /This evidence did not pass verification/)
  assert.match(warned, /east\/1, entry \d+/)

  const empty = await gatemesh(whole, '--day', '2025-01-01', ...common, '--json')
  assert.equal(empty.code, 1)
  const wrong = await gatemesh(whole, '--day', '2026-11-16', '--month', '2026-11', ...common)
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /takes one of --day/)
})

test('with the key of somebody else nothing is proved, and the page says so', async () => {
  const period = day('2026-11-16')
  const report = await makeReport(whole, signerOf('alma').verifier, { period, madeAt: EVENTFUL, threads: 0 })
  assert.equal(report.verdict.ok, false)
  const page = sheet(report)
  assert.match(page, /This evidence did not pass verification/)
  assert.match(page, /the charter does not open with the key given|paper/)
})

test.run()
