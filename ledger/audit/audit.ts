// Audit: the order in which a mall is looked at, and what is said of it at the end.
//
// The anchors come first and whole: their checkpoints say what to look for in the others. Then all ledgers are read side by
// side, as the replay of the whole mall asks for their steps.

import { type Account, epochOf, isAccount, isAnchor, nameOf } from '../account.ts'
import { toBase64 } from '../base64.ts'
import type { Row } from '../row.ts'
import { isOwedWhole } from './about.ts'
import type { Desk } from './desk.ts'
import type { Findings } from './findings.ts'
import type { NoteFile } from './folder.ts'
import type { Mark } from './marks.ts'
import { type Cut, Merge } from './merge.ts'
import type { Loss, Material, Report } from './report.ts'
import { accountOfNote, isOnRoster, RowBook, type Stated, type Statements } from './rows.ts'
import type { Rules } from './rules.ts'
import { type Feed, Source } from './source.ts'
import { frontierAt, type Start } from './start.ts'
import type { Portion } from './steps.ts'

/** With any of these the sums over the whole mall prove nothing, either way. */
const DAMAGE = ['roster', 'row', 'entry', 'chain', 'gap', 'root', 'truncated'] as const

const NOTHING: Statements = { rows: [], aside: [], vkey: '' }

export interface AuditOptions {
  readonly material: Material
  readonly rules: Rules
  readonly desk: Desk
  readonly findings: Findings
  readonly onCut: ((cut: Cut) => void) | undefined
}

export class Audit {
  readonly #o: AuditOptions
  readonly #findings: Findings
  /** accounts that are shown, and of somebody on the roster */
  readonly #shown: readonly Account[]
  #statements = new Map<Account, Statements>()
  /** what later epochs say of earlier ones */
  readonly #after = new Map<Account, Mark[]>()
  /** the largest size that rows and heads speak of */
  readonly #spoken = new Map<Account, number>()
  readonly #sources: Source[] = []
  readonly #lost: Loss[] = []
  #heads = 0

  constructor(options: AuditOptions) {
    this.#o = options
    const { material, rules, findings } = options
    this.#findings = findings
    const shown: Account[] = []
    for (const account of material.shown.keys()) {
      if (isAccount(account) && isOnRoster(account, rules)) shown.push(account)
      else findings.add('roster', account, undefined, 'a ledger of nobody on the roster')
    }
    const { about } = material
    if (about !== undefined && about.mall !== rules.mall) {
      findings.add('bag', '', undefined, `says ${about.mall}, and the charter ${rules.mall}`, 'data/bundle.json')
    }
    if (shown.length === 0) findings.add('empty', '', undefined, 'no ledgers')
    this.#shown = shown
  }

  async run(): Promise<Report> {
    const { mall } = this.#o.rules
    const isOfAnchor = (note: NoteFile) => isAnchor(accountOfNote(note, mall))
    this.#statements = await this.#openRows(isOfAnchor)
    // checking signatures takes long, and so does reading the anchor's ledger
    const others = this.#openRows(note => !isOfAnchor(note))
    await this.#lookAtOpenings()
    for (const account of this.#newestFirst(isAnchor)) await this.#readAnchor(account)
    for (const [account, statements] of await others) this.#statements.set(account, statements)
    for (const [account, { rows }] of this.#statements) this.#speak(account, rows.at(-1)?.size ?? 0)
    for (const account of this.#newestFirst(one => !isAnchor(one))) {
      this.#addSource(account, this.#feedOf(account))
    }
    const strangers = this.#addStrangers()
    this.#sources.sort((a, b) => (a.account < b.account ? -1 : 1))
    const { onCut, material } = this.#o
    const merge = new Merge({
      sources: this.#sources,
      findings: this.#findings,
      strangers,
      isWhole: material.scope.gates === null,
      isStrict: material.profile > 0,
      onCut,
    })
    await merge.run()
    for (const { end } of this.#sources) for (const finding of end?.findings ?? []) this.#findings.take(finding)
    this.#lookForMissing()
    if (material.scope.gates === null) this.#lookAtBudget(merge)
    return this.#report(merge)
  }

  async #openRows(which: (note: NoteFile) => boolean): Promise<Map<Account, Statements>> {
    const { material, rules, desk, findings } = this.#o
    const book = new RowBook(rules, findings)
    const rows = material.rows.filter(which)
    const files = [...rows, ...material.forks.filter(which)]
    await desk.openRows(files, rules, (opened, i) => book.take(files[i] as NoteFile, opened, i >= rows.length))
    return book.close()
  }

  /** A new epoch cites the last known head of the one before. */
  async #lookAtOpenings(): Promise<void> {
    const { desk, material } = this.#o
    for (const account of this.#shown) {
      const { from, to } = material.shown.get(account) ?? {}
      if (from !== 0 || to === 0) continue
      const open = await desk.first(account)
      if (open?.type !== 'open') continue
      const { after, afterSize, afterRoot } = open
      if (after === undefined || afterSize === undefined || afterRoot === undefined) continue
      const marks = this.#after.get(after) ?? []
      marks.push({ size: afterSize, root: afterRoot, by: { account, seq: 0 } })
      this.#after.set(after, marks)
      this.#heads++
      this.#speak(after, afterSize)
    }
  }

  async #readAnchor(account: Account): Promise<void> {
    const feed = this.#feedOf(account)
    if (feed === undefined) return this.#addSource(account, undefined)
    const portions: Portion[] = []
    for (let came = await feed.next(); came !== undefined; came = await feed.next()) portions.push(came)
    for (const [other, size] of feed.end.spoken) this.#speak(other, size)
    this.#heads += feed.end.heads
    this.#addSource(account, { end: feed.end, next: () => portions.shift() })
  }

