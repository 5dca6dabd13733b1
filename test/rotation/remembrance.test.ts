import assert from 'node:assert/strict'
import { Chain } from '../../ledger/chain.ts'
import { openCharter } from '../../ledger/charter-note.ts'
import { Charters } from '../../ledger/charters.ts'
import { noCounters } from '../../ledger/counters.ts'
import type { Body } from '../../ledger/entry.ts'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
import { signMode } from '../../ledger/mode-note.ts'
import type { Policy } from '../../ledger/policy.ts'
import { signRow } from '../../ledger/row-note.ts'
import type { Store } from '../../ledger/store.ts'
import { Joining } from '../../mesh/joining.ts'
import { Keyring } from '../../mesh/keyring.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { Member } from '../../mesh/member.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { remember } from '../../mesh/remembrance.ts'
import { Shell } from '../../mesh/shell.ts'
import { Door } from '../../node/door.ts'
import type { GateEvent } from '../../node/gate-event.ts'
import { suite } from '../suite.ts'
import {
  chain,
  FIRST,
  FIRST_NOTE,
  keyOf,
  MALL,
  OWNER,
  policyNote,
  revised,
  rowNote,
  twoCharters,
  vkey,
} from './keys.ts'

const test = suite('rotation/remembrance')

const first = () => new Charters(openCharter(FIRST_NOTE, OWNER.verifier))

/** A store with a ledger of two people, begun with this key, as the next start finds it. */
async function written(
  account: string,
  by: string,
  notes: Readonly<Record<string, string>> = {},
  more: readonly Body[] = [],
): Promise<Store> {
  const disk = new MemoryDisk()
  const pen = new Chain(first().hash)
  const seal = ({ size, root }: { size: number; root: string }) => {
    const counters = { ...noCounters(), exited: Math.max(0, size - 1) }
    return signRow({ account, size, root, at: 9, counters }, MALL, keyOf(by))
  }
  const store = await openMemoryStore(disk, { name: account.split('/')[0] as string, seal })
  await store.begin(account, first().hash)
  const bodies: Body[] = [
    { id: newId(), at: 1, type: 'open', mall: MALL, account, key: vkey(by) },
    { id: newId(), at: 2, type: 'exit', credited: true, confidence: 900 },
    { id: newId(), at: 3, type: 'exit', credited: true, confidence: 900 },
    ...more,
  ]
  for (const [name, note] of Object.entries(notes)) store.keepNote(name, note)
  for (const body of bodies) await store.append(pen.write(body).line)
  await store.close()
  return openMemoryStore(disk, { name: account.split('/')[0] as string })
}

function reading(store: Store, charters: Charters, by: string) {
  const ringFor = (policies: readonly Policy[]) =>
    Keyring.of(charters, { newest: () => policies.at(-1), all: () => policies })
  return { store, ringFor, charterHash: charters.hash, key: vkey(by), wall: 10, rememberMs: 1000 }
}

test('a ledger that another key began is not gone on with: the next epoch cites its last row', async () => {
  const store = await written('east/1', 'east')
  const same = await remember(reading(store, first(), 'east'))
  assert.deepEqual([same.memory.kind, same.opened?.pen.size], ['intact', 3])
  const other = await remember(reading(store, first(), 'east.2'))
  assert.equal(other.opened, undefined)
  assert.equal(other.recent.length, 2, 'who asked a moment ago gets the same answer again')
  assert.ok(other.memory.kind === 'lost' && other.memory.last?.size === 3)
  assert.ok(other.rows.some(({ account, counters }) => account === 'east/1' && counters.exited === 2))
  const joining = new Joining('east', other.memory)
  joining.known('anchor', [{ ...other.memory.last, size: 2 }])
  const verdict = joining.verdict(['east', 'west'], false)
  assert.ok(verdict.is === 'open')
  assert.deepEqual([verdict.account, verdict.after?.account, verdict.after?.size], ['east/2', 'east/1', 3])
  // it is remembered with the next ledger too: others may have missed it
  await store.begin('east/2', first().hash)
  assert.ok(store.rows().has('east/1'))
  await store.close()
})

test('the anchor, with a new key, opens its next epoch as after a loss', async () => {
  const { charters } = twoCharters()
  const store = await written('anchor/1', 'anchor')
  const { memory, opened } = await remember(reading(store, charters, 'anchor.2'))
  assert.deepEqual([memory.kind, opened], ['lost', undefined])
  await store.close()
})

test('an anchor that lacks the policy which its budget follows does not go on by the one before it', async () => {
  const charters = first()
  const [one, two] = chain(charters, [
    ['anchor', 'ann', 'bob'],
    ['anchor', 'ann', 'bob'],
  ])
  assert.ok(one?.note !== undefined && two?.note !== undefined)
  const budget = { capacity: 9, correction: 0, reclaimed: 0, carried: 0 }
  const more: Body[] = [
    { id: newId(), at: 4, type: 'policy', version: 2, hash: two.hash },
    { id: newId(), at: 5, type: 'budget', ...budget, policy: 2 },
  ]
  const notes = { 'policy-1': one.note, 'policy-2': two.note }
  const whole = await written('anchor/1', 'anchor', notes, more)
  const { opened } = await remember(reading(whole, charters, 'anchor'))
  assert.deepEqual([opened?.budget?.capacity, opened?.policy?.version], [9, 2])
  const lacking = await written('anchor/1', 'anchor', { 'policy-1': one.note }, more)
  const after = await remember(reading(lacking, charters, 'anchor'))
  assert.deepEqual([after.memory.kind, after.opened], ['lost', undefined])
  assert.match(after.refused.join(), /^budget of anchor\/1: policy 2 is not here/)
  for (const store of [whole, lacking]) await store.close()
})

