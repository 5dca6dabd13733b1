// What a gate remembers of its optical counters over a restart.
//
// Law: counts of lens and arm are remembered as of one moment. Lenses go on counting while this process is not there, and
// the arm's count is in the ledger: what both say later is held against each other as if nobody had been away.

import type { BaselineMemory } from '../../hardware/optical/baseline.ts'
import type { CounterMemory } from '../../hardware/optical/counter.ts'
import type { Flow } from '../../hardware/optical/reading.ts'
import { Fault } from '../../ledger/fault.ts'

export interface DeskMemory {
  /** the ledger that this is about */
  readonly account: string
  /** people in by the arm, by that ledger */
  readonly turnstile: number
  /** seen coming in by the lenses alone and not settled yet; negative: by the arm alone */
  readonly open: number
  /** seen by the lenses since the last `optical` entry */
  readonly untold: Flow
  readonly baseline: BaselineMemory
  readonly counters: Readonly<Record<string, CounterMemory>>
}

export interface MemoryPort {
  /** Undefined where there is none; rejects where what is there cannot be read. */
  load(): Promise<DeskMemory | undefined>
  /** Durable when it resolves. */
  save(memory: DeskMemory): Promise<void>
}

/** Throws a Fault that says what is wrong with it. */
export function parseMemory(text: string): DeskMemory {
  const memory = object(parsed(text), 'the file')
  const untold = object(memory.untold, 'untold')
  const baseline = object(memory.baseline, 'baseline')
  const counters = object(memory.counters, 'counters')
  if (typeof memory.account !== 'string') throw wrong('account')
  for (const name of ['turnstile', 'open']) whole(memory[name], name)
  for (const name of ['in', 'out']) whole(untold[name], `untold.${name}`)
  for (const name of ['perMille', 'people', 'surplus', 'excusesMilli']) whole(baseline[name], `baseline.${name}`)
  for (const [name, counter] of Object.entries(counters)) {
    for (const [device, known] of Object.entries(object(object(counter, name).devices, `${name}.devices`))) {
      checkDevice(object(known, device), `${name}.${device}`)
    }
  }
  return memory as unknown as DeskMemory
}

function checkDevice(device: Record<string, unknown>, at: string): void {
  for (const name of ['in', 'out', 'at']) whole(device[name], `${at}.${name}`)
  for (const name of ['time', 'floor']) if (device[name] !== undefined) whole(device[name], `${at}.${name}`)
  if (device.seen === undefined) return
  if (!Array.isArray(device.seen)) throw wrong(`${at}.seen`)
  for (const row of device.seen as unknown[]) {
    if (!Array.isArray(row) || typeof row[0] !== 'string') throw wrong(`${at}.seen`)
    whole(row[1], `${at}.seen`)
    whole(row[2], `${at}.seen`)
    if (row[3] !== null) whole(row[3], `${at}.seen`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Fault('OPTICAL_MEMORY', 'it is not JSON', { cause: error })
  }
}

function object(value: unknown, at: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw wrong(at)
}

function whole(value: unknown, at: string): void {
  if (!Number.isSafeInteger(value)) throw wrong(at)
}

function wrong(at: string): Fault {
  return new Fault('OPTICAL_MEMORY', `${at} is not as it was written`)
}
