// Hall: boards in virtual time, with lines between them that can be cut and shelves that survive a crash.

import { Board } from '../../mesh/board/board.ts'
import type { BoardLimits } from '../../mesh/board/limits.ts'
import type { Saved } from '../../mesh/board/shelf.ts'
import type { Clock } from '../../mesh/clock.ts'
import { Agenda } from '../sim/agenda.ts'

export const DAY_MS = 24 * 3600_000
/** noon of some day */
export const NOON = Date.UTC(2026, 10, 16, 12)

/** A shelf without a disk: what the file of a gate holds. */
export class MemoryShelf {
  file: Saved | undefined
  saves = 0
  isDead = false

  take(): Saved | undefined {
    const taken = this.file
    if (taken) this.file = { day: taken.day, update: taken.update }
    return taken
  }

  async save(saved: Saved): Promise<void> {
    if (this.isDead) return
    this.file = saved
    this.saves++
  }
}

export interface Seat {
  readonly name: string
  readonly board: Board
  shelf: MemoryShelf
  readonly alarms: string[]
}

interface Wire {
  isOpen: boolean
  readonly ends: readonly [string, string]
}

export class Hall {
  readonly agenda = new Agenda()
  readonly seats = new Map<string, Seat>()
  /** sees every frame that is sent */
  tap: ((from: string, to: string, frame: Uint8Array) => void) | undefined
  readonly #start: number
  readonly #skews = new Map<string, number>()
  readonly #wires = new Map<string, Wire>()

  constructor(start = NOON) {
    this.#start = start
  }

  get wall(): number {
    return this.#start + this.agenda.now
  }

  /** Sets one machine's clock wrong. */
  skew(name: string, ms: number): void {
    this.#skews.set(name, ms)
  }

  run(ms: number): void {
    this.agenda.runUntil(this.agenda.now + ms)
  }

  /** As after power-on: with what its shelf holds. */
  seat(name: string, { limits, shelf = new MemoryShelf() }: { limits?: BoardLimits; shelf?: MemoryShelf } = {}): Board {
    const alarms: string[] = []
    const saved = shelf.take()
    const board = new Board({
      name,
      clock: this.clock(name),
      saved,
      shelf,
      alarm: (code, detail) => alarms.push(`${code} ${detail}`),
      ...(limits ? { limits } : {}),
    })
    this.seats.set(name, { name, board, shelf, alarms })
    return board
  }

  get(name: string): Seat {
    const seat = this.seats.get(name)
    if (!seat) throw new Error(`nobody sits at ${name}`)
    return seat
  }

  board(name: string): Board {
    return this.get(name).board
  }

  /** The power goes: nothing is saved any more. What is on the shelf stays. */
  crash(name: string): MemoryShelf {
    const seat = this.get(name)
    const { file } = seat.shelf
    seat.shelf.isDead = true
    this.#unplug(name)
    seat.board.close()
    this.seats.delete(name)
    const shelf = new MemoryShelf()
    shelf.file = file
    return shelf
  }

  stop(name: string): MemoryShelf {
    const seat = this.get(name)
    seat.board.close()
    this.#unplug(name)
    this.seats.delete(name)
    return seat.shelf
  }

  connect(a: string, b: string): void {
    const key = [a, b].sort().join(' ')
    if (this.#wires.has(key)) return
    const wire: Wire = { isOpen: true, ends: [a, b] }
    this.#wires.set(key, wire)
    this.board(a).meet(b, frame => this.#carry(wire, a, b, frame))
    this.board(b).meet(a, frame => this.#carry(wire, b, a, frame))
  }

  connectAll(): void {
    const names = [...this.seats.keys()]
    for (const a of names) for (const b of names) if (a < b) this.connect(a, b)
  }

  cut(a: string, b: string): void {
    const key = [a, b].sort().join(' ')
    const wire = this.#wires.get(key)
    if (!wire) return
    this.#wires.delete(key)
    wire.isOpen = false
    this.seats.get(a)?.board.part(b)
    this.seats.get(b)?.board.part(a)
  }

  async close(): Promise<void> {
    await Promise.all([...this.seats.values()].map(({ board }) => board.close()))
    this.seats.clear()
  }

  clock(name: string): Clock {
    return {
      now: () => this.agenda.now,
      wall: () => this.wall + (this.#skews.get(name) ?? 0),
      in: (ms, act) => {
        let isOn = true
        this.agenda.in(ms, () => isOn && act())
        return () => {
          isOn = false
        }
      },
    }
  }

  #carry(wire: Wire, from: string, to: string, frame: Uint8Array): void {
    this.tap?.(from, to, frame)
    const copy = frame.slice()
    this.agenda.in(1, () => wire.isOpen && this.seats.get(to)?.board.hear(from, copy))
  }

  #unplug(name: string): void {
    for (const { ends } of [...this.#wires.values()]) if (ends.includes(name)) this.cut(...ends)
  }
}

/** Everything that people read, in a form that two boards can be compared by. */
export function shown(board: Board): unknown {
  return {
    day: board.day,
    alerts: board.alerts(),
    labels: [...board.labels()],
    positions: [...board.positions()],
    notes: board.notes(),
  }
}
