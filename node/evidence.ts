// Evidence at a gate: what it can show of the mall, for whoever has nothing but this gate to ask: its own ledgers, its copy of
// the anchor's, policies, and every row in its view.
//
// Law: it never disturbs the door. An answer is one small portion of a ledger, and where the next one begins the reading
// goes on from where it stood; nothing is read that nobody asked for.

import { type Account, isAccount } from '../ledger/account.ts'
import { parseCount } from '../ledger/decimal.ts'
import { Fault } from '../ledger/fault.ts'
import type { Copies } from '../mesh/archive/copies.ts'
import { gatherForks, type Inventory, type Reach } from '../mesh/archive/inventory.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Ledgers } from '../mesh/ledgers.ts'
import type { Member } from '../mesh/member.ts'
import type { OwnLedger } from '../mesh/own-ledger.ts'
import { type Asked, json, Refusal, type Reply, type Route } from '../mesh/window/route.ts'

export interface EvidenceOptions {
  readonly mall: string
  readonly name: string
  /** this gate's vkey */
  readonly key: string
  readonly clock: Clock
  readonly me: () => Member | undefined
  /** undefined while the store is being opened */
  readonly ledgers: () => Ledgers | undefined
  readonly own: () => Pick<OwnLedger<never>, 'row'>
  readonly copies: () => Copies['archive']
  /** the charter and its revisions as they were signed */
  readonly charters: () => Promise<readonly string[]>
}

/** A few ms of the gate's thread. */
const PORTION_LINES = 500
const PORTION_CHARS = 128 * 1024
/** Whoever has not come back by then starts anew: others want to read closed ledgers too. */
const WAIT_MS = 3000
const LINES_TYPE = 'application/x-ndjson; charset=utf-8'

interface Place {
  readonly account: Account
  readonly next: number
  readonly lines: AsyncIterator<string>
  readonly forget: () => void
}

export class Evidence {
  readonly #o: EvidenceOptions
  /** where somebody's reading stands */
  #place: Place | undefined
  #before: Promise<unknown> = Promise.resolve()

  constructor(options: EvidenceOptions) {
    this.#o = options
  }

  get routes(): readonly Route[] {
    return [
      { method: 'GET', path: '/evidence', isPrivate: true, answer: async () => json(200, await this.#inventory()) },
      { method: 'GET', path: '/evidence/ledger', isPrivate: true, answer: asked => this.#inTurn(asked) },
    ]
  }

  async #inventory(): Promise<Inventory> {
    const { mall, name, key, clock, charters, copies, own } = this.#o
    const me = this.#o.me()
    const ledgers = this.#o.ledgers()
    if (me === undefined || ledgers === undefined) throw new Refusal(503, 'this gate is still starting: ask again')
    // in one breath: the rows of one moment belong together
    const rows = [own().row()?.note, ...[...me.view.others()].map(({ row }) => row.note)]
    const policies = me.policies.after(0)
    const banned = [...me.banned.values()]
    const archive = copies()
    for (const account of archive?.accounts() ?? []) {
      for (const { note } of (await archive?.dayRows(account)) ?? []) rows.push(note)
    }
    return {
      mall,
      name,
      key,
      at: clock.wall(),
      charters: await charters(),
      policies: policies.flatMap(({ version, note }) => (note === undefined ? [] : [{ version, note }])),
      ledgers: await this.#reach(ledgers),
      rows: rows.filter(note => note !== undefined),
      forks: gatherForks(banned.map(pair => ({ account: pair[0].account, notes: pair.map(row => row.note) }))),
      remarks: [],
    }
  }

  async #reach(ledgers: Ledgers): Promise<readonly Reach[]> {
    const found: Reach[] = []
    const archive = this.#o.copies()
    for (const account of await ledgers.accounts()) {
      const size = (await ledgers.size(account)) ?? 0
      const { kept = 0, keptPeaks = [] } = archive?.head(account) ?? {}
      if (size > kept) found.push({ account, first: kept, peaks: keptPeaks, size })
    }
    return found
  }

  /** One at a time: a ledger that is closed can be opened once. */
  #inTurn(asked: Asked): Promise<Reply> {
    const answer = this.#before.then(() => this.#portion(asked))
    this.#before = answer.catch(() => undefined)
    return answer
  }

  async #portion({ query }: Asked): Promise<Reply> {
    const ledgers = this.#o.ledgers()
    if (ledgers === undefined) throw new Refusal(503, 'this gate is still starting: ask again')
    const account = query.get('account') ?? ''
    const from = parseCount(query.get('from') ?? '0')
    const to = parseCount(query.get('to') ?? String(Number.MAX_SAFE_INTEGER))
    if (!isAccount(account)) throw new Refusal(400, 'account: none, as in gate-01/1')
    if (from === undefined || to === undefined) throw new Refusal(400, 'from, to: not numbers of entries')
    const size = await ledgers.size(account)
    if (size === undefined) throw new Refusal(404, `there is nothing of ${account} here`)
    const end = Math.min(to, size)
    let lines = this.#take(account, from)
    if (lines === undefined) {
      await this.#drop()
      lines = ledgers.range(account, from, size)[Symbol.asyncIterator]()
    }
    let text = ''
    let next = from
    try {
      while (next < end && next - from < PORTION_LINES && text.length < PORTION_CHARS) {
        const { done, value } = await lines.next()
        if (done) break
        text += `${value}\n`
        next++
      }
    } catch (error) {
      // what cannot be read is damage; what can, up to there, was given
      if (!(error instanceof Fault)) throw error
      if (error.code === 'LEDGER_LOCKED') throw new Refusal(503, 'somebody else is reading this ledger: ask again')
      if (next === from) throw new Refusal(404, error.message)
      return { status: 200, type: LINES_TYPE, text }
    }
    // one that came to its end would not see what is written after it
    if (next < size) this.#leave({ account, next, lines })
    else await lines.return?.()
    return { status: 200, type: LINES_TYPE, text }
  }

  #take(account: Account, from: number): AsyncIterator<string> | undefined {
    const place = this.#place
    if (place?.account !== account || place.next !== from) return undefined
    this.#place = undefined
    place.forget()
    return place.lines
  }

  #leave(at: Omit<Place, 'forget'>): void {
    const forget = this.#o.clock.in(WAIT_MS, () => {
      this.#before = this.#before.then(() => this.#drop())
    })
    this.#place = { ...at, forget }
  }

  async #drop(): Promise<void> {
    const place = this.#place
    this.#place = undefined
    place?.forget()
    await place?.lines.return?.()?.catch(() => undefined)
  }
}
