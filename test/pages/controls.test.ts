// quiet
import assert from 'node:assert/strict'
import { OPERATIONS } from '../../anchor/access/operations.ts'
import { scheduled } from '../../ledger/policy.ts'
import { CHARTER, keyOf } from '../approvals/office.ts'
import { accessible, closeBrowser, noBrowser } from '../browser.ts'
import { suite } from '../suite.ts'
import { atDesk, INSIDE, logIn, opened, signedIn } from './desk-page.ts'

const test = suite('pages/controls')
const OPEN = { access: 'open' } as const
const pageFile = (name: string) => import(new URL(`../../anchor/pages/${name}`, import.meta.url).href)

function inBrowser(claim: string, ...a: Parameters<typeof atDesk>): void {
  if (noBrowser !== undefined) test.skip(claim, noBrowser)
  else test(claim, () => atDesk(...a))
}

test.after(closeBrowser)

test('what the page offers to a role is what the anchor lets that role do', async () => {
  const { PERMITS } = await pageFile('permits.js')
  const known = Object.keys(PERMITS) as (keyof typeof OPERATIONS)[]
  for (const one of known) assert.deepEqual(PERMITS[one], OPERATIONS[one], one)
  assert.ok(known.includes('createDraft'))
})

test('a preview says what a capacity will do to whoever is inside and whoever wants in', async () => {
  const { capacityWords, recountWords } = await pageFile('preview.js')
  const time = (ms: number) => `t${ms}`
  const now = { count: 250, atMost: 250, capacity: 260 }
  const words = (capacity: number, more = {}) =>
    capacityWords({ ...now }, { capacity, marginPerMille: 0, later: [], ...more }, time).join(' ')
  assert.equal(words(200), '250 inside, limit 200: entries stop until 50 leave.')
  assert.equal(words(310), 'Places left rise from 10 to 60.')
  assert.equal(words(255), 'Places left fall from 10 to 5.')
  assert.equal(words(260), 'Places left stay at 10.')
  assert.equal(words(250), '250 inside, limit 250: full, one comes in for each who leaves.')
  assert.match(words(300, { marginPerMille: 100 }), /rise from 10 to 20\. 30 of the 300 are kept back/)
  const later = [
    { from: 5, capacity: 400 },
    { from: 9, capacity: 100 },
  ]
  assert.match(words(300, { later }), /dropped: 400 from t5, then 100 from t9/)
  const then = words(200, { later, from: 7 })
  assert.match(then, /^From t7 the limit is 200\. With 250 inside, as now, entries stop then until 50 leave\./)
  assert.match(then, /dropped: 100 from t9\.$/)
  const counts = (actual: number) => recountWords(now, { actual, counted: 250, reclaim: 0 }).join(' ')
  assert.equal(counts(240), '240 found, 250 counted: residual −10. Places left rise from 10 to 20.')
  assert.equal(counts(270), '270 found, 250 counted: residual +20. Entries stop until 10 leave.')
  assert.match(
    recountWords({ ...now, atMost: 262 }, { actual: 250, counted: 250, reclaim: 3 }).join(' '),
    /3 tokens.*262/,
  )
})

inBrowser(
  'nobody sees the mall before logging in; a viewer sees it, does nothing, and is still there after a reload',
  async (rig, { open }) => {
    const page = await open(rig.url)
    await page.getByRole('heading', { name: 'Log in with your key' }).waitFor()
    assert.equal(await page.locator('#view').innerText(), '')
    await accessible(page)
    await logIn(page, 'vic')
    await page.locator('#view').getByText(String(INSIDE), { exact: true }).first().waitFor()
    for (const again of [false, true]) {
      if (again) await page.reload()
      await page.locator('#who', { hasText: 'vic, viewer' }).waitFor()
      await page.locator('#view').getByText(String(INSIDE), { exact: true }).first().waitFor()
      assert.equal(await page.locator('#controls').isVisible(), false)
      assert.equal(await page.getByRole('button', { name: /Edit positions|Capacity|FIRE/ }).count(), 0)
      assert.equal(await page.getByRole('link', { name: 'Audit' }).count(), 0)
    }
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in with your key' }).waitFor()
    assert.equal(await page.locator('#view').isVisible(), false)
    assert.equal((await rig.access.list(CHARTER.mall)).length, 0, 'the token is gone, not only the page')
  },
)

