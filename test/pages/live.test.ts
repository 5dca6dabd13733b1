// quiet
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Flow, Happening, MallReport } from '../../mesh/window/mall-report.ts'
import { accessible, closeBrowser, noBrowser, type Visit, visiting } from '../browser.ts'
import { suite } from '../suite.ts'
import { FULL_HOUSE, gateReport, inScriptedMall, mallReport, ScriptedMall } from './scripted-mall.ts'

const test = suite('pages/live')

/** A claim about what a browser shows of a scripted mall. */
function shows(
  claim: string,
  report: MallReport,
  act: (mall: ScriptedMall, open: Visit['open']) => Promise<void>,
): void {
  if (noBrowser !== undefined) test.skip(claim, noBrowser)
  else test(claim, () => inScriptedMall(report, mall => visiting(({ open }) => act(mall, open))))
}

const part = (name: string) => `[data-part="${name}"]`
const GATES = `${part('gates')} > [data-key]`

/** All that came but for the report itself, which comes as long as one looks. */
const WEIGHT = `[...performance.getEntriesByType('resource'), performance.getEntriesByType('navigation')[0]]
  .filter(({ name }) => !/\\/(events|trend)$/.test(name)).reduce((sum, entry) => sum + entry.encodedBodySize, 0)`

/** Waits until a part says so. */
async function says(page: Page, selector: string, words: RegExp): Promise<void> {
  const where = page.locator(selector).filter({ hasText: words })
  await where.first().waitFor({ state: 'attached', timeout: 10_000 })
}

/** By asking again: the page's own policy lets nothing foreign wait in it. */
async function comes(holds: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + 10_000
  while (!(await holds())) {
    assert.ok(performance.now() < until, `never: ${holds}`)
    await sleep(20)
  }
}

const numbers = (page: Page, selector: string, count: number) =>
  comes(async () => (await page.locator(selector).count()) === count)

async function listed(page: Page, selector: string): Promise<string[]> {
  return (await page.locator(selector).allTextContents()).map(text => text.trim())
}

shows(
  'numbers, plan, day, gates and decisions are there, accessible by day and by night, in under 200 kB',
  mallReport(6, {
    occupancy: { count: 240, atMost: 258, capacity: 300, ageMs: 300 },
    alerts: {
      open: [{ id: 'a', code: 'gate-silent', subject: 'gate-04', severity: 'critical', detail: 'for 3 min', at: 1 }],
      more: 2,
    },
    notes: [{ id: 'n', by: 'ann', text: '<b>Escalator 3</b> is closed', at: Date.now() }],
    feed: [
      { seq: 1, at: Date.now(), kind: 'gate', severity: 'warning', subject: 'gate-04', text: 'gate-04 is silent' },
    ],
  }),
  async (mall, open) => {
    for (const colorScheme of ['dark', 'light'] as const) {
      const page = await open(mall.url, { colorScheme })
      const day = /^Peak 310 at \d\d:\d\d; 1 minute above the limit; 30 minutes nobody watched; fire for 5 minutes;/
      await says(page, part('trend-words'), day)
      await page.locator('.trend summary').click()
      await says(page, '.trend tbody', /Fire/)
      await page.locator(`${GATES} summary`).first().click()
      await says(page, `${GATES} [data-kind="local"]`, /^6$/)
      await accessible(page)
      if (colorScheme === 'dark') continue
      const figures = await Promise.all(['count', 'capacity', 'left'].map(name => page.textContent(part(name))))
      assert.deepEqual(figures, ['240', '300', '60'])
      assert.equal(await page.textContent(part('proved')), 'proved: 240 to 258 inside')
      assert.match((await page.textContent(part('anchor'))) ?? '', /^anchor there, keeps 7 tokens, policy 2$/)
      assert.equal(await page.title(), '240 / 300 · scripted')
      assert.equal(await page.textContent(part('viewer')), 'as gate-01 sees it')
      assert.equal(await page.locator(GATES).count(), 6)
      assert.equal(await page.locator('.plan-gate').count(), 6)
      assert.equal(await page.locator('.trend canvas').count(), 2)
      assert.equal(await page.textContent(`${part('decisions')} [data-kind="stolen"]`), '5')
      assert.match((await page.textContent(part('alerts'))) ?? '', /critical.*Gate silent, gate-04.*for 3 min/)
      assert.match((await page.textContent(part('notes'))) ?? '', /^<b>Escalator 3<\/b> is closed/)
      const bytes = (await page.evaluate(WEIGHT)) as number
      assert.ok(bytes > 50_000 && bytes < 200_000, `${bytes} bytes`)
    }
  },
)

