// alone
// Storms: a minute of them in every test run. Long runs are by hand: `npx gatemesh sim --seeds 2000`.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { DECISIONS, FAULTS, runSeed } from './run.ts'

const SEEDS = 250
const root = join(import.meta.dirname, '../..')
const test = suite('sim')

interface Totals {
  readonly seeds: number
  readonly audited: number
  readonly decisionCount: number
  readonly decisions: Record<string, number>
  readonly faults: Record<string, number>
  readonly failures: readonly unknown[]
}

function sim(...args: string[]): { status: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/gatemesh.ts', 'sim', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  return { status, out: stdout || stderr }
}

test(
  `${SEEDS} storms break no law, and every kind of fault and of decision was among them`,
  () => {
    const { status, out } = sim('--seeds', String(SEEDS), '--json')
    const totals = JSON.parse(out) as Totals
    assert.deepEqual(totals.failures, [])
    assert.equal(status, 0)
    assert.equal(totals.seeds, SEEDS)
    assert.deepEqual(
      FAULTS.filter(kind => !totals.faults[kind]),
      [],
    )
    assert.deepEqual(
      DECISIONS.filter(kind => !totals.decisions[kind]),
      [],
    )
    assert.ok(totals.audited > 1000, 'the auditor had real ledgers to verify')
  },
  { timeoutMs: 600_000 },
)

/** Seeds that once broke a law. What they draw may have changed since; that they pass must not. */
const GIFTS = [
  81, 110, 123, 202, 217, 218, 331, 520, 824, 872, 964, 1150, 1193, 1222, 1493, 1818, 3087, 4008, 4075, 5047, 5139,
  5180,
]

test('seeds that once failed still pass', async () => {
  for (const seed of GIFTS) {
    const { broken } = await runSeed(seed)
    assert.equal(broken, undefined, `seed ${seed} breaks ${broken?.law}: ${broken?.what}`)
  }
})

test('one seed is one storm, to the letter', async () => {
  for (const seed of [3, 7, 12]) {
    const transcripts = []
    for (let i = 0; i < 2; i++) {
      const lines: string[] = []
      await runSeed(seed, {}, line => lines.push(line))
      assert.ok(lines.length > 1000, `seed ${seed} has a transcript`)
      transcripts.push(hash('sha256', lines.join('\n')))
    }
    assert.equal(transcripts[0], transcripts[1], `seed ${seed}`)
  }
})

test('a replay strikes only the blows that are kept', () => {
  const { status, out } = sim('--from', '3', '--transcript', '--keep', 'none', '--without', 'loss,duplicate,reorder')
  assert.equal(status, 0, out.slice(-500))
  assert.ok(out.includes('— calm —'))
  assert.ok(!out.includes('⚡'), 'no blow was struck')
})

test('wrong use is told apart from a broken law', () => {
  assert.equal(sim('--seeds', 'many').status, 2)
  assert.equal(sim('--without', 'gravity').status, 2)
})

test.run()
