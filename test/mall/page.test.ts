// alone
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { closeBrowser, noBrowser, visiting } from '../browser.ts'
import { suite } from '../suite.ts'
import { inFolder, RunningMall } from './running.ts'

const test = suite('mall/page')

const part = (name: string) => `[data-part="${name}"]`
/** When each number was first seen there, in wall time: page and test read the same clock. */
const WATCH = `
  window.seenAt = {}
  const count = document.querySelector('${part('count')}')
  const see = () => { window.seenAt[count.textContent] ??= Date.now() }
  new MutationObserver(see).observe(count, { childList: true, characterData: true, subtree: true })
  see()`

/** What a person sees there, as soon as there is anything to see. */
async function seen(page: Page): Promise<object> {
  await page
    .locator(`${part('gates')} [data-key]`)
    .nth(1)
    .waitFor()
  const text = (name: string) => page.textContent(part(name))
  const gates = await page.locator(`${part('gates')} > [data-key]`).count()
  const mode = await page.getAttribute(part('mode'), 'data-mode')
  return { inside: await text('count'), limit: await text('capacity'), mode, gates }
}

/** How long after the turnstile said so the page shows so many inside. */
async function shownMs(page: Page, answeredAt: number, inside: number): Promise<number> {
  const until = performance.now() + 20_000
  for (;;) {
    const at = (await page.evaluate(`window.seenAt[${inside}]`)) as number | undefined
    if (at !== undefined) return at - answeredAt
    assert.ok(performance.now() < until, `never showed ${inside} inside`)
    await sleep(20)
  }
}

const CLAIM = 'a browser shows the whole mall live at the anchor, and at any gate when the anchor is dead'

if (noBrowser !== undefined) test.skip(CLAIM, noBrowser)
else
  test(CLAIM, () =>
    inFolder(async folder => {
      const mall = await RunningMall.start(join(folder, 'm'), '--gates', '2', '--capacity', '40', '--no-restart')
      const admit = () => mall.admits('gate-01')
      for (let k = 0; k < 3; k++) await admit()
      await mall.heard('gate-02', 3)
      const expected = { inside: '3', limit: '40', mode: 'NORMAL', gates: 2 }
      await visiting(async ({ open }) => {
        const [atAnchor, atGate] = [await open(mall.url('anchor')), await open(mall.url('gate-02'))]
        for (const page of [atAnchor, atGate]) {
          assert.deepEqual(await seen(page), expected)
          await page.evaluate(WATCH)
        }
        await admit()
        const answeredAt = Date.now()
        for (const page of [atAnchor, atGate]) {
          const ms = await shownMs(page, answeredAt, 4)
          assert.ok(ms < 1000, `shown ${ms} ms after it was admitted`)
        }

        await mall.killMember('anchor')
        await atAnchor
          .locator(part('stale'))
          .filter({ hasText: /^⚠ No word for \d+ s: what is below is old\.$/ })
          .waitFor()
        assert.match(await atAnchor.title(), /^⚠ OLD · /)
        await admit()
        const ms = await shownMs(atGate, Date.now(), 5)
        assert.ok(ms < 1000, `shown ${ms} ms after it was admitted, without an anchor`)
        assert.deepEqual(await seen(atGate), { ...expected, inside: '5' })
        assert.equal(await atGate.isVisible(part('stale')), false)
        await atGate
          .locator(part('anchor'))
          .filter({ hasText: /^anchor away, heard \d+ s ago/ })
          .waitFor()
      })
    }),
  )

test.after(closeBrowser)

test.run()