inBrowser(
  'several malls are listed where reading is open, and each has its own dashboard',
  async (rig, { open }) => {
    const { desk } = rig
    const south = { ...desk, mall: 'south', charter: { ...CHARTER, mall: 'south' } }
    rig.desks = () =>
      new Map([
        ['north', desk],
        ['south', south],
      ])
    const page = await open(rig.url)
    await page.getByRole('link', { name: 'south' }).click()
    await page.getByRole('heading', { name: 'Mall “south”' }).waitFor()
    await page.locator('#view').getByText(String(INSIDE), { exact: true }).first().waitFor()
    assert.equal(await page.locator('#controls').isVisible(), false, 'whoever is nobody has no hands')
    assert.equal(await page.getByRole('link', { name: 'Audit' }).count(), 1)
  },
  OPEN,
)

inBrowser(
  'a capacity is previewed, read in words and signed; what the anchor refuses is said in its words',
  async (rig, { enter }) => {
    const page = await enter('bob')
    const weight =
      (await page.evaluate(`performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
    .filter(({ name }) => !name.includes('/mesh/') && /\\/pages\\/|\\/$/.test(new URL(name).pathname))
    .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`)) as number
    assert.ok(weight > 20_000 && weight < 60_000, `${weight} bytes of our own`)
    const dialog = await opened(page, 'Capacity…')
    const people = dialog.getByLabel('People who may be inside')
    await people.fill('200')
    await dialog.getByText('250 inside, limit 200: entries stop until 50 leave.').waitFor()
    await dialog.getByText('It needs two signatures: it moves the capacity by more than 20 %').waitFor()
    await people.fill('600')
    await dialog.getByText('a whole number from 0 to 500, not 600').waitFor()
    await dialog.getByLabel(/^Reason/).fill('a test')
    await dialog.getByRole('button', { name: 'Read what you sign' }).click()
    assert.match(await dialog.getByRole('alert').innerText(), /a whole number from 0 to 500, not 600/)
    await people.fill('320')
    await dialog.getByText('Places left rise from 50 to 70.').waitFor()
    await dialog.getByText('One signature is enough').waitFor()
    const { words, said } = await signedIn(page, 'an event', 'Sign the capacity')
    assert.match(words, /capacity: 320; it was 300\nreason: an event/)
    assert.equal(said, 'In force as policy 2.')
    assert.deepEqual([scheduled(rig.office.policy, rig.office.wall), rig.office.policy.signers], [320, ['bob']])
    const focused = () => page.evaluate('document.activeElement.textContent')
    assert.equal(await focused(), 'Capacity…', 'whoever works by keyboard goes on from there')
    // later, and what was later before
    await opened(page, 'Capacity…')
    await people.fill('310')
    await dialog.getByLabel('From which moment on').fill('2090-01-01T18:00')
    await dialog.getByText(/^From .*2090.* the limit is 310\.$/).waitFor()
    await signedIn(page, 'new year', 'Sign the capacity')
    assert.deepEqual(
      rig.office.policy.capacities.map(({ capacity }) => capacity),
      [320, 310],
    )
    await opened(page, 'Capacity…')
    await dialog.getByText(/then 310 from .*2090/).waitFor()
    await people.fill('315')
    await dialog.getByText(/What is scheduled for later is dropped: 310 from .*2090/).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await focused(), 'Capacity…')
  },
)

inBrowser(
  'two people in two browsers: what one signs waits, the other reads it and signs, and both see who did what',
  async (rig, { enter }) => {
    const [bob, ann] = await Promise.all([enter('bob'), enter('ann')])
    const dialog = await opened(bob, 'Capacity…')
    await dialog.getByLabel('People who may be inside').fill('100')
    const { said } = await signedIn(bob, 'an exit is out of use', 'Sign the capacity')
    assert.match(said, /^Signed\. It waits for one more signature, until /)
    const card = ann.locator('#waiting article')
    await card.getByText('capacity: 100; it was 300').waitFor()
    assert.match(await card.innerText(), /Signed by bob; it waits until/)
    await card.getByText('The text itself').click()
    assert.match(await card.locator('pre').innerText(), /^gatemesh\/north\/policy\n/)
    assert.equal(await bob.getByRole('button', { name: /^Sign: / }).count(), 0, 'nobody signs twice')
    await card.getByRole('button', { name: 'Sign' }).click()
    await Promise.all([bob, ann].map(page => page.locator('#nothing').waitFor()))
    assert.deepEqual([rig.office.policy.version, rig.office.policy.signers], [2, ['ann', 'bob']])
    await ann.getByText('Who did what').click()
    const first = ann.locator('.history li').first()
    await first.getByText('an exit is out of use').waitFor()
    assert.match(await first.innerText(), /bob, ann signed, in force: policy 2/)
    // and what one signed one can take back
    await opened(bob, 'Capacity…')
    await dialog.getByLabel('People who may be inside').fill('400')
    await signedIn(bob, 'by mistake', 'Sign the capacity')
    await bob.getByRole('button', { name: /^Withdraw/ }).click()
    await bob.locator('#nothing').waitFor()
    assert.deepEqual(rig.office.approvals.waiting(), [])
  },
)

