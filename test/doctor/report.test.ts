import assert from 'node:assert/strict'
import { reportJson } from '../../tools/audit/report/report.ts'
import { sheet } from '../../tools/audit/report/sheet.ts'
import { PaperDay } from '../audit/paper-day.ts'
import { day, EVENTFUL, HOUR, ReportRig } from '../audit/report-rig.ts'
import { suite } from '../suite.ts'

const test = suite('doctor/report')
const rig = new ReportRig()
test.after(() => rig.end())

const PERIOD = day('2026-11-16')
const check = { type: 'check', what: 'walk', lane: 'north', by: 'ann <b>' } as const

test('a report shows the last check of every lane before its end, and names gates that never had one', async () => {
  const made = new PaperDay({ capacity: 50, legalMax: 50, opens: EVENTFUL })
  const { mall } = made
  const at = (hours: number) => ({ at: EVENTFUL + hours * HOUR })
  const well = { truthIn: 10, truthOut: 10, seenIn: 10, seenOut: 10, ok: true }
  mall.write('east/1', { ...check, ...well, ...at(-100) })
  made.day({ opens: EVENTFUL, visitors: 40, hours: 1 })
  mall.write('east/1', { ...check, ...well, seenIn: 9, ok: false, ...at(2) })
  mall.write('east/1', { ...check, ...well, lane: 'south', what: 'count', truthIn: 0, seenIn: 0, ...at(3) })
  mall.write('west/1', { ...check, ...well, ...at(-200) })
  mall.write('east/1', { ...check, ...well, ...at(48) })
  mall.row('east/1')
  mall.row('west/1')
  const report = await rig.report(await rig.bundle(mall), PERIOD, mall)
  assert.deepEqual(report.verdict.findings, [])
  assert.deepEqual(
    report.checks.map(({ gate, lane, what, ok, accuracy }) => [gate, lane, what, ok, accuracy.missing]),
    [
      ['east', 'north', 'walk', false, 1],
      ['east', 'south', 'count', true, 0],
      ['west', 'north', 'walk', true, 0],
    ],
  )
  const page = sheet(report)
  assert.match(page, /Accuracy checks/)
  assert.match(page, /9 of 10 \(−100 ‰, unsafe\)/)
  assert.match(page, /<span class="bad">failed<\/span>/)
  assert.match(page, /ann &lt;b&gt;/)
  const never = report.rostered.filter(gate => gate !== 'east' && gate !== 'west')
  assert.ok(never.length > 0)
  assert.ok(page.includes(`Never checked, as far as this evidence shows: ${never.join(', ')}.`))
  assert.ok(JSON.stringify(reportJson(report)).includes('"checks":[{"gate":"east"'))
})

test.run()
