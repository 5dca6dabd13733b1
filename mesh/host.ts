// Host: a member as a process of its own: its window, its board and its station, and what it tells those who run it.
//
// Order: the window first, because a gate's door is in it and people must get out whatever else fails; then board, store,
// network and core. It stops the other way round: what is held is given away and told, then the window closes.
//
// What the log gets: one line per change of state, of mode and of trouble. Never one per decision or heartbeat.

import type { Mode } from '../ledger/entry.ts'
import { Fault } from '../ledger/fault.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import type { Copies } from './archive/copies.ts'
import { Board } from './board/board.ts'
import type { Alert } from './board/item.ts'
import { Shelf } from './board/shelf.ts'
import type { Telemetry } from './board/telemetry.ts'
import type { Clock } from './clock.ts'
import type { MemberConfig } from './config.ts'
import { type Place, placeText } from './lan/place.ts'
import type { Meter } from './meter.ts'
import type { Papers } from './papers.ts'
import type { ProcessLog } from './pino-log.ts'
import { Restoration } from './restoration.ts'
import type { SdNotify } from './sd-notify.ts'
import type { Core, Shell, Witness } from './shell.ts'
import { type Alarm, Siren } from './siren.ts'
import { limitsOf, Station, type StationOptions } from './station.ts'
import { type Commanded, command } from './window/command.ts'
import { Diary } from './window/diary.ts'
import { Lookout } from './window/lookout.ts'
import type { AlertReport, MallReport, Trend } from './window/mall-report.ts'
import type { Pinned } from './window/report.ts'
import type { Route } from './window/route.ts'
import { type MayLook, Server } from './window/server.ts'

/** What a process is started with, gate or anchor. */
export interface Surroundings {
  readonly papers: Papers
  readonly clock: Clock
  readonly log: ProcessLog
  readonly notify: SdNotify
  /** the store is a copy that somebody put back by hand */
  readonly isRestored: boolean
  readonly startLan?: StationOptions<never>['startLan']
}

/** What makes this member a gate or the anchor. */
export interface Trade<Event extends { readonly kind: string }> {
  readonly make: () => Core<Event>
  readonly witness: Witness
  readonly meter?: Meter
  readonly onWrite?: (ms: number, lines: number) => void
  /** where people and programs come to this member; none where somebody else answers for it */
  readonly window?: { readonly at: Place; readonly routes: readonly Route[]; readonly mayLook?: MayLook }
  /** the hardware of this member: begins with its window, without anybody waiting for it, and ends with it */
  readonly hardware?: { start(): void; stop(): Promise<void> }
  /** every alarm that is passed on */
  readonly alarmed?: (alarm: Alarm) => void
  /** shown to people, the worst that is true */
  readonly state: () => { readonly state: string; readonly fault?: string }
  readonly telemetry: () => Telemetry
  /** which alerts are open, where somebody weighs them; undefined: those that hang on the board */
  readonly alerts?: () => readonly AlertReport[] | undefined
  /** the store is open, the core not yet started */
  readonly opened?: (shell: Shell<Event>) => Promise<void> | void
  /** Gives away what this member holds; called again once nobody can come to its window any more. */
  readonly retire?: () => void
  /** what it keeps of others' ledgers */
  readonly copies?: Copies
}

const LOOK_EVERY_MS = 500
const DRAIN_MS_MAX = 3000
const LAST_DRAIN_MS_MAX = 1000
/** A core that takes no turn for so long has lost its timer: only a new start helps. */
const STEP_MS_MAX = 8000

export class Host<Event extends { readonly kind: string }> {
  readonly station: Station<Event>
  readonly #config: MemberConfig
  readonly #s: Surroundings
  readonly #trade: Trade<Event>
  readonly #server: Server | undefined
  readonly #siren: Siren
  readonly #lookout: Lookout
  readonly #diary: Diary
  #board: Board | undefined
  /** what hangs on the board, until it changes */
  #pinned: Pinned | undefined
  #state = { said: '', seen: '', was: '' }
  #mode: Mode = 'NORMAL'
  #forgetLook: (() => void) | undefined
  #stopping: Promise<void> | undefined

  /** Resolves once the window is open; everything behind it comes as soon as it can. */
  static async start<Event extends { readonly kind: string }>(
    config: MemberConfig,
    surroundings: Surroundings,
    trade: (host: Host<Event>) => Trade<Event>,
  ): Promise<Host<Event>> {
    const restoration = await Restoration.open(config.store, surroundings.isRestored)
    const host = new Host<Event>(config, surroundings, trade, restoration)
    await host.#start()
    return host
  }