inBrowser(
  'an emergency is raised at the second press, and ended by two who ticked every check',
  async (rig, { enter }) => {
    const [bob, ann] = await Promise.all([enter('bob'), enter('ann')])
    const dialog = await opened(bob, 'FIRE…')
    await dialog.getByText('Exits stay free.').first().waitFor()
    await dialog.getByText('Not heard at present: west.').waitFor()
    await dialog.getByLabel(/^Reason/).fill('smoke seen')
    await dialog.getByRole('button', { name: 'Read what you sign' }).click()
    await dialog
      .getByText('raise FIRE in epoch 0: entries are rejected, turnstiles are released, exits are free')
      .waitFor()
    assert.equal(rig.office.modes.effective, 'NORMAL', 'one press raises nothing')
    await dialog.getByRole('button', { name: 'Sign and raise FIRE' }).click()
    await dialog.getByText('FIRE is in force.').waitFor()
    assert.equal(rig.office.modes.effective, 'FIRE')
    await dialog.getByRole('button', { name: 'Close' }).click()
    const rearm = bob.getByRole('button', { name: 'Re-arm…' })
    await rearm.waitFor()
    assert.equal(await bob.getByRole('button', { name: /LOCKDOWN|EVACUATE|FIRE/ }).count(), 0, 'nothing worse is left')
    await rearm.click()
    await dialog.getByText('Now: FIRE at east.').waitFor()
    await dialog.getByText('Silent now: west.').waitFor()
    await dialog.getByLabel(/^Reason/).fill('checked: false alarm')
    const checks = await dialog.getByRole('checkbox').all()
    assert.equal(checks.length, 4)
    for (const check of checks) {
      await dialog.getByRole('button', { name: 'Read what you sign' }).click()
      assert.equal(await dialog.getByRole('heading', { name: 'You sign this' }).count(), 0, 'not every check is ticked')
      await check.check()
    }
    await accessible(bob)
    const { words, said } = await signedIn(bob, 'checked: false alarm', 'Sign the re-arm')
    assert.match(words, /re-arm: FIRE of epoch 0 ends and epoch 1 begins/)
    assert.match(said, /waits for a marshal’s signature/)
    assert.equal(rig.office.modes.effective, 'FIRE')
    await ann.locator('#waiting article').getByRole('button', { name: 'Sign' }).click()
    await ann.getByRole('button', { name: 'LOCKDOWN…' }).waitFor()
    assert.equal(rig.office.modes.effective, 'NORMAL')
  },
)

inBrowser('a head count is held against what was counted, and closed accounts are offered', async (rig, { enter }) => {
  const me = rig.desk.me()
  const row = { account: 'old/1' }
  const view = { others: () => [{ row, balance: 18 }], isCurrent: () => false, inFlightTo: () => 0 }
  const policy = { gates: CHARTER.gates, reclaimed: [] }
  rig.desk = { ...rig.desk, me: () => ({ ...me, modes: rig.office.modes, view, policy, banned: new Map() }) as never }
  const page = await enter('bob')
  const dialog = await opened(page, 'Head count…')
  await dialog.getByText(/^Counted at .*: 251 people\.$/).waitFor()
  await dialog.getByLabel('People found inside').fill('240')
  await dialog.getByText('240 found, 251 counted: residual −11.').waitFor()
  await dialog.getByLabel('18 tokens of old/1').check()
  await dialog.getByText('18 tokens of closed accounts are put back into use.').waitFor()
  const { words, said } = await signedIn(page, 'closing', 'Sign the head count')
  assert.match(
    words,
    /240 people found, 251 were counted \(residual −11\)[\s\S]*18 tokens of old\/1 are put back into use/,
  )
  assert.match(said, /waits for one more signature/)
})

