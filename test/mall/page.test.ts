// alone
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'
import { inFolder, RunningMall } from './running.ts'

const test = suite('mall/page')
const missing = await needs('/usr/bin/chromium', 'chromium')
/** Nothing but the page itself: no updates, no accounts, no tracking. */
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']

interface Seen {
  readonly inside: string
  readonly limit: string
  readonly mode: string
  readonly gates: number
}

/** What a person sees there, as soon as there is anything to see. */
async function seen(browser: Browser, url: string): Promise<Seen> {
  const page = await browser.newPage()
  const broken: string[] = []
  page.on('pageerror', error => broken.push(String(error)))
  page.on('console', said => {
    if (said.type() === 'error') broken.push(said.text())
  })
  try {
    await page.goto(url)
    await page.waitForFunction("document.querySelectorAll('.gate').length > 0")
    assert.deepEqual(broken, [])
    const text = async (id: string) => (await page.textContent(`#${id}`)) ?? ''
    const gates = await page.locator('.gate').count()
    return { inside: await text('count'), limit: await text('capacity'), mode: await text('mode'), gates }
  } finally {
    await page.close()
  }
}

const CLAIM = 'a browser shows the whole mall at the anchor, and at any gate when the anchor is dead'

if (missing !== undefined) test.skip(CLAIM, missing)
else
  test(CLAIM, () =>
    inFolder(async folder => {
      const mall = await RunningMall.start(join(folder, 'm'), '--gates', '2', '--capacity', '40', '--no-restart')
      for (let k = 0; k < 3; k++) assert.equal((await mall.enter('gate-01')).json.decision, 'ADMIT')
      await mall.heard('gate-02', 3)
      const expected = { inside: '3', limit: '40', mode: 'NORMAL', gates: 2 }
      const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: QUIET })
      try {
        assert.deepEqual(await seen(browser, mall.url('anchor')), expected)
        await mall.killMember('anchor')
        assert.deepEqual(await seen(browser, mall.url('gate-02')), expected)
      } finally {
        await browser.close()
      }
    }),
  )

test.run()
