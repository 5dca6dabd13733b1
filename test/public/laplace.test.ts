// quiet

import assert from 'node:assert/strict'
import { type Below, drawLaplace, error95 } from '../../anchor/public/laplace.ts'
import { Random } from '../sim/random.ts'
import { suite } from '../suite.ts'

const test = suite('public/laplace')

const SEED = 20_251
const DRAWS = 60_000

function seeded(): Below {
  const random = new Random(SEED)
  return n => random.int(n)
}

function draws(scale: { num: number; den: number }): number[] {
  const below = seeded()
  return Array.from({ length: DRAWS }, () => drawLaplace(scale, below))
}

/** The chance of y, written down without looking at the sampler. */
function chance(y: number, scale: number): number {
  const p = Math.exp(-1 / scale)
  return ((1 - p) / (1 + p)) * p ** Math.abs(y)
}

const SCALES = [
  { num: 1, den: 1 },
  { num: 17, den: 1 },
  { num: 17_000, den: 1000 },
  { num: 3, den: 10 },
  { num: 5, den: 2 },
]

for (const scale of SCALES) {
  const b = scale.num / scale.den
  test(`scale ${scale.num}/${scale.den}: around zero, as wide as the law says, each value as often as it should`, () => {
    const all = draws(scale)
    const p = Math.exp(-1 / b)
    const variance = (2 * p) / (1 - p) ** 2
    const mean = all.reduce((sum, y) => sum + y, 0) / DRAWS
    const spread = all.reduce((sum, y) => sum + y * y, 0) / DRAWS
    const says = `seed ${SEED}: mean ${mean}, variance ${spread} of ${variance}`
    assert.ok(Math.abs(mean) < 4 * Math.sqrt(variance / DRAWS), says)
    assert.ok(Math.abs(spread / variance - 1) < 0.06, says)
    for (const y of [-2, -1, 0, 1, 2]) {
      const seen = all.filter(drawn => drawn === y).length / DRAWS
      const due = chance(y, b)
      assert.ok(
        Math.abs(seen - due) < 4.5 * Math.sqrt((due * (1 - due)) / DRAWS),
        `seed ${SEED}: ${y} ${seen} of ${due}`,
      )
    }
    const within = all.filter(y => Math.abs(y) <= error95(scale)).length / DRAWS
    assert.ok(within >= 0.947, `seed ${SEED}: ${within} within ${error95(scale)}`)
  })
}

test('two counts that differ by one give every answer with chances that differ by e^(1/scale) at most', () => {
  const scale = { num: 4, den: 1 }
  const here = new Map<number, number>()
  for (const y of draws(scale)) here.set(y, (here.get(y) ?? 0) + 1)
  for (let y = -6; y < 6; y++) {
    const [a = 0, b = 0] = [here.get(y), here.get(y + 1)]
    const ratio = Math.max(a / b, b / a)
    assert.ok(ratio < Math.exp(1 / 4) * 1.12, `seed ${SEED}: ${a} at ${y}, ${b} at ${y + 1}`)
  }
})

test('the error that is told is the least that 95 in 100 are within', () => {
  for (const { num, den } of SCALES) {
    const b = num / den
    const within = (k: number) => {
      let sum = 0
      for (let y = -k; y <= k; y++) sum += chance(y, b)
      return sum
    }
    const k = error95({ num, den })
    assert.ok(within(k) >= 0.95 && (k === 0 || within(k - 1) < 0.95), `${num}/${den}: ${k}`)
  }
})

test.run()
