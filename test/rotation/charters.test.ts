import assert from 'node:assert/strict'
import { openCharter, signCharter } from '../../ledger/charter-note.ts'
import { Charters } from '../../ledger/charters.ts'
import { SignerKey } from '../../ledger/key.ts'
import { signMode } from '../../ledger/mode-note.ts'
import { flawOf } from '../../ledger/policy.ts'
import { Keyring } from '../../mesh/keyring.ts'
import { ModeKeeper } from '../../mesh/modekeeper.ts'
import { Policybook } from '../../mesh/policybook.ts'
import { fromWire } from '../../mesh/wire.ts'
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

const test = suite('rotation/charters')

test('a revision follows the charter before it, of the same mall, and counts no earlier', () => {
  const { charters } = twoCharters()
  assert.deepEqual(
    [1, 2, 3, 4].map(version => charters.of(version).revision?.number ?? 1),
    [1, 1, 2, 2],
  )
  assert.equal(charters.hash, openCharter(FIRST_NOTE, OWNER.verifier).hash)
  assert.deepEqual(charters.keysOf('anchor').map(String), [vkey('anchor'), vkey('anchor.2')])
  assert.deepEqual(charters.keysOf('east').map(String), [vkey('east')])
  const refuses = (note: string, why: RegExp) =>
    assert.throws(() => charters.add(openCharter(note, OWNER.verifier)), { code: 'CHARTER', message: why })
  refuses(FIRST_NOTE, /is no revision/)
  refuses(revised(new Charters(openCharter(FIRST_NOTE, OWNER.verifier)), 3, {}), /is revision 2, the next is 3/)
  refuses(revised(charters, 2, {}), /counts since before the one before it/)
  const previous = charters.hash
  refuses(signCharter({ ...FIRST, revision: { number: 3, previous, since: 4 } }, OWNER), /follows another charter/)
  const anchor = SignerKey.generate('gatemesh/n/anchor').verifier.toString()
  const revision = { number: 3, previous: charters.newestHash, since: 4 }
  refuses(signCharter({ ...FIRST, mall: 'n', anchor, operators: [], gates: [], revision }, OWNER), /is of n, not of m/)
  assert.throws(() => new Charters(openCharter(revised(charters, 3, {}), OWNER.verifier)), /not where a mall begins/)
  assert.equal(charters.all.length, 2)
})

test('nobody but the owner revises, and version 1 belongs to the first charter', () => {
  const charters = new Charters(openCharter(FIRST_NOTE, OWNER.verifier))
  const revision = { number: 2, previous: charters.hash, since: 2 }
  const stolen = signCharter({ ...FIRST, revision }, keyOf('anchor'))
  assert.throws(() => openCharter(stolen, OWNER.verifier), { code: 'NOTE_SIGNATURE' })
  assert.throws(() => signCharter({ ...FIRST, revision: { ...revision, since: 1 } }, OWNER), /since: version 1/)
  assert.throws(() => signCharter({ ...FIRST, revision: { ...revision, number: 1 } }, OWNER), /revision/)
})

test('a policy is judged by the charter of its version: its keys, its people and its maximum', () => {
  const { charters } = twoCharters()
  const policies = chain(charters, [
    ['anchor', 'ann', 'bob'],
    ['anchor', 'bob', 'cat'],
    ['anchor.2', 'ann', 'cat.2'],
  ])
  const book = new Policybook(charters)
  assert.equal(book.learn(policies).adopted.length, 3, 'what bob signed stays good')
  const previous = policies[2]?.hash as string
  const refused = [
    ['anchor', 'ann', 'cat.2'],
    ['anchor.2', 'ann', 'bob'],
    ['anchor.2', 'ann', 'cat'],
  ]
  for (const by of refused) {
    assert.throws(() => charters.openPolicy(policyNote({ version: 4, previous }, by)), { code: /POLICY|NOTE/ }, `${by}`)
  }
  // and the other way round: the new keys cannot rewrite what was before them
  assert.throws(() => charters.openPolicy(policyNote({ version: 2 }, ['anchor.2', 'ann', 'cat.2'])), { code: 'POLICY' })
  const above = policyNote(
    { version: 3, previous: policies[1]?.hash as string, capacities: [{ from: 0, capacity: 90 }] },
    ['anchor.2', 'ann', 'cat.2'],
  )
  assert.equal(flawOf(charters.openPolicy(above), policies[1], charters.of(3)), 'above-legal-max')
  assert.equal(
    new Policybook(charters).learn([...policies.slice(0, 2), charters.openPolicy(above)]).stopped?.version,
    3,
  )
})

function ringOf(change: Parameters<typeof chain>[2] = [], versions = 2) {
  const { charters } = twoCharters()
  const by = [
    ['anchor', 'ann', 'bob'],
    ['anchor', 'ann', 'bob'],
    ['anchor.2', 'ann', 'cat.2'],
  ]
  const policies = chain(charters, by.slice(0, versions), change)
  const ring = Keyring.of(charters, { newest: () => policies.at(-1), all: () => policies })
  return { ring, charters, policies }
}

/** Of a key that counts no more for this. */
const STALE = { code: 'NOTE_SIGNATURE' }
const BUDGET = { capacity: 60, correction: 0, reclaimed: 0, carried: 0 }

