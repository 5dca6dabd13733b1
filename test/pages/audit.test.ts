// quiet
// The audit search in a real browser, over the whole API and real signatures.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Body } from '../../ledger/entry.ts'
import { FIELDS } from '../../ledger/entry.ts'
import type { Archive, EventQuery } from '../../mesh/archive/archive.ts'
import { newId } from '../../mesh/real-clock.ts'
import { Rig } from '../api/rig.ts'
import { keyOf, MALL, MORNING } from '../approvals/office.ts'
import { accessible, closeBrowser, noBrowser, type Visit, visiting } from '../browser.ts'
import { goldenText } from '../ledger/golden.ts'
import { suite } from '../suite.ts'

const test = suite('pages/audit')
/** Summer time there: two hours ahead of UTC. */
const BERLIN = { timezoneId: 'Europe/Berlin', locale: 'en-GB' } as const
const MINUTE_MS = 60_000
let rig: Rig

const at = (minute: number) => MORNING + minute * MINUTE_MS
const admit = (minute: number): Body => ({
  id: newId(),
  at: at(minute),
  type: 'admit',
  source: 'local',
  confidence: 990,
})
const reject = (minute: number, reason: string): Body => ({
  id: newId(),
  at: at(minute),
  type: 'reject',
  code: 'REJECT_AT_CAPACITY',
  reason,
  confidence: 1000,
})

test.before(async () => {
  rig = await Rig.open({ access: 'open' })
  await rig.collect('east/1', [admit(30), admit(32), reject(40, '=1+1, "full"'), admit(46.99), admit(47)])
  await rig.collect('west/1', [admit(33), { id: newId(), at: at(35), type: 'exit', credited: true, confidence: 1000 }])
  await rig.collect(
    'west/1',
    Array.from({ length: 120 }, (_, i) => admit(100 + i / 10)),
  )
  await rig.vouch('east/1')
  const [, size = '', root = ''] = /^.*\n(\d+)\n(.*)\n/.exec(rig.archive.head('east/1')?.row ?? '') ?? []
  const checkpoint = { id: newId(), at: at(48), type: 'checkpoint', heads: [['east/1', Number(size), root]] } as const
  await rig.collect('anchor/1', [checkpoint])
  await rig.vouch('anchor/1')
})
test.after(async () => {
  await closeBrowser()
  await rig?.close()
})

function claim(name: string, act: (open: Visit['open']) => Promise<void>): void {
  if (noBrowser !== undefined) test.skip(name, noBrowser)
  else test(name, () => visiting(({ open }) => act(open)))
}

const address = (query = '') => `${rig.url}/pages/audit.html${query}`
const words = (page: Page) => page.locator('#rows .words').allTextContents()
const found = (page: Page, count: string) => page.locator('#count', { hasText: new RegExp(`^${count}$`) }).waitFor()
const verdict = async (page: Page, mark: string) => {
  await page.locator('#verdict', { hasText: new RegExp(`^${mark}`) }).waitFor()
  return page.locator('#verdict').textContent()
}

claim(
  'one gate between two times, in the reader’s own zone, and the address of the page is that search',
  async open => {
    const page = await open(address(), BERLIN)
    await page.getByLabel('Gate').selectOption('east')
    await page.getByLabel('From').fill('2026-10-20T10:32')
    await page.getByLabel('To, not included').fill('2026-10-20T10:47')
    assert.equal(await page.locator('#from-utc').textContent(), '= 2026-10-20 08:32:00 UTC')
    await page.getByRole('button', { name: 'Search' }).click()
    await found(page, '3 events, that is all.')
    assert.deepEqual(await words(page), [
      'Let one person in',
      'One person turned away: the mall is full',
      'Let one person in',
    ])
    assert.match((await page.locator('#rows tr').first().textContent()) ?? '', /^10:32:00.0002026-10-20east/)
    const query = `?mall=${MALL}&gate=east&from=2026-10-20T08:32:00.000Z&to=2026-10-20T08:47:00.000Z`
    assert.equal(new URL(page.url()).search, query)
    const other = await open(address(query), { timezoneId: 'America/New_York' })
    await found(other, '3 events, that is all.')
    assert.equal(await other.getByLabel('From').inputValue(), '2026-10-20T04:32')
    assert.equal(await other.getByLabel('Gate').inputValue(), 'east')
  },
)

