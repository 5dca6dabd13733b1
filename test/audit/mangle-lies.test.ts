import assert from 'node:assert/strict'
import { MALL, PaperMall } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'
import { abouts, charters, entries, epochs, policies, rows, scopes, transplants } from './lies.ts'
import { BOTH, Mangler } from './mangling.ts'

const LONG = { timeoutMs: 300_000 }
const evidence = evidenceMall()
const owner = evidence.mall.owner.verifier

{
  const test = suite('audit/mangle lies, whole')
  const mangler = new Mangler(test, contentOf(evidence), owner)
  test('rows replayed, removed, signed by others or with other words are found', () => mangler.all(rows()), LONG)
  test('signatures of other notes are found', () => mangler.all(transplants(mangler.copy)), LONG)
  test(
    'policies backdated, edited, left out, exchanged or signed by too few are found',
    () => mangler.all(policies()),
    LONG,
  )
  test('charters of a thief, and revisions out of their turn, are found', () => mangler.all(charters()), LONG)
  test('entries with another time are found, and where', () => mangler.all(entries(mangler.copy)), LONG)
  test('an epoch dropped, and a gate cut back, are found', () => mangler.all(epochs()), LONG)
  test('a bundle.json that lies about what is shown is found', () => mangler.all(abouts(mangler.copy)), LONG)
  test(
    'of a bundle.json that lies about what was asked for, the two say the same',
    () => mangler.all(scopes(mangler.copy)),
    LONG,
  )
  test.run()
}

{
  const test = suite('audit/mangle lies, of a day')
  const mangler = new Mangler(test, contentOf(evidence, { from: evidence.morning, to: evidence.evening }), owner)
  test('signatures of other notes are found', () => mangler.all(transplants(mangler.copy)), LONG)
  test('a bundle.json that lies about what is shown is found', () => mangler.all(abouts(mangler.copy)), LONG)
  test(
    'of a bundle.json that lies about what was asked for, the two say the same',
    () => mangler.all(scopes(mangler.copy)),
    LONG,
  )
  test.run()
}

{
  const test = suite('audit/mangle lies, two histories')
  const { content, other, later } = forked()
  const mangler = new Mangler(test, content, owner)
  const [fork1, fork2] = ['data/forks/east/1.1.note', 'data/forks/east/1.2.note']
  const row = 'data/rows/east/1.3.note'

  test('two histories that are shown are told', async () => {
    for (const { findings } of await mangler.untouched()) {
      assert.deepEqual(
        findings.map(({ kind, account }) => `${kind} ${account}`),
        ['fork east/1'],
      )
    }
  })
  test(
    'a fork that is hidden in part is found',
    () =>
      mangler.all([
        { name: 'one of the two removed', forgers: BOTH, mangle: it => it.remove(fork1) },
        { name: 'the other of the two removed', forgers: BOTH, mangle: it => it.remove(fork2) },
        {
          name: 'forks removed, the row of the other history shown',
          forgers: BOTH,
          expect: 'root east/1',
          mangle: it => {
            it.remove(fork1)
            it.remove(fork2)
            it.write(row, other)
          },
        },
        {
          name: 'forks removed, rows of both histories shown',
          forgers: BOTH,
          expect: 'fork east/1',
          mangle: it => {
            it.remove(fork1)
            it.remove(fork2)
            it.write('data/rows/east/1.4.note', later)
          },
        },
      ]),
    LONG,
  )
  test.run()
}

/** A mall in which east told two histories, with both rows shown; and two rows of the one that its ledger is not. */
function forked() {
  const mall = PaperMall.opened()
  mall.admit('east/1')
  mall.close()
  const row = mall.rows.find(note => note.startsWith(`gatemesh/${MALL}/east/1\n`)) as string
  const anew = PaperMall.opened()
  anew.write('east/1', { type: 'optical', in: 0, out: 0 })
  const other = anew.row('east/1')
  anew.write('east/1', { type: 'optical', in: 0, out: 0 })
  const later = anew.row('east/1')
  const shown = contentOf({ ...evidence, mall, charters: [mall.charterNote] })
  return { content: { ...shown, forks: [{ account: 'east/1', notes: [row, other] }] }, other, later }
}
