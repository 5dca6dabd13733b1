import assert from 'node:assert/strict'
import { suite } from '../../suite.ts'
import { PERILS, type Peril, type Sensors, Storm } from './storm.ts'

const test = suite('hardware/sim/storm')

const SENSORS: readonly Sensors[] = ['contacts', 'beams', 'counters', 'both']
/** Faults after which everybody can still be told from everybody else. */
const HARMLESS: readonly Peril[] = ['turners', 'tailgaters', 'fire', 'hung', 'bold']
const SEEDS = Number(process.env.STORMS ?? 6)

for (const sensors of SENSORS) {
  test(`${sensors}: on a day without faults the count is the truth`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { inside, really, people } = await new Storm({ seed, sensors, perils: [], minutes: 4 }).rage()
      assert.ok(people > 100)
      assert.equal(inside, really, `seed ${seed}`)
    }
  })

  test(`${sensors}: turners, tailgaters, fire and a gate that hangs leave the count at the truth`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { inside, really } = await new Storm({ seed, sensors, perils: HARMLESS, minutes: 4 }).rage()
      assert.ok(inside >= really, `seed ${seed}: ${inside} counted, ${really} inside`)
    }
  })

  test(`${sensors}: whatever breaks, nobody who could be seen is forgotten and nobody leaves twice`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { inside, really, io } = await new Storm({ seed, sensors, perils: PERILS, minutes: 6 }).rage()
      const { unseenIn } = io.truth
      assert.ok(inside >= really - unseenIn, `seed ${seed}: ${inside} counted, ${really} inside, ${unseenIn} unseen`)
    }
  })
}

test.run()
