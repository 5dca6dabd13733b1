// quiet: waits
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { VerifierKey } from '../../ledger/key.ts'
import { openNote, signNote } from '../../ledger/note.ts'
import { scheduled } from '../../ledger/policy.ts'
import { openPolicy } from '../../ledger/policy-note.ts'
import { textHash } from '../../ledger/text-hash.ts'
import { inRig, type Rig } from '../api/rig.ts'
import { closeBrowser, noBrowser, visiting } from '../browser.ts'
import { suite } from '../suite.ts'
import { CHARTER, keyOf, signed } from './office.ts'

const test = suite('approvals/page')

function inBrowser(claim: string, act: (rig: Rig, open: () => Promise<Page>) => Promise<void>): void {
  if (noBrowser !== undefined) return test.skip(claim, noBrowser)
  test(claim, () =>
    inRig(rig =>
      visiting(async ({ open }) => {
        rig.office.wall = Date.now()
        await act(rig, () => open(`${rig.url}/pages/approvals.html`))
      }),
    ),
  )
}

test.after(closeBrowser)

async function enter(page: Page, name: string): Promise<void> {
  const file = { name: `${name}.key`, mimeType: 'text/plain', buffer: Buffer.from(`${keyOf(name)}\n`) }
  await page.setInputFiles('#file', file)
  await page.getByRole('button', { name: 'log in' }).click()
  await page.locator('#who', { hasText: `${name}, ` }).waitFor()
}

inBrowser('two people in two browsers make one change: each reads it in words and signs it', async (rig, open) => {
  const note = rig.office.note({ kind: 'recount', actual: 240, counted: 251, at: rig.office.wall }, ['bob'], 'closing')
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
  const [bob, ann] = await Promise.all([open(), open()])
  // nobody has signed it yet: the first brings it, in the browser that has the key
  await enter(bob, 'bob')
  const brought = await bob.evaluate(
    async ({ at, text, mall }) => {
      const signing = await import(`${at}/pages/signing.js`)
      const [person] = await signing.allPersons()
      const note = await signing.signNote(text, person)
      const headers = { 'content-type': 'application/json' }
      const sent = await fetch(`/api/v1/malls/${mall}/approvals`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ note }),
      })
      return { status: sent.status, note }
    },
    { at: rig.url, text, mall: CHARTER.mall },
  )
  assert.deepEqual(brought, { status: 202, note: signed(text, ['bob']) }, 'byte for byte what the command line signs')
  await enter(ann, 'ann')
  const card = ann.locator('article')
  await card.locator('li').first().waitFor()
  const words = await card.locator('li').allTextContents()
  assert.match(words.join('\n'), /240 people found, 251 were counted \(residual −11\)/)
  assert.match(words.join('\n'), /reason: closing/)
  assert.match(await card.innerText(), /signed by bob/i)
  await card.getByRole('button', { name: 'sign' }).click()
  await ann.locator('#nothing').waitFor()
  const { policy } = rig.office
  assert.deepEqual([policy.version, policy.correction, policy.signers], [2, -11, ['ann', 'bob']])
  assert.deepEqual(openPolicy(policy.note ?? '', CHARTER, { twice: true }).signers, ['ann', 'bob'])
})

inBrowser('a key that is in the browser cannot be taken out of it, and is there after a reload', async (rig, open) => {
  const page = await open()
  await enter(page, 'bob')
  await page.reload()
  await page.getByRole('button', { name: 'log in' }).waitFor()
  const kept = await page.evaluate(async at => {
    const signing = await import(`${at}/pages/signing.js`)
    const made = await signing.makePerson('gatemesh/north/cat')
    await signing.keepPerson(made)
    const found = []
    for (const { name, vkey, privateKey } of await signing.allPersons()) {
      const tried = []
      for (const format of ['pkcs8', 'jwk', 'raw'] as const) {
        tried.push(
          await crypto.subtle.exportKey(format as 'raw', privateKey).then(
            () => 'taken out',
            (error: Error) => error.name,
          ),
        )
      }
      found.push({ name, vkey, extractable: privateKey.extractable, tried })
    }
    return found
  }, rig.url)
  assert.deepEqual(
    kept.map(({ name, extractable }) => [name, extractable]),
    [
      ['gatemesh/north/bob', false],
      ['gatemesh/north/cat', false],
    ],
  )
  for (const { tried } of kept) assert.ok(!tried.includes('taken out'), tried.join())
  assert.equal(kept[0]?.vkey, keyOf('bob').verifier.toString())
})

