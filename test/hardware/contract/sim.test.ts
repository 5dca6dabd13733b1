import type { HardwareConfig } from '../../../hardware/config.ts'
import { openTurnstile } from '../../../hardware/open.ts'
import type { Outcome } from '../../../hardware/sim/person.ts'
import type { SimIo } from '../../../hardware/sim/sim-io.ts'
import { suite } from '../../suite.ts'
import { ModelClock } from '../sim/model-clock.ts'
import { claims } from './claims.ts'
import { HOLD_MS, LANE, type Rig, RULES } from './rig.ts'

const test = suite('hardware/contract/sim')

const CONFIG: HardwareConfig = {
  driver: { driver: 'sim', seed: 3, turnsRoundPerMille: 0, tailgatePerMille: 0, walkMs: 300 },
  lanes: [{ name: LANE, rules: RULES, inputs: {} }],
  holdMs: HOLD_MS,
  memory: '',
  optical: [],
}

async function rig(): Promise<Rig> {
  const clock = new ModelClock()
  let model: SimIo | undefined
  const played = (sim: SimIo) => {
    model = sim
  }
  const turnstile = openTurnstile(CONFIG, {
    clock,
    settled: async () => undefined,
    isSameLife: async () => true,
    played,
  })
  const sim = () => model as SimIo
  let asking: Promise<Outcome> | undefined
  return {
    turnstile,
    pass: ms => clock.pass(ms),
    async until(what, isSo) {
      const end = clock.now() + 30_000
      while (!isSo()) {
        if (clock.now() > end) throw new Error(`never: ${what}`)
        await clock.pass(5)
      }
    },
    asks() {
      asking = sim().person('in', { lane: LANE })
    },
    async walks(way) {
      const walking = way === 'in' && asking !== undefined ? asking : sim().person(way, { lane: LANE, isBold: true })
      asking = undefined
      await clock.until(walking, 30_000)
    },
    contact: (contact, isActive) => sim().contact(contact, isActive),
    cable: isWhole => sim().wire(isWhole, LANE),
    isLocked: () => sim().lane(LANE).arm.isHeld(clock.now()),
    pulses: () => sim().figures.pulses ?? 0,
    close: async () => undefined,
  }
}

claims(test, rig, { asks: true, locks: true, leases: true, contacts: true, cable: true })

test.run()
