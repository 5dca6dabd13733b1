// Gate tally: what one gate's ledgers say of a period, counted. Several epochs of a gate are one gate here.

import type { Entry, ForcedWhy, Reject, SendWhy, Source } from '../../../ledger/entry.ts'

export interface Refusals {
  readonly from: number
  to: number
  count: number
  readonly reasons: string[]
}

export interface FaultTold {
  readonly at: number
  readonly code: string
  readonly detail: string
  readonly count: number
}

/** Refusals for a fault that lie closer together than this are of one outage. */
const ONE_OUTAGE_MS = 5 * 60_000
const REASONS_MAX = 5
/** A ledger has room for more faults than anybody would read. */
export const LISTED_MAX = 1000

export class GateTally {
  readonly gate: string
  entries = 0
  readonly admitted: Record<Source, number> = { local: 0, stolen: 0 }
  readonly refused: Record<Reject, number> = {
    REJECT_AT_CAPACITY: 0,
    REJECT_NO_HEADROOM: 0,
    REJECT_EMERGENCY: 0,
    REJECT_FAULT: 0,
  }
  readonly forced: Record<ForcedWhy, number> = { tailgate: 0, manual: 0, fire: 0 }
  lapsed = 0
  exits = 0
  exitsNotCredited = 0
  readonly sent: Record<SendWhy, number> = { ask: 0, push: 0, broker: 0, debt: 0, stop: 0, grant: 0 }
  received = 0
  readonly faults: FaultTold[] = []
  /** stretches in which it refused because something was wrong with it */
  readonly outages: Refusals[] = []

  constructor(gate: string) {
    this.gate = gate
  }

  get in(): number {
    const { local, stolen } = this.admitted
    const { tailgate, manual, fire } = this.forced
    return local + stolen + tailgate + manual + fire - this.lapsed
  }

  get out(): number {
    return this.exits + this.exitsNotCredited
  }

  add(entry: Entry): void {
    this.entries++
    switch (entry.type) {
      case 'admit':
        this.admitted[entry.source]++
        break
      case 'reject':
        this.refused[entry.code]++
        if (entry.code === 'REJECT_FAULT') this.#refusedForFault(entry.at, entry.reason)
        break
      case 'forced':
        this.forced[entry.why] += entry.count
        break
      case 'lapse':
        this.lapsed++
        break
      case 'exit':
        if (entry.credited) this.exits++
        else this.exitsNotCredited++
        break
      case 'send':
        this.sent[entry.why] += entry.amount
        break
      case 'receive':
        this.received += entry.amount
        break
      case 'fault':
        if (this.faults.length < LISTED_MAX) this.faults.push(entry)
        break
    }
  }

  toJSON(): unknown {
    return { ...this, in: this.in, out: this.out }
  }

  #refusedForFault(at: number, reason: string): void {
    let last = this.outages.at(-1)
    if (last === undefined || at - last.to > ONE_OUTAGE_MS) {
      if (this.outages.length >= LISTED_MAX) return
      last = { from: at, to: at, count: 0, reasons: [] }
      this.outages.push(last)
    }
    last.to = Math.max(last.to, at)
    last.count++
    if (!last.reasons.includes(reason) && last.reasons.length < REASONS_MAX) last.reasons.push(reason)
  }
}
