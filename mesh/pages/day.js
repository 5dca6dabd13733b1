// @ts-check
// Day: the minutes of the day so far, as the server remembers them, and the one that is now.
//
// Law: a minute nobody watched is a gap, never a line drawn over it.

import { clock } from './dom.js'
import { inPerMinute, modeWords } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('../window/mall-report.ts').Trend} Trend */
/**
 * @typedef {{ at: number, count: number, atMost: number, capacity: number, mode: string,
 *   entries: number, exits: number, rejects: number }} Minute
 */
/** @typedef {{ mode: string, from: number, to: number }} Band */

/** A day, and a bit for the night somebody forgot to close the page. */
const MINUTES_MAX = 1500
/** So much is shown at least, or two people would look like a flood. */
const SHOWN_MS_MIN = 10 * 60_000

export class Day {
  stepMs = 60_000
  /** @type {Minute[]} */
  minutes = []
  /** @type {Minute | undefined} */
  #now

  /** What the server remembers takes the place of what was seen here. @param {Trend} trend */
  load(trend) {
    this.stepMs = trend.stepMs
    this.minutes = trend.at.slice(-MINUTES_MAX).map((at, k) => {
      const i = k + Math.max(0, trend.at.length - MINUTES_MAX)
      const of = (/** @type {readonly number[]} */ column) => column[i] ?? 0
      return {
        at,
        count: of(trend.count),
        atMost: of(trend.atMost),
        capacity: of(trend.capacity),
        mode: trend.mode[i] ?? 'NORMAL',
        entries: of(trend.entries),
        exits: of(trend.exits),
        rejects: of(trend.rejects),
      }
    })
    if (this.#now !== undefined) this.#fold(this.#now)
  }

  /** @param {MallReport} report */
  add({ at, occupancy: { count, atMost, capacity }, mode, rates }) {
    const rejects = rates.atCapacity + rates.noHeadroom + rates.emergency + rates.fault
    const entries = inPerMinute(rates) ?? 0
    this.#now = { at, count, atMost, capacity, mode, entries, exits: rates.exits, rejects }
    this.#fold(this.#now)
  }

  /** The minute that is now has not counted its people yet: the rate of the last minute stands for them. @param {Minute} now */
  #fold(now) {
    const at = Math.floor(now.at / this.stepMs) * this.stepMs
    const last = this.minutes.at(-1)
    if (last === undefined || last.at < at) this.minutes.push({ ...now, at })
    else if (last.at === at) {
      const [count, atMost] = [Math.max(last.count, now.count), Math.max(last.atMost, now.atMost)]
      Object.assign(last, { ...now, at, count, atMost })
    }
    if (this.minutes.length > MINUTES_MAX) this.minutes.shift()
  }

  /** From when to when, in ms. */
  get range() {
    const end = this.#now?.at ?? this.minutes.at(-1)?.at ?? 0
    return { from: Math.min(this.minutes[0]?.at ?? end, end - SHOWN_MS_MIN), to: end }
  }

  /** Columns of one length, times in seconds first; a gap has nulls. @param {readonly (keyof Minute)[]} names */
  columns(names) {
    /** @type {(number | null)[][]} */
    const columns = [[], ...names.map(() => [])]
    const push = (/** @type {number} */ at, /** @type {Minute | undefined} */ minute) => {
      columns[0]?.push(at / 1000)
      for (const [i, name] of names.entries()) columns[i + 1]?.push(minute === undefined ? null : Number(minute[name]))
    }
    let before = this.minutes[0]
    for (const minute of this.minutes) {
      if (before !== undefined && minute.at - before.at > this.stepMs) push(before.at + this.stepMs, undefined)
      push(minute.at, minute)
      before = minute
    }
    if (this.#now !== undefined && before !== undefined && this.#now.at > before.at) push(this.#now.at, this.#now)
    return columns
  }

  /** When it was not as usual. @returns {Band[]} */
  get bands() {
    /** @type {Band[]} */
    const bands = []
    for (const { at, mode } of this.minutes) {
      const last = bands.at(-1)
      if (mode === 'NORMAL') continue
      if (last?.mode === mode && last.to === at) last.to = at + this.stepMs
      else bands.push({ mode, from: at, to: at + this.stepMs })
    }
    return bands
  }

  /** The chart for those who do not see it, or have no time for it. */
  get summary() {
    const [first] = this.minutes
    if (first === undefined) return 'Nothing is known of this day yet.'
    const peak = this.minutes.reduce((most, minute) => (minute.count > most.count ? minute : most), first)
    const parts = [`Peak ${peak.count} at ${clock(peak.at)}`]
    parts.push(
      `${this.#minutesOf(this.minutes.filter(({ count, capacity }) => count > capacity).length)} above the limit`,
    )
    const span = (this.minutes.at(-1) ?? first).at - first.at
    const unwatched = span / this.stepMs + 1 - this.minutes.length
    if (unwatched >= 1) parts.push(`${this.#minutesOf(unwatched)} nobody watched`)
    for (const mode of new Set(this.bands.map(band => band.mode))) {
      const count = this.minutes.filter(minute => minute.mode === mode).length
      parts.push(`${modeWords(mode).word.toLowerCase()} for ${this.#minutesOf(count)}`)
    }
    return `${parts.join('; ')}; watched since ${clock(first.at)}.`
  }

  /** Hour by hour, newest first. */
  get hours() {
    /** @type {Map<string, Minute & { hour: string }>} */
    const hours = new Map()
    for (const minute of this.minutes) {
      const hour = clock(new Date(minute.at).setMinutes(0, 0, 0))
      const sum = hours.get(hour)
      if (sum === undefined) hours.set(hour, { ...minute, hour })
      else {
        for (const name of /** @type {const} */ (['entries', 'exits', 'rejects'])) sum[name] += minute[name]
        for (const name of /** @type {const} */ (['count', 'atMost'])) sum[name] = Math.max(sum[name], minute[name])
        if (minute.mode !== 'NORMAL') sum.mode = minute.mode
        sum.capacity = minute.capacity
      }
    }
    return [...hours.values()].reverse()
  }

  /** @param {number} count */
  #minutesOf(count) {
    const minutes = Math.round((count * this.stepMs) / 60_000)
    return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  }
}
