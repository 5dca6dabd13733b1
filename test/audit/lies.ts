// Lies: what somebody would do to a bundle who knows the format well, and has at most one key that is not his.

import { type About, formatAbout, parseAbout } from '../../ledger/audit/about.ts'
import type { SignerKey } from '../../ledger/key.ts'
import { formatNote, parseNote, signNote } from '../../ledger/note.ts'
import { signerOf } from '../ledger/paper-mall.ts'
import type { Copy } from './copy.ts'
import { BOTH, type Mangling } from './mangling.ts'

const ABOUT = 'data/bundle.json'

type Lie = readonly [name: string, expect: string, mangle: (copy: Copy) => void]

function* lies(list: readonly Lie[]): Generator<Mangling> {
  for (const [name, expect, mangle] of list) yield { name, expect, mangle, forgers: BOTH }
}

export function thief(name: string): SignerKey {
  return signerOf(name, ' thief')
}

/** A row said again, or of somebody else. */
export function rows(): Iterable<Mangling> {
  const row = (account: string, size: number) => `data/rows/${account}.${size}.note`
  return lies([
    [
      'an older row under the name of the newest',
      'bag',
      it => it.write(row('east/1', 16), it.bytes(row('east/1', 10))),
    ],
    ["another account's row", 'bag', it => it.write(row('east/1', 16), it.bytes(row('west/1', 6)))],
    ["a row of another gate's of the same size", 'bag', it => it.write(row('east/1', 5), it.bytes(row('west/1', 5)))],
    [
      'an older row with the size of the newest',
      'row east/1',
      it => it.write(row('east/1', 16), it.text(row('east/1', 15)).replace('\n15\n', '\n16\n')),
    ],
    ['a row under another epoch', 'bag', it => it.write(row('north/1', 6), it.bytes(row('north/2', 6)))],
    [
      "a row that says another's name",
      'row east/1',
      it => it.write(row('east/1', 6), it.text(row('west/1', 6)).replace('paper/west/1\n', 'paper/east/1\n')),
    ],
    [
      'all rows of a gate removed',
      'unsigned east/1',
      it => {
        for (const file of rowsOf(it, 'east/1')) it.remove(file)
      },
    ],
    [
      "all rows of a gate signed by a thief's key",
      'row east/1',
      it => {
        for (const file of rowsOf(it, 'east/1')) it.write(file, resigned(it, file, [thief('east')]))
      },
    ],
    [
      "all rows of a gate signed by another gate's key",
      'row east/1',
      it => {
        for (const file of rowsOf(it, 'east/1')) it.write(file, resigned(it, file, [signerOf('west')]))
      },
    ],
    [
      'a row signed by two',
      'row east/1',
      it => it.write(row('east/1', 16), resigned(it, row('east/1', 16), [signerOf('east'), signerOf('west')])),
    ],
    [
      'a row that counts one fewer, well signed',
      'counters east/1',
      it =>
        it.write(
          row('east/1', 16),
          resigned(it, row('east/1', 16), [signerOf('east')], text => text.replace('admitted 8', 'admitted 7')),
        ),
    ],
    [
      'a row of another root, well signed',
      'root east/1',
      it =>
        it.write(
          row('east/1', 16),
          resigned(it, row('east/1', 16), [signerOf('east')], text =>
            text.replace(/\n16\n./, head => `\n16\n${head.endsWith('A') ? 'B' : 'A'}`),
          ),
        ),
    ],
  ])
}

/** Signatures put where they do not belong. */
export function* transplants(copy: Copy): Generator<Mangling> {
  const notes = copy.files.filter(file => file.endsWith('.note'))
  for (const [i, file] of notes.entries()) {
    // its neighbour is mostly of the same signer, the one half the list away of another
    for (const from of [notes[(i + 1) % notes.length], notes[(i + (notes.length >> 1)) % notes.length]] as string[]) {
      const { signatures } = parseNote(copy.text(from))
      const note = formatNote({ ...parseNote(copy.text(file)), signatures })
      yield { name: `the signatures of ${from} under ${file}`, forgers: BOTH, mangle: it => it.write(file, note) }
    }
  }
}

