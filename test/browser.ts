// Browser: a real Chromium for tests of pages. What a page logs as an error fails the test that opened it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { needs } from './debian.ts'

/** Why there is no browser here; undefined where there is one. */
export const noBrowser = await needs('/usr/bin/chromium', 'chromium')

/** Nothing but the page itself: no updates, no accounts, no tracking. */
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Promise<Browser> | undefined

export function launched(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: '/usr/bin/chromium', args: QUIET })
  return browser
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

export interface Visit {
  /** a page of its own person: cookies and keys are not shared with others */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
}

/** Closes what was opened, and fails where a page complained. Refusals (4xx) that a page shows to people are none. */
export async function visiting(act: (visit: Visit) => Promise<void>): Promise<void> {
  const complaints: string[] = []
  const contexts: { close(): Promise<void> }[] = []
  const open = async (url: string, options: BrowserContextOptions = {}) => {
    const context = await (await launched()).newContext(options)
    contexts.push(context)
    const page = await context.newPage()
    page.on('pageerror', error => complaints.push(String(error)))
    page.on('console', said => {
      if (said.type() === 'error' && !/status of 4|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(said.text()))
        complaints.push(said.text())
    })
    await page.goto(url)
    return page
  }
  try {
    await act({ open })
    assert.deepEqual(complaints, [], 'what the pages complained of')
  } finally {
    for (const context of contexts) await context.close()
  }
}

/** No finding that axe calls serious or critical. Run it once the page shows what it has to show. */
export async function accessible(page: Page): Promise<void> {
  // as a debugger: the page's own policy lets nothing foreign in
  await page.evaluate(AXE)
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  const serious = found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    )
  assert.deepEqual(serious, [])
}