inBrowser('a key that was made in the browser signs notes that the gates’ code verifies', async (rig, open) => {
  const page = await open()
  const texts = ['one line\n', 'ümläute — 漢字 🚪\nzwei\n', `${'x'.repeat(5000)}\n`]
  const made = await page.evaluate(
    async ({ at, texts }) => {
      const signing = await import(`${at}/pages/signing.js`)
      const person = await signing.makePerson('gatemesh/north/dora')
      const notes = []
      for (const text of texts) notes.push(await signing.signNote(text, person))
      const hashes = []
      for (const text of texts) hashes.push((await signing.textHash(text)).base64)
      return { vkey: person.vkey, notes, hashes, print: await signing.fingerprint(person.vkey) }
    },
    { at: rig.url, texts },
  )
  const key = VerifierKey.parse(made.vkey)
  assert.deepEqual(
    made.notes.map(note => openNote(note, [key], { twice: true }).text),
    texts,
  )
  assert.deepEqual([made.hashes, made.print], [texts.map(textHash), key.fingerprint])
  const imported = await page.evaluate(
    async ({ at, file, texts }) => {
      const signing = await import(`${at}/pages/signing.js`)
      const person = await signing.importPerson(file)
      const notes = []
      for (const text of texts) notes.push(await signing.signNote(text, person))
      const wrong = []
      const others = [file.replace('PRIVATE', 'PUBLIC'), file.slice(0, -3), file.replace('/bob+', '/bot+')]
      for (const other of others)
        wrong.push(
          await signing.importPerson(other).then(
            () => '',
            (error: Error) => error.message,
          ),
        )
      return { notes, wrong }
    },
    { at: rig.url, file: `${keyOf('bob')}\n`, texts },
  )
  assert.deepEqual(
    imported.notes,
    texts.map(text => signNote(text, [keyOf('bob')])),
  )
  assert.ok(
    imported.wrong.every(why => why !== ''),
    JSON.stringify(imported.wrong),
  )
})

inBrowser('a text that is not what it is called, or stands on another past, cannot be signed', async (rig, open) => {
  await rig.office.approvals.bring(rig.office.note({ kind: 'capacity', capacity: 100 }, ['bob']))
  const { approvals } = rig.office
  const list = approvals.list.bind(approvals)
  approvals.list = async query => {
    const page = await list(query)
    return { approvals: page.approvals.map(one => ({ ...one, text: one.text.replace(/ 100$/m, ' 500') })) }
  }
  const page = await open()
  await enter(page, 'ann')
  await page.getByText('another text than the one of this id').waitFor()
  assert.equal(await page.getByRole('button', { name: 'sign' }).count(), 0)
  approvals.list = list
  const policies = rig.desk.policies.bind(rig.desk)
  rig.desk.policies = () => policies().map(one => ({ ...one, note: one.note?.replace('opening', 'closing') ?? '' }))
  await page.getByText('does not stand on the policy').waitFor()
  assert.equal(await page.getByRole('button', { name: 'sign' }).count(), 0)
  rig.desk.policies = policies
  await page.getByRole('button', { name: 'sign' }).click()
  await page.locator('#nothing').waitFor()
  assert.equal(scheduled(rig.office.policy, rig.office.wall), 100)
})

inBrowser('what was refused is told in words, and what I signed I can take back', async (rig, open) => {
  const page = await open()
  const file = { name: 'x.key', mimeType: 'text/plain', buffer: Buffer.from('hello') }
  await page.setInputFiles('#file', file)
  await page.getByText('a key file starts with PRIVATE+KEY+').waitFor()
  const stranger = { ...file, buffer: Buffer.from(`${keyOf('stranger')}\n`) }
  await page.setInputFiles('#file', stranger)
  await page.getByRole('button', { name: 'log in' }).click()
  await page.getByText('not a login of this mall').waitFor()
  await rig.office.approvals.bring(rig.office.note({ kind: 'capacity', capacity: 100 }, ['bob']))
  const bob = await open()
  await enter(bob, 'bob')
  assert.equal(await bob.getByRole('button', { name: 'sign' }).count(), 0)
  await bob.getByRole('button', { name: 'withdraw' }).click()
  await bob.locator('#nothing').waitFor()
  assert.deepEqual(rig.office.approvals.waiting(), [])
})

test.run()
