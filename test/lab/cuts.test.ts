// alone: waits
import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { cutAndHeal } from './cut-and-heal.ts'
import { Lab } from './lab.ts'

const test = suite('lab/cuts')
const missing = await Lab.isMissing()
const CONVERGED_MS_MAX = 3000

const CLAIM = 'halves that were cut apart silently for 5 s, 29 s and 150 s know every row within 3 s of healing'

if (missing !== undefined) test.skip(CLAIM, missing)
else
  test(
    CLAIM,
    async () => {
      const results = await Promise.all([5, 29, 150].map(cutAndHeal))
      for (const { seconds, healedMs, noticedMs } of results) {
        console.log(
          `\ncut of ${seconds} s: noticed after ${Math.round(noticedMs)} ms, converged ${Math.round(healedMs)} ms after healing`,
        )
      }
      for (const { seconds, healedMs } of results)
        assert.ok(healedMs < CONVERGED_MS_MAX, `${seconds} s: ${healedMs} ms`)
    },
    { timeoutMs: 300_000 },
  )

test.run()