  private constructor(
    config: MemberConfig,
    surroundings: Surroundings,
    trade: (host: Host<Event>) => Trade<Event>,
    restoration: Restoration,
  ) {
    const { clock, log, papers, startLan } = surroundings
    this.#config = config
    this.#s = surroundings
    this.#siren = new Siren(clock, alarm => this.#alarmed(alarm))
    this.#trade = trade(this)
    const { make, meter, onWrite, witness, opened, window, copies } = this.#trade
    this.#lookout = this.#newLookout()
    this.#diary = new Diary({
      path: `${config.store}.trend`,
      contents: () => this.#lookout.kept,
      alarm: (code, detail) => this.#note({ code, subject: 'trend', detail, unsaid: 0 }),
    })
    this.#server = window && new Server({ ...window, onFault: error => this.#blurred(error) })
    this.station = new Station<Event>({
      config,
      papers,
      limits: limitsOf(papers.charter),
      restoration,
      clock,
      log,
      witness: listening(witness, mode => this.#modeIs(mode)),
      board: {
        meet: (peer, send) => this.#board?.meet(peer, send),
        hear: (peer, frame) => this.#board?.hear(peer, frame),
        part: peer => this.#board?.part(peer),
      },
      make,
      ...(meter === undefined ? {} : { meter }),
      ...(onWrite === undefined ? {} : { onWrite }),
      ...(opened === undefined ? {} : { opened }),
      ...(startLan === undefined ? {} : { startLan }),
      ...(copies === undefined ? {} : { copies }),
    })
  }

  /** Empty where it has no window. */
  get url(): string {
    return this.#server?.url ?? ''
  }

  /** For the log and the board, at most one a minute of each kind. */
  alarm(code: string, detail: string): void {
    this.#siren.sound(code, detail)
  }

  report(): MallReport {
    return this.#lookout.report()
  }

  /** The last 24 hours. */
  trend(): Trend {
    return this.#lookout.trend()
  }

  /** What everyone says of itself on the board. */
  telemetry(): ReadonlyMap<string, Telemetry> {
    return this.#board?.telemetry() ?? new Map()
  }

  /** What members hung on the board for people: their own alarms. */
  alerts(): readonly Alert[] {
    return this.#board?.alerts() ?? []
  }

  /** Somebody has seen one of them. */
  acknowledge(id: string, by: string): void {
    this.#onBoard(board => board.acknowledge(id, by))
  }

  /** Where a gate stands on people's plan. Throws a Fault where there is no board, or no room on it; so do the next two. */
  place(gate: string, x: number, y: number): void {
    this.#hung().place(gate, x, y)
  }

  /** What people call a gate; an empty text takes that away. */
  label(gate: string, text: string): void {
    this.#hung().label(gate, text)
  }

  /** The note's id. */
  note(by: string, text: string): string {
    return this.#hung().note(by, text)
  }

  /** A signed mode note that somebody brought here. */
  command(note: string, hear: (statement: ModeStatement) => void): Commanded {
    return command(note, { me: this.station.me, ring: this.station.ring, hear })
  }

  /** Safe to repeat. */
  stop(why: string): Promise<void> {
    this.#stopping ??= this.#stop(why)
    return this.#stopping
  }

  async #start(): Promise<void> {
    const { log, notify, papers } = this.#s
    const { listen } = this.#config
    const { verifier } = papers.signer
    if (this.#trade.window !== undefined) await this.#server?.listen(this.#trade.window.at, false)
    const key = { vkey: verifier.toString(), fingerprint: verifier.fingerprint }
    const lan = listen.map(placeText)
    if (this.url === '') log.info('starting', { lan, ...key })
    else log.info('listening', { http: this.url, lan, ...key })
    for (const doubt of papers.doubts) log.warn('doubt', { doubt })
    // people get out from here on; a start that must wait for others must not be taken for one that hangs
    notify.ready()
    this.#trade.hardware?.start()
    notify.watch(() => this.station.isWell(STEP_MS_MAX))
    this.#look()
    // nothing waits for it
    const { clock } = this.#s
    this.#diary
      .read(clock.wall())
      .then(lines => this.#lookout.recall(lines))
      .catch(error => this.#blurred(error))
    this.#go().catch(error => this.alarm('START', `${this.#config.name}: ${(error as Error).stack}`))
  }

  /** The board is there before peers come to it; but nothing it does may keep a gate from deciding. */
  async #go(): Promise<void> {
    await this.#hang().catch(error => this.alarm('BOARD', `without a board: ${(error as Error).stack}`))
    if (this.#stopping === undefined) await this.station.start()
    if (this.#stopping === undefined) this.#trade.copies?.start()
  }

  async #hang(): Promise<void> {
    const { clock } = this.#s
    const alarm = (code: string, detail: string) => this.#note({ code, subject: 'board', detail, unsaid: 0 })
    const shelf = new Shelf(`${this.#config.store}.board`)
    const saved = await shelf.take({ wall: clock.wall(), alarm })
    if (this.#stopping !== undefined) return
    this.#board = new Board({ name: this.#config.name, clock, saved, shelf, alarm })
    this.#board.onChange(what => {
      if (what === 'document') this.#pinned = undefined
    })
  }

  #newLookout(): Lookout {
    const { clock, papers } = this.#s
    const { alerts } = this.#trade
    return new Lookout({
      name: this.#config.name,
      charter: papers.charter,
      clock,
      me: () => this.station.me,
      telemetry: () => this.telemetry(),
      pinned: () => this.#pin(),
      ...(alerts === undefined ? {} : { alerts }),
      keep: lines => this.#diary.add(lines),
    })
  }

  /** Reading a board of a thousand items takes longer than all the rest of a report. */
  #pin(): Pinned | undefined {
    const board = this.#board
    if (board === undefined) return undefined
    this.#pinned ??= {
      alerts: board.alerts(),
      labels: board.labels(),
      positions: board.positions(),
      notes: board.notes(),
    }
    return this.#pinned
  }

  async #stop(why: string): Promise<void> {
    const { log, notify } = this.#s
    log.info('stopping', { why })
    notify.status('stopping')
    this.#trade.retire?.()
    await this.station.drain(DRAIN_MS_MAX)
    await this.#server?.close()
    await this.#trade.hardware?.stop().catch(error => this.alarm('TURNSTILE', `${this.#config.name}: ${error}`))
    // whoever left meanwhile gave tokens back, and some were on their way here
    if ((this.station.me?.books?.balance ?? 0) > 0) this.#trade.retire?.()
    await this.station.drain(LAST_DRAIN_MS_MAX)
    this.#forgetLook?.()
    this.#lookout.close()
    await this.#diary.close()
    await this.#board?.close()
    await this.#trade.copies?.stop()
    const { books } = this.station.me ?? {}
    const last = books === undefined ? {} : { account: books.account, size: books.size, balance: books.balance }
    await this.station.stop()
    log.info('stopped', last)
    await notify.stopping()
  }

  #look(): void {
    const { clock } = this.#s
    this.#forgetLook = clock.in(LOOK_EVERY_MS, () => this.#look())
    const { state, fault } = this.#trade.state()
    const seen = fault === undefined ? state : `${state} ${fault}`
    // what comes and goes between two looks, as at the last token, is no news
    const isSteady = seen === this.#state.seen
    this.#state.seen = seen
    if (isSteady && seen !== this.#state.said) {
      const { was } = this.#state
      this.#state = { said: seen, seen, was: state }
      this.#s.log.info('state', { state, was, ...(fault === undefined ? {} : { fault }) })
      this.#s.notify.status(seen)
    }
    try {
      this.#board?.tell(this.#trade.telemetry())
      this.#lookout.look()
    } catch (error) {
      // what is only shown must not end what lets people out
      this.#blurred(error)
    }
  }

  /** Something that is shown to people cannot be: the mall goes on. */
  #blurred(error: unknown): void {
    this.alarm('REQUEST', `window: ${(error as Error).stack}`)
  }

  #modeIs(mode: Mode): void {
    if (mode === this.#mode) return
    this.#s.log.warn('mode', { mode, was: this.#mode })
    this.#mode = mode
  }

  #alarmed(alarm: Alarm): void {
    this.#note(alarm)
    this.#trade.alarmed?.(alarm)
    const { name: gate } = this.#config
    this.#onBoard(board => board.raise({ gate, code: alarm.code, text: alarm.detail }))
  }

  #hung(): Board {
    if (this.#board !== undefined) return this.#board
    throw new Fault('BOARD_AWAY', 'this member has no board at present')
  }

  #onBoard(act: (board: Board) => void): void {
    if (this.#board === undefined) return
    try {
      act(this.#board)
    } catch (error) {
      // full, or closed already: it is in the log
      if (!(error instanceof Fault)) throw error
    }
  }

  #note({ code, detail, unsaid }: Alarm): void {
    this.#s.log.warn('alarm', { code, detail, ...(unsaid === 0 ? {} : { unsaid }) })
  }
}

/** The same witness, with one more who hears of modes. */
function listening(witness: Witness, onMode: (mode: Mode) => void): Witness {
  return {
    wrote: body => witness.wrote(body),
    opened: id => witness.opened(id),
    answered: (id, answer) => witness.answered(id, answer),
    letOut: id => witness.letOut(id),
    mode: mode => {
      onMode(mode)
      witness.mode(mode)
    },
    alarm: (code, detail) => witness.alarm(code, detail),
    restarted: why => witness.restarted(why),
  }
}
