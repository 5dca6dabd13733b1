// News: something that people would want to have noticed, before it has its place in the feed.
//
// `at` is when it began, by the wall clock; words leave times out, because whoever reads them knows his own time zone.

import type { Happening } from './mall-report.ts'

export type News = Omit<Happening, 'seq'>

/** A condition counts once it has held for a while, and is over once it has been gone for a while. */
export class Steady<T> {
  readonly #holdMs: number
  #value: T
  #next: { readonly value: T; readonly since: number } | undefined

  constructor(value: T, holdMs: number) {
    this.#value = value
    this.#holdMs = holdMs
  }

  get value(): T {
    return this.#value
  }

  /** Something else is true, though not for long enough yet. */
  get isLeaving(): boolean {
    return this.#next !== undefined
  }

  /** Takes what is true at present for good. */
  settle(): void {
    if (this.#next !== undefined) this.#value = this.#next.value
    this.#next = undefined
  }

  /** True when the value has just changed for good. */
  see(value: T, now: number): boolean {
    if (value === this.#value) {
      this.#next = undefined
      return false
    }
    if (this.#next?.value !== value) this.#next = { value, since: now }
    if (now - this.#next.since < this.#holdMs) return false
    this.#value = value
    this.#next = undefined
    return true
  }
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