claim('by what happened and by decision, and back again', async open => {
  const page = await open(address(`?from=2026-10-20T08:00:00Z&to=2026-10-20T09:00:00Z`), BERLIN)
  await found(page, '8 events, that is all.')
  await page.getByLabel('What happened').selectOption('exit')
  await page.getByLabel('What happened').press('Enter')
  await page.getByRole('button', { name: 'Search' }).click()
  await found(page, '1 event, that is all.')
  assert.deepEqual(await words(page), ['One person left'])
  await page.getByLabel('What happened').selectOption('')
  await page.getByLabel('Decision').selectOption('REJECT_AT_CAPACITY')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(/decision=REJECT_AT_CAPACITY/)
  await found(page, '1 event, that is all.')
  assert.match((await page.locator('#rows tr').textContent()) ?? '', /=1\+1, "full"; sensor 100 % sure/)
  await page.goBack()
  await page.locator('#rows .words', { hasText: 'One person left' }).waitFor()
  assert.equal(await page.getByLabel('Decision').inputValue(), '')
  await page.getByLabel('From').fill('2026-10-20T12:00')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('The search ends before it begins').waitFor()
  await page.getByRole('button', { name: 'last 15 minutes' }).click()
  await found(page, 'Nothing was found.')
  assert.equal(await page.locator('#trouble').isHidden(), true)
})

claim('more comes when it is asked for, and a page that comes back short is gone on from', async open => {
  const page = await open(address('?gate=west&decision=ADMIT&from=2026-10-20T09:00:00Z'), BERLIN)
  await found(page, '50 events shown, oldest first; there may be more.')
  await page.getByRole('button', { name: 'Show more' }).press('Enter')
  await found(page, '100 events shown, oldest first; there may be more.')
  await page.getByRole('button', { name: 'Show more' }).press('Enter')
  await found(page, '120 events, that is all.')
  assert.equal(
    new Set(await page.locator('#rows tr').evaluateAll(rows => rows.map(row => row.getAttribute('data-id')))).size,
    120,
  )
  assert.equal(await page.evaluate('document.activeElement.id'), 'results', 'the focus is not lost with the button')
  const { desk, archive } = rig
  let short = 3
  const find = (query: EventQuery) =>
    short-- > 0 ? Promise.resolve({ events: [], cursor: 'x' }) : archive.find({ ...query, cursor: undefined } as never)
  rig.desk = { ...desk, archive: Object.assign(Object.create(archive) as Archive, { find }) }
  try {
    await page.getByLabel('Decision').selectOption('REJECT_AT_CAPACITY')
    await page.getByLabel('Gate').selectOption('east')
    await page.getByRole('button', { name: 'any time' }).click()
    await found(page, '1 event, that is all.')
    assert.equal(short, -1)
  } finally {
    rig.desk = desk
  }
})

claim('what was found is saved as CSV and as JSON lines, whole', async open => {
  const page = await open(address('?gate=east'), BERLIN)
  await found(page, '5 events, that is all.')
  const saved = async (name: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
    return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const
  }
  const [csvName, csv] = await saved('Save as CSV')
  assert.equal(csvName, `events-${MALL}-east.csv`)
  assert.equal(csv.split('\r\n').length, 1 + 5 + 1 + 1)
  assert.match(csv, /,REJECT_AT_CAPACITY,"'=1\+1, ""full""",/)
  assert.match(csv, /\r\n# end: 5 events,+\r\n$/)
  const [jsonName, jsonl] = await saved('Save as JSON lines')
  assert.equal(jsonName, `events-${MALL}-east.jsonl`)
  assert.deepEqual(JSON.parse(jsonl.trimEnd().split('\n').at(-1) ?? ''), { end: true, count: 5 })
})

claim(
  'a proof is one click away, is checked in the browser step by step, and can be kept and checked again',
  async open => {
    const page = await open(address('?gate=east'), BERLIN)
    await found(page, '5 events, that is all.')
    await page.getByRole('button', { name: 'Proof of entry 2 of east/1' }).press('Enter')
    assert.equal(await verdict(page, '✓'), '✓ The proof holds, worked out in this browser. Left open: the owner.')
    const marks = () => page.locator('#steps .mark').allTextContents()
    assert.deepEqual(await marks(), ['✓', '✓', '✓', '✓', '✓', '✓', '✓', '–', '✓'])
    assert.match(
      (await page.locator('#steps li').last().textContent()) ?? '',
      /wrote down .* at 2026-10-20 08:48:00 UTC/,
    )
    await page.getByLabel('The owner’s key').fill(keyOf('owner').verifier.toString())
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.locator('#steps li:nth-child(8)[data-holds=true]').waitFor()
    await accessible(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save proof' }).click(),
    ])
    assert.equal(download.suggestedFilename(), `proof-${MALL}-east-1-2.json`)
    const kept = await readFile(await download.path(), 'utf8')
    await page.getByRole('button', { name: 'Close' }).click()
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Proof of entry 2 of east/1')
    const file = (text: string) => ({ name: 'kept.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await page.getByLabel('Proof file').setInputFiles(file(kept))
    await verdict(page, '✓')
    await page.keyboard.press('Escape')
    await page.getByLabel('Proof file').setInputFiles(file(kept.replace('"index": 2', '"index": 3')))
    assert.equal(await verdict(page, '✗'), '✗ The proof does not hold: the entry, the way up to the root, the anchor.')
    await page.keyboard.press('Escape')
    await page.getByLabel('Proof file').setInputFiles(file('my diary'))
    await verdict(page, 'There is no proof to check')
  },
)

claim('a proof that was tampered with on the way does not hold, and the page says where', async open => {
  const page = await open(address('?gate=east'), BERLIN)
  await found(page, '5 events, that is all.')
  const tampered = async (change: (proof: Record<string, never>) => object) => {
    await page.unrouteAll()
    await page.route('**/proof?*', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, json: change(await response.json()) })
    })
    await page.getByRole('button', { name: 'Proof of entry 1 of east/1' }).click()
    const said = await verdict(page, '✗')
    assert.ok((await page.locator('#steps [data-holds=false]').count()) > 0)
    await page.keyboard.press('Escape')
    return said
  }
  const lie = (text: string) => text.replace('"confidence":990', '"confidence":100')
  assert.match(
    (await tampered(proof => ({ ...proof, line: lie(proof.line ?? '') }))) ?? '',
    /: the entry, its hash, the way up/,
  )
  const turn = (path: string[]) => [...path].reverse()
  assert.match(
    (await tampered(proof => ({ ...proof, proof: turn(proof.proof ?? []) }))) ?? '',
    /: the way up to the root\.$/,
  )
  const unsign = (note: string) => note.replace(/at \d+/, 'at 7')
  assert.match((await tampered(proof => ({ ...proof, row: unsign(proof.row ?? '') }))) ?? '', /: the signature\.$/)
})

