// Cut: the mall as its collected entries add up, in an order in which things can have happened.
//
// Law: a `receive` is taken only after the entries of the donor that it cites. Ledgers arrive at different speeds; taken
// as they come, a token could be spent here before the exit that brought it was seen, and a mall that never held too
// many would look as if it had. Nothing in here rests on what a gate says about itself: only on single events.

import { type Account, epochOf, isAnchor, nameOf } from '../../ledger/account.ts'
import { type Counters, inside, noCounters } from '../../ledger/counters.ts'
import type { Entry } from '../../ledger/entry.ts'
import { fold } from '../../ledger/fold.ts'
import type { Row } from '../../ledger/row.ts'
import { Eyes, type EyesState } from './eyes.ts'
import type { Hour } from './hour.ts'
import { Jury, type JuryState } from './jury.ts'

export interface Waits {
  readonly from: Account
  readonly size: number
}

export interface LeaseDrift {
  /** Σ sent − Σ received − Σ in flight: 0, or tokens came from nowhere */
  readonly drift: number
  readonly sent: number
  readonly received: number
  readonly inFlight: number
  /** who took more than was sent, and whose row says otherwise than its entries */
  readonly wrong: readonly string[]
}

export interface CutState {
  readonly counted: number
  readonly anchor: string
  readonly jury: JuryState
  readonly exitsRefused: number
  readonly exitRefused?: { readonly at: number; readonly account: Account; readonly detail: string }
  readonly eyes: EyesState
  readonly missing: readonly (readonly [Account, number])[]
}

export interface AccountState {
  readonly position: number
  readonly counters: Counters
}

/** The newest signed row of an account: what must do for entries that nobody has. */
export type RowOf = (account: Account) => Row | undefined

/** What a gate, or the hardware behind it, writes when somebody could not get out. No software of ours does. */
const EXIT_REFUSED = /^EXIT_(REFUSED|BLOCKED)$/

export class Cut {
  readonly #rowOf: RowOf
  readonly #accounts = new Map<Account, { position: number; readonly counters: Counters }>()
  /** entries that were cited and could not be had */
  readonly #missing: Map<Account, number>
  readonly eyes: Eyes
  readonly jury: Jury
  #counted = 0
  #anchor = ''
  exitsRefused = 0
  exitRefused: CutState['exitRefused']

  constructor(
    a: { readonly legalMax: number; readonly rowOf: RowOf },
    state?: CutState,
    accounts: Iterable<readonly [Account, AccountState]> = [],
  ) {
    this.jury = new Jury(a.legalMax, state?.jury)
    this.#rowOf = a.rowOf
    this.#missing = new Map(state?.missing ?? [])
    this.eyes = new Eyes(state?.eyes)
    for (const [account, { position, counters }] of accounts) this.#accounts.set(account, { position, counters })
    if (state === undefined) return
    this.#counted = state.counted
    this.#anchor = state.anchor
    this.exitsRefused = state.exitsRefused
    this.exitRefused = state.exitRefused
  }

