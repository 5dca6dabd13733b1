// Holds: what a court or an insurer wants kept. While one lasts, nothing of its time is forgotten, neither in the
// database nor in files.
//
// Law: a hold that was answered for is on disk. It is never taken away, only ended, by somebody with a name and a reason.
// While the second copy cannot be read nobody knows all of them, so nothing may be forgotten.

import { Fault } from '../../ledger/fault.ts'
import { isText } from '../../ledger/line.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'

export interface Hold {
  readonly id: string
  /** wall clock of the writers, ms; from ≤ at < to */
  readonly from: number
  readonly to: number
  readonly reason: string
  readonly by: string
  readonly at: number
  readonly ended?: { readonly at: number; readonly by: string; readonly reason: string }
}

export interface HoldWish {
  readonly from: number
  readonly to: number
  readonly reason: string
  readonly by: string
}

/** A second place for all of them: a database that was damaged is begun anew, and holds must not go with it. */
export interface HoldCopy {
  recall(): Promise<string | undefined>
  keep(text: string): Promise<void>
}

const PREFIX = 'hold/'
const PREFIX_END = 'hold0'
/** All of them are looked at for every file: more are a mistake of a program. */
const HOLDS_MAX = 1000

export class Holds {
  readonly #cabinet: Cabinet
  readonly #copy: HoldCopy | undefined
  #isCopyRead = false
  #isCopied = false
  readonly #all = new Map<string, Hold>()

  static async open(cabinet: Cabinet, copy?: HoldCopy): Promise<Holds> {
    const holds = new Holds(cabinet, copy)
    for await (const items of cabinet.read({ from: PREFIX, to: PREFIX_END })) {
      for (const [, value] of items) holds.#see(JSON.parse(value) as Hold)
    }
    return holds
  }

  private constructor(cabinet: Cabinet, copy: HoldCopy | undefined) {
    this.#cabinet = cabinet
    this.#copy = copy
  }

  /** Ended ones too, oldest first. */
  list(): readonly Hold[] {
    return [...this.#all.values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  }

  /** The hold that keeps what happened within [oldest, newest]. */
  on(oldest: number, newest: number): Hold | undefined {
    for (const hold of this.#all.values()) {
      if (hold.ended === undefined && hold.from <= newest && oldest < hold.to) return hold
    }
    return undefined
  }

  async add(wish: HoldWish, a: { readonly id: string; readonly at: number }): Promise<Hold> {
    const { from, to, reason, by } = wish
    if (!isMoment(from) || !isMoment(to) || from >= to)
      throw new Fault('HOLD', 'from and to: a time and a later one, in ms')
    checkWords(by, reason)
    if (this.#all.size >= HOLDS_MAX) throw new Fault('HOLD', `there are ${HOLDS_MAX} holds, and no more are kept`)
    const hold: Hold = { id: a.id, from, to, reason, by, at: a.at }
    // it holds before it is on disk: what is forgotten meanwhile would be gone for good
    this.#all.set(hold.id, hold)
    try {
      await this.#keep(hold)
    } catch (error) {
      await this.#reread(hold.id)
      throw error
    }
    return hold
  }

  /** The hold as it is then; undefined where there is no such hold. One that ended before stays as it was. */
  async end(
    id: string,
    a: { readonly by: string; readonly reason: string; readonly at: number },
  ): Promise<Hold | undefined> {
    const hold = this.#all.get(id)
    if (hold === undefined || hold.ended !== undefined) return hold
    checkWords(a.by, a.reason)
    const ended: Hold = { ...hold, ended: { at: a.at, by: a.by, reason: a.reason } }
    try {
      await this.#keep(ended)
    } catch (error) {
      await this.#reread(id)
      throw error
    }
    this.#all.set(id, ended)
    return ended
  }

  /** Brings the two places together. To be called before anything is forgotten, and after every change. */
  async mirror(): Promise<void> {
    if (this.#copy === undefined) return
    if (!this.#isCopyRead) for (const hold of parse(await this.#copy.recall())) this.#see(hold)
    this.#isCopyRead = true
    if (this.#isCopied) return
    this.#isCopied = true
    try {
      if (this.#all.size > 0) await this.#copy.keep(`${JSON.stringify(this.list(), null, 2)}\n`)
    } catch (error) {
      this.#isCopied = false
      throw error
    }
  }

  async #keep(hold: Hold): Promise<void> {
    this.#isCopied = false
    await this.#cabinet.write([[PREFIX + hold.id, JSON.stringify(hold)]])
  }

  /** Only one of the two places may have heard that it ended. */
  #see(hold: Hold): void {
    const known = this.#all.get(hold.id)
    if (known?.ended === undefined) this.#all.set(hold.id, hold)
  }

  /** After a write that failed and may have happened: the disk says. Where it cannot, what is held stays held. */
  async #reread(id: string): Promise<void> {
    try {
      const value = await this.#cabinet.get(PREFIX + id)
      if (value === undefined) this.#all.delete(id)
      else this.#all.set(id, JSON.parse(value) as Hold)
    } catch {
      // the write's own error is the one to tell
    }
  }
}

function parse(text: string | undefined): readonly Hold[] {
  if (text === undefined) return []
  try {
    const all: unknown = JSON.parse(text)
    if (Array.isArray(all) && all.every(isHold)) return all
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Fault(
    'HOLDS',
    'the copy of all holds is damaged: mend it, or take it away if the holds here are all there are',
  )
}

function isHold(value: Hold | null): boolean {
  return typeof value?.id === 'string' && isMoment(value.from) && isMoment(value.to) && isMoment(value.at)
}

function isMoment(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function checkWords(by: string, reason: string): void {
  if (by === '' || !isText(by)) throw new Fault('HOLD', 'by: the name of whoever answers for it')
  if (reason.trim() === '' || !isText(reason)) throw new Fault('HOLD', 'reason: a text of up to 400 characters')
}
