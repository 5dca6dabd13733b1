// Board: one unit on the bus, and what is common to all kinds of them: registers to be set up once.

import type { BoardConfig } from '../config.ts'
import type { Master } from './master.ts'

export interface Board {
  readonly config: BoardConfig
  /** After the board came (back): what it has to be told before it can be relied on. Rejects with a HardwareFault. */
  prepare(): Promise<void>
  /** Reads what is to be read, and tells it. Rejects with a HardwareFault. */
  look(): Promise<void>
}

/** Writes what differs and nothing else: such registers live in a memory that wears out. */
export async function setUp(master: Master, { unit, map }: BoardConfig): Promise<void> {
  for (const { at, values } of blocksOf(map.setup)) {
    const found = await master.read(unit, 3, at, values.length)
    if (found.some((value, k) => value !== values[k])) await master.writeRegisters(unit, at, values)
  }
}

interface Block {
  readonly at: number
  readonly values: number[]
}

/** Neighbours in one question. */
function blocksOf(setup: readonly { readonly at: number; readonly value: number }[]): readonly Block[] {
  const blocks: Block[] = []
  for (const { at, value } of [...setup].sort((a, b) => a.at - b.at)) {
    const last = blocks.at(-1)
    if (last && last.at + last.values.length === at) last.values.push(value)
    else blocks.push({ at, values: [value] })
  }
  return blocks
}
