// `npm run screenshots`: the pictures in the README, of a mall that runs while they are taken: real processes, real pages.
//
// They lie in tools/screenshots. What is on them changes with every run, as a mall does; what they show does not.

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { closeBrowser, launched, noBrowser } from '../test/browser.ts'
import { RunningMall } from '../test/mall/running.ts'

const OUT = join(import.meta.dirname, 'screenshots')
const WALL = { width: 1600, height: 900 }
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 760 }
const SIGN = { width: 960, height: 540 }
/** So that the trend has something to show. */
const CROWD_MS = 180_000
const LABELS: Readonly<Record<string, readonly [string, number, number]>> = {
  'gate-01': ['Main entrance', 500, 960],
  'gate-02': ['Car park', 40, 640],
  'gate-03': ['Tram stop', 960, 560],
  'gate-04': ['Food court', 700, 40],
  'gate-05': ['North', 300, 40],
  'gate-06': ['Cinema', 40, 260],
}

/** As ann, with the key that the demo lends. */
const DECORATE = `(async labels => {
  const { Session } = await import('/pages/session.js')
  const { allPersons } = await import('/pages/signing.js')
  const [person] = await allPersons()
  const session = new Session('mall')
  await session.login(person)
  for (const [gate, [text, x, y]] of Object.entries(labels)) {
    await session.ask('PUT', 'gates/' + gate + '/label', { text })
    await session.ask('PUT', 'gates/' + gate + '/position', { x, y })
  }
  await session.ask('POST', 'notes', { text: 'Escalator at the tram stop is out of use until 18:00' })
})(${JSON.stringify(LABELS)})`

if (noBrowser !== undefined) throw new Error(noBrowser)
const folder = await mkdtemp(join(tmpdir(), 'screenshots-'))
const mall = new RunningMall(join(folder, 'm'), ['--gates', '6', '--capacity', '300', '--crowd', 'steady'])
try {
  await mkdir(OUT, { recursive: true })
  await mall.ready()
  await taken()
} finally {
  await closeBrowser()
  await mall.kill()
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function taken(): Promise<void> {
  const { url } = mall.place
  const ann = await open(url, { viewport: WALL })
  await ann.getByRole('button', { name: 'Not now' }).click()
  await ann.locator('[data-do="ann"]').click()
  await ann.getByRole('button', { name: /^Log in as ann/ }).click()
  await ann.locator('#who', { hasText: 'ann, ' }).waitFor()
  await ann.evaluate(DECORATE)
  console.log(`a crowd comes and goes for ${CROWD_MS / 1000} s`)
  await sleep(CROWD_MS)

  await shot('dashboard', await open(mall.url('anchor'), { viewport: WALL }))
  await shot('dashboard-dark', await open(mall.url('anchor'), { viewport: WALL, colorScheme: 'dark' }))
  await shot('display-go', await open(`${url}/display/mall/gate-01`, { viewport: SIGN }))
  await ann.getByRole('button', { name: 'Capacity…' }).click()
  await ann.getByLabel('People who may be inside').fill('120')
  await ann.getByLabel(/^Reason/).fill('Smoke extraction in the north wing is out of order')
  await shot('capacity', ann)
  await ann.keyboard.press('Escape')

  const phone = await open(`${mall.url('gate-01')}/clicker`, { viewport: PHONE })
  await phone.getByRole('button', { name: /one in/i }).click()
  await shot('clicker', phone)

  const audit = await open(`${url}/pages/audit.html?mall=mall&type=admit`, { viewport: DESK })
  await audit.locator('#rows button').first().click()
  await audit.getByText('The proof holds').waitFor()
  await shot('audit', audit)

  await act({ do: 'kill', gate: 'anchor' })
  await act({ do: 'halve' })
  await act({ do: 'rush', gate: 'gate-01', people: 60 })
  await sleep(6000)
  await shot('cut', await open(mall.url('gate-01'), { viewport: WALL }))
  await act({ do: 'calm' })
  await act({ do: 'crowd', kind: 'rush' })
  await act({ do: 'capacity', to: 'third' })
  await sleep(5000)
  await shot('display-wait', await open(`${url}/display/mall/gate-01`, { viewport: SIGN }))
  await act({ do: 'trip', gate: 'gate-02' })
  await shot('display-fire', await open(`${url}/display/mall/gate-01`, { viewport: SIGN }))
  await ann.locator('[data-do="tour"]').first().click()
  await shot('demo', ann)
}

async function act(what: object): Promise<void> {
  const { url } = mall.place
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${url}/demo/act`, { method: 'POST', headers, body: JSON.stringify(what) })
  console.log(await reply.text())
}

async function open(url: string, options: BrowserContextOptions): Promise<Page> {
  const context = await (await launched()).newContext(options)
  const page = await context.newPage()
  await page.goto(url)
  return page
}

async function shot(name: string, page: Page): Promise<void> {
  await sleep(3000)
  await page.screenshot({ path: join(OUT, `${name}.jpg`), type: 'jpeg', quality: 72 })
  console.log(`${name}.jpg`)
}