/** Policies backdated, edited, left out, put in another order, or signed by too few. */
export function policies(): Iterable<Mangling> {
  const policy = (version: number) => `data/policies/${version}.note`
  const exchange = (it: Copy, a: string, b: string) => {
    const [was, is] = [it.bytes(a), it.bytes(b)]
    it.write(a, is)
    it.write(b, was)
  }
  return lies([
    ...[1, 2, 3, 4].map((version): Lie => [`policy ${version} left out`, 'policy', it => it.remove(policy(version))]),
    [
      'the later policies left out',
      'policy',
      it => {
        for (const version of [3, 4]) it.remove(policy(version))
      },
    ],
    ['policies 2 and 3 exchanged', 'bag', it => exchange(it, policy(2), policy(3))],
    ['policy 3 in place of 2', 'policy', it => it.move(policy(3), policy(2))],
    ['policy 2 said again as 5', 'bag', it => it.write(policy(5), it.bytes(policy(2)))],
    ['policy 2 backdated', 'policy', it => it.edit(policy(2), text => text.replace('1763254800000', '1763250000000'))],
    [
      'policy 2 backdated and signed by a thief',
      'policy',
      it =>
        it.write(
          policy(2),
          resigned(it, policy(2), ['anchor', 'alma', 'bruno'].map(thief), text =>
            text.replace('1763254800000', '1763250000000'),
          ),
        ),
    ],
    [
      'policy 2 backdated and signed by one operator',
      'policy',
      it =>
        it.write(
          policy(2),
          resigned(it, policy(2), [signerOf('anchor'), signerOf('alma')], text =>
            text.replace('1763254800000', '1763250000000'),
          ),
        ),
    ],
    [
      'policy 4 with another limit, well signed',
      'policy anchor/2',
      it =>
        it.write(
          policy(4),
          resigned(it, policy(4), [signerOf('anchor'), signerOf('alma'), signerOf('bruno', ' 2')], text =>
            text.replace('capacity 0 20', 'capacity 0 19'),
          ),
        ),
    ],
    [
      'policy 4 signed with a key that was replaced',
      'policy',
      it => it.write(policy(4), resigned(it, policy(4), [signerOf('anchor'), signerOf('alma'), signerOf('bruno')])),
    ],
    [
      'policy 3 signed with a key that came later',
      'policy',
      it =>
        it.write(policy(3), resigned(it, policy(3), [signerOf('anchor'), signerOf('alma'), signerOf('bruno', ' 2')])),
    ],
    ...[1, 3].map(
      (version): Lie => [
        `policy ${version} signed by one operator`,
        'policy',
        it => it.write(policy(version), resigned(it, policy(version), [signerOf('anchor'), signerOf('alma')])),
      ],
    ),
    [
      'policy 3 not signed by the anchor',
      'policy',
      it => it.write(policy(3), resigned(it, policy(3), [signerOf('alma'), signerOf('bruno')])),
    ],
    [
      'policy 3 signed by a viewer too',
      'policy',
      it =>
        it.write(
          policy(3),
          resigned(
            it,
            policy(3),
            ['anchor', 'alma', 'bruno', 'vera'].map(name => signerOf(name)),
          ),
        ),
    ],
  ])
}

/** Charters of another owner, altered or left out. */
export function charters(): Iterable<Mangling> {
  const [first, revision] = ['data/charter.note', 'data/charter.2.note']
  return lies([
    [
      "the charter signed by a thief's owner key",
      'charter',
      it => it.write(first, resigned(it, first, [thief('owner')])),
    ],
    [
      "a revision signed by a thief's owner key",
      'charter',
      it => it.write(revision, resigned(it, revision, [thief('owner')])),
    ],
    [
      'a charter that allows more',
      'charter',
      it => it.edit(first, text => text.replace('legal-max 40', 'legal-max 400')),
    ],
    ['a revision that counts earlier', 'charter', it => it.edit(revision, text => text.replace('since 4', 'since 2'))],
    ['the revision left out', 'policy', it => it.remove(revision)],
    ['the revision in place of the charter', 'charter', it => it.move(revision, first)],
    ['the charter said again as a revision', 'charter', it => it.write('data/charter.3.note', it.bytes(first))],
    ['the revision said again', 'charter', it => it.write('data/charter.3.note', it.bytes(revision))],
    ['the revision under another number', 'bag', it => it.move(revision, 'data/charter.3.note')],
    ['the charter signed by an operator', 'charter', it => it.write(first, resigned(it, first, [signerOf('alma')]))],
  ])
}

/** Entries altered one by one, with the chain mended after them or not. */
export function entries(copy: Copy): Iterable<Mangling> {
  const east = 'data/ledgers/east/1.jsonl'
  return lies([
    ...copy.lines(east).map(
      (line, n): Lie => [
        `the time of entry ${n} of east/1 changed`,
        n === 15 ? 'root east/1' : 'chain east/1',
        it =>
          it.writeLines(
            east,
            it.lines(east).with(
              n,
              line.replace(/"at":(\d+)/, (_, at) => `"at":${Number(at) + 1}`),
            ),
          ),
      ],
    ),
    [
      'an entry put in at the end',
      'bag',
      it => it.writeLines(east, [...it.lines(east), it.lines(east).at(-1) as string]),
    ],
    ['a ledger of another name', 'truncated east/1', it => it.move(east, 'data/ledgers/south/1.jsonl')],
    [
      'a ledger under the name of another',
      'root west/1',
      it => {
        it.write('data/ledgers/west/1.jsonl', it.bytes(east))
        about(it, it.lines(east).length, 'west/1')
      },
    ],
  ])
}