shows('how full it is, old counts and an emergency are said in words', mallReport(3), async (mall, open) => {
  const page = await open(mall.url)
  const levels: [count: number, left: number, words: RegExp][] = [
    [240, 60, /^places free$/],
    [270, 30, /^nearly full$/],
    [300, 0, /^full$/],
    [303, 0, /^over the limit by 3$/],
  ]
  for (const [count, left, words] of levels) {
    mall.set({ occupancy: { count, atMost: count, capacity: 300, ageMs: 100 }, left })
    await says(page, part('level'), words)
  }
  const silentMs = 3 * 60_000
  const silent = gateReport(2, { isReachable: false, ageMs: silentMs, balance: 15, inFlight: 3, label: 'Market' })
  mall.set({
    gates: [
      gateReport(1),
      silent,
      gateReport(3, { state: 'FAULT', fault: 'disk', queue: 12.2, unnecessaryRejects: 4 }),
    ],
    occupancy: { count: 250, atMost: 268, capacity: 300, ageMs: silentMs },
    anchor: { ...mall.report.anchor, isFresh: false, ageMs: 60_000 },
  })
  const words = /^silent since \d\d:\d\d, holds 18 places, its counts are unknown$/
  await says(page, `${GATES}[data-key="gate-02"] ${part('words')}`, words)
  await says(page, part('age'), /^data partly old, gate-02 · Market 3 min ago: up to 18 more may be inside$/)
  await says(page, part('anchor'), /^anchor away, heard 60 s ago/)
  await says(page, part('reach'), /^2 of 3 gates heard$/)
  await says(page, `${GATES}[data-key="gate-03"]`, /fault: it lets nobody in, exits are free \(disk\)/)
  await says(page, `${GATES}[data-key="gate-03"]`, /about 12 waiting, estimate · 4 turned away needlessly/)
  assert.match(
    (await page.getAttribute('[data-gate="gate-02"]', 'aria-label')) ?? '',
    /^gate-02 · Market: silent since/,
  )
  mall.set({ mode: 'FIRE' })
  await says(page, part('emergency'), /Fire: turnstiles are released, everybody leaves\. .*proved: 250 to 268 inside/)
  await says(page, part('level'), /^nobody is let in$/)
  assert.match(await page.title(), /^FIRE · /)
})

const FLIGHTS = '.plan-flights'
const flying = async (page: Page) => Number(await page.getAttribute(FLIGHTS, 'data-flying'))
const painted = (page: Page) => page.evaluate(`document.querySelector('${FLIGHTS}').toDataURL()`)

/** Every way between thirty gates, so often that nobody could draw them all. */
function flowsFrom(seq: number, count: number): Flow[] {
  return Array.from({ length: count }, (_, k) => {
    const [from, to] = [1 + (k % 30), 1 + ((k + 1 + Math.floor(k / 30)) % 30)]
    const name = (n: number) => `gate-${String(n).padStart(2, '0')}`
    return { seq: seq + k, at: Date.now(), from: name(from), to: name(to), amount: 2 }
  })
}

shows(
  'tokens are seen to flow, once each, and never more than eighty at a time',
  mallReport(30, { flows: flowsFrom(1, 5) }),
  async (mall, open) => {
    const page = await open(mall.url, { viewport: { width: 390, height: 844 } })
    await numbers(page, '.plan-gate', 30)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'fits a phone')
    assert.equal(await flying(page), 0, 'what was before is no news')
    const way = (from: string, to: string, seq: number) => ({ seq, at: Date.now(), from, to, amount: 6 })
    mall.set({ flows: [way('anchor', 'gate-07', 6), way('anchor', 'gate-07', 7), way('gate-07', 'nobody', 8)] })
    await page.locator(`${FLIGHTS}[data-last="anchor gate-07 +12"][data-flying="1"]`).waitFor({ state: 'attached' })
    const first = await painted(page)
    await comes(async () => (await painted(page)) !== first)
    await comes(async () => (await flying(page)) === 0)
    const nothing = await painted(page)
    mall.set({ flows: flowsFrom(9, 400) })
    await comes(async () => (await flying(page)) === 80)
    await comes(async () => (await flying(page)) === 0)
    assert.equal(await painted(page), nothing, 'the sky is clear again')
    assert.notEqual(first, nothing)
  },
)

shows('who asked for less motion sees a way light up, and nothing fly', mallReport(3), async (mall, open) => {
  const page = await open(mall.url, { reducedMotion: 'reduce' })
  await page.locator(GATES).first().waitFor()
  const nothing = await painted(page)
  mall.set({ flows: [{ seq: 1, at: Date.now(), from: 'gate-01', to: 'gate-03', amount: 4 }] })
  await comes(async () => (await flying(page)) === 1)
  const seen = new Set([await painted(page)])
  await comes(async () => {
    const now = await painted(page)
    if ((await flying(page)) === 0) return true
    seen.add(now)
    return false
  })
  seen.delete(nothing)
  assert.equal(seen.size, 1, 'one picture')
  await says(page, part('last-flow'), /^Last move: 4 tokens from gate-01 to gate-03, /)
})

