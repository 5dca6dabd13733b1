// `gatemesh audit report BUNDLE`: the day sheet, or the month's report, from evidence that is verified in the same run.

import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { Fault } from '../../../ledger/fault.ts'
import { EXIT, Usage } from '../../command.ts'
import { readOwner } from '../owner.ts'
import { ProgressBar } from '../progress-bar.ts'
import { ClockFace } from '../report/clock-face.ts'
import { makeReport } from '../report/make-report.ts'
import { dayPeriod, monthPeriod, type Period } from '../report/period.ts'
import { isSound, type Report, reportJson } from '../report/report.ts'
import { seriesRows } from '../report/series-table.ts'
import { sheet } from '../report/sheet.ts'

export const summary = 'make the day sheet or the monthly report, to be printed'

export const help = `
gatemesh audit report BUNDLE --day YYYY-MM-DD | --month YYYY-MM --charter-key VKEY [--time-zone NAME]
                      [--out FILE.html] [--csv FILE.csv] [--json]

  --day, --month       the period, by the clocks of the mall's place
  --charter-key VKEY   the key of the mall's owner, or a file that holds it; known by other means than the bundle
  --time-zone NAME     of the mall's place, as in Europe/Vienna; this machine's where it is not said
  --out FILE.html      where the page goes; MALL-PERIOD.html in this folder unless it is said. Prints to A4
  --csv FILE.csv       every minute of the day, or every day of the month, for a spreadsheet
  --json               print the figures as JSON; then the page is written only with --out

The bundle is verified first. With findings the report is made all the same, says so in large letters, and the exit code is 1;
likewise where nothing in the bundle is of the period. Needs no network.
`

export async function run(args: string[]): Promise<number> {
  const options = {
    day: { type: 'string' },
    month: { type: 'string' },
    'charter-key': { type: 'string' },
    'time-zone': { type: 'string' },
    out: { type: 'string' },
    csv: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [dir, ...more] = positionals
  if (dir === undefined || more.length > 0) throw new Usage('takes one bundle')
  const period = periodOf(values.day, values.month, values['time-zone'] ?? ownZone())
  const owner = await readOwner(values['charter-key'])
  const bar = new ProgressBar('verifying')
  const onProgress = (done: number, all: number) => bar.show(done, all)
  const report = await makeReport(dir, owner, { period, madeAt: Date.now(), onProgress })
  bar.end()
  const out = values.out ?? (values.json ? undefined : `${report.mall ?? 'unknown-mall'}-${period.name}.html`)
  if (out !== undefined) await write('--out', out, [sheet(report)])
  if (values.csv !== undefined) await write('--csv', values.csv, seriesRows(report))
  console.log(values.json ? JSON.stringify(reportJson(report), undefined, 1) : words(report, [out, values.csv]))
  return isSound(report) ? EXIT.fine : EXIT.no
}

function periodOf(day: string | undefined, month: string | undefined, zone: string): Period {
  if (day !== undefined && month === undefined) return dayPeriod(day, zone)
  if (month !== undefined && day === undefined) return monthPeriod(month, zone)
  throw new Usage('takes one of --day YYYY-MM-DD and --month YYYY-MM')
}

function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

async function write(option: string, path: string, text: Iterable<string>): Promise<void> {
  await writeFile(path, [...text].join('')).catch((cause: Error) => {
    throw new Fault('FILE', `${option}: ${path} cannot be written: ${cause.message}`, { cause })
  })
}

function words(report: Report, files: readonly (string | undefined)[]): string {
  const face = new ClockFace(report.period)
  const { peak } = report.curve
  const { findings, ok } = report.verdict
  const lines = [
    ...files.flatMap(file => (file === undefined ? [] : [`wrote ${file}`])),
    ok ? 'verified: nothing was found' : `NOT VERIFIED: ${findings.length} finding(s), the first: ${findings[0]?.what}`,
    peak
      ? `most inside: ${peak.occupancy} of ${peak.capacity} at ${face.whole(peak.at)}`
      : 'most inside: cannot be told from this bundle',
  ]
  if (report.entries === 0) lines.push(`nothing in this bundle is of ${report.period.name} (${report.period.zone})`)
  return lines.join('\n')
}
