// A turnstile that counts by itself, of the LOT family, as its register list describes it.

import type { BoardTime, Line } from './script.ts'
import { type Asked, echoed, refused, registers } from './wire.ts'

const PERMIT = 0x40
const EXITS = 0x41
const COUNTERS = 0x44
const ERROR = 0x48
const SECONDS = 0x3011
const FREE = 0xffff

export class PlayedCounter {
  readonly unit: number
  readonly #tell: (line: Line) => void
  readonly #time: BoardTime
  readonly #registers = new Map<number, number>([
    [PERMIT, 0],
    [EXITS, FREE],
    [ERROR, 0],
    [SECONDS, 8],
  ])
  #counts = { in: 0, out: 0 }
  #lapse: (() => void) | undefined

  constructor(unit: number, tell: (line: Line) => void, time: BoardTime) {
    this.unit = unit
    this.#tell = tell
    this.#time = time
  }

  answer(asked: Asked): Buffer {
    const { fn, at, word, data } = asked
    if (fn === 3) {
      const values = Array.from({ length: word }, (_, k) => this.#value(at + k))
      return values.includes(undefined) ? refused(asked, 2) : registers(asked, values as number[])
    }
    if (fn !== 16) return refused(asked, 1)
    for (let k = 0; k < word; k++) {
      if (!this.#registers.has(at + k)) return refused(asked, 2)
      this.register(at + k, data.readUInt16BE(2 * k))
      this.#tell({
        what: 'wrote',
        at: this.#time.now(),
        unit: this.unit,
        register: at + k,
        value: data.readUInt16BE(2 * k),
      })
    }
    return echoed(asked)
  }

  register(at: number, value: number): void {
    this.#registers.set(at, value)
    if (at !== PERMIT) return
    this.#lapse?.()
    if (value === 0 || value === FREE) return
    // nobody came: what was permitted is taken back
    const seconds = this.#registers.get(SECONDS) ?? 0
    this.#lapse = this.#time.in(1000 * seconds, () => this.#registers.set(PERMIT, 0))
  }

  /** One person; false where the arm does not let them in. */
  walk(way: 'in' | 'out', isForced: boolean): boolean {
    const permit = this.#registers.get(PERMIT) ?? 0
    if (way === 'in' && !isForced && permit === 0) return false
    if (way === 'in' && permit > 0 && permit < FREE) this.#registers.set(PERMIT, permit - 1)
    this.#counts[way]++
    return true
  }

  power(isOn: boolean, isReset: boolean): void {
    if (isOn) return
    this.#lapse?.()
    this.#registers.set(PERMIT, 0)
    if (isReset) this.#counts = { in: 0, out: 0 }
  }

  #value(at: number): number | undefined {
    switch (at) {
      case COUNTERS:
        return this.#counts.in >>> 16
      case COUNTERS + 1:
        return this.#counts.in & 0xffff
      case COUNTERS + 2:
        return this.#counts.out >>> 16
      case COUNTERS + 3:
        return this.#counts.out & 0xffff
      default:
        return this.#registers.get(at)
    }
  }
}