  /** Undefined where no entries are shown, or nothing says what they go on from. */
  #feedOf(account: Account): Feed | undefined {
    const { material, rules, desk } = this.#o
    const { from, to } = material.shown.get(account) ?? { from: 0, to: 0 }
    const { rows, aside, vkey } = this.#statements.get(account) ?? NOTHING
    const row = from === 0 ? undefined : this.#startOf(account, from)
    if (from === to || (from > 0 && row === undefined)) return undefined
    const tree = material.starts.get(account)
    const start = row === undefined ? undefined : this.#startTree(row, tree)
    if (from > 0 && start === undefined) return undefined
    const marks: Mark[] = [
      ...rows.map(markOf),
      ...aside.map(one => ({ ...markOf(one), isAside: true as const })),
      ...(this.#after.get(account) ?? []),
    ]
    return desk.read({ account, rules, marks, start, to, vkey: vkey === '' ? undefined : vkey })
  }

  /** The row of the size at which a ledger is shown from. */
  #startOf(account: Account, from: number): Row | undefined {
    const row = this.#statements
      .get(account)
      ?.rows.find(({ size }) => size === from)
      ?.read()
    if (row === undefined)
      this.#findings.add('unsigned', account, from, `no signed row of size ${from}, where it begins`)
    return row
  }

  #startTree(row: Row, tree: Start | undefined): { tree: Start; row: Row } | undefined {
    const { account, size, root } = row
    if (tree?.size === size && toBase64(frontierAt(tree).root()) === root) return { tree, row }
    this.#findings.add('root', account, size - 1, `the start of size ${size} is not what the row of that size signed`)
    return undefined
  }

  #addSource(account: Account, feed: Feed | undefined): void {
    const { scope, shown } = this.#o.material
    const { rows } = this.#statements.get(account) ?? NOTHING
    const from = shown.get(account)?.from ?? 0
    const isOwed = isOwedWhole(scope, account)
    const start = from === 0 ? undefined : rows.find(({ size }) => size === from)?.read()
    this.#sources.push(new Source({ account, feed, rows, start, isOwed, mayLeap: isOwed && this.#isOutlived(account) }))
  }

  /** Accounts that rows speak of and nobody shows: their rows stand in, where everyone should be shown. */
  #addStrangers(): Map<Account, readonly Stated[]> {
    const strangers = new Map<Account, readonly Stated[]>()
    for (const [account, { rows }] of this.#statements) {
      if (this.#shown.includes(account)) continue
      if (!this.#isWanted(account)) strangers.set(account, rows)
      else this.#sources.push(new Source({ account, rows, isOwed: true, mayLeap: this.#isOutlived(account) }))
    }
    return strangers
  }

  /** Was this account asked for? */
  #isWanted(account: Account): boolean {
    const { gates } = this.#o.material.scope
    return gates === null || gates.includes(nameOf(account))
  }

  /** Later epochs first, since they cite the earlier. */
  #newestFirst(which: (account: Account) => boolean): Account[] {
    return this.#shown.filter(which).sort((a, b) => epochOf(b) - epochOf(a) || (a < b ? -1 : 1))
  }

  #speak(account: Account, size: number): void {
    this.#spoken.set(account, Math.max(size, this.#spoken.get(account) ?? 0))
  }

  /** Entries that others know of and nobody shows: explained where the gate opened a later epoch. */
  #lookForMissing(): void {
    const { shown, scope } = this.#o.material
    for (const account of new Set([...this.#shown, ...this.#spoken.keys()])) {
      const source = this.#sources.find(one => one.account === account)
      const told = shown.get(account)
      if (told === undefined && !this.#isWanted(account)) continue
      const isOwedFromStart = scope.from === null && this.#isWanted(account)
      if (told !== undefined && told.from > 0 && isOwedFromStart) this.#miss(account, 0, told.from, 'begins')
      if (source?.end?.isHoled) continue
      const size = source?.end?.size ?? told?.from ?? 0
      if (told?.to !== undefined && size < told.to && source?.end !== undefined) {
        this.#findings.add('truncated', account, size, `ends at size ${size}; bundle.json says ${told.to}`)
      }
      const known = this.#spoken.get(account) ?? 0
      if (known > size && (told === undefined || isOwedWhole(scope, account))) this.#miss(account, size, known, 'ends')
      if (size === 0 && known === 0) this.#findings.add('empty', account, undefined, 'no entries')
      if (size > 0 && (this.#statements.get(account)?.rows.length ?? 0) === 0) {
        this.#findings.add('unsigned', account, undefined, 'no signed row speaks for this ledger')
      }
    }
  }

  #miss(account: Account, from: number, to: number, how: 'begins' | 'ends'): void {
    const reach = this.#statements.get(account)?.rows.at(-1)?.size ?? 0
    if (this.#isOutlived(account) && reach >= to) this.#lost.push({ account, from, to })
    else if (how === 'ends') {
      this.#findings.add('truncated', account, from, `ends at size ${from}; others know of size ${to}`)
    } else this.#findings.add('truncated', account, from, `begins at size ${to}, and all of it should be there`)
  }

  #isOutlived(account: Account): boolean {
    for (const other of [...this.#shown, ...this.#statements.keys()]) {
      if (nameOf(other) === nameOf(account) && epochOf(other) > epochOf(account)) return true
    }
    return false
  }

  #lookAtBudget(merge: Merge): void {
    const { force, overfull } = merge
    if (this.#findings.has(DAMAGE)) return
    if (overfull !== undefined) this.#findings.add('occupancy', overfull.account, overfull.seq, overfull.what)
    if (force === undefined) return
    const before = merge.mintedBefore(epochOf(force.account))
    if (force.budget.carried < before) {
      const what = `carries ${force.budget.carried}, earlier epochs minted ${before}`
      this.#findings.add('budget', force.account, force.seq, what)
    }
    for (const { account, amount } of this.#o.rules.policies.get(force.version)?.reclaimed ?? []) {
      const held = merge.balanceOf(account) + merge.inFlightTo(account)
      if (amount <= held) continue
      this.#findings.add('reclaim', force.account, force.seq, `${amount} from ${account}, which holds ${held}`)
    }
  }

  #report(merge: Merge): Report {
    const findings = this.#findings.list()
    const { material, rules } = this.#o
    const isSummed = material.scope.gates === null && !this.#findings.has(DAMAGE)
    const ends = this.#sources.flatMap(({ account, end }) => (end === undefined ? [] : [{ account, ...end }]))
    const fromOf = (account: Account) => material.shown.get(account)?.from ?? 0
    let entries = 0
    for (const { account, size } of ends) entries += size - fromOf(account)
    let rows = 0
    for (const kept of this.#statements.values()) rows += kept.rows.length
    const { cuts, receives, peak, since, until } = merge
    const periods = ends.flatMap(({ period }) => (period === undefined ? [] : [period]))
    const period =
      periods.length === 0
        ? undefined
        : {
            from: Math.min(...periods.map(p => p.from)),
            to: Math.max(...periods.map(p => p.to)),
            ...(since === undefined ? {} : { since }),
            ...(until === undefined ? {} : { until }),
          }
    return {
      ok: findings.length === 0,
      findings,
      lost: this.#lost.sort((a, b) => (a.account < b.account ? -1 : 1)),
      proved: { entries, rows, policies: rules.policies.size, heads: this.#heads, receives, cuts },
      maxOccupancy: isSummed ? (peak?.occupancy ?? 0) : null,
      ...(peak === undefined || !isSummed ? {} : { peak }),
      accounts: this.#sources.map(({ account, end, start }) => ({
        account,
        from: fromOf(account),
        size: end?.size ?? start?.size ?? 0,
        signed: end?.signed ?? start?.size ?? 0,
        balance: merge.balanceOf(account),
        inside: merge.insideOf(account),
      })),
      ...(period === undefined ? {} : { period }),
      optical: ends.flatMap(({ account, optical }) => (optical.entries === 0 ? [] : [{ account, ...optical }])),
    }
  }
}

function markOf({ size, root, at, text }: Stated): Mark {
  return { size, root, at, row: text }
}