  state(): CutState {
    const { exitsRefused, exitRefused } = this
    return {
      counted: this.#counted,
      anchor: this.#anchor,
      jury: this.jury.state(),
      exitsRefused,
      ...(exitRefused === undefined ? {} : { exitRefused }),
      eyes: this.eyes.state(),
      missing: [...this.#missing],
    }
  }

  accountState(account: Account): AccountState {
    return this.#accounts.get(account) ?? { position: 0, counters: noCounters() }
  }

  /** How many entries of an account are in this cut. */
  position(account: Account): number {
    return this.#accounts.get(account)?.position ?? 0
  }

  /** Must another ledger be taken first? */
  waits(entry: Entry): Waits | undefined {
    if (entry.type !== 'receive' || this.position(entry.from) >= entry.size) return undefined
    return { from: entry.from, size: entry.size }
  }

  /** Goes on without what an entry cites: nobody has it. */
  giveUp({ from, size }: Waits): void {
    this.#missing.set(from, Math.max(size, this.#missing.get(from) ?? 0))
  }

  /** Takes the next entry of an account in. */
  take(account: Account, entry: Entry, hour: Hour): void {
    const own = this.#accountOf(account)
    own.position = entry.seq + 1
    const before = inside(own.counters)
    fold(own.counters, entry)
    const moved = inside(own.counters) - before
    this.#counted += moved
    if (moved !== 0) this.jury.moved(entry.at, moved)
    this.eyes.see(nameOf(account), entry, moved, hour)
    const size = this.#missing.get(account)
    if (size !== undefined && own.position >= size) this.#missing.delete(account)
    switch (entry.type) {
      case 'admit':
        hour.in++
        return this.jury.admitted(account, entry.at, this.turnstile - this.jury.correction)
      case 'lapse':
        hour.in--
        return
      case 'forced':
        hour.in += entry.count
        hour.forced += entry.count
        return this.jury.excuse(entry.at)
      case 'exit':
        hour.out++
        return
      case 'reject':
        hour.rejected++
        return
      case 'budget':
        return this.#budget(account, entry)
      case 'recount':
        this.eyes.recounted(entry.actual, entry.at)
        return this.jury.excuse(entry.at)
      case 'fault':
        if (!EXIT_REFUSED.test(entry.code)) return
        this.exitsRefused += Math.max(1, entry.count)
        this.exitRefused = { at: entry.at, account, detail: entry.detail }
        return
      default:
        return
    }
  }

  /** People inside by the turnstiles. Of ledgers that cannot be had, the newest signed row must do. */
  get turnstile(): number {
    let count = this.#counted + this.jury.correction
    for (const [account] of this.#missing) {
      const row = this.#rowBeyond(account)
      if (row !== undefined) count += inside(row.counters) - inside(this.accountState(account).counters)
    }
    return count
  }

  /** Is everything counted that rows show? */
  isComplete(accounts: Iterable<Account>): boolean {
    for (const account of accounts) if ((this.#rowOf(account)?.size ?? 0) > this.position(account)) return false
    return true
  }

  /** Accounts of which entries were cited that nobody has. */
  get missing(): readonly Account[] {
    return [...this.#missing.keys()]
  }

  leases(): LeaseDrift {
    const wrong: string[] = []
    let [drift, sent, received, inFlight] = [0, 0, 0, 0]
    const countersOf = (account: Account) => this.#rowBeyond(account)?.counters ?? this.#accounts.get(account)?.counters
    for (const [to, own] of this.#accounts) {
      const row = this.#rowOf(to)
      const mine = countersOf(to) ?? own.counters
      sent += mine.sentTotal
      received += mine.receivedTotal
      for (const from in mine.received) {
        const over = (mine.received[from] ?? 0) - (countersOf(from)?.sent[to] ?? 0)
        // without the donor's entries and without a row of it nothing is known of what it sent
        if (over <= 0 || (this.#missing.has(from) && this.#rowBeyond(from) === undefined)) continue
        drift -= over
        wrong.push(`${to} took ${over} more from ${from} than that sent`)
      }
      for (const taker in mine.sent) {
        inFlight += Math.max(0, (mine.sent[taker] ?? 0) - (countersOf(taker)?.received[to] ?? 0))
      }
      if (row === undefined || row.size !== own.position) continue
      const { sentTotal, receivedTotal } = row.counters
      const apart = Math.abs(sentTotal - own.counters.sentTotal) + Math.abs(receivedTotal - own.counters.receivedTotal)
      if (apart === 0) continue
      drift -= apart
      wrong.push(`the row of ${to} at size ${row.size} differs from its entries by ${apart}`)
    }
    return { drift: drift === 0 ? 0 : drift, sent, received, inFlight, wrong }
  }

  #rowBeyond(account: Account): Row | undefined {
    if (!this.#missing.has(account)) return undefined
    const row = this.#rowOf(account)
    return row !== undefined && row.size > this.position(account) ? row : undefined
  }

  #accountOf(account: Account): { position: number; readonly counters: Counters } {
    const known = this.#accounts.get(account)
    if (known !== undefined) return known
    const fresh = { position: 0, counters: noCounters() }
    this.#accounts.set(account, fresh)
    return fresh
  }

  #budget(account: Account, e: Extract<Entry, { type: 'budget' }>): void {
    // an anchor's earlier life has nothing to say any more
    if (!isAnchor(account) || (this.#anchor !== '' && epochOf(account) < epochOf(this.#anchor))) return
    this.#anchor = account
    this.jury.changed({ at: e.at, capacity: e.capacity, correction: e.correction, policy: e.policy })
  }
}
