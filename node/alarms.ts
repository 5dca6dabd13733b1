// Alarms: the last few things that somebody should look at, newest first.
//
// Law: a loud fault does not push the others off the list.

export interface Alarm {
  /** wall clock, of the last time */
  readonly at: number
  readonly code: string
  readonly detail: string
  readonly times: number
}

const KEPT_MAX = 20
const DETAIL_MAX = 300

export class Alarms {
  #list: Alarm[] = []

  get newestFirst(): readonly Alarm[] {
    return this.#list
  }

  add(code: string, said: string, at: number): void {
    const detail = said.slice(0, DETAIL_MAX)
    const before = this.#list.find(alarm => alarm.code === code && alarm.detail === detail)
    const others = this.#list.filter(alarm => alarm !== before)
    this.#list = [{ at, code, detail, times: (before?.times ?? 0) + 1 }, ...others]
    if (this.#list.length > KEPT_MAX) this.#list.splice(this.#leastMissed(), 1)
  }

  /** The oldest of the code that has the most to say. */
  #leastMissed(): number {
    const counts = new Map<string, number>()
    for (const { code } of this.#list) counts.set(code, (counts.get(code) ?? 0) + 1)
    const most = Math.max(...counts.values())
    return this.#list.findLastIndex(({ code }) => counts.get(code) === most)
  }
}
