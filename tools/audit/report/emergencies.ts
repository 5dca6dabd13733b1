// Emergencies: every raised mode with who raised it, who cleared it, when each gate followed, and when people came in again.
//
// A mode has an epoch; raising keeps it, clearing begins the next. So one epoch's raised modes are one emergency, and the
// first NORMAL of a later epoch is its end. Times are of each gate's own clock.

import type { Account } from '../../../ledger/account.ts'
import { isAnchor, nameOf } from '../../../ledger/account.ts'
import type { Entry, Mode, ModeSet } from '../../../ledger/entry.ts'

export interface Said {
  readonly mode: Mode
  readonly by: string
  readonly reason: string
  /** the earliest that any ledger has it */
  readonly at: number
}

export interface Followed {
  readonly gate: string
  readonly raisedAt: number
  readonly clearedAt: number | undefined
  /** its first admission after it heard of the clearing */
  readonly admittedAt: number | undefined
}

export interface Emergency {
  readonly epoch: number
  /** in order of time: the first, and whatever was more severe after it */
  readonly raised: readonly Said[]
  readonly cleared: Said | undefined
  readonly gates: readonly Followed[]
  readonly restored: { readonly gate: string; readonly at: number } | undefined
}

interface Going {
  readonly epoch: number
  readonly gate: string
  readonly raisedAt: number
  clearedAt: number | undefined
  admittedAt: number | undefined
}

export class Emergencies {
  readonly #raised = new Map<number, Said[]>()
  readonly #cleared = new Map<number, Said>()
  readonly #going = new Map<Account, Going[]>()
  readonly #done: Going[] = []

  /** Does the first admission of this account still matter? */
  awaits(account: Account): boolean {
    return this.#going.get(account)?.some(one => one.clearedAt !== undefined) ?? false
  }

  /** `mode` and `admit` entries of a ledger in their order. */
  add(account: Account, entry: Entry): void {
    if (entry.type === 'mode') this.#mode(account, entry)
    else if (entry.type === 'admit') this.#admit(account, entry.at)
  }

  /** Those that were going on at some time from `from` to `to`. */
  between(from: number, to: number): Emergency[] {
    const all = [...this.#raised].map(([epoch, raised]) => this.#tell(epoch, raised))
    return all
      .filter(({ raised, cleared }) => (raised[0] as Said).at < to && (cleared === undefined || cleared.at >= from))
      .sort((a, b) => a.epoch - b.epoch)
  }

  #mode(account: Account, { epoch, mode, by, reason, at }: ModeSet): void {
    const going = this.#going.get(account) ?? []
    if (mode === 'NORMAL') {
      const known = this.#cleared.get(epoch)
      if (known === undefined || at < known.at) this.#cleared.set(epoch, { mode, by, reason, at })
      for (const one of going) if (one.epoch < epoch) one.clearedAt ??= at
      return
    }
    const raised = this.#raised.get(epoch) ?? []
    this.#raised.set(epoch, raised)
    const same = raised.findIndex(one => one.mode === mode && one.by === by && one.reason === reason)
    if (same < 0) raised.push({ mode, by, reason, at })
    else if (at < (raised[same] as Said).at) raised[same] = { mode, by, reason, at }
    if (isAnchor(account) || going.some(one => one.epoch === epoch)) return
    const gate = nameOf(account)
    const one = { epoch, gate, raisedAt: at, clearedAt: undefined, admittedAt: undefined }
    this.#done.push(one)
    this.#going.set(account, [...going.filter(({ admittedAt }) => admittedAt === undefined), one])
  }

  #admit(account: Account, at: number): void {
    const going = this.#going.get(account)
    if (going === undefined) return
    for (const one of going) if (one.clearedAt !== undefined) one.admittedAt ??= at
    this.#going.set(
      account,
      going.filter(one => one.admittedAt === undefined),
    )
  }

  #tell(epoch: number, said: readonly Said[]): Emergency {
    const raised = said.toSorted((a, b) => a.at - b.at)
    const next = [...this.#cleared.keys()].filter(later => later > epoch)
    const cleared = next.length === 0 ? undefined : this.#cleared.get(Math.min(...next))
    const gates = this.#done
      .filter(one => one.epoch === epoch)
      .map(({ gate, raisedAt, clearedAt, admittedAt }) => ({ gate, raisedAt, clearedAt, admittedAt }))
      .sort((a, b) => (a.gate < b.gate ? -1 : a.gate > b.gate ? 1 : a.raisedAt - b.raisedAt))
    let restored: Emergency['restored']
    for (const { gate, admittedAt } of gates) {
      if (admittedAt !== undefined && admittedAt < (restored?.at ?? Number.POSITIVE_INFINITY)) {
        restored = { gate, at: admittedAt }
      }
    }
    return { epoch, raised, cleared, gates, restored }
  }
}
