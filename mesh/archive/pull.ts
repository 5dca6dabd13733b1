// Pull: one range of one ledger, from one who has it.
//
// Law: every line is checked as it comes. A long backlog is committed in portions while it comes, chain-checked; but only
// where its owner hands it over. Lines that another hands over prove nothing before the signed root is met.
//
// A peer that says nothing for a while, or takes for ever, is left alone; what came until then is not lost.

import type { Account } from '../../ledger/account.ts'
import type { Entry } from '../../ledger/entry.ts'
import type { Row } from '../../ledger/row.ts'
import type { Clock } from '../clock.ts'
import type { CollectedHead, Flag } from './archive.ts'
import type { Arrival } from './cabinet-archive.ts'
import { type Flaw, Inspector } from './inspector.ts'

/** A healthy peer answers at once, and a frame of 64 KiB takes milliseconds. */
export const QUIET_MS_MAX = 10_000
/** Then it is somebody else's turn; it goes on where it was. */
export const RANGE_MS_MAX = 60_000
/** Second hand lines wait in memory: no more than gates keep of the anchor's ledger. */
const SECOND_HAND_BYTES_MAX = 64 << 20

export interface PullOptions {
  readonly account: Account
  readonly row: Row
  readonly head: CollectedHead | undefined
  readonly charterHash: string
  readonly lines: (from: number, to: number) => AsyncIterable<string>
  readonly isOwner: boolean
  readonly portionLines: number
  readonly clock: Clock
  readonly flags: (entry: Entry, arrivedAt: number) => readonly Flag[]
  readonly commit: (head: CollectedHead, arrivals: readonly Arrival[]) => Promise<void>
  /** called when nobody wants it any more; returns how to take that back */
  readonly onStop: (act: () => void) => () => void
}

/** What remains to be committed, and how it ended: at the row, before it, or at something that contradicts. */
export interface Pulled {
  readonly head: CollectedHead
  readonly arrivals: readonly Arrival[]
  /** lines that came and are not to be committed */
  readonly dropped: readonly string[]
  readonly met: boolean
  readonly flaw?: Flaw
  /** why it ended before the row */
  readonly why?: string
  /** not because there was no more: it broke off, or was too slow */
  readonly wasCut: boolean
}

export async function pull(options: PullOptions): Promise<Pulled> {
  const { clock, onStop } = options
  const pump = new Pump(options)
  let stopWatching = () => {}
  let stayOn = () => {}
  const cut = new Promise<string>(resolve => {
    stayOn = onStop(() => resolve('nobody waits for it any more'))
    const look = () => {
      const now = clock.now()
      if (now - pump.startedAt >= RANGE_MS_MAX) return resolve('it took too long')
      if (now - pump.movedAt >= QUIET_MS_MAX) return resolve('it fell silent')
      const until = Math.min(pump.movedAt + QUIET_MS_MAX, pump.startedAt + RANGE_MS_MAX)
      stopWatching = clock.in(until - now, look)
    }
    look()
  })
  try {
    const ending = pump.run().then(
      () => undefined,
      (error: Error) => error.message,
    )
    const why = await Promise.race([ending, cut])
    return await pump.end(why)
  } finally {
    stopWatching()
    stayOn()
  }
}

class Pump {
  readonly startedAt: number
  movedAt: number
  readonly #o: PullOptions
  readonly #inspector: Inspector
  #head: CollectedHead
  #arrivals: Arrival[] = []
  #bytes = 0
  #flaw: Flaw | undefined
  #committing: Promise<void> | undefined
  #isOver = false

  constructor(options: PullOptions) {
    this.#o = options
    const { account, charterHash, head, clock } = options
    this.#inspector = new Inspector(account, charterHash, head)
    this.#head = this.#inspector.head()
    this.startedAt = clock.now()
    this.movedAt = this.startedAt
  }

  /** Until the row's size is reached, the peer has no more, or something is wrong. */
  async run(): Promise<void> {
    const { row, lines } = this.#o
    const { size } = this.#inspector
    if (size >= row.size) return
    for await (const line of lines(size, row.size)) {
      if (this.#isOver) return
      this.movedAt = this.#o.clock.now()
      this.#take(line)
      // more than was asked for is nobody's business
      if (this.#flaw !== undefined || this.#inspector.size === row.size) return
      if (this.#arrivals.length >= this.#o.portionLines) await this.#portion()
      if (this.#bytes > SECOND_HAND_BYTES_MAX) throw new Error('too much to believe at second hand')
    }
  }

  async end(why: string | undefined): Promise<Pulled> {
    this.#isOver = true
    // a write cannot be called back; whoever goes on must know what came of it
    await this.#committing
    const { row, isOwner } = this.#o
    const isThere = this.#flaw === undefined && this.#inspector.size === row.size
    this.#flaw ??= isThere ? this.#inspector.meet(row) : undefined
    const met = isThere && this.#flaw === undefined
    const ended = { met, wasCut: why !== undefined, ...(this.#flaw === undefined ? {} : { flaw: this.#flaw }) }
    const reason = met ? {} : { why: why ?? 'it has no more' }
    // what a liar said before the lie was found is nothing to build on
    if (met || (isOwner && this.#flaw === undefined)) {
      return { ...ended, ...reason, head: this.#inspector.head(), arrivals: this.#arrivals, dropped: [] }
    }
    const dropped = this.#arrivals.map(({ line }) => line)
    return { ...ended, ...reason, head: this.#head, arrivals: [], dropped }
  }

  #take(line: string): void {
    const { clock, flags } = this.#o
    const taken = this.#inspector.take(line)
    if (taken.flaw !== undefined) {
      this.#flaw = taken.flaw
      return
    }
    const { entry } = taken
    const arrivedAt = clock.wall()
    this.#arrivals.push({ entry, line, arrivedAt, flags: flags(entry, arrivedAt) })
    if (!this.#o.isOwner) this.#bytes += line.length
  }

  async #portion(): Promise<void> {
    if (!this.#o.isOwner) return
    const arrivals = this.#arrivals
    const head = this.#inspector.head()
    this.#arrivals = []
    this.#committing = this.#o.commit(head, arrivals)
    await this.#committing
    this.#head = head
    this.#committing = undefined
    // the disk's time is not the peer's
    this.movedAt = this.#o.clock.now()
  }
}
