// Member: what a gate and the anchor have in common. It keeps books, holds a view, tells rows, keeps the policies and
// the mode, and gathers the effects of the step under way.

import { areForked } from '../ledger/accept.ts'
import { type Account, ANCHOR, epochOf, nameOf } from '../ledger/account.ts'
import { Books, type Opened } from '../ledger/books.ts'
import { type Charter, charterLine } from '../ledger/charter.ts'
import type { Body, Mode, SendWhy } from '../ledger/entry.ts'
import { must } from '../ledger/fault.ts'
import { type ModeStatement, outranks } from '../ledger/mode.ts'
import type { Written } from '../ledger/pen.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import { View } from '../ledger/view.ts'
import { DiskPace } from './disk-pace.ts'
import { Givers } from './givers.ts'
import { Hearing } from './hearing.ts'
import type { Identity } from './identity.ts'
import type { Limits } from './limits.ts'
import { Listed } from './listed.ts'
import { type Effect, EVERYONE, type Hint, type Message, type Rows, UNASKED } from './message.ts'
import { ModeKeeper } from './modekeeper.ts'
import { Pace } from './pace.ts'
import { Policybook } from './policybook.ts'

export class Member {
  readonly name: string
  readonly charter: Charter
  readonly limits: Limits
  readonly newId: () => string
  readonly view = new View()
  readonly modes: ModeKeeper
  readonly hearing: Hearing
  readonly banned = new Map<string, readonly [Row, Row]>()
  readonly policies: Policybook
  /** mono and wall clock of the step under way */
  now = 0
  wall = 0
  readonly #key: string
  #books: Books | undefined
  #outlived = false
  #out: Effect[] = []
  readonly pace: Pace
  readonly disk = new DiskPace()
  readonly #wantedAt = new Map<string, number>()
  readonly #alarmedAt = new Map<string, number>()
  readonly #givers: Givers
  readonly #kept = new Map<Account, number>()
  readonly #listed: Listed

  constructor(identity: Identity) {
    this.name = identity.name
    const { charter, charters = charterLine([charter]) } = identity
    this.charter = charter
    this.limits = identity.limits
    this.pace = new Pace(identity.limits)
    this.#givers = new Givers(identity.limits.becauseMs)
    this.newId = identity.newId
    this.#key = identity.key
    this.#listed = new Listed(identity.name, identity.key)
    this.modes = new ModeKeeper(identity.name, charter)
    this.policies = new Policybook(charters)
    const legalMax = Math.max(...charters.all.map(one => one.legalMax))
    this.hearing = new Hearing(this.view, { legalMax }, identity.limits, version => this.policies.get(version))
  }

  get books(): Books | undefined {
    return this.#books
  }

  /** Another life of this member is known: nothing may be decided here until a restart has sorted it out. */
  get isOutlived(): boolean {
    return this.#outlived || this.banned.has(this.name)
  }

  get policy(): Policy | undefined {
    return this.policies.newest
  }

