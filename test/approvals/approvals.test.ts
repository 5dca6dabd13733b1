import assert from 'node:assert/strict'
import { approvalId, type Brought } from '../../anchor/approvals/approval.ts'
import type { Wish } from '../../anchor/approvals/wish.ts'
import { parseNote, signNote } from '../../ledger/note.ts'
import { scheduled } from '../../ledger/policy.ts'
import { formatPolicy } from '../../ledger/policy-note.ts'
import { suite } from '../suite.ts'
import { CHARTER, FIRST, HOUR_MS, keyOf, MALL, MORNING, Office, signed } from './office.ts'

const test = suite('approvals/approvals')

const to = (capacity: number): Wish => ({ kind: 'capacity', capacity })
const idOf = (note: string) => approvalId(parseNote(note).text)

function refusedAs(brought: Brought, code: string, why = /./): void {
  assert.equal(brought.outcome, 'refused', JSON.stringify(brought))
  if (brought.outcome === 'refused') {
    assert.equal(brought.code, code, brought.why)
    assert.match(brought.why, why)
  }
}

test('a small move by one operator is in force at once', async () => {
  const office = await Office.open()
  const brought = await office.approvals.bring(office.note(to(250), ['bob']))
  assert.equal(brought.outcome, 'enacted')
  assert.equal(scheduled(office.policy, office.wall), 250)
  assert.deepEqual(office.policy.signers, ['bob'])
  assert.deepEqual(office.approvals.waiting(), [])
})

test('a large move waits until a second operator has signed the same text', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  const first = await office.approvals.bring(note)
  assert.ok(first.outcome === 'pending')
  assert.deepEqual([first.missing, first.signers, first.needs.signatures], ['one more signature', ['bob'], 2])
  assert.match(first.needs.why.join(), /more than 20 %/)
  assert.match(first.words.join(), /capacity: 100; it was 300/)
  assert.equal(scheduled(office.policy, office.wall), 300)
  const second = await office.approvals.sign(first.id, signed(parseNote(note).text, ['cat']))
  assert.ok(second.outcome === 'enacted')
  assert.deepEqual([second.signers, second.missing], [['bob', 'cat'], ''])
  assert.equal(scheduled(office.policy, office.wall), 100)
  assert.deepEqual(office.policy.signers, ['bob', 'cat'])
})

test('who signed, and when, is kept with what became of it', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  await office.approvals.bring(note)
  office.wall += 1000
  await office.approvals.bring(signed(parseNote(note).text, ['ann']))
  await office.restart()
  const kept = await office.approvals.get(idOf(note))
  assert.equal(kept?.state, 'enacted')
  assert.deepEqual(kept?.history, [
    { at: MORNING, by: 'bob', what: 'signed' },
    { at: MORNING + 1000, by: 'ann', what: 'signed' },
    { at: MORNING + 1000, by: 'anchor', what: 'enacted' },
  ])
  const id = idOf(note).slice(0, 6)
  assert.deepEqual(office.said.slice(-2), [`${id} signed by bob`, `${id} enacted by anchor`])
})

test('one person who signs twice is still one', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  const first = await office.approvals.bring(note)
  assert.deepEqual(await office.approvals.bring(note), first)
  assert.deepEqual(await office.approvals.sign(idOf(note), note), first)
  assert.equal(office.approvals.waiting().length, 1)
  assert.equal((await office.approvals.get(idOf(note)))?.history.length, 1)
})

test('signatures that arrive together are all there in the end', async () => {
  const office = await Office.open()
  const text = parseNote(office.note(to(100), ['bob'])).text
  const outcomes = await Promise.all(['bob', 'cat', 'ann'].map(name => office.approvals.bring(signed(text, [name]))))
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['pending', 'enacted', 'refused'],
  )
  assert.deepEqual(office.policy.signers, ['bob', 'cat'])
  assert.equal(office.enacted.length, 2, 'the first policy and this one')
})