shows(
  'what is old is said to be old, and news come again whatever happened meanwhile',
  mallReport(2),
  async (mall, open) => {
    const { url, port } = mall
    let next: ScriptedMall | undefined
    try {
      const page = await open(url)
      await page.locator(GATES).first().waitFor()
      assert.equal(await page.isVisible(part('stale')), false)
      await mall.close()
      await says(page, part('stale'), /^⚠ No word for \d+ s: what is below is old\.$/)
      assert.equal(await page.title(), '⚠ OLD · 240 / 300 · scripted')
      assert.match((await page.getAttribute('#view', 'class')) ?? '', /\bstale\b/)
      await accessible(page)
      next = await ScriptedMall.open(mall.report, port, [FULL_HOUSE])
      // a refusal is the end for the browser's own trying
      await page.waitForResponse(answer => answer.url().endsWith('/events') && answer.status() === 429)
      await next.close()
      next = await ScriptedMall.open(mallReport(2, { left: 55 }), port)
      await says(page, part('left'), /^55$/)
      await page.locator(part('stale')).waitFor({ state: 'hidden' })
      assert.equal(await page.title(), '240 / 300 · scripted')
    } finally {
      await next?.close()
    }
  },
)

shows(
  'gates are placed by keyboard and by pointer, named, and alerts acknowledged, by those who may',
  mallReport(4),
  async (mall, open) => {
    const alert = {
      id: 'a1',
      code: 'nearly-full',
      subject: '',
      severity: 'warning',
      detail: '90 %',
      at: Date.now(),
    } as const
    mall.set({
      gates: [gateReport(1, { position: { x: 500, y: 300 } }), gateReport(2), gateReport(3), gateReport(4)],
      alerts: { open: [alert], more: 0 },
    })
    const page = await open(`${mall.url}/hands`)
    await page.locator(GATES).first().waitFor()
    const [edit, acknowledge] = ['Edit positions', 'Acknowledge: Nearly full'].map(name =>
      page.getByRole('button', { name }),
    ) as [ReturnType<Page['getByRole']>, ReturnType<Page['getByRole']>]
    assert.deepEqual([await edit.count(), await acknowledge.count()], [0, 0], 'nobody is logged in')
    await page.evaluate('window.view.setHands(window.hands)')
    await edit.click()
    const done = () => page.evaluate('window.done.splice(0)')
    await page.locator('[data-gate="gate-01"]').focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowDown', 'ArrowLeft']) await page.keyboard.press(key)
    assert.deepEqual(await done(), [], 'nothing is kept on the way')
    await page.keyboard.press('Enter')
    assert.deepEqual(await done(), [['place', 'gate-01', 510, 350]])
    await says(page, part('plan-status'), /^gate-01 is kept at 510 from the left, 350 from the top\.$/)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    assert.equal(((await done()) as unknown[][])[0]?.[0], 'place', 'leaving a gate keeps it too')
    const box = await page.locator('[data-gate="gate-01"] .disc').boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + 10, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 60, box.y + 10, { steps: 3 })
    await page.mouse.up()
    const [[kind, gate, x] = []] = (await done()) as [string, string, number][]
    assert.deepEqual([kind, gate], ['place', 'gate-01'])
    assert.ok(Number(x) > 520, `moved to the right, to ${x}`)
    await accessible(page)

    await page.getByLabel('is called').fill('North door')
    await page.getByRole('button', { name: 'Keep label' }).click()
    await says(page, part('plan-status'), /^gate-01 is called “North door” now\.$/)
    assert.deepEqual(await done(), [['label', 'gate-01', 'North door']])
    await page.evaluate(`window.refusal = 'the board is full'`)
    await page.locator('[data-gate="gate-01"]').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await says(page, part('plan-status'), /^gate-01 was not moved: the board is full$/)
    await page.evaluate('window.refusal = undefined')

    await acknowledge.click()
    await page.keyboard.type('on my way')
    await page.keyboard.press('Enter')
    await comes(() => page.evaluate('window.done.length > 0'))
    assert.deepEqual(await done(), [['acknowledge', 'a1', 'on my way']])
    mall.set({
      alerts: { open: [{ ...alert, acknowledged: { by: 'ann', at: Date.now(), note: 'on my way' } }], more: 0 },
    })
    await says(page, part('alerts'), /✓ acknowledged by ann at \d\d:\d\d: on my way/)
    assert.equal(await acknowledge.count(), 0)
    await page.evaluate('window.view.setHands({})')
    assert.equal(await edit.count(), 0)
  },
)

shows('only what is serious is read aloud, once; the newest stands first', mallReport(2), async (mall, open) => {
  const happening = (seq: number, severity: Happening['severity'], text: string): Happening => {
    return { seq, at: Date.now(), kind: 'gate', severity, subject: 'gate-02', text }
  }
  const old = happening(1, 'critical', 'gate-02 is silent')
  mall.set({ feed: [old] })
  const page = await open(mall.url)
  await says(page, `${part('feed')} li`, /gate-02 is silent/)
  assert.equal(await page.textContent(part('aloud')), '')
  mall.set({ feed: [happening(3, 'info', 'gate-02 is heard again'), happening(2, 'warning', 'nearly full'), old] })
  await says(page, part('aloud'), /^nearly full$/)
  const lines = await listed(page, `${part('feed')} li > span:last-child`)
  assert.deepEqual(lines, ['gate-02 is heard again', 'warning: nearly full', 'critical: gate-02 is silent'])
})

test.after(closeBrowser)

test.run()
