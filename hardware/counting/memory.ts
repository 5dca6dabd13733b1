// What is remembered of a lane's cumulative counters over a restart.
//
// Laws: an exit is never told twice with two ids, and an entry is never forgotten. So exits are written down as `pending`,
// with their ids, before they are told, and entries are moved past only after they are in the gate's ledger. A crash in
// between tells an exit again with the same id (the ledger knows it), or an entry again (which is the safe side).

export interface CounterMemory {
  /** name of the device, so that a board exchanged for another is not taken for a reset */
  readonly device: string
  /** up to here entries are in the ledger */
  readonly in: number
  /** up to here exits were told, or are in `pending` */
  readonly out: number
  /** wall clock of the reading */
  readonly at: number
  /** exits told, perhaps not in the ledger yet */
  readonly pending: readonly string[]
  /** grants that nobody had walked through yet */
  readonly grants: readonly string[]
}

export interface MemoryPort {
  /** Undefined where there is none, or what is there cannot be read (which is told as a fault). */
  load(lane: string): Promise<CounterMemory | undefined>
  /** Durable when it resolves. */
  save(lane: string, memory: CounterMemory): Promise<void>
}
