// Alert book: which alerts are open, who acknowledged them, and who must be told when.
//
// Laws: an alert is raised once its condition has held, and cleared once it has been gone, for as long as its rule says.
// Every alert that was raised is told, the worst first, though not all at once: what the limit holds back is owed, not
// lost. A restart forgets no open alert and raises none twice.

import type { Item } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Family, Sample } from '../../mesh/window/prometheus.ts'
import { alarmRule } from './alarm-table.ts'
import { type Alert, CODES, type Notice, type NoticeKind, SEVERITIES, type Severity } from './alert.ts'
import { Allowance } from './allowance.ts'
import type { Observation } from './observation.ts'
import { type Levels, RULES, type Rule } from './rules.ts'
import type { Tray } from './tray.ts'

export interface AlertBookOptions {
  readonly mall: string
  readonly tray: Tray
  readonly clock: Clock
  readonly log: Log
  readonly newId: () => string
  /** somebody outside should hear of it */
  readonly tell: (notice: Notice) => void
  readonly levels: Levels
  /** an alert that lasts is told again this often, until somebody acknowledges it */
  readonly repeatMs: number
}

export interface AlertQuery {
  readonly state?: 'raised' | 'cleared'
  readonly code?: string
  readonly severity?: Severity
}

export interface AlertPage {
  readonly alerts: readonly Alert[]
  readonly cursor?: string
}

interface Held {
  alert: Alert
  /** mono ms since when its condition is gone */
  goneSince?: number | undefined
  /** what has to be told, and not before when */
  owes?: { readonly kind: NoticeKind; readonly from: number } | undefined
  /** mono ms of the last word about it */
  toldAt: number
  /** wall clock of the last word before it came back */
  readonly toldBefore?: number | undefined
}

interface Condition {
  readonly code: string
  readonly subject: string
  readonly detail: string
  readonly severity: Severity
  readonly holdMs: number
  readonly clearMs: number
  readonly isLatched?: true
}

const ALL = 'alert/all/'
const OPEN = 'alert/open/'
const END = '~'
/** A siren sounds once a minute while it lasts. */
const QUIET_MS = 5 * 60_000
/** One that comes back so soon is the same one. */
const AGAIN_MS = 10 * 60_000
/** And is told of at most this often, unless it is critical. */
const FLAP_MS = 60_000
/** After a start nothing is cleared before the world had time to be seen. */
const SETTLING_MS = 30_000
const OPEN_MAX = 2000
const CLEARED_KEPT = 300
const SUBJECT_MAX = 100
const DETAIL_MAX = 500
const KEEP_MS = 400 * 86_400_000

export class AlertBook {
  readonly #o: AlertBookOptions
  readonly #since: number
  readonly #allowance = new Allowance()
  /** by code and subject; those that are over stay here until that was told */
  readonly #held = new Map<string, Held>()
  /** mono ms since when a condition holds that is no alert yet */
  readonly #soon = new Map<string, number>()
  readonly #alarms = new Map<string, Condition & { readonly at: number }>()
  /** newest last */
  #cleared: Alert[] = []
  readonly #raised = new Map<string, number>()
  #unraised = 0

  constructor(options: AlertBookOptions) {
    this.#o = options
    this.#since = options.clock.now()
  }

  /** Reads back what was open, and the newest that was cleared. */
  async start(): Promise<void> {
    const { clock, tray } = this.#o
    const now = clock.now()
    const open: string[] = []
    for await (const items of tray.cabinet.read({ from: OPEN, to: OPEN + END })) {
      for (const [key] of items) open.push(key.slice(OPEN.length))
    }
    for (const id of open) {
      const text = await tray.cabinet.get(ALL + id)
      if (text === undefined) continue
      const alert = JSON.parse(text) as Alert
      const kind = alert.toldAt === undefined ? 'raised' : alert.isOpen ? undefined : 'cleared'
      this.#held.set(keyOf(alert), { alert, toldAt: now, ...(kind && { owes: { kind, from: now } }) })
    }
    const span = { from: ALL, to: ALL + END, reverse: true, limit: CLEARED_KEPT }
    for await (const items of tray.cabinet.read(span)) {
      this.#cleared.push(...items.map(read).filter(alert => !alert.isOpen))
    }
    this.#cleared.reverse()
    await this.#forget(clock.wall())
  }

