// Lookout: what one member notices of the mall as it looks at it again and again: tokens that move, the trend of the day,
// and what is worth a line in the feed.
//
// Law: it looks on and nothing more. Whoever asks for a report gets the mall as it is at that moment; between those
// who ask it looks by itself, seldom enough that a gate at rest stays at rest.

import type { Charter } from '../../ledger/charter.ts'
import type { Telemetry } from '../board/telemetry.ts'
import type { Clock } from '../clock.ts'
import type { Member } from '../member.ts'
import { type DiaryLine, formatMark, formatMinute } from './diary-line.ts'
import { Feed } from './feed.ts'
import { Flows, type Holder } from './flows.ts'
import type { AlertReport, MallReport, Trend } from './mall-report.ts'
import { Minutes } from './minutes.ts'
import { type Pinned, reportOf } from './report.ts'
import { Today } from './today.ts'

export interface LookoutOptions {
  readonly name: string
  readonly charter: Charter
  readonly clock: Clock
  /** undefined while its store is being opened */
  readonly me: () => Member | undefined
  readonly telemetry: () => ReadonlyMap<string, Telemetry>
  readonly pinned: () => Pinned | undefined
  /** what is open by somebody who weighs it; undefined: what hangs on the board */
  readonly alerts?: () => readonly AlertReport[] | undefined
  /** lines that a later life of this member is to be given */
  readonly keep: (lines: readonly string[]) => void
}

/** Nobody asks, and still the day goes on: seldom enough that an anchor of hundreds of malls has time for them. */
const LOOK_MS = 5000

export class Lookout {
  readonly #o: LookoutOptions
  readonly #flows = new Flows()
  readonly #feed = new Feed()
  readonly #minutes = new Minutes()
  readonly #today = new Today()
  #isRecalled = false
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(options: LookoutOptions) {
    this.#o = options
  }

  /** What an earlier life kept. The day is counted from here on: before, it would begin anew with every start. */
  recall(lines: readonly DiaryLine[]): void {
    for (const line of lines) {
      if ('minute' in line) this.#minutes.put(line.minute)
      else this.#today.recall([line.mark])
    }
    this.#isRecalled = true
  }

  /** All that a later life can use. */
  get kept(): readonly string[] {
    return [...this.#minutes.all.map(formatMinute), ...this.#today.marks.map(formatMark)]
  }

  /** Twice a second: whoever looks often sees tokens move, and gates before they have counted much. */
  look(): void {
    const { clock, me } = this.#o
    if (clock.now() - this.#reportedAt >= LOOK_MS) this.report()
    else this.#count(me())
  }

  report(): MallReport {
    const { name, charter, clock, telemetry, pinned: pins, alerts: weighed } = this.#o
    const now = clock.now()
    const wall = clock.wall()
    const me = this.#o.me()
    this.#reportedAt = now
    this.#count(me)
    const pinned = pins()
    const alerts = weighed?.()
    const report = reportOf(me, {
      name,
      charter,
      now,
      wall,
      extras: telemetry(),
      ...(pinned === undefined ? {} : { pinned }),
      ...(alerts === undefined ? {} : { alerts }),
      today: this.#today.gates,
      flows: this.#flows.newest(wall),
    })
    if (me === undefined) return report
    this.#feed.see({ report, now, statement: me.modes.statement })
    // before the anchor's row is known there is no limit to draw
    const over = this.#isRecalled && report.occupancy.capacity > 0 ? this.#minutes.see(report) : undefined
    if (over !== undefined) this.#o.keep([formatMinute(over)])
    return { ...report, feed: this.#feed.newest }
  }

  /** The last 24 hours. */
  trend(): Trend {
    return this.#minutes.trend(this.#o.clock.wall())
  }

  /** The minute under way is kept as far as it went. */
  close(): void {
    const { last } = this.#minutes
    if (this.#isRecalled && last !== undefined) this.#o.keep([formatMinute(last)])
  }

  #count(me: Member | undefined): void {
    const { clock, keep } = this.#o
    const wall = clock.wall()
    this.#flows.look(holdersOf(me), { now: clock.now(), wall })
    if (this.#isRecalled) keep(this.#today.look(holdersOf(me), wall).map(formatMark))
  }
}

function* holdersOf(me: Member | undefined): Generator<Holder> {
  if (me?.books !== undefined) yield me.books
  for (const { row } of me?.view.others() ?? []) yield row
}
