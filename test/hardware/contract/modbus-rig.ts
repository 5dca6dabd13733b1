// Boards on a pseudo-terminal, played by another process, behind the rig: relays with contacts, or a turnstile that
// counts by itself.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HardwareConfig, LaneConfig, Wire } from '../../../hardware/config.ts'
import { MAPS } from '../../../hardware/modbus/maps.ts'
import { openTurnstile } from '../../../hardware/open.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { Player } from '../player/player.ts'
import type { Line } from '../player/script.ts'
import { HOLD_MS, LANE, type Rig, RULES, untilSo } from './rig.ts'

const RELAYS = 1
const LOT = 2
const INPUTS = { ask: 0, in: 1, out: 2, fire: 6, key: 7 } as const
const COILS = { grant: 0, hold: 1 } as const
const PERMIT = 0x40
const PERMIT_FREE = 0xffff
const BAUD = 115_200

/** All contacts of the played board idle closed. */
const wire = (at: number): Wire => ({ on: 'relays', at, normally: 'closed' })

const BY_CONTACTS: LaneConfig = {
  name: LANE,
  rules: RULES,
  inputs: { ask: wire(INPUTS.ask), in: wire(INPUTS.in), out: wire(INPUTS.out) },
  grant: { coil: { on: 'relays', at: COILS.grant }, pulseMs: 200 },
  hold: { coil: { on: 'relays', at: COILS.hold } },
}
const BY_COUNTER: LaneConfig = { name: LANE, rules: RULES, inputs: {}, counter: 'lot' }

function configOf(path: string, lane: LaneConfig, memory: string): HardwareConfig {
  const boards = [
    { name: 'relays', unit: RELAYS, map: MAPS.waveshare },
    { name: 'lot', unit: LOT, map: MAPS.lot },
  ]
  return {
    driver: { driver: 'modbus', path, baud: BAUD, parity: 'none', timeoutMs: 100, pollMs: 5, boards },
    lanes: [lane],
    fire: wire(INPUTS.fire),
    key: wire(INPUTS.key),
    holdMs: HOLD_MS,
    memory,
    optical: [],
  }
}

export async function modbusRig(kind: 'contacts' | 'counter'): Promise<Rig> {
  const dir = mkdtempSync(join(tmpdir(), 'contract-'))
  const boards = [
    { kind: 'relay', unit: RELAYS },
    { kind: 'counter', unit: LOT },
  ] as const
  const player = await Player.start({ path: join(dir, 'port'), baud: BAUD, boards })
  const config = configOf(player.path, kind === 'contacts' ? BY_CONTACTS : BY_COUNTER, join(dir, 'counters'))
  const { journal } = player
  const last = (is: (line: Line) => boolean) => journal.findLast(is)
  const isPulse = (line: Line) =>
    kind === 'contacts'
      ? line.what === 'relay' && line.relay === COILS.grant && line.isOn
      : line.what === 'wrote' && line.unit === LOT && line.register === PERMIT && line.value === 1
  const input = (at: number, isActive: boolean) =>
    player.send({ do: 'input', unit: RELAYS, input: at, level: isActive ? 0 : 1 })
  return {
    turnstile: openTurnstile(config, {
      clock: REAL_CLOCK,
      settled: async () => undefined,
      isSameLife: async () => true,
    }),
    until: (what, isSo) => untilSo(what, isSo),
    pass: async ms => void (await sleep(ms)),
    asks() {
      input(INPUTS.ask, true)
    },
    async walks(way) {
      const from = journal.length
      if (kind === 'contacts') {
        input(INPUTS.ask, false)
        player.send({ do: 'pass', unit: RELAYS, inputs: [INPUTS[way]], count: 1, widthMs: 200, gapMs: 40 })
      } else player.send({ do: 'walk', unit: LOT, way, count: 1, gapMs: 40, isForced: true })
      await player.until(line => line.what === 'done', from)
      // nobody is behind them so soon that both could be taken for one
      await sleep(RULES.doubleMs)
    },
    contact: (contact, isActive) => input(INPUTS[contact], isActive),
    cable: isWhole => player.send({ do: isWhole ? 'replug' : 'unplug' }),
    isLocked() {
      if (kind === 'counter') {
        const wrote = last(line => line.what === 'wrote' && line.unit === LOT && line.register === PERMIT)
        return wrote?.what === 'wrote' && wrote.value !== PERMIT_FREE
      }
      const moved = last(line => line.what === 'relay' && line.relay === COILS.hold)
      return moved?.what === 'relay' && moved.isOn
    },
    pulses: () => journal.filter(isPulse).length,
    async close() {
      await player.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
