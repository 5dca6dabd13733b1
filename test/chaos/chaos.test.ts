// alone: waits
// Three minutes of everything at once, on real networks, disks and clocks; `CHAOS_SEED` adds a storm of your own.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { whyNoField } from './field/field.ts'
import { isAnchorless } from './nemesis.ts'
import { runStorm } from './run.ts'

const test = suite('chaos')

const MINUTES = 3
const SEEDS = [1, ...(process.env.CHAOS_SEED === undefined ? [] : [Number(process.env.CHAOS_SEED)])]
const ROOT = join(import.meta.dirname, '../..')

const why = await whyNoField()
for (const seed of SEEDS) {
  const name = `${MINUTES} minutes of every kind of fault break no law (seed ${seed})`
  if (why === undefined) test(name, () => storm(seed), { timeoutMs: (MINUTES + 6) * 60_000 })
  else test.skip(name, why)
}

async function storm(seed: number): Promise<void> {
  // kept beyond the test where something was found: the runner removes its own folder
  const runs = mkdtempSync(join(process.env.GATEMESH_TMP ?? tmpdir(), 'chaos-'))
  const options = { seed, minutes: MINUTES, gates: 6, capacity: 90, build: ROOT, dir: join(runs, `seed-${seed}`) }
  const outcome = await runStorm(options)
  const { findings, decisions, exits, faults, mostInside, exitMs, dir } = outcome
  const shown = findings.map(({ law, t, what }) => `${law} at ${t} ms: ${what}`).join('\n')
  assert.equal(findings.length, 0, `${shown}\nkept: ${dir}\nnpm run chaos -- --seed ${seed} --minutes ${MINUTES}`)
  rmSync(runs, { recursive: true, force: true })
  const kinds = Object.keys(faults)
  console.log(
    `  seed ${seed}: ${JSON.stringify(decisions)}, ${exits} exits (p99 ${exitMs.p99} ms), most inside ${mostInside}`,
  )
  console.log(`  ${JSON.stringify(faults)}`)
  assert.ok(kinds.length >= (isAnchorless(seed) ? 14 : 15), `too few kinds of faults: ${kinds}`)
  assert.ok((decisions.ADMIT ?? 0) > 50 && exits > 50, `too few people: ${JSON.stringify(decisions)}, ${exits} exits`)
}

test.run()
