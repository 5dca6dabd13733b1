// Bench of first sight: each page in a real Chromium over loopback, from an empty cache: when something is first painted,
// and what all of it weighs.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { closeBrowser, launched, noBrowser } from '../../test/browser.ts'
import { RunningMall } from '../../test/mall/running.ts'
import type { Bench } from '../bench.ts'

const TIMES = 7
const SETTLE_MS = 1500

export const bench: Bench = async ({ quick = false }) => {
  if (noBrowser !== undefined) throw new Error(noBrowser)
  const dir = await mkdtemp(join(tmpdir(), 'paint-'))
  try {
    const mall = await RunningMall.start(join(dir, 'm'), '--gates', '6')
    const browser = await launched()
    const { url } = mall.place
    const gate = mall.url('gate-01')
    const pages: readonly (readonly [string, string])[] = [
      ['dashboard', `${mall.url('anchor')}/`],
      ['dashboard with demo panel', `${url}/`],
      ['any gate', `${gate}/`],
      ['clicker', `${gate}/clicker`],
      ['door display', `${mall.url('anchor')}/display/mall/gate-01`],
      ['audit search', `${mall.url('anchor')}/pages/audit.html`],
    ]
    const rows: Record<string, string | number>[] = []
    for (const [page, at] of pages) rows.push({ page, ...(await seen(browser, at, quick ? 2 : TIMES)) })
    await mall.kill()
    return { name: 'paint', title: `First paint and weight, the median of ${quick ? 2 : TIMES} visits`, rows }
  } finally {
    await closeBrowser()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function seen(browser: Browser, at: string, times: number): Promise<Record<string, string | number>> {
  const paints: number[] = []
  let files = 0
  let bytes = 0
  let sent = 0
  for (let i = 0; i < times; i++) {
    const context = await browser.newContext({ viewport: { width: 1920, height: 1080 } })
    const page = await context.newPage()
    const sizes: Promise<number>[] = []
    const packed: Promise<number>[] = []
    page.on('response', response => {
      if (/event-stream|json/.test(response.headers()['content-type'] ?? '')) return
      sizes.push(response.body().then(body => body.length))
      packed.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      )
    })
    await page.goto(at, { waitUntil: 'load' })
    // what comes after the page is there, as modules that others load, is weighed too
    await page.waitForTimeout(SETTLE_MS)
    const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    if (typeof paint !== 'number') throw new Error(`${at}: nothing was painted in ${SETTLE_MS} ms`)
    paints.push(paint)
    files = sizes.length
    bytes = sum(await Promise.all(sizes))
    sent = sum(await Promise.all(packed))
    await context.close()
  }
  paints.sort((a, b) => a - b)
  return {
    'first paint, ms': Math.round(paints[Math.floor(paints.length / 2)] as number),
    'worst, ms': Math.round(paints.at(-1) as number),
    files,
    'weight, kB': (bytes / 1000).toFixed(1),
    'as sent, kB': (sent / 1000).toFixed(1),
  }
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}