test('policies that were good and are none any more stop the start: a revision is missing, or counts too early', async () => {
  const { charters } = twoCharters()
  const policies = chain(charters, [
    ['anchor', 'ann', 'bob'],
    ['anchor', 'ann', 'bob'],
    ['anchor.2', 'ann', 'cat.2'],
  ])
  const notes = policies.map(({ note = '', version }) => [`policy-${version}`, note] as const)
  const store = await written('east/1', 'east', Object.fromEntries(notes))
  assert.equal((await remember(reading(store, charters, 'east'))).policies.length, 3)
  await assert.rejects(remember(reading(store, first(), 'east')), {
    code: 'CHARTER',
    message: /^policy-3: .*is missing/,
  })
  const early = first()
  early.add(openCharter(revised(early, 2, { anchor: vkey('anchor.2') }), OWNER.verifier))
  await assert.rejects(remember(reading(store, early, 'east')), { code: 'CHARTER', message: /^policy-2: .*too early/ })
  await store.close()
})

test('a start that cannot go on lets go of the disk: the next one finds it free', async () => {
  const policy = policyNote({ version: 1 }, ['anchor.2', 'ann', 'bob'])
  const store = await written('east/1', 'east', { 'policy-1': policy })
  const start = Shell.open<GateEvent>({
    name: 'east',
    charters: first(),
    signer: keyOf('east'),
    rememberMs: 1000,
    clock: REAL_CLOCK,
    transport: { send: () => undefined },
    witness: new Door({ name: 'east', clock: REAL_CLOCK, newId, alarm: () => undefined }),
    make: () => assert.fail('nothing is decided'),
    openStore: async () => store,
  })
  await assert.rejects(start, { code: 'CHARTER' })
  assert.equal(store.state, 'closed')
})

test('a gate that is given its key while its contact is closed raises the alarm then', () => {
  const charters = first()
  const me = new Member({ name: 'east', charter: FIRST, charters, limits: LIMITS, key: vkey('east.2'), newId })
  const by = ['anchor', 'ann', 'bob']
  const gates = [{ name: 'east', key: vkey('east.2') }, ...FIRST.gates.slice(1)]
  const [one, two] = chain(charters, [by, by], [{}, { gates }]) as [Policy, Policy]
  me.learn('anchor', [one])
  me.modes.setContact('fire', true)
  assert.deepEqual([me.modes.effective, me.modes.statement.mode], ['FIRE', 'NORMAL'], 'its own door obeys at once')
  me.learn('anchor', [two])
  assert.deepEqual([me.modes.statement.mode, me.modes.statement.by], ['FIRE', ['east']])
})

test('an emergency outlives the key of who raised it', async () => {
  const { charters } = twoCharters()
  const mode = signMode({ epoch: 0, mode: 'FIRE', at: 1, reason: 'smoke' }, MALL, [keyOf('bob')])
  const store = await written('east/1', 'east', { mode })
  const { modes, refused } = await remember(reading(store, charters, 'east'))
  assert.deepEqual([modes[0]?.mode, modes[0]?.by, refused], ['FIRE', ['bob'], []])
  const me = new Member({ name: 'east', charter: charters.newest, charters, limits: LIMITS, key: vkey('east'), newId })
  for (const statement of modes) me.modes.hear(statement, name => me.isGate(name))
  assert.equal(me.modes.effective, 'FIRE')
  await store.close()
})

test('a gate whose key was replaced is none any more, whatever it is called', () => {
  const charters = first()
  const me = new Member({ name: 'east', charter: FIRST, charters, limits: LIMITS, key: vkey('east'), newId })
  const by = ['anchor', 'ann', 'bob']
  const gates = [{ name: 'east', key: vkey('east.2') }, ...FIRST.gates.slice(1)]
  const [one, two] = chain(charters, [by, by], [{}, { gates }]) as [Policy, Policy]
  me.learn('anchor', [one])
  assert.ok(me.isGate('east') && me.isGate('west'))
  me.learn('anchor', [two])
  assert.ok(!me.isGate('east') && me.isGate('west'))
  assert.equal(me.policy?.version, 2)
})

test('members without the revision keep what they have, and take nothing that the new keys signed', () => {
  const charters = first()
  const [one] = chain(charters, [['anchor', 'ann', 'bob']]) as [Policy]
  const ring = Keyring.of(charters, { newest: () => one, all: () => [one] })
  const note = policyNote({ version: 2, previous: one.hash }, ['anchor.2', 'ann', 'cat.2'])
  assert.throws(() => ring.policy(note), { code: 'ROSTER' })
  assert.throws(() => ring.row(rowNote('anchor/2', 'anchor.2')), { code: 'ROSTER' })
  assert.equal(ring.row(rowNote('anchor/1', 'anchor')).account, 'anchor/1')
})

test.run()