claim('an entry that nobody signed for yet has no proof, and the page says why', async open => {
  const page = await open(address('?gate=west&type=exit'), BERLIN)
  await found(page, '1 event, that is all.')
  await page.getByRole('button', { name: 'Proof of entry 1 of west/1' }).click()
  assert.match((await verdict(page, 'There is no proof')) ?? '', /no signed row covers entry 1 of west\/1 yet/)
  assert.equal(await page.getByRole('button', { name: 'Save proof' }).isDisabled(), true)
})

claim('whoever is not logged in is shown where to, and whoever is sees events by the cookie', async open => {
  const closed = await Rig.open()
  try {
    const page = await open(`${closed.url}/pages/audit.html`, BERLIN)
    await page.getByText('Events are for people who are logged in').waitFor()
    assert.equal(await page.getByRole('link', { name: 'log in' }).getAttribute('href'), '/')
    await closed.collect('east/1', closed.admits(1))
    const value = await closed.login('aud')
    await page.context().addCookies([{ name: `gatemesh-${MALL}`, value, url: closed.url }])
    await page.goto(`${closed.url}/pages/audit.html?gate=east`)
    await found(page, '1 event, that is all.')
    const viewer = await closed.login('vic')
    await page.context().addCookies([{ name: `gatemesh-${MALL}`, value: viewer, url: closed.url }])
    await page.reload()
    await page.getByText('listEvents is not for the role viewer').waitFor()
  } finally {
    await closed.close()
  }
})

claim('the page is for screen readers too, and fits a phone', async open => {
  const query = '?from=2026-10-20T08:00:00Z&to=2026-10-20T09:00:00Z'
  const page = await open(address(query), { ...BERLIN, viewport: { width: 360, height: 740 } })
  await found(page, '8 events, that is all.')
  await accessible(page)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= 360, `nothing is cut off: ${width}`)
})

test('every kind of entry has words, and is offered in the search', async () => {
  const { eventWords, TYPES } = await import(new URL('../../anchor/pages/event-words.js', import.meta.url).href)
  assert.deepEqual(Object.keys(TYPES).sort(), Object.keys(FIELDS).sort())
  const seen = new Set<string>()
  for (const line of goldenText('entries.jsonl').trimEnd().split('\n')) {
    const entry = JSON.parse(line)
    const { what, details } = eventWords(entry)
    seen.add(entry.type)
    assert.notEqual(what, entry.type)
    assert.doesNotMatch(`${what} ${details}`, /undefined|NaN|\[object/, line)
  }
  assert.deepEqual([...seen].sort(), Object.keys(FIELDS).sort())
  assert.deepEqual(eventWords({ type: 'new' }), { what: 'new', details: '' })
})

test.run()
