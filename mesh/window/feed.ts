// Feed: what people would want to have noticed, in plain words, newest first.
//
// Law: it compares reports and knows nothing else of the mall. Nobody's admission is in it, and nothing that comes and
// goes by the second: a line is worth being read by someone who was away for ten minutes.

import type { ModeStatement } from '../../ledger/mode.ts'
import { GateNews } from './gate-news.ts'
import type { AlertReport, Happening, MallReport } from './mall-report.ts'
import { type News, Steady } from './news.ts'

const KEPT_MAX = 40
const SHOWN_MAX = 25
const TEXT_MAX = 200
const ANCHOR_MS = 2000
/** A new policy is told with the capacity that the anchor puts into force, which comes a moment later. */
const POLICY_MS = 3000
/** No longer full below this, or a single person at the door would be news again and again. */
const FULL_PER_MILLE = 970
/** What was written longer ago was only brought to us late. */
const OLD_MS = 120_000
const IDS_MAX = 500
/** Alerts that say what is told here already. */
const TOLD: ReadonlySet<string> = new Set(['GATE_SILENT', 'MODE', 'FORK', 'OCCUPANCY_FULL', 'OCCUPANCY_EXCEEDED'])

export interface Moment {
  readonly report: MallReport
  /** mono ms */
  readonly now: number
  /** what is in force, and who said so */
  readonly statement: ModeStatement | undefined
}

export class Feed {
  readonly #gates = new GateNews()
  readonly #anchor = new Steady(true, ANCHOR_MS)
  readonly #ids = new Set<string>()
  #newest: Happening[] = []
  #seq = 0
  #isFirst = true
  #mode: MallReport['mode'] = 'NORMAL'
  #policy:
    | { version: number; capacity: number; next?: { readonly version: number; readonly since: number } }
    | undefined
  #isFull = false

  /** Newest first. */
  get newest(): readonly Happening[] {
    return this.#newest.slice(0, SHOWN_MAX)
  }

  see(moment: Moment): void {
    const { report, now } = moment
    const found = [
      ...this.#modeNews(moment),
      ...this.#anchorNews(moment),
      ...this.#policyNews(moment),
      ...this.#fullNews(report),
      ...this.#gates.see(report, now),
      ...this.#boardNews(report),
    ]
    this.#isFirst = false
    if (found.length === 0) return
    const told = found.map(({ text, ...news }) => ({ seq: ++this.#seq, ...news, text: cut(text) }))
    this.#newest = [...told.reverse(), ...this.#newest].slice(0, KEPT_MAX)
  }

  /** Also when it is what we find: nobody should have to ask since when. */
  #modeNews({ report: { mode, at, me }, statement }: Moment): News[] {
    if (mode === this.#mode) return []
    this.#mode = mode
    const isSaid = statement?.mode === mode
    const since = isSaid ? Math.min(at, statement.at) : at
    const by = isSaid ? statement.by.join(' and ') : me
    const why = isSaid && statement.reason !== '' ? `: ${statement.reason}` : ''
    if (mode === 'NORMAL') {
      const text = by === '' ? 'NORMAL again' : `NORMAL again, cleared by ${by}${why}`
      return [{ at: since, kind: 'mode', severity: 'info', subject: '', text }]
    }
    return [{ at: since, kind: 'mode', severity: 'critical', subject: '', text: `${mode}, raised by ${by}${why}` }]
  }

  #anchorNews({ report: { at, anchor }, now }: Moment): News[] {
    const news = (severity: News['severity'], since: number, text: string): News[] => {
      return [{ at: since, kind: 'anchor', severity, subject: anchor.name, text }]
    }
    // one that was never heard of is not missed yet
    if (anchor.ageMs === null || !this.#anchor.see(anchor.isFresh, now)) return []
    if (anchor.isFresh) return news('info', at, 'the anchor is heard again')
    return news('warning', at - anchor.ageMs, 'the anchor is away: gates go on with the places they hold')
  }

  #policyNews({ report: { at, anchor, occupancy }, now }: Moment): News[] {
    const { policyVersion: version } = anchor
    const { capacity } = occupancy
    const known = this.#policy
    if (version === 0 || known === undefined) {
      if (version > 0 && capacity > 0) this.#policy = { version, capacity }
      return []
    }
    const news = (text: string): News[] => [{ at, kind: 'policy', severity: 'info', subject: '', text }]
    if (version !== (known.next?.version ?? known.version)) known.next = { version, since: now }
    const isMoved = capacity !== known.capacity
    if (known.next === undefined) {
      if (!isMoved) return []
      const before = known.capacity
      this.#policy = { version, capacity }
      return news(`capacity ${capacity}, before ${before}, as policy ${version} has it`)
    }
    if (!isMoved && now - known.next.since < POLICY_MS) return []
    this.#policy = { version, capacity }
    return news(
      `policy ${version}: capacity ${isMoved ? `${capacity}, before ${known.capacity}` : `stays ${capacity}`}`,
    )
  }

  #fullNews({ at, occupancy: { count, capacity } }: MallReport): News[] {
    const news = (severity: News['severity'], text: string): News[] => {
      return [{ at, kind: 'full', severity, subject: '', text }]
    }
    if (capacity === 0) return []
    if (!this.#isFull && count >= capacity) {
      this.#isFull = true
      const more = count - capacity
      if (more === 0) return news('warning', `full: ${count} of ${capacity} inside`)
      return news('warning', `${count} inside, limit ${capacity}: entries stop until ${more} leave`)
    }
    if (!this.#isFull || count > (capacity * FULL_PER_MILLE) / 1000) return []
    this.#isFull = false
    return news('info', `no longer full: ${count} of ${capacity} inside`)
  }

  #boardNews({ at, alerts, notes }: MallReport): News[] {
    const found: News[] = []
    for (const alert of [...alerts.open].reverse()) {
      if (this.#isNew(alert.id, alert.at, at) && !TOLD.has(alert.code)) found.push(ofAlert(alert))
    }
    for (const note of [...notes].reverse()) {
      if (!this.#isNew(note.id, note.at, at)) continue
      found.push({ at: note.at, kind: 'note', severity: 'info', subject: '', text: `${note.by}: ${note.text}` })
    }
    return found
  }

  #isNew(id: string, written: number, at: number): boolean {
    if (this.#ids.has(id)) return false
    if (this.#ids.size >= IDS_MAX) this.#ids.delete(this.#ids.values().next().value as string)
    this.#ids.add(id)
    return !this.#isFirst && at - written < OLD_MS
  }
}

/** A hash, as of a text that waits to be signed, tells people nothing. */
const HASH = /^[0-9a-f]{32,}$/

function ofAlert({ at, severity, subject, detail }: AlertReport): News {
  const isSaid = subject === '' || HASH.test(subject) || detail.startsWith(subject)
  const text = isSaid ? detail : `${subject}: ${detail}`
  return { at, kind: 'alert', severity, subject, text }
}

function cut(text: string): string {
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1).toWellFormed()}…`
}