  /** A member's siren sounded. */
  alarmed(code: string, subject: string, detail: string): void {
    const rule = alarmRule(code)
    if (rule === undefined || this.#alarms.size >= OPEN_MAX) return
    const about = { code: rule.code, subject: subject.slice(0, SUBJECT_MAX), detail: detail.slice(0, DETAIL_MAX) }
    const { severity, isLatched } = rule
    this.#alarms.set(keyOf(about), {
      ...about,
      severity,
      holdMs: 0,
      clearMs: 0,
      ...(isLatched && { isLatched }),
      at: this.#o.clock.now(),
    })
  }

  /** Looks at the mall as it is now; returns what was raised. */
  observe(observation: Observation, now: number, wall: number): readonly Alert[] {
    const conditions = this.#conditions(observation, now)
    const raised: Alert[] = []
    for (const [key, condition] of conditions) {
      const held = this.#held.get(key)
      if (held?.alert.isOpen === true) this.#goesOn(held, condition, now)
      else if (this.#hasHeld(key, condition, now)) raised.push(this.#raise(key, condition, now, wall))
    }
    for (const key of this.#soon.keys()) if (!conditions.has(key)) this.#soon.delete(key)
    for (const [key, held] of this.#held) {
      if (held.alert.isOpen && !conditions.has(key)) this.#isGone(held, now, wall)
    }
    this.#tellOwed(now, wall)
    return raised
  }

  /** Newest first: all that are open, and the newest that are over. */
  list({ state, code, severity }: AlertQuery = {}): readonly Alert[] {
    const open = [...this.#held.values()].map(({ alert }) => alert).filter(alert => alert.isOpen)
    const all = [...(state === 'cleared' ? [] : open), ...(state === 'raised' ? [] : this.#cleared)]
    return all
      .filter(alert => (code ?? alert.code) === alert.code && (severity ?? alert.severity) === alert.severity)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
  }

  /** Every alert ever, newest first, from the disk. */
  async history({ cursor, limit }: { readonly cursor?: string; readonly limit: number }): Promise<AlertPage> {
    await this.#o.tray.flush()
    const to = cursor === undefined ? ALL + END : ALL + cursor
    const alerts: Alert[] = []
    for await (const items of this.#o.tray.cabinet.read({ from: ALL, to, reverse: true, limit: limit + 1 })) {
      alerts.push(...items.map(read))
    }
    const page = alerts.slice(0, limit)
    const last = page.at(-1)
    return alerts.length <= limit || last === undefined ? { alerts: page } : { alerts: page, cursor: last.id }
  }

  /** Somebody has seen it; on disk when this resolves. The first one stands. Undefined where there is no such alert. */
  async acknowledge(id: string, by: string, note = ''): Promise<Alert | undefined> {
    const { clock, tray } = this.#o
    const held = [...this.#held.values()].find(({ alert }) => alert.id === id)
    const at = this.#cleared.findIndex(alert => alert.id === id)
    const known = held?.alert ?? this.#cleared[at] ?? (await this.#find(id))
    if (known === undefined) return undefined
    if (known.acknowledged !== undefined) {
      await tray.flush()
      return known
    }
    const wall = clock.wall()
    const acknowledged = { by, at: wall, note: note.slice(0, DETAIL_MAX) }
    const alert = { ...known, acknowledged }
    if (held !== undefined) held.alert = alert
    if (at !== -1) this.#cleared[at] = alert
    if (known.toldAt !== undefined) this.#tell('acknowledged', alert, wall)
    this.#save(alert)
    await tray.flush()
    return alert
  }

  families(): Family[] {
    const { mall } = this.#o
    const open = new Map<string, Sample & { value: number }>()
    let unseen = 0
    for (const { alert } of this.#held.values()) {
      if (!alert.isOpen) continue
      const { code, severity } = alert
      const sample = open.get(`${code} ${severity}`) ?? { labels: { mall, code, severity }, value: 0 }
      open.set(`${code} ${severity}`, { ...sample, value: sample.value + 1 })
      if (alert.acknowledged === undefined) unseen++
    }
    const raised = [...this.#raised].map(([code, value]) => ({ labels: { mall, code }, value }))
    const one = (value: number) => [{ labels: { mall }, value }]
    return [
      { name: 'gatemesh_alerts_open', help: 'Alerts that are open.', type: 'gauge', samples: [...open.values()] },
      {
        name: 'gatemesh_alerts_unacknowledged',
        help: 'Open alerts that nobody acknowledged.',
        type: 'gauge',
        samples: one(unseen),
      },
      {
        name: 'gatemesh_alerts_raised_total',
        help: 'Alerts raised since the start.',
        type: 'counter',
        samples: raised,
      },
      {
        name: 'gatemesh_alerts_held_back_total',
        help: 'Conditions not raised because too many alerts were open.',
        type: 'counter',
        samples: one(this.#unraised),
      },
    ]
  }

  #conditions(observation: Observation, now: number): Map<string, Condition> {
    const found = new Map<string, Condition>()
    for (const code of CODES) {
      const rule: Rule = RULES[code]
      const isRaised = (subject: string) => this.#held.get(keyOf({ code, subject }))?.alert.isOpen ?? false
      const { holdMs, clearMs } = rule
      for (const { subject, detail, severity = rule.severity } of rule.look(observation, isRaised, this.#o.levels)) {
        found.set(keyOf({ code, subject }), { code, subject, detail, severity, holdMs, clearMs })
      }
    }
    for (const [key, alarm] of this.#alarms) {
      if (now - alarm.at > QUIET_MS) this.#alarms.delete(key)
      else if (!found.has(key)) found.set(key, alarm)
    }
    return found
  }

  #hasHeld(key: string, { holdMs }: Condition, now: number): boolean {
    const since = this.#soon.get(key) ?? now
    this.#soon.set(key, since)
    if (now - since < holdMs) return false
    if (this.#held.size < OPEN_MAX) return true
    this.#unraised++
    return false
  }

  #goesOn(held: Held, condition: Condition, now: number): void {
    held.goneSince = undefined
    const { alert } = held
    const isWorse = SEVERITIES.indexOf(condition.severity) > SEVERITIES.indexOf(alert.severity)
    held.alert = { ...alert, detail: condition.detail, severity: isWorse ? condition.severity : alert.severity }
    if (isWorse && held.owes === undefined) held.owes = { kind: 'repeated', from: now }
    else if (held.owes === undefined && alert.acknowledged === undefined && now - held.toldAt >= this.#o.repeatMs) {
      held.owes = { kind: 'repeated', from: now }
    }
  }

  #raise(key: string, condition: Condition, now: number, wall: number): Alert {
    const { code, subject, detail, severity, isLatched } = condition
    this.#soon.delete(key)
    this.#raised.set(code, (this.#raised.get(code) ?? 0) + 1)
    const before = this.#before(key, code, subject, wall)
    let from = now
    let alert: Alert
    if (before === undefined) {
      const id = this.#o.newId()
      alert = {
        id,
        code,
        subject,
        severity,
        detail,
        isOpen: true,
        raisedAt: wall,
        times: 1,
        ...(isLatched && { isLatched }),
      }
    } else {
      const { clearedAt, acknowledged, toldAt, ...rest } = before
      alert = { ...rest, severity, detail, isOpen: true, times: before.times + 1 }
      const waits = severity === 'critical' ? 0 : FLAP_MS - (wall - (before.toldAt ?? 0))
      from = now + Math.max(0, Math.min(FLAP_MS, waits))
      this.#cleared = this.#cleared.filter(({ id }) => id !== alert.id)
    }
    this.#held.set(key, { alert, toldAt: now, toldBefore: before?.toldAt, owes: { kind: 'raised', from } })
    this.#save(alert)
    this.#o.log.warn('alert', { code, subject, severity, detail })
    return alert
  }

  /** The same alert, not long over. */
  #before(key: string, code: string, subject: string, wall: number): Alert | undefined {
    const before =
      this.#held.get(key)?.alert ?? this.#cleared.findLast(old => old.code === code && old.subject === subject)
    return before !== undefined && wall - (before.clearedAt ?? 0) < AGAIN_MS ? before : undefined
  }

  #isGone(held: Held, now: number, wall: number): void {
    const { alert } = held
    if (now - this.#since < SETTLING_MS) return
    if (alert.isLatched === true && alert.acknowledged === undefined) return
    held.goneSince ??= now
    const rule = (RULES as Readonly<Record<string, Rule>>)[alert.code]
    if (now - held.goneSince < (rule?.clearMs ?? 0)) return
    const toldAt = alert.toldAt ?? held.toldBefore
    // what nobody was told of, or not again, is over without a word, unless it was grave
    if (alert.toldAt !== undefined) held.owes = { kind: 'cleared', from: now }
    else if (alert.severity !== 'critical') held.owes = undefined
    held.alert = { ...alert, isOpen: false, clearedAt: wall, ...(held.owes === undefined && toldAt && { toldAt }) }
    this.#cleared.push(held.alert)
    if (this.#cleared.length > CLEARED_KEPT) this.#cleared.shift()
    if (held.owes === undefined) this.#held.delete(keyOf(alert))
    this.#save(held.alert, held.owes !== undefined)
    this.#o.log.info('alert over', { code: alert.code, subject: alert.subject })
  }

  #tellOwed(now: number, wall: number): void {
    const due = [...this.#held].filter(([, { owes }]) => owes !== undefined && owes.from <= now)
    due.sort(([, a], [, b]) => gravity(b) - gravity(a) || (a.alert.id < b.alert.id ? -1 : 1))
    for (const [key, held] of due) {
      if (!this.#allowance.take(held.alert.severity, now)) return
      const kind = held.owes?.kind ?? 'raised'
      held.owes = undefined
      held.toldAt = now
      held.alert = { ...held.alert, toldAt: wall }
      const at = this.#cleared.findIndex(({ id }) => id === held.alert.id)
      if (at !== -1) this.#cleared[at] = held.alert
      this.#tell(kind, held.alert, wall)
      if (!held.alert.isOpen) this.#held.delete(key)
      this.#save(held.alert)
    }
  }

  #tell(kind: NoticeKind, alert: Alert, wall: number): void {
    this.#o.tell({ id: this.#o.newId(), kind, at: wall, mall: this.#o.mall, alert })
  }

  #save(alert: Alert, isUnfinished = alert.isOpen): void {
    this.#o.tray.put(ALL + alert.id, JSON.stringify(alert))
    this.#o.tray.put(OPEN + alert.id, isUnfinished ? '' : undefined)
  }

  async #find(id: string): Promise<Alert | undefined> {
    const text = await this.#o.tray.cabinet.get(ALL + id)
    return text === undefined ? undefined : (JSON.parse(text) as Alert)
  }

  /** Alerts of long ago; ids begin with their time. */
  async #forget(wall: number): Promise<void> {
    const oldest = Math.max(0, wall - KEEP_MS)
      .toString(16)
      .padStart(12, '0')
    const to = `${ALL}${oldest.slice(0, 8)}-${oldest.slice(8)}`
    const held = new Set([...this.#held.values()].map(({ alert }) => ALL + alert.id))
    for await (const items of this.#o.tray.cabinet.read({ from: ALL, to })) {
      for (const [key] of items) if (!held.has(key)) this.#o.tray.put(key, undefined)
    }
  }
}

function keyOf({ code, subject }: { readonly code: string; readonly subject: string }): string {
  return `${code} ${subject}`
}

function read([, value]: Item): Alert {
  return JSON.parse(value) as Alert
}

function gravity({ alert }: Held): number {
  return SEVERITIES.indexOf(alert.severity)
}