inBrowser(
  'gates come onto the roster by their key and go off it, with the fingerprint that people compare',
  async (rig, { enter }) => {
    const page = await enter('bob')
    const dialog = await opened(page, 'Roster…')
    const key = keyOf('south-door').verifier
    await dialog.getByRole('row', { name: /^west silent; 7 tokens/ }).waitFor()
    assert.match(await dialog.getByRole('row', { name: /^east/ }).innerText(), /heard, OPEN/)
    await dialog.getByLabel(/^Key of a new gate/).fill(key.toString())
    await dialog.getByRole('button', { name: 'Add…' }).click()
    await page.getByRole('dialog').last().getByText(key.fingerprint).waitFor()
    const { words, said } = await signedIn(page, 'a new door', 'Sign the new roster')
    assert.ok(words.includes(`gate south-door is added, with the key ${key.fingerprint}`), words)
    assert.equal(said, 'On the roster since policy 2.')
    await dialog.getByRole('button', { name: 'Remove west' }).click()
    await page.getByRole('dialog').last().getByText('Whoever leaves there leaves.').waitFor()
    const gone = await signedIn(page, 'closed for good', 'Sign: west off the roster')
    assert.match(gone.words, /gate west is taken off the roster/)
    assert.match(gone.said, /waits for one more signature/)
    await dialog.getByLabel(/^Key of a new gate/).fill('nonsense')
    await dialog.getByRole('button', { name: 'Add…' }).click()
    const inner = page.getByRole('dialog').last()
    await inner.getByLabel(/^Reason/).fill('r')
    await inner.getByRole('button', { name: 'Read what you sign' }).click()
    assert.notEqual(await inner.getByRole('alert').innerText(), '', 'what the anchor refuses is said')
    assert.deepEqual(
      rig.office.policy.gates.map(({ name }) => name),
      ['east', 'south-door', 'west'],
    )
  },
)

inBrowser('notes, labels and places go onto the board, and alerts are acknowledged by name', async (rig, { enter }) => {
  await rig.raise()
  const page = await enter('bob')
  const dialog = await opened(page, 'Note…')
  await dialog.getByLabel('Note').fill('the lift is out of order')
  await dialog.getByRole('button', { name: 'Hang it up' }).click()
  await dialog.getByText('It hangs: “the lift is out of order”').waitFor()
  await dialog.locator('.hung').getByText('the lift is out of order').waitFor()
  assert.deepEqual(
    rig.board.notes().map(({ by, text }) => [by, text]),
    [['bob', 'the lift is out of order']],
  )
  await page.keyboard.press('Escape')
  const alerts = page.locator('.alerts')
  await alerts.getByRole('button', { name: /^Acknowledge: Disk/ }).click()
  await alerts.getByLabel(/^Note/).fill('on my way')
  await alerts.getByRole('button', { name: 'I see to it' }).click()
  await alerts.getByText(/acknowledged by bob .*: on my way/).waitFor()
  await page.getByRole('button', { name: 'Edit positions' }).click()
  await page.getByLabel('is called').fill('car park')
  await page.getByRole('button', { name: 'Keep label' }).click()
  await page.getByText('east is called “car park” now.').waitFor()
  assert.equal(rig.board.labels().get('east')?.text, 'car park')
  const kept = page.waitForResponse(response => response.url().endsWith('/gates/east/position'))
  await page.locator('[data-gate="east"]').focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: 'Keep label' }).focus()
  await kept
  assert.ok(rig.board.positions().get('east') !== undefined)
  // the login outlives a reload, and signs nothing without the key
  await page.evaluate(async at => {
    const signing = await import(`${at}/pages/signing.js`)
    await signing.forgetPerson('gatemesh/north/bob')
  }, rig.url)
  await page.reload()
  await page.getByText('The key of bob is not in this browser').waitFor()
  await page.getByRole('button', { name: 'Keys' }).click()
  await page.setInputFiles('#file', { name: 'k', mimeType: 'text/plain', buffer: Buffer.from(`${keyOf('bob')}\n`) })
  await page.getByText('The key of bob is not in this browser').waitFor({ state: 'hidden' })
  await opened(page, 'Note…')
  await dialog.getByLabel('Note').fill('by the cookie of the login before')
  await dialog.getByRole('button', { name: 'Hang it up' }).click()
  await dialog.getByText('It hangs: “by the cookie').waitFor()
  assert.equal(rig.board.notes().length, 2)
})

test.run()
