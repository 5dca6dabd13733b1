// Wires: the way to each source, by what it is on. What is not configured is not loaded.

import type { Clock } from '../../mesh/clock.ts'
import { BacnetWires } from './bacnet-wire.ts'
import type { BmsConfig, SourceConfig } from './config.ts'
import { ModbusWires } from './modbus-wire.ts'
import type { Wire } from './source.ts'

export function wiresOf({ timeoutMs, bacnetPort }: BmsConfig, clock: Clock): (source: SourceConfig) => Wire {
  const modbus = new ModbusWires({ clock, timeoutMs })
  const bacnet = new BacnetWires({ port: bacnetPort, timeoutMs })
  return ({ wire }) => (wire.kind === 'modbus' ? modbus.wire(wire) : bacnet.wire(wire))
}
