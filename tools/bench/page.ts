// Bench of a wall screen: the dashboard of a mall of thirty gates, a process each, with a hundred people a second coming and
// going, watched by a real Chromium for ten minutes. Does its memory grow, and does it still move?
//
// Frames are counted by the page itself: how long from one to the next, and how many took longer than people overlook.
// Everything shares this machine: what the mall takes from the processor, the browser has not.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { closeBrowser, launched, noBrowser } from '../../test/browser.ts'
import { RunningMall } from '../../test/mall/running.ts'
import type { Bench } from '../bench.ts'

const GATES = 30
const PER_SECOND = 100
const MINUTES = 10
const BEAT_MS = 100
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
  const [gates, minutes] = quick ? [10, 1] : [GATES, MINUTES]
  const dir = await mkdtemp(join(tmpdir(), 'page-'))
  const mall = new RunningMall(join(dir, 'm'), ['--crowd', 'off', '--gates', `${gates}`, '--capacity', '3000'])
  try {
    await mall.says(/^mall ready: /m, 240_000)
    const context = await (await launched()).newContext({ viewport: { width: 1920, height: 1080 } })
    const page = await context.newPage()
    await page.goto(mall.url('anchor'))
    await page.locator(`[data-part="gates"] > [data-key="gate-${gates}"]`).waitFor()
    const debug = await context.newCDPSession(page)
    await debug.send('Performance.enable')
    await page.evaluate(WATCH)
    const street = new Passers(mall, gates)
    const rows: Record<string, string | number>[] = []
    for (let minute = 0; minute <= minutes; minute++) {
      // the first row is of a page that has just settled
      const events = await street.walk(minute === 0 ? 20_000 : 60_000)
      rows.push({ minute, ...(await measured(page, debug)), ...events })
      if (!json) console.log(`minute ${minute} of ${minutes}: ${JSON.stringify(rows.at(-1))}`)
    }
    return { name: 'page', title: `The dashboard of ${gates} gates, about ${PER_SECOND} people a second`, rows }
  } finally {
    await closeBrowser()
    await mall.kill()
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

/** People who come and go in equal numbers, at all gates in turn. */
class Passers {
  readonly #mall: RunningMall
  readonly #gates: number
  #turn = 0

  constructor(mall: RunningMall, gates: number) {
    this.#mall = mall
    this.#gates = gates
  }

  async walk(ms: number): Promise<Record<string, string | number>> {
    const under = new Set<Promise<void>>()
    const since = performance.now()
    let counted = 0
    let due = 0
    while (performance.now() - since < ms) {
      due = ((performance.now() - since) * PER_SECOND) / 1000
      while (counted + under.size < due && under.size < 200) {
        const one: Promise<void> = this.#pass().finally(() => {
          under.delete(one)
          counted++
        })
        under.add(one)
      }
      await sleep(BEAT_MS)
    }
    await Promise.all(under)
    return { 'people a second': Math.round((counted * 1000) / (performance.now() - since)) }
  }

  async #pass(): Promise<void> {
    const turn = this.#turn++
    const name = `gate-${String((turn % this.#gates) + 1).padStart(2, '0')}`
    // a busy gate may be late; then somebody is not counted here
    const isIn = Math.floor(turn / this.#gates) % 2 === 0
    await (isIn ? this.#mall.enter(name) : this.#mall.leave(name)).catch(() => undefined)
  }
}
