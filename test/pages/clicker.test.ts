// quiet

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { accessible, closeBrowser, noBrowser, type Visit, visiting } from '../browser.ts'
import { suite } from '../suite.ts'
import { inRig, modeNote, type Rig, until } from '../window/rig.ts'

const test = suite('pages/clicker')

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

interface At {
  readonly rig: Rig
  readonly open: Visit['open']
  readonly url: string
}

function check(claim: string, act: (at: At) => Promise<void>, a: Parameters<typeof inRig>[1] = {}): void {
  if (noBrowser !== undefined) return test.skip(claim, noBrowser)
  test(claim, () => inRig(rig => visiting(({ open }) => act({ rig, open, url: `${rig.server.url}/clicker` })), a))
}

const says = (page: Page, text: string) => page.waitForSelector(`#said:text-is(${JSON.stringify(text)})`)
const number = async (page: Page, id: string) => Number(await page.locator(`#${id}`).innerText())
const counters = async (rig: Rig) => (await rig.ask('GET', '/status')).json.counters
const inside = (page: Page, count: number) => page.waitForSelector(`#inside:text-is("${count}")`)

check(
  'a guard with a phone sees at once whether somebody may come in, and what that makes',
  async ({ open, url }) => {
    const page = await open(url, PHONE)
    await says(page, 'Ready')
    assert.deepEqual([await number(page, 'limit'), await number(page, 'left'), await number(page, 'held')], [50, 50, 2])
    await accessible(page)
    const boxes = await page.locator('.keys button, #undo').evaluateAll(all =>
      all.map(node => {
        const { width, height, bottom } = node.getBoundingClientRect()
        return { width, height, bottom }
      }),
    )
    for (const { width, height, bottom } of boxes)
      assert.ok(width >= 150 && height >= 60 && bottom <= 640, `${width}×${height}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await page.tap('#in')
    await says(page, 'Let in')
    assert.equal(await page.getAttribute('#verdict', 'data-kind'), 'admit')
    assert.ok(await page.isVisible('#verdict .tick'))
    await inside(page, 1)
    await page.tap('#in')
    await inside(page, 2)
    await page.tap('#in')
    await says(page, 'Please wait: no place in reach')
    assert.ok(await page.isVisible('#verdict .stop'))
    await accessible(page)
    await page.tap('#out')
    await says(page, 'One out')
    await inside(page, 1)
  },
  { tokens: 2 },
)

check(
  'either tap is taken back within 5 s, by button or key, newest first and once each',
  async ({ rig, open, url }) => {
    const page = await open(url, PHONE)
    await says(page, 'Ready')
    for (let i = 0; i < 2; i++) await page.keyboard.press('+')
    await inside(page, 2)
    await page.keyboard.press('-')
    await inside(page, 1)
    await page.waitForSelector('#undo:has-text("Undo one out")')
    await page.tap('#undo')
    await page.waitForSelector('text=That person is still inside')
    await inside(page, 2)
    await page.keyboard.press('u')
    await page.waitForSelector('text=That person is not in')
    await inside(page, 1)
    await page.keyboard.press('u')
    await page.waitForSelector('#undo:has-text("Nothing to undo")')
    const { admitted, lapsed, exited, forced } = await counters(rig)
    assert.deepEqual({ admitted, lapsed, exited, forced }, { admitted: 2, lapsed: 2, exited: 1, forced: 1 })
  },
)

check('what is too late for the gate is said not to be undone, and after 5 s it is not offered any more', async at => {
  const page = await at.open(at.url, PHONE)
  await page.clock.install()
  await says(page, 'Ready')
  await page.tap('#in')
  await says(page, 'Let in')
  await page.route('**/turnstile/undo', route =>
    route.fulfill({ status: 409, json: { error: 'not undone: it is later than 8 s after it', why: 'late' } }),
  )
  await page.tap('#undo')
  await says(page, 'Not undone')
  assert.match(await page.locator('#why').innerText(), /later than 8 s/)
  assert.equal((await counters(at.rig)).lapsed, 0)
  await page.tap('#in')
  await page.waitForSelector('#undo:has-text("Undo one in")')
  await page.clock.fastForward(5100)
  await page.waitForSelector('#undo:has-text("Nothing to undo")')
  assert.ok(await page.isDisabled('#undo'))
})

check(
  'without the network: an entry is not counted until it is, an exit is kept and sent, and nobody counts twice',
  async ({ rig, open, url }) => {
    const page = await open(url, PHONE)
    await says(page, 'Ready')
    await page.tap('#in')
    await inside(page, 1)
    // the gate hears it, and its answer is lost
    await page.route('**/turnstile/e*', async route => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.tap('#in')
    await says(page, 'Not counted, try again')
    await page.tap('#out')
    await page.waitForSelector('#note:has-text("1 exit waits to be sent to the gate")')
    await accessible(page)
    await page.unrouteAll({ behavior: 'wait' })
    await page.waitForSelector('#note', { state: 'hidden' })
    await page.tap('#in')
    await says(page, 'Let in')
    const { admitted, exited } = await counters(rig)
    assert.deepEqual([admitted, exited], [2, 1], 'the same person, asked for again, is one person')
    // and one that never gets there is taken back on the phone alone
    await page.route('**/turnstile/exit', route => route.abort('connectionreset'))
    await page.tap('#out')
    await page.waitForSelector('#note:visible')
    await page.tap('#undo')
    await page.waitForSelector('text=That person is still inside')
    await page.waitForSelector('#note', { state: 'hidden' })
    assert.equal((await counters(rig)).exited, 1)
  },
)

check(
  'in an emergency nobody is let in, and everybody out; numbers of a gate that does not answer look old',
  async ({ rig, open, url }) => {
    const page = await open(url, PHONE)
    await page.clock.install()
    await says(page, 'Ready')
    await rig.ask('POST', '/modes', modeNote({ mode: 'FIRE' }, ['ann']))
    await says(page, 'Nobody in: fire')
    await page.tap('#in')
    await says(page, 'Nobody in: emergency')
    assert.match(await page.locator('#why').innerText(), /exits are open/)
    await page.tap('#out')
    await says(page, 'One out')
    assert.equal(rig.door.tally.out, 1)
    await rig.server.close()
    await page.clock.fastForward(5000)
    await says(page, 'No word from the gate')
    await page.waitForSelector('#link:has-text("No connection: old")')
    const line = await page.evaluate('getComputedStyle(document.getElementById("inside")).textDecoration')
    assert.match(String(line), /line-through/)
  },
)

const PASS = 'open-sesame-7'
check(
  'where the gate has a pass, the clicker asks for it once and keeps it',
  async ({ rig, open, url }) => {
    const page = await open(url, PHONE)
    await page.waitForSelector('#ask:visible')
    await accessible(page)
    await page.fill('#pass', 'not-the-pass')
    await page.click('text=Use it')
    await page.waitForSelector('#ask-wrong:visible')
    await page.fill('#pass', PASS)
    await page.keyboard.press('Enter')
    await page.waitForSelector('#ask', { state: 'hidden' })
    await page.tap('#in')
    await says(page, 'Let in')
    await page.reload()
    await says(page, 'Ready')
    await page.keyboard.press('-')
    await says(page, 'One out')
    await until(() => rig.door.tally.out === 1, 'one is out')
    const { json } = await rig.ask('GET', '/turnstile')
    assert.equal(json.mayCount, false, 'nobody else may')
    assert.equal(rig.door.gate?.me.books?.counters.exited, 1, 'and gave the token back')
    assert.equal(await page.isVisible('#ask'), false)
    await inside(page, 0)
  },
  { over: { pass: PASS } },
)

check(
  'where the gate has a pass, its live page is for whoever shows it, and the sign and the mode are for everybody',
  async ({ open, url, rig }) => {
    const at = new URL('/', url).href
    const closed = ['mall', 'events', 'status', 'metrics']
    for (const path of closed) assert.equal((await fetch(`${at}${path}`)).status, 401, path)
    for (const path of ['modes', 'display/state', 'healthz', 'clicker', '']) {
      assert.equal((await fetch(`${at}${path}`)).status, 200, path)
    }
    const bearer = { headers: { authorization: `Bearer ${PASS}` } }
    for (const path of ['mall', 'status', 'metrics'])
      assert.equal((await fetch(`${at}${path}`, bearer)).status, 200, path)
    const wrong = { headers: { cookie: `gatemesh-look=${'0'.repeat(64)}` } }
    assert.equal((await fetch(`${at}mall`, wrong)).status, 401)
    const page = await open(at)
    await page.getByLabel('Pass').fill('not-the-pass')
    await page.keyboard.press('Enter')
    await page.getByText('This is not the pass.').waitFor()
    await accessible(page)
    await page.getByLabel('Pass').fill(PASS)
    await page.keyboard.press('Enter')
    await page.locator('[data-part="gates"] > [data-key]').first().waitFor()
    await page.reload()
    await page.locator('[data-part="gates"] > [data-key]').first().waitFor()
    const [cookie] = await page.context().cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
    const looks = { headers: { cookie: `${cookie?.name}=${cookie?.value}` } }
    assert.equal((await fetch(`${at}mall`, looks)).status, 200)
    const entry = { method: 'POST', body: '{}', ...looks }
    assert.equal((await fetch(`${at}turnstile/entry`, entry)).status, 401, 'whoever may look may not count')
    assert.equal(rig.door.tally.in, 0)
  },
  { over: { pass: PASS } },
)

test.after(closeBrowser)
test.run()