test('what no number of signatures makes good is refused, each by its name', async () => {
  const office = await Office.open()
  const { policy } = office
  const { signers: _s, hash: _h, note: _n, ...same } = policy
  const next = { ...same, version: 2, previous: policy.hash, reason: 'r' }
  const both = (change: object, signers = ['ann', 'bob']) => signed(formatPolicy({ ...next, ...change }, MALL), signers)
  const good = both({})
  const table: [what: string, note: string, code: string, why: RegExp][] = [
    ['nothing', '', 'not-a-note', /blank line/],
    ['words', 'hello\n\n— x y\n', 'not-a-note', /./],
    ['a login', signed(`gatemesh/${MALL}/login\nat 1\n`, ['ann']), 'not-a-note', /neither a policy nor a mode/],
    [
      'another mall',
      signed(formatPolicy(next, 'south'), ['ann']),
      'not-a-note',
      /neither a policy nor a mode of north/,
    ],
    ['above the charter', both({ capacities: [{ from: 0, capacity: 501 }] }), 'above-legal-max', /allows 500/],
    ['no capacity', both({ capacities: [] }), 'bad-schedule', /none/],
    ['a false head count', both({ recount: { at: 1, actual: 5, counted: 9 } }), 'bad-recount', /head count/],
    ['a version left out', both({ version: 3 }), 'outdated', /policy 1 is in force/],
    ['another history', both({ previous: 'A'.repeat(43).concat('=') }), 'outdated', /another policy 1/],
    ['the first again', signed(formatPolicy(FIRST, MALL), ['ann', 'bob']), 'replayed', /enacted/],
    ['a viewer', both({}, ['vic']), 'may-not', /vic.*viewer/],
    ['an operator and an auditor', both({}, ['bob', 'aud']), 'may-not', /aud.*auditor/],
    ['the anchor alone', both({}, ['anchor']), 'may-not', /no operator/],
    ['a gate', both({}, ['east']), 'bad-signature', /no signature by a trusted key/],
    ['an operator and a stranger', both({}, ['bob', 'east']), 'not-a-note', /neither the anchor nor an operator/],
    ['one letter changed', good.replace('reason r', 'reason s'), 'bad-signature', /does not verify/],
  ]
  for (const [what, note, code, why] of table) {
    const brought = await office.approvals.bring(note)
    assert.equal(brought.outcome, 'refused', what)
    refusedAs(brought, code, why)
  }
  assert.deepEqual([office.policy.version, office.approvals.waiting()], [1, []])
})

test('a key that calls itself an operator is nobody', async () => {
  const office = await Office.open()
  const text = parseNote(office.note(to(290), ['bob'])).text
  const forged = signNote(text, [keyOf('bob', 'south')]).replace('gatemesh/south/bob', 'gatemesh/north/bob')
  refusedAs(await office.approvals.bring(forged), 'bad-signature')
})

test('what a new policy leaves behind is outdated, and says which policy it was', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  await office.approvals.bring(note)
  assert.equal((await office.approvals.bring(office.note(to(290), ['cat']))).outcome, 'enacted')
  assert.equal((await office.approvals.get(idOf(note)))?.state, 'outdated')
  refusedAs(await office.approvals.bring(signed(parseNote(note).text, ['ann'])), 'outdated', /policy 2 is in force/)
  assert.equal(scheduled(office.policy, office.wall), 290)
})

test('what waits survives a restart and is signed after it', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  await office.approvals.bring(note)
  await office.restart()
  assert.deepEqual(
    office.approvals.waiting().map(({ id, signers }) => [id, signers]),
    [[idOf(note), ['bob']]],
  )
  assert.equal((await office.approvals.sign(idOf(note), signed(parseNote(note).text, ['cat']))).outcome, 'enacted')
})

test('nobody is told that it waits before that is on disk, and a write that failed may be tried again', async () => {
  for (const happened of [false, true]) {
    const office = await Office.open()
    const note = office.note(to(100), ['bob'])
    office.cabinet.failNext({ happened })
    await assert.rejects(office.approvals.bring(note), { code: 'CABINET_IO' })
    assert.deepEqual(office.approvals.waiting(), [])
    if (happened) await office.restart()
    assert.equal((await office.approvals.bring(note)).outcome, 'pending')
    assert.equal((await office.approvals.bring(signed(parseNote(note).text, ['ann']))).outcome, 'enacted')
  }
})

test('what was taken in just before a crash is known as enacted after it', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  await office.approvals.bring(note)
  office.cabinet.failNext()
  office.cabinet.failNext()
  const brought = await office.approvals.bring(signed(parseNote(note).text, ['cat']))
  assert.equal(brought.outcome, 'enacted', 'it is in force, whatever the disk says')
  assert.match(office.errors.join(), /approval-unwritten/)
  await office.restart()
  assert.equal((await office.approvals.get(idOf(note)))?.state, 'pending')
  await office.approvals.tick()
  assert.equal((await office.approvals.get(idOf(note)))?.state, 'enacted')
})

test('only who signed can withdraw, and a withdrawn text does not come back', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  await office.approvals.bring(note)
  const other = await office.approvals.withdraw(idOf(note), 'cat')
  assert.ok('outcome' in other && other.code === 'may-not')
  const own = await office.approvals.withdraw(idOf(note), 'bob')
  assert.ok('state' in own && own.state === 'withdrawn')
  await office.restart()
  const both = signed(parseNote(note).text, ['bob', 'cat'])
  refusedAs(await office.approvals.bring(both), 'withdrawn', /withdrawn by bob/)
  const again = await office.approvals.withdraw(idOf(note), 'bob')
  assert.ok('outcome' in again && again.code === 'withdrawn')
  const none = await office.approvals.withdraw('f'.repeat(64), 'bob')
  assert.ok('outcome' in none && none.code === 'unknown')
  assert.equal(office.policy.version, 1)
})

