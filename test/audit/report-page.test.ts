// quiet: waits

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeBundle } from '../../tools/audit/bundle-writer.ts'
import { makeReport } from '../../tools/audit/report/make-report.ts'
import { dayPeriod, monthPeriod, type Period } from '../../tools/audit/report/period.ts'
import { sheet } from '../../tools/audit/report/sheet.ts'
import { accessible, closeBrowser, noBrowser, visiting } from '../browser.ts'
import { suite } from '../suite.ts'
import { contentOf } from './evidence-mall.ts'
import { PaperDay } from './paper-day.ts'

const test = suite('audit/report-page')

const OPENS = Date.UTC(2026, 10, 16, 8)
const ZONE = 'Europe/Vienna'

let dir = ''

test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'report-page-'))
})

test.after(async () => {
  await closeBrowser()
  await rm(dir, { recursive: true, force: true })
})

async function page(period: Period, isBroken = false): Promise<string> {
  const day = new PaperDay({ capacity: 60, legalMax: 80, opens: OPENS })
  day.day({ opens: OPENS, visitors: 500, isEventful: true })
  const { mall } = day
  if (isBroken) mall.rows.pop()
  const path = join(dir, `bundle-${period.name}-${isBroken}`)
  await writeBundle(path, contentOf({ mall, charters: [mall.charterNote], morning: 0, evening: 0 }))
  const report = await makeReport(path, mall.owner.verifier, { period, madeAt: OPENS, threads: 0 })
  assert.equal(report.verdict.ok, !isBroken)
  const file = `${path}.html`
  await writeFile(file, sheet(report))
  return pathToFileURL(file).href
}

if (noBrowser !== undefined) test.skip('the page can be read by everyone, and printed', noBrowser)
else {
  test('the page can be read by everyone, and printed', async () => {
    const pages = [
      await page(dayPeriod('2026-11-16', ZONE)),
      await page(monthPeriod('2026-11', ZONE)),
      await page(dayPeriod('2026-11-16', ZONE), true),
    ]
    await visiting(async ({ open }) => {
      for (const url of pages) {
        const shown = await open(url, { viewport: { width: 800, height: 1100 } })
        const asked: string[] = []
        shown.on('request', request => asked.push(request.url()))
        await accessible(shown)
        assert.equal(await shown.locator('svg[role=img]').count(), 1)
        const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
        assert.equal(await shown.evaluate(isTooWide), false, 'nothing sticks out of the page')
        const pdf = (await shown.pdf({ preferCSSPageSize: true })).toString('latin1')
        assert.match(pdf, /^%PDF-/)
        const sheets = pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0
        assert.ok(sheets >= 3 && sheets <= 12, `${sheets} pages`)
        // A4 in points
        assert.match(pdf, /\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/)
        assert.deepEqual(asked, [], 'the page asks nobody for anything')
      }
    })
  })
}

test.run()
