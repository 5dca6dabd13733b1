// What is remembered of a lane's cumulative counters over a restart.
//
// Laws: an exit is never told twice with two ids, and an entry is never forgotten. So exits are written down as `pending`,
// with their ids, before they are told, and entries are moved past only after they are in the gate's ledger. A crash in
// between tells an exit again with the same id (the ledger knows it), or an entry again (which is the safe side). A
// grant is struck out before it is said to have lapsed: whoever walks on it later is then seen as uninvited.

/** One person who left, as the counter showed it. */
export interface CountedExit {
  readonly id: string
  readonly confidence: number
}

export interface CounterMemory {
  /** name of the device, so that a board exchanged for another is not taken for a reset */
  readonly device: string
  /** wall clock when this count began: at the first reading ever, and at every reset. Exits have their ids from it */
  readonly since: number
  /** up to here entries are in the ledger */
  readonly in: number
  /** up to here exits were told, or are in `pending` */
  readonly out: number
  /** wall clock of the reading */
  readonly at: number
  /** exits told, perhaps not in the ledger yet */
  readonly pending: readonly CountedExit[]
  /** grants that nobody had walked through yet, as far as the ledger knows */
  readonly grants: readonly string[]
}

export interface MemoryPort {
  /** Undefined where there is none; rejects where what is there cannot be read. */
  load(lane: string): Promise<CounterMemory | undefined>
  /** Durable when it resolves. */
  save(lane: string, memory: CounterMemory): Promise<void>
}