/** An epoch that never was, or never ended. */
export function epochs(): Iterable<Mangling> {
  return lies([
    ['the first epoch of a gate dropped', 'truncated north/1', it => drop(it, 'north/1')],
    ['the second epoch of a gate dropped', 'truncated', it => drop(it, 'north/2')],
    ['the first epoch of the anchor dropped', 'truncated anchor/1', it => drop(it, 'anchor/1')],
    ['the second epoch of the anchor dropped', 'truncated anchor/2', it => drop(it, 'anchor/2')],
    ['a gate dropped', 'truncated west/1', it => drop(it, 'west/1')],
    [
      'a gate cut back to an old row',
      'truncated east/1',
      it => {
        it.writeLines('data/ledgers/east/1.jsonl', it.lines('data/ledgers/east/1.jsonl').slice(0, 10))
        for (const size of [15, 16]) it.remove(`data/rows/east/1.${size}.note`)
        about(it, 10, 'east/1')
      },
    ],
  ])
}

/** bundle.json says what is not so. */
export function abouts(copy: Copy): Iterable<Mangling> {
  const is = parseAbout(copy.text(ABOUT))
  const shown = is.ledgers.filter(({ from, to }) => from < to)
  const one = (account: string, change: (s: About['ledgers'][number]) => object | undefined) => (it: Copy) =>
    say(it, {
      ledgers: is.ledgers.flatMap(s => (s.account === account ? [change(s)] : [s])).filter(s => s !== undefined),
    })
  return lies([
    ['another mall', 'bag', it => say(it, { mall: 'other' })],
    [
      'an account that is not there',
      'truncated',
      it => say(it, { ledgers: [...is.ledgers, { account: 'west/2', from: 0, to: 3 }] }),
    ],
    ['no ledgers at all', 'bag', it => say(it, { ledgers: [] })],
    ...shown.flatMap(({ account, from, to }): Lie[] => [
      [`no ${account}, though its ledger is there`, '', one(account, () => undefined)],
      [`one entry more of ${account}`, 'truncated', one(account, s => ({ ...s, to: to + 1 }))],
      [`one entry fewer of ${account}`, 'bag', one(account, s => ({ ...s, to: to - 1 }))],
      [`a later beginning of ${account}`, '', one(account, s => ({ ...s, from: from + 1, to: to + 1 }))],
    ]),
  ])
}

/** Claims of what was asked for that only its maker can know; the two need only say the same. */
export function* scopes(copy: Copy): Generator<Mangling> {
  const is = parseAbout(copy.text(ABOUT))
  for (const [name, change] of [
    ['only east was asked for', { gates: ['east'] }],
    ['nobody was asked for', { gates: [] }],
    ['a day was asked for', { from: 1, to: 2 }],
    ['everything was asked for', { from: null, to: null, gates: null }],
    ['from a disk', { source: 'disk', made: 1 }],
  ] as const) {
    if (Object.entries(change).every(([key, value]) => is[key as keyof About] === value)) continue
    yield { name, forgers: BOTH, mangle: it => say(it, change), open: true }
  }
}

function rowsOf(copy: Copy, account: string): string[] {
  return copy.under('rows').filter(file => file.startsWith(`data/rows/${account}.`))
}

function resigned(copy: Copy, file: string, by: readonly SignerKey[], change = (text: string) => text): string {
  const { text } = parseNote(copy.text(file))
  return signNote(change(text), by)
}

function say(copy: Copy, change: object): void {
  copy.write(ABOUT, JSON.stringify({ ...parseAbout(copy.text(ABOUT)), ...change }))
}

function about(copy: Copy, to: number, account: string): void {
  const is = parseAbout(copy.text(ABOUT))
  copy.write(ABOUT, formatAbout({ ...is, ledgers: is.ledgers.map(s => (s.account === account ? { ...s, to } : s)) }))
}

/** All of an account, as if it had never been. */
function drop(copy: Copy, account: string): void {
  for (const file of copy.files) {
    if (file === `data/ledgers/${account}.jsonl` || file.startsWith(`data/rows/${account}.`)) copy.remove(file)
  }
  const is = parseAbout(copy.text(ABOUT))
  copy.write(ABOUT, formatAbout({ ...is, ledgers: is.ledgers.filter(s => s.account !== account) }))
}
