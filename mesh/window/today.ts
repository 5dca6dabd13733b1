// Today: how many people went in and out at each gate since midnight UTC.
//
// Law: it is what an account counts now less what it counted when the day, or our watching of it, began. Where the two
// may not be the same moment it says so (`isPart`). A gate that got a new account begins it at nothing, and what it
// counted in the old one today still counts.

import { type Account, nameOf } from '../../ledger/account.ts'
import type { Counters } from '../../ledger/counters.ts'
import type { Holder } from './flows.ts'
import type { GateReport } from './mall-report.ts'

/** What an account had counted when its day began here. */
export interface Mark {
  readonly day: number
  readonly account: Account
  readonly in: number
  readonly out: number
  readonly isPart: boolean
}

type Counted = NonNullable<GateReport['today']>

const DAY_MS = 24 * 3600_000
/** Whoever looked so shortly before midnight has seen the day begin. */
const WATCHED_MS = 60_000

export class Today {
  readonly #marks = new Map<Account, Mark>()
  #gates: ReadonlyMap<string, Counted> = new Map()
  #day = -1
  #lookedAt = Number.NEGATIVE_INFINITY

  /** What an earlier life of this member kept; marks of another day than the first look's are of no use. */
  recall(marks: Iterable<Mark>): void {
    for (const mark of marks) {
      if (mark.day < this.#day) continue
      if (mark.day > this.#day) this.#marks.clear()
      this.#day = mark.day
      this.#marks.set(mark.account, mark)
    }
  }

  get marks(): readonly Mark[] {
    return [...this.#marks.values()]
  }

  /** The marks that are new with this look. */
  look(holders: Iterable<Holder>, wall: number): readonly Mark[] {
    const day = Math.floor(wall / DAY_MS)
    const isTurn = day !== this.#day
    const wasWatched = day === this.#day + 1 && wall - this.#lookedAt <= WATCHED_MS
    if (isTurn) this.#marks.clear()
    this.#day = day
    this.#lookedAt = wall
    const names = new Set([...this.#marks.keys()].map(nameOf))
    const fresh: Mark[] = []
    const gates = new Map<string, Counted>()
    for (const { account, counters } of holders) {
      const name = nameOf(account)
      const now = passed(counters)
      let mark = this.#marks.get(account)
      if (mark === undefined) {
        const isNext = !isTurn && names.has(name)
        const isPart = !isNext && !wasWatched && (now.in !== 0 || now.out !== 0)
        mark = { day, account, ...(isNext ? { in: 0, out: 0 } : now), isPart }
        this.#marks.set(account, mark)
        fresh.push(mark)
      }
      const so = gates.get(name) ?? { in: 0, out: 0, isPart: false }
      gates.set(name, {
        in: so.in + Math.max(0, now.in - mark.in),
        out: so.out + Math.max(0, now.out - mark.out),
        isPart: so.isPart || mark.isPart,
      })
    }
    this.#gates = gates
    return fresh
  }

  /** By name, as of the last look. */
  get gates(): ReadonlyMap<string, Counted> {
    return this.#gates
  }
}

function passed({ admitted, forced, lapsed, exited }: Readonly<Counters>): { in: number; out: number } {
  return { in: admitted + forced - lapsed, out: exited }
}