  /** Goes on with a ledger, or begins one, which then cites the last known row of the epoch before. */
  begin(opened: Opened, after?: Row): Books {
    const books = new Books(opened, (written, body) => this.#append(written, body), this.newId)
    this.#books = books
    this.view.setOwn(books)
    if (opened.pen.size === 0) {
      const cites = after && { after: after.account, afterSize: after.size, afterRoot: after.root }
      const { mall } = this.charter
      books.note({
        id: this.newId(),
        at: this.wall,
        type: 'open',
        mall,
        account: opened.account,
        key: this.#key,
        ...cites,
      })
    }
    return books
  }

  /** The disk has it up to there. */
  durable(size: number): void {
    if (this.#books !== undefined) this.#books.durable = size
    this.disk.durable(size, this.now)
  }

  /** Starts a step; `finish` ends it and hands over what it asked for. */
  start(now: number, wall: number): void {
    this.now = now
    this.wall = wall
  }

  finish(): Effect[] {
    const out = this.#out
    this.#out = []
    return out
  }

  emit(effect: Effect): void {
    this.#out.push(effect)
  }

  tell(to: string, message: Message, afterSize = 0): void {
    this.#out.push({ kind: 'tell', to, message, afterSize })
  }

  /** One alarm a minute per code and subject; the shell shows it, people acknowledge it. */
  alarm(code: string, subject: string, detail: string): void {
    const key = `${code} ${subject}`
    if (this.now - (this.#alarmedAt.get(key) ?? Number.NEGATIVE_INFINITY) < 60_000) return
    this.#alarmedAt.set(key, this.now)
    this.#out.push({ kind: 'alarm', code, detail: `${subject}: ${detail}`, afterSize: 0 })
  }

  isGate(name: string): boolean {
    return this.#listed.in(this.policy?.gates ?? this.charter.gates).has(name)
  }

  /** Sends tokens and tells the taker at once, together with rows it may need to believe ours. */
  transfer(to: Account, amount: number, why: SendWhy, re = UNASKED): void {
    const books = this.#books
    must(books !== undefined, 'only an open account transfers')
    books.send(to, amount, this.wall, why)
    const givers = this.#givers.lately(this.now).filter(account => account !== to)
    const rows = [...givers.map(account => this.view.get(account)?.row as Row), books.row(this.wall)]
    this.tell(nameOf(to), { kind: 'rows', rows, re }, books.size)
  }

  /** A message of rows: takes them in, and answers a mode that is out of date. */
  heardRows(from: string, message: Rows): void {
    this.hear(from, message.rows, message.isWord)
    if (message.mode !== undefined) this.correct(from, message.mode)
  }

  /** Takes rows in; true when something joined. Tokens they carry for us are received at once. */
  hear(from: string, rows: readonly Row[], isWord = false): boolean {
    const fit: Row[] = []
    for (const row of rows) {
      const name = nameOf(row.account)
      if (name === this.name && this.#isOurs(row)) continue
      if (this.banned.has(name)) this.hearing.hearBanned(row, this.now)
      else fit.push(row)
    }
    const heard = this.hearing.hear(from, fit, this.now, { wall: this.wall, isWord })
    for (const row of heard.joined) {
      // its gate relies on us to remember that this account was opened
      if (!this.#kept.has(row.account)) this.#keep(row)
      this.#collect(row)
    }
    for (const [a, b] of heard.forks) this.ban(a, b)
    for (const { row, law } of heard.flaws) this.alarm('ROW_FLAWED', row.account, `breaks ${law} at size ${row.size}`)
    // what brings tokens is not kept waiting; the rest gossip will most likely bring by itself
    const isGift = fit.some(row => this.#bringsTokens(row))
    for (const ask of this.hearing.overdue(this.now, isGift ? -1 : this.limits.gossipMs))
      this.#fetch(ask.from, ask.missing)
    return heard.joined.length > 0
  }

  /**
   * Someone shows us a row of our name. One of our ledger that we never wrote, or of a later epoch, means that our disk
   * lives twice or went back in time. Rows of our closed accounts belong into the view like anyone's.
   */
  #isOurs(row: Row): boolean {
    const books = this.#books
    if (books === undefined || epochOf(row.account) < epochOf(books.account)) return false
    if (row.account !== books.account || row.size > books.size) this.#outlive(row)
    else if (books.contradicts(row)) this.ban(row, books.row(this.wall))
    return true
  }

  #outlive(row: Row): void {
    this.#outlived = true
    this.alarm('OUTLIVED', row.account, `others hold size ${row.size} of a ledger that is not on our disk; restart`)
  }

  /** Two signed rows that cannot both be of one history: nothing more is believed of that gate. */
  ban(a: Row, b: Row): void {
    const name = nameOf(a.account)
    if (this.banned.has(name) || nameOf(b.account) !== name) return
    this.banned.set(name, [a, b])
    // after a restart it must be banned still, its people counted, and those who took tokens on either history believed
    this.#keepView()
    this.emit({ kind: 'proof', rows: [a, b], afterSize: 0 })
    this.hearing.hearBanned(a, this.now)
    this.hearing.hearBanned(b, this.now)
    this.#books?.note({ id: this.newId(), at: this.wall, type: 'fork', account: a.account, size: b.size })
    this.alarm('FORK', a.account, `two histories at sizes ${a.size} and ${b.size}; banned`)
    this.tell(EVERYONE, { kind: 'fork', rows: [a, b] })
  }

  /** What a start reads back of others: their rows, and proofs against those who forked. */
  recall(rows: readonly Row[], proofs: readonly (readonly [Row, Row])[]): void {
    for (const [a, b] of this.hearing.recall(rows, this.now, this.wall).forks) this.ban(a, b)
    for (const [a, b] of proofs) if (areForked(a, b)) this.ban(a, b)
  }

  /** Takes policies in, oldest first; each must stand on the one before it. */
  learn(from: string, policies: readonly Policy[]): boolean {
    const { adopted, stopped } = this.policies.learn(policies)
    for (const { version, hash } of adopted) {
      this.#books?.note({ id: this.newId(), at: this.wall, type: 'policy', version, hash })
    }
    if (stopped?.why === 'gap') this.tell(from, { kind: 'want-policies', after: this.policy?.version ?? 0 })
    else if (stopped !== undefined) this.alarm('POLICY_REFUSED', `policy ${stopped.version}`, stopped.why)
    if (adopted.length === 0) return false
    // rows may have waited for it, and our own alarm for us to be a gate
    this.hear(from, [])
    this.#reraise()
    return true
  }

  hearMode(statement: ModeStatement, clear?: ModeStatement): boolean {
    const isGate = (name: string) => this.isGate(name)
    const cleared = clear !== undefined && this.modes.hear(clear, isGate) === 'new'
    const verdict = this.modes.hear(statement, isGate)
    if (verdict === 'refused') this.alarm('MODE_REFUSED', statement.mode, `said by ${statement.by.join(', ')}`)
    const isNews = cleared || verdict === 'new'
    if (isNews) this.#modeChanged()
    this.#reraise()
    return isNews
  }

  /** A member's own raise: a contact closed, or an operator at this machine. */
  raise(statement: ModeStatement): void {
    // others do not believe a gate that was taken off the roster; its own door obeys its contact all the same
    if (!this.hearMode(statement)) this.#showMode()
  }

  tellMode(to: string): void {
    const { statement, clear } = this.modes
    if (statement.epoch === 0 && statement.mode === 'NORMAL') return
    this.tell(to, clear === undefined ? { kind: 'mode', statement } : { kind: 'mode', statement, clear })
  }

  /** All we know, to a peer just met. */
  greet(peer: string): void {
    this.#handOn(peer, this.hearing.all())
    this.#tellPolicies(peer, 0)
    for (const rows of this.banned.values()) this.tell(peer, { kind: 'fork', rows })
    this.tellMode(peer)
  }

  /** What we know of others. Of accounts that we had before, only beside our row of now, or it would be taken for that. */
  #handOn(to: string, rows: readonly Row[]): void {
    const books = this.#books
    const others = rows.filter(row => nameOf(row.account) !== this.name)
    if (others.length > 0) this.tell(to, { kind: 'rows', rows: others })
    if (books === undefined) return
    const ours = rows.filter(row => nameOf(row.account) === this.name)
    this.tell(to, { kind: 'rows', rows: [...ours, books.row(this.wall)] }, books.size)
  }

  /** The questions any member answers. True when it was one of them. */
  answers(from: string, message: Message): boolean {
    switch (message.kind) {
      case 'want': {
        const rows = message.accounts.flatMap(account => [...this.hearing.of(account)])
        if (message.accounts.some(account => nameOf(account) === this.name)) this.#handOn(from, rows)
        else if (rows.length > 0) this.tell(from, { kind: 'rows', rows })
        return true
      }
      case 'want-policies':
        this.#tellPolicies(from, message.after)
        return true
      case 'whois':
        this.tell(from, { kind: 'known', name: message.name, rows: this.hearing.ofName(message.name) })
        return true
      case 'policies':
        this.learn(from, message.policies)
        return true
      case 'fork':
        this.#checkFork(message.rows)
        return true
      default:
        return false
    }
  }

  /** Tells our row when it is due: soon after a change, and once in a while as proof of life. */
  publish(hint?: Hint): void {
    const books = this.#books
    if (books === undefined || this.now < this.pace.dueAt(books)) return
    this.pace.told(books, this.now, this.wall)
    const { epoch, mode } = this.modes.statement
    const word: Rows = { kind: 'rows', rows: [books.row(this.wall)], mode: { epoch, mode } }
    this.tell(EVERYONE, hint === undefined ? word : { ...word, hint }, books.size)
  }

  /** A peer's regular word shows a mode that we know to be out of date. */
  correct(from: string, told: { readonly epoch: number; readonly mode: Mode }): void {
    const theirs = { ...this.modes.statement, ...told }
    if (outranks(this.modes.statement, theirs)) this.tellMode(from)
  }

  /** What we hold is of use to others, who are told of it without delay. */
  offer(): void {
    if (this.#books !== undefined) this.pace.want(this.#books)
  }

  get publishAt(): number {
    return this.#books === undefined ? Number.POSITIVE_INFINITY : this.pace.dueAt(this.#books)
  }

  #append({ seq, line }: Written, body: Body): void {
    // nobody waits for those who were turned away
    if (body.type !== 'reject') this.disk.wrote(seq + 1, this.now)
    this.#out.push({ kind: 'append', seq, line, body })
  }

  #tellPolicies(to: string, after: number): void {
    const policies = this.policies.after(after)
    if (policies.length > 0) this.tell(to, { kind: 'policies', policies })
  }

  #collect(row: Row): void {
    const books = this.#books
    if (books === undefined || books.receive(row, this.wall) === 0) return
    this.#givers.gave(row.account, this.now)
    this.#keepView()
  }

  /**
   * Stores every row that changed since it was last stored, along with what was just received. Without the donor's row,
   * and all that it stands on, nobody could believe ours once the donor is gone and everyone has been restarted.
   */
  #keepView(): void {
    for (const { row } of this.view.others()) this.#keep(row)
  }

  #keep(row: Row): void {
    if (this.#kept.get(row.account) === row.size) return
    this.#kept.set(row.account, row.size)
    this.emit({ kind: 'keep', row, afterSize: 0 })
  }

  #bringsTokens(row: Row): boolean {
    const books = this.#books
    return books !== undefined && (row.counters.sent[books.account] ?? 0) > books.receivedFrom(row.account)
  }

