// quiet
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HardwareConfig } from '../../../hardware/config.ts'
import { gpioIo } from '../../../hardware/gpio/open-gpio.ts'
import { Guard } from '../../../hardware/guard.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { suite } from '../../suite.ts'
import { configOf, LINES } from '../gpio/bench.ts'
import { StandIn } from '../gpio/stand-in/stand-in.ts'
import { claims } from './claims.ts'
import { HOLD_MS, type Rig, RULES, untilSo } from './rig.ts'

const test = suite('hardware/contract/gpio')

/** A pulse is much longer than that. */
const LOOK_MS = 40

async function rig(): Promise<Rig> {
  const dir = mkdtempSync(join(tmpdir(), 'contract-'))
  const bench = new StandIn(join(dir, 'pins'), { dialect: 2, persists: false })
  // buttons and key switches idle open, and closed is low
  bench.set(LINES.ask, true)
  bench.set(LINES.key, true)
  const base = configOf(bench)
  const config: HardwareConfig = {
    ...base,
    lanes: base.lanes.map(lane => ({ ...lane, rules: RULES })),
    holdMs: HOLD_MS,
  }
  const io = gpioIo({ config, clock: REAL_CLOCK, tools: bench.tools })
  const memory = { load: async () => undefined, save: async () => undefined }
  const turnstile = new Guard({
    config,
    io,
    clock: REAL_CLOCK,
    memory,
    settled: async () => undefined,
    isSameLife: async () => true,
  })
  let [pulses, isPulsed] = [0, false]
  const looking = setInterval(() => {
    const now = bench.isHigh(LINES.grant)
    if (now && !isPulsed) pulses++
    isPulsed = now
  }, LOOK_MS)
  return {
    turnstile,
    until: (what, isSo) => untilSo(what, isSo),
    pass: async ms => void (await sleep(ms)),
    asks: () => bench.set(LINES.ask, false),
    async walks(way) {
      bench.set(LINES.ask, true)
      bench.set(LINES[way], true)
      await sleep(200)
      bench.set(LINES[way], false)
      await sleep(RULES.doubleMs)
    },
    contact: (contact, isActive) => bench.set(LINES[contact], contact === 'fire' ? isActive : !isActive),
    cable: () => undefined,
    isLocked: () => bench.isHigh(LINES.hold),
    pulses: () => pulses,
    async close() {
      clearInterval(looking)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

claims(test, rig, { asks: true, locks: true, leases: true, contacts: true, cable: false })

test.run()
