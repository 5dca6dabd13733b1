// Clock: the time of day, as the people and the wall clocks of the mall have it, over the time that the gates' own clocks
// count. An hour at the doors is some seconds of theirs, and nights take no time at all: a year in which every gate said
// every second that nothing has happened would be five hundred million rows.

import type { Agenda } from '../../../test/sim/agenda.ts'
import { DAY_MS, END_MS, START_MS, YEAR_MS } from './calendar.ts'

export class YearClock {
  readonly agenda: Agenda
  /** ms at the doors to one that a gate counts */
  readonly stretch: number
  #midnight = YEAR_MS
  #startedAt = 0

  constructor(agenda: Agenda, dayMs: number) {
    this.agenda = agenda
    this.stretch = (END_MS - START_MS) / dayMs
  }

  /** The doors of this day, counted from 0, are tried now. */
  begin(day: number): void {
    this.#midnight = YEAR_MS + day * DAY_MS
    this.#startedAt = this.agenda.now
  }

  get wall(): number {
    return Math.floor(this.#midnight + START_MS + (this.agenda.now - this.#startedAt) * this.stretch)
  }

  /** At this time of day, in ms since midnight. */
  at(timeOfDay: number, run: () => void): void {
    this.agenda.at(this.#startedAt + (timeOfDay - START_MS) / this.stretch, run)
  }

  /** After this time at the doors. */
  in(ms: number, run: () => void): void {
    this.agenda.in(ms / this.stretch, run)
  }

  /** ms since midnight */
  get timeOfDay(): number {
    return START_MS + (this.agenda.now - this.#startedAt) * this.stretch
  }
}
