// quiet

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { type DisplayState, displayOf } from '../../mesh/window/display-state.ts'
import { accessible, closeBrowser, noBrowser, visiting } from '../browser.ts'
import { suite } from '../suite.ts'
import { Signpost } from './signpost.ts'

const test = suite('pages/display')

const UNKNOWN = displayOf(undefined, 1, { gate: 'east' })
const said = (
  light: DisplayState['light'],
  words: readonly string[],
  over: Partial<DisplayState> = {},
): DisplayState => ({
  light,
  words: [...words, 'Exits are open'],
  mode: 'NORMAL',
  at: 1,
  validMs: 5000,
  ...over,
})
const GO = said('go', ['Please come in'], { left: 40 })
const FIRE = said('emergency', ['FIRE', 'Please leave by the nearest exit'], { mode: 'FIRE' })

const STATES: readonly [state: DisplayState, shows: RegExp][] = [
  [GO, /^Please come in Exits are open$/],
  [said('slow', ['Nearly full', 'Please come in']), /^Nearly full Please come in Exits are open$/],
  [said('wait', ['Please wait'], { waitMinutes: 4 }), /^Please wait About 4 min, an estimate Exits are open$/],
  [said('closed', ['Entrance closed'], { mode: 'LOCKDOWN' }), /^Entrance closed Exits are open$/],
  [said('emergency', ['EVACUATE', 'Do not enter'], { mode: 'EVACUATE' }), /^EVACUATE Do not enter Exits are open$/],
  [FIRE, /^FIRE Please leave by the nearest exit Exits are open$/],
  [{ ...UNKNOWN, mode: 'NORMAL' }, /^Please ask the staff at the door This display is out of date Exits are open$/],
]

const SCREENS = {
  landscape: { width: 1280, height: 720 },
  portrait: { width: 540, height: 960 },
  phone: { width: 360, height: 640 },
}

const shown = async (page: Page) => ((await page.locator('main').innerText()) as string).replace(/\s+/g, ' ').trim()

/** On a busy machine a word may come late, and the sign be neutral for a moment meanwhile. */
async function reads(page: Page, words: RegExp): Promise<void> {
  let text = ''
  for (let i = 0; i < 100; i++) {
    text = await shown(page)
    if (words.test(text)) return
    await sleep(50)
  }
  assert.match(text, words)
}

const becomes = (page: Page, light: string) => page.waitForSelector(`body[data-light="${light}"]`)

/** The one symbol that is to be seen. */
const symbol = (page: Page) =>
  page.locator('.symbol svg:visible').evaluateAll(all => all.map(svg => svg.getAttribute('class')))

/** Nothing hangs over the edge, and there is nothing to scroll. */
const overflow = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('h1, li, p:not([hidden]), svg')].filter(node => {
    const { left, right, top, bottom, width } = node.getBoundingClientRect()
    return width > 0 && (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
  }).map(node => node.outerHTML).concat(document.documentElement.scrollHeight > innerHeight ? ['scrolls'] : [])`)

function check(
  claim: string,
  act: (sign: Signpost, url: string, visit: Parameters<Parameters<typeof visiting>[0]>[0]) => Promise<void>,
) {
  if (noBrowser !== undefined) return test.skip(claim, noBrowser)
  test(claim, () =>
    visiting(async visit => {
      const sign = new Signpost()
      const url = await sign.open()
      try {
        await act(sign, url, visit)
      } finally {
        await sign.close()
      }
    }),
  )
}

check(
  'every state has its words, its own symbol and its own ground, on screens of every shape',
  async (sign, url, { open }) => {
    const page = await open(url)
    const grounds = new Map<string, string>()
    for (const viewport of Object.values(SCREENS)) {
      await page.setViewportSize(viewport)
      for (const [state, words] of STATES) {
        sign.say(state)
        await becomes(page, state.light)
        await page.waitForSelector(`#title:text-is(${JSON.stringify(state.words[0])})`)
        await reads(page, words)
        assert.deepEqual(await symbol(page), [state.light])
        assert.deepEqual(await overflow(page), [], `${state.words[0]} at ${viewport.width}`)
        grounds.set(state.light, (await page.evaluate('getComputedStyle(document.body).backgroundColor')) as string)
        if (viewport === SCREENS.landscape) await accessible(page)
      }
    }
    assert.equal(new Set(grounds.values()).size, 6)
  },
)

check(
  'before the first word, and 5 s after the last, it is neutral; an emergency stays, and says since when',
  async (sign, url, { open }) => {
    const page = await open(url)
    await reads(page, /^Please ask the staff/)
    sign.say({ ...GO, validMs: 400 })
    await becomes(page, 'go')
    sign.mute()
    await becomes(page, 'unknown')
    await reads(page, /out of date Exits are open$/)
    sign.say({ ...FIRE, validMs: 400 })
    await becomes(page, 'emergency')
    sign.mute()
    await page.waitForSelector('#silent:visible')
    await reads(page, /^FIRE .*Exits are open No connection since \d\d:\d\d.*: this was the last word$/)
    await accessible(page)
    // whoever has just started does not know that it is over
    sign.say(UNKNOWN)
    await page.waitForSelector('#silent', { state: 'hidden' })
    await reads(page, /^FIRE/)
    sign.say(GO)
    await becomes(page, 'go')
  },
)

check('it is neutral too where the server is gone, and comes back by itself', async (sign, url, { open }) => {
  const page = await open(url)
  sign.say({ ...GO, validMs: 400 })
  await becomes(page, 'go')
  await page.context().setOffline(true)
  sign.mute()
  await becomes(page, 'unknown')
  await page.context().setOffline(false)
  sign.say(GO)
  await becomes(page, 'go')
})

check('places left are shown where they are asked for, and told', async (sign, url, { open }) => {
  const [without, page] = [await open(url), await open(`${url}?places=1`)]
  sign.say(GO)
  for (const each of [without, page]) await becomes(each, 'go')
  await reads(page, /About 40 places left/)
  assert.doesNotMatch(await shown(without), /40/)
  sign.say({ ...GO, left: 0 })
  await page.waitForSelector('text=A few places left')
})

check('nothing moves for those who asked for that', async (sign, url, { open }) => {
  const page = await open(url, { reducedMotion: 'reduce' })
  sign.say(FIRE)
  await becomes(page, 'emergency')
  assert.equal(await page.evaluate('document.getAnimations().length'), 0)
})

test.after(closeBrowser)
test.run()
