// Bench of a wall screen: the dashboard of a mall of thirty gates with a hundred people a second, watched by a real Chromium
// for ten minutes. Does its memory grow, and does it still move?
//
// What is real: the anchor's process, what it hears and tells, the page and the browser. The gates are simulated in this
// process (bench/fleet), because thirty processes and a browser do not fit on two cores; they have no board, so nothing is
// said of rates and queues. Frames are counted by the page itself: how long from one to the next.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { closeBrowser, launched, noBrowser } from '../../test/browser.ts'
import type { Bench } from '../bench.ts'
import { AnchorChild } from './fleet/anchor-child.ts'
import { Fleet } from './fleet/fleet.ts'
import { GateEnd } from './fleet/link.ts'

const GATES = 30
const CAPACITY = 3000
const PER_SECOND = 100
const MINUTES = 10
const SETTLE_MS = 30_000
/** A frame that takes longer is one that people may notice. */
const LONG_MS = 100

const WATCH = `
  window.frames = { count: 0, long: 0, longest: 0, last: performance.now(), gaps: [] }
  requestAnimationFrame(function frame(now) {
    const f = window.frames, gap = now - f.last
    f.last = now; f.count++
    if (gap > ${LONG_MS}) f.long++
    if (gap > f.longest) f.longest = gap
    f.gaps[f.count % 4000] = gap
    requestAnimationFrame(frame)
  })`
const TELL = `(() => {
  const f = window.frames, gaps = f.gaps.filter(Number.isFinite).sort((a, b) => a - b)
  const said = { count: f.count, long: f.long, longest: f.longest, p99: gaps[Math.floor(gaps.length * 0.99)] ?? 0 }
  Object.assign(f, { count: 0, long: 0, longest: 0, gaps: [] })
  return said
})()`

export const bench: Bench = async ({ json, quick = false }) => {
  if (noBrowser !== undefined) throw new Error(noBrowser)
  const minutes = quick ? 1 : MINUTES
  const dir = await mkdtemp(join(tmpdir(), 'page-'))
  const fleet = new Fleet({ malls: 1, gates: GATES, capacity: CAPACITY, peoplePerSecond: PER_SECOND })
  const ends = new GateEnd(fleet)
  const anchor = new AnchorChild({ port: await ends.listen(), dir, malls: 1, gates: GATES, capacity: CAPACITY })
  try {
    fleet.start()
    await anchor.allOpen(1)
    const context = await (await launched()).newContext({ viewport: { width: 1920, height: 1080 } })
    const page = await context.newPage()
    await page.goto((await anchor.ask()).url)
    await page
      .locator(`[data-part="gates"] > [data-key]`)
      .nth(GATES - 1)
      .waitFor()
    const debug = await context.newCDPSession(page)
    await debug.send('Performance.enable')
    await page.evaluate(WATCH)
    await sleep(SETTLE_MS)
    const rows: Record<string, string | number>[] = []
    for (let minute = 0; minute <= minutes; minute++) {
      const before = { entries: fleet.entries, at: performance.now() }
      // the first row is of a page that has just settled
      if (minute > 0) await sleep(60_000)
      const perSecond = Math.round(((fleet.entries - before.entries) * 1000) / (performance.now() - before.at))
      rows.push({
        minute,
        ...(minute === 0 ? {} : { 'entries a second': perSecond }),
        ...(await measured(page, debug)),
      })
      if (!json) console.log(`minute ${minute} of ${minutes}: ${JSON.stringify(rows.at(-1))}`)
    }
    return { name: 'page', title: `The dashboard of ${GATES} gates, ${PER_SECOND} people a second`, rows }
  } finally {
    await closeBrowser()
    fleet.stop()
    await anchor.end()
    ends.close()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function measured(page: Page, debug: CDPSession): Promise<Record<string, string | number>> {
  const frames = (await page.evaluate(TELL)) as { count: number; long: number; longest: number; p99: number }
  await debug.send('HeapProfiler.collectGarbage')
  const { metrics } = await debug.send('Performance.getMetrics')
  const metric = (name: string) => metrics.find(m => m.name === name)?.value ?? 0
  return {
    'heap, MB': (metric('JSHeapUsedSize') / 1e6).toFixed(2),
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    frames: frames.count,
    'p99 of a frame, ms': frames.p99.toFixed(1),
    [`above ${LONG_MS} ms`]: frames.long,
    'longest, ms': Math.round(frames.longest),
  }
}