test('what nobody signed within a day is over, and its old signature with it', async () => {
  const office = await Office.open()
  const note = office.note(to(100), ['bob'])
  await office.approvals.bring(note)
  office.wall += 24 * HOUR_MS - 1
  await office.approvals.tick()
  assert.equal(office.approvals.waiting().length, 1)
  office.wall += 1
  await office.approvals.tick()
  assert.deepEqual(office.approvals.waiting(), [])
  refusedAs(await office.approvals.bring(signed(parseNote(note).text, ['cat', 'bob'])), 'expired')
  const anew = office.note(to(100), ['bob'])
  assert.notEqual(idOf(anew), idOf(note), 'said anew it is another text, for it begins at another time')
  assert.equal((await office.approvals.bring(anew)).outcome, 'pending')
})

test('a signature for another text is not taken for this one', async () => {
  const office = await Office.open()
  const [a, b] = [office.note(to(100), ['bob']), office.note(to(110), ['cat'])]
  await office.approvals.bring(a)
  refusedAs(await office.approvals.sign(idOf(a), b), 'other-text')
  refusedAs(await office.approvals.sign('0'.repeat(64), b), 'unknown')
  refusedAs(await office.approvals.sign('../../x', b), 'unknown')
})

test('there is an end to how many may wait', async () => {
  const office = await Office.open()
  const note = (k: number) => office.note(to(100), ['bob'], `reason ${k}`)
  for (let k = 0; k < 200; k++) assert.equal((await office.approvals.bring(note(k))).outcome, 'pending')
  refusedAs(await office.approvals.bring(note(200)), 'full')
  const signedToo = await office.approvals.bring(signed(parseNote(note(7)).text, ['cat']))
  assert.equal(signedToo.outcome, 'enacted', 'what waits can still be signed')
  assert.deepEqual(office.approvals.waiting(), [])
})

test('what had all its signatures while the anchor was away is taken in when it is back', async () => {
  const office = await Office.open()
  office.isAway = true
  const alone = office.note(to(290), ['bob'])
  refusedAs(await office.approvals.bring(alone), 'away')
  const note = office.note(to(100), ['bob'])
  await office.approvals.bring(note)
  const waits = await office.approvals.bring(signed(parseNote(note).text, ['cat']))
  assert.ok(waits.outcome === 'pending' && waits.missing === 'not yet')
  await office.restart()
  office.isAway = false
  await office.approvals.tick()
  assert.equal(scheduled(office.policy, office.wall), 100)
  assert.equal((await office.approvals.get(idOf(note)))?.state, 'enacted')
})

test('many small moves by one person end where two would have to agree', async () => {
  const office = await Office.open()
  const outcomes: string[] = []
  for (const capacity of [270, 250, 240, 239]) {
    outcomes.push((await office.approvals.bring(office.note(to(capacity), ['bob']))).outcome)
  }
  assert.deepEqual(outcomes, ['enacted', 'enacted', 'enacted', 'pending'])
})

test('a gate is added by one person and taken off by two', async () => {
  const office = await Office.open()
  const key = keyOf('south').verifier.toString()
  const added = await office.approvals.bring(office.note({ kind: 'gate-add', key }, ['bob']))
  assert.equal(added.outcome, 'enacted')
  const removal = office.note({ kind: 'gate-remove', name: 'south' }, ['bob'])
  const removed = await office.approvals.bring(removal)
  assert.ok(removed.outcome === 'pending')
  assert.match(removed.needs.why.join(), /off the roster/)
  await office.approvals.bring(signed(parseNote(removal).text, ['cat']))
  assert.deepEqual(office.policy.gates, CHARTER.gates)
})

test('everything that was brought is listed, newest first, each once over all pages', async () => {
  const office = await Office.open()
  for (let k = 0; k < 7; k++) {
    office.wall += k % 2
    await office.approvals.bring(office.note(to(100), ['bob'], `reason ${k}`))
  }
  await office.approvals.bring(office.note(to(290), ['bob']))
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await office.approvals.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(page.approvals.map(({ id }) => id))
    cursor = page.cursor
  } while (cursor !== undefined)
  const { approvals } = await office.approvals.list()
  assert.equal(new Set(pages.flat()).size, 9)
  assert.deepEqual(
    pages.flat(),
    approvals.map(({ id }) => id),
  )
  assert.ok(approvals.every(({ broughtAt }, i) => i === 0 || broughtAt <= (approvals[i - 1]?.broughtAt ?? 0)))
  assert.equal((await office.approvals.list({ state: 'outdated', limit: 100 })).approvals.length, 7)
  await assert.rejects(office.approvals.list({ cursor: 'x', limit: 1 }), { code: 'CURSOR' })
})

test('measures tell what waits and what became of the rest', async () => {
  const office = await Office.open()
  await office.approvals.bring(office.note(to(100), ['bob']))
  const [waiting, ended] = office.approvals.families()
  assert.deepEqual(waiting?.samples, [{ value: 1, labels: { mall: MALL } }])
  assert.deepEqual(ended?.samples, [{ value: 1, labels: { mall: MALL, state: 'enacted' } }])
})

test.run()
