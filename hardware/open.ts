// Open: the turnstile that a gate's config names.
//
// Law: only the driver that is configured is loaded. A gate without a serial port never needs one to be compiled.

import type { HardwareConfig } from './config.ts'
import { MemoryFile } from './counting/memory-file.ts'
import { Guard } from './guard.ts'
import type { Io } from './io.ts'
import { LateIo } from './late-io.ts'
import type { SimIo } from './sim/sim-io.ts'
import { wired } from './sim/wires.ts'
import { SoftTurnstile } from './soft.ts'
import { type Clock, HardwareFault, type Turnstile } from './turnstile.ts'

export interface Opening {
  readonly clock: Clock
  /** resolves once all that was told is in the gate's ledger, on disk */
  readonly settled: () => Promise<void>
  /** true once the gate goes on with the ledger that it had before it started */
  readonly isSameLife: () => Promise<boolean>
  /** where the hardware is played: the model, once it runs */
  readonly played?: (sim: SimIo) => void
}

export function openTurnstile(config: HardwareConfig, { clock, settled, isSameLife, played }: Opening): Turnstile {
  const names = config.lanes.map(lane => lane.name)
  if (config.driver.driver === 'soft') return new SoftTurnstile(names)
  const full = config.driver.driver === 'sim' ? wired(config) : config
  const io = new LateIo(names, () => ioOf(full, clock, played))
  return new Guard({ config: full, io, clock, memory: new MemoryFile(full.memory), settled, isSameLife })
}

async function ioOf(config: HardwareConfig, clock: Clock, played: Opening['played']): Promise<Io> {
  const { driver, lanes, fire, key } = config
  switch (driver.driver) {
    case 'modbus': {
      const { ModbusIo } = await import('./modbus/modbus-io.ts')
      return new ModbusIo({ driver, lanes, ...(fire && { fire }), ...(key && { key }), clock })
    }
    case 'gpio': {
      const { gpioIo } = await import('./gpio/open-gpio.ts')
      return gpioIo({ config, clock })
    }
    case 'sim': {
      const { SimIo } = await import('./sim/sim-io.ts')
      const sim = new SimIo({ driver, lanes, clock })
      played?.(sim)
      return sim
    }
    case 'soft':
      throw new HardwareFault('LINK', 'a soft turnstile has no pins')
  }
}
