import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import type { Copy } from './copy.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'
import { BOTH, type Forger, Mangler, type Mangling } from './mangling.ts'

const evidence = evidenceMall()
const owner = evidence.mall.owner.verifier

for (const [name, scope] of [
  ['whole', {}],
  ['of a day', { from: evidence.morning, to: evidence.evening }],
] as const) {
  const test = suite(`audit/mangle files, ${name}`)
  const mangler = new Mangler(test, contentOf(evidence, scope), owner)

  test('as it was made, both find nothing', async () => {
    for (const said of await mangler.untouched()) assert.deepEqual(said.findings, [])
  })

  test('every file removed is missed', () => mangler.all(removals(mangler.copy)), { timeoutMs: 240_000 })

  test('every ledger cut short is found, at every line and within lines', () => mangler.all(cuts(mangler.copy)), {
    timeoutMs: 240_000,
  })

  test('lines swapped, said twice or left out are found', () => mangler.all(shuffles(mangler.copy)), {
    timeoutMs: 240_000,
  })

  test.run()
}

function* removals(copy: Copy): Generator<Mangling> {
  for (const file of copy.files) {
    const mangle = (it: Copy) => it.remove(file)
    yield { name: `${file} removed`, forgers: BOTH, mangle, open: isOnlyLess(copy, file) }
  }
}

/** A row fewer of an account that has others is less evidence, and not false: the report says up to where it is signed. */
function isOnlyLess(copy: Copy, file: string): boolean {
  const account = /^data\/rows\/(.+)\.\d+\.note$/.exec(file)?.[1]
  if (account === undefined) return false
  const { ledgers } = JSON.parse(copy.text('data/bundle.json')) as {
    ledgers: { account: string; from: number; to: number }[]
  }
  const begins = ledgers.some(one => file === `data/rows/${one.account}.${one.from}.note`)
  return !begins && copy.under(`rows`).filter(row => row.startsWith(`data/rows/${account}.`)).length > 1
}

function* cuts(copy: Copy): Generator<Mangling> {
  for (const ledger of copy.under('ledgers')) {
    const bytes = copy.bytes(ledger)
    let begin = 0
    for (const [n, line] of copy.lines(ledger).entries()) {
      const length = Buffer.byteLength(line) + 1
      // before the line, within it, and before its newline
      for (const at of [begin, begin + (length >> 1), begin + length - 1]) {
        const mangle = (it: Copy) => it.write(ledger, bytes.subarray(0, at))
        yield { name: `${ledger} cut in line ${n} at byte ${at}`, forgers: forgersOf(n), mangle }
      }
      begin += length
    }
  }
}

/** What manifests catch does not depend on where: the first line is enough for the clumsy. */
function forgersOf(n: number): readonly Forger[] {
  return n === 0 ? BOTH : ['careful']
}

function* shuffles(copy: Copy): Generator<Mangling> {
  const ledgers = copy.under('ledgers')
  for (const [k, ledger] of ledgers.entries()) {
    const lines = copy.lines(ledger)
    const other = ledgers[(k + 1) % ledgers.length] as string
    const theirs = copy.lines(other)
    for (const [n, line] of lines.entries()) {
      const forgers = forgersOf(n)
      const next = lines[n + 1]
      if (next !== undefined) {
        const swapped = lines.with(n, next).with(n + 1, line)
        yield { name: `${ledger}: ${n} and ${n + 1} swapped`, forgers, mangle: it => it.writeLines(ledger, swapped) }
      }
      yield { name: `${ledger}: ${n} twice`, forgers, mangle: it => it.writeLines(ledger, lines.toSpliced(n, 0, line)) }
      yield { name: `${ledger}: no ${n}`, forgers, mangle: it => it.writeLines(ledger, lines.toSpliced(n, 1)) }
      const foreign = theirs[n]
      if (foreign === undefined) continue
      const exchange = (it: Copy) => {
        it.writeLines(ledger, lines.with(n, foreign))
        it.writeLines(other, theirs.with(n, line))
      }
      yield { name: `${n} of ${ledger} and ${other} exchanged`, forgers, mangle: exchange }
    }
  }
}