  #fetch(from: string, missing: readonly string[]): void {
    const accounts: Account[] = []
    for (const what of missing) {
      const wantedAt = this.#wantedAt.get(`${from} ${what}`) ?? Number.NEGATIVE_INFINITY
      if (this.now - wantedAt < this.limits.gossipMs) continue
      this.#wantedAt.set(`${from} ${what}`, this.now)
      if (what.startsWith('policy:')) this.tell(from, { kind: 'want-policies', after: this.policy?.version ?? 0 })
      else accounts.push(what)
    }
    if (accounts.length > 0) this.tell(from, { kind: 'want', accounts })
  }

  #checkFork([a, b]: readonly [Row, Row]): void {
    if (this.banned.has(nameOf(a.account))) return
    if (areForked(a, b)) this.ban(a, b)
    else this.alarm('FALSE_FORK', a.account, 'a fork was claimed that the two rows do not prove')
  }

  #modeChanged(): void {
    const { epoch, mode, by, reason } = this.modes.statement
    this.#books?.note({ id: this.newId(), at: this.wall, type: 'mode', epoch, mode, by: by.join(','), reason })
    this.#showMode()
    this.tellMode(EVERYONE)
  }

  #showMode(): void {
    this.emit({ kind: 'mode', mode: this.modes.effective, afterSize: 0 })
    if (this.modes.effective === 'FIRE') this.emit({ kind: 'release', afterSize: 0 })
  }

  #reraise(): void {
    const owed = this.modes.owed(this.wall)
    if (owed !== undefined && (this.isGate(this.name) || this.name === ANCHOR)) this.hearMode(owed)
  }
}
