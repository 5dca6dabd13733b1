// The scarcity bench runs in virtual time: the same figures on any machine, so they may be asserted.

import assert from 'node:assert/strict'
import { LIMITS } from '../../mesh/limits.ts'
import { measure, SCENARIOS } from '../../tools/bench/scarcity.ts'
import { suite } from '../suite.ts'

const test = suite('bench/scarcity')

for (const scenario of SCENARIOS) {
  const seconds = Math.min(scenario.seconds, 150)
  const shorter = scenario.cut ? { ...scenario, seconds, cut: [30, 120] as const } : { ...scenario, seconds }
  test(`${scenario.name}: as good as an all-knowing counter, within the deadline, for few messages`, () => {
    const result = measure(shorter)
    assert.ok(result.percentOfOmniscient >= 99.5, `${result.percentOfOmniscient} % of an all-knowing counter`)
    assert.ok(result.messagesPerArrival <= 4, `${result.messagesPerArrival} messages per arrival`)
    assert.ok(result.p99Ms <= LIMITS.decisionMs, `one in a hundred waited ${result.p99Ms} ms`)
    // only where somebody who was asked says nothing, as in the first seconds of a cut
    const longestMs = scenario.cut ? LIMITS.patienceMs : LIMITS.decisionMs
    assert.ok(result.maxMs <= longestMs, `somebody waited ${result.maxMs} ms`)
  })
}

test.run()