test('rows of the anchor’s old epoch stay good; under policies made since then its old key says nothing', () => {
  const { ring, policies } = ringOf([], 3)
  const under = (version: number) => ({ version, hash: policies[version - 1]?.hash as string })
  assert.equal(ring.row(rowNote('anchor/1', 'anchor', { budget: BUDGET, policy: under(2) })).size, 5)
  assert.throws(() => ring.row(rowNote('anchor/1', 'anchor', { size: 6, budget: BUDGET, policy: under(3) })), STALE)
  assert.equal(ring.row(rowNote('anchor/2', 'anchor.2', { budget: BUDGET, policy: under(2) })).account, 'anchor/2')
  assert.equal(ring.row(rowNote('anchor/2', 'anchor.2', { size: 6, budget: BUDGET, policy: under(3) })).size, 6)
  assert.throws(() => ring.row(rowNote('anchor/2', 'anchor', { size: 7 })), STALE)
  assert.throws(() => ring.row(rowNote('anchor/3', 'anchor')), STALE, 'no epoch begins under the old key')
})

test('a ledger belongs to one key: neither goes the new one on with the old ledger, nor the old one with the new', () => {
  const gates = [{ name: 'east', key: vkey('east.2') }, ...FIRST.gates.slice(1)]
  const { ring } = ringOf([{}, { gates }])
  assert.equal(ring.row(rowNote('east/1', 'east')).size, 5, 'what was done under the old key stays true')
  assert.throws(() => ring.row(rowNote('east/1', 'east.2', { size: 6 })), {
    code: 'ROW',
    message: /goes on under a new key/,
  })
  assert.equal(ring.row(rowNote('east/2', 'east.2')).size, 5)
  assert.throws(() => ring.row(rowNote('east/2', 'east', { size: 6 })), STALE)
  assert.throws(() => ring.row(rowNote('east/7', 'east')), STALE, 'a thief of the old key begins no epoch')
  assert.equal(ring.row(rowNote('east/1', 'east', { size: 6 })).size, 6, 'late, and of the old ledger')
})

test('what unknown keys signed is refused without blame: a revision may not have come here yet', () => {
  const charters = new Charters(openCharter(FIRST_NOTE, OWNER.verifier))
  const policies = chain(charters, [['anchor', 'ann', 'bob']])
  const old = Keyring.of(charters, { newest: () => policies.at(-1), all: () => policies })
  const refused = (message: object) => fromWire(JSON.stringify(message), old, 'west').refused
  const row = rowNote('anchor/2', 'anchor.2')
  assert.match(refused({ kind: 'rows', rows: [row] })[0] ?? '', /^ROSTER/)
  const note = policyNote({ version: 2, previous: policies[0]?.hash as string }, ['anchor.2', 'ann', 'cat.2'])
  assert.match(refused({ kind: 'policies', policies: [note] })[0] ?? '', /^ROSTER/)
  const mode = signMode({ epoch: 0, mode: 'FIRE', at: 1, reason: 'x' }, MALL, [keyOf('cat.2')])
  assert.match(refused({ kind: 'mode', statement: mode })[0] ?? '', /^ROSTER/)
  // a signature that is wrong is somebody's fault all the same
  const forged = rowNote('east/1', 'east').replace('at 7', 'at 8')
  assert.doesNotMatch(refused({ kind: 'rows', rows: [forged] })[0] ?? '', /^ROSTER/)
  const strange = signMode({ epoch: 0, mode: 'FIRE', at: 1, reason: 'x' }, MALL, [keyOf('east')]).replace(
    'at 1',
    'at 2',
  )
  assert.throws(() => refused({ kind: 'mode', statement: strange }), { code: 'MESSAGE' })
})

test('who was replaced raises and clears nothing; what was in force before that stays in force', () => {
  const { ring, charters } = ringOf()
  const cleared = { epoch: 1, mode: 'NORMAL', at: 1, reason: 'x', clears: { epoch: 0, mode: 'FIRE' } } as const
  const clear = signMode(cleared, MALL, ['ann', 'bob'].map(keyOf))
  const raise = signMode({ epoch: 1, mode: 'LOCKDOWN', at: 2, reason: 'y' }, MALL, [keyOf('bob')])
  for (const note of [clear, raise]) assert.throws(() => ring.mode(note), { code: 'MODE' })
  const isGate = () => false
  // from the own disk, or by the word of the anchor that is one now
  const keeper = new ModeKeeper('east', charters.newest)
  assert.equal(keeper.hear(ring.mode(clear, true), isGate), 'new')
  assert.equal(keeper.hear(ring.mode(raise, true), isGate), 'new')
  assert.deepEqual([keeper.statement.epoch, keeper.effective], [1, 'LOCKDOWN'])
  const told = JSON.stringify({ kind: 'mode', statement: raise, clear })
  assert.throws(() => fromWire(told, ring, 'west'), { code: 'MESSAGE' })
  assert.equal(fromWire(told, ring, 'anchor').message.kind, 'mode')
  // one who has another key now does not get two voices
  const two = signMode(cleared, MALL, ['cat', 'cat.2'].map(keyOf))
  assert.throws(() => ring.mode(two, true), { code: 'MODE' })
  // nor does a new person count under an old charter
  const mixed = signMode(cleared, MALL, ['bob', 'cat.2'].map(keyOf))
  assert.throws(() => ring.mode(mixed, true), { code: 'MODE' })
})
test.run()
