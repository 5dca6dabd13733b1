// Watch: looks at one mall once a second, and sees to it that somebody hears of what is wrong.
//
// Order of a look: count what was collected, observe, let the rules decide, write down, send. A disk that fails holds up
// the writing only: people are told all the same, of that too.

import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Telemetry } from '../../mesh/board/telemetry.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Family } from '../../mesh/window/prometheus.ts'
import type { BmsState } from '../bms/state.ts'
import type { Sight } from '../desk.ts'
import { MallMetrics } from '../metrics.ts'
import type { LeaseDrift } from '../reconcile/cut.ts'
import { Reconciler } from '../reconcile/reconciler.ts'
import { AlertBook } from './alert-book.ts'
import { Broker } from './broker.ts'
import type { AlertsConfig } from './config.ts'
import { Courier } from './courier.ts'
import { GateAlarms, type Hung } from './gate-alarms.ts'
import { type ApprovalSeen, type CollectionSeen, type Observation, observe, rowIn } from './observation.ts'
import type { Receiver } from './receiver.ts'
import { Tray } from './tray.ts'
import { Webhook } from './webhook.ts'

export interface WatchOptions {
  readonly sight: Sight
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  readonly config: AlertsConfig
  /** UUIDv7s */
  readonly newId: () => string
  /** from 0 to 1 */
  readonly chance: () => number
  /** what gates say of themselves on the board */
  readonly telemetry?: () => ReadonlyMap<string, Telemetry>
  /** our clock less each gate's, ms */
  readonly skews?: () => ReadonlyMap<string, number>
  /** the collector's status */
  readonly collection?: () => CollectionSeen
  readonly approvals?: () => readonly ApprovalSeen[]
  /** signals of the building, and what they ask for */
  readonly signals?: () => BmsState
  /** where gates hang up what their sirens sounded */
  readonly board?: Hung
}

const LOOK_MS = 1000
const SAVE_EVERY_MS = 10_000
const EVIDENCE_EVERY_MS = 10_000
/** Every pair of accounts is looked at, so not every second. */
const LEASES_EVERY_MS = 5000

export class Watch {
  readonly alerts: AlertBook
  readonly reconciler: Reconciler
  readonly courier: Courier
  readonly #o: WatchOptions
  readonly #tray: Tray
  readonly #broker: Broker | undefined
  readonly #metrics: MallMetrics
  readonly #gateAlarms: GateAlarms | undefined
  readonly #since: number
  #evidence: Observation['evidence'] = []
  #evidenceAt = Number.NEGATIVE_INFINITY
  #leases: LeaseDrift | undefined
  #leasesAt = Number.NEGATIVE_INFINITY
  #savedAt: number
  #looking: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #isStarted = false
  #isStopped = false
  readonly #troubles = new Set<string>()

  constructor(options: WatchOptions) {
    const { sight, cabinet, clock, log, config, newId, chance } = options
    const { mall } = sight
    this.#o = options
    this.#since = clock.now()
    this.#savedAt = this.#since
    this.#tray = new Tray(cabinet)
    this.#metrics = new MallMetrics(mall)
    const { legalMax } = sight.charter
    const rowOf = (account: string) => rowIn(sight, account)
    const accounts = () => [...(sight.me()?.view.others() ?? [])].map(({ row }) => row.account)
    this.reconciler = new Reconciler({ archive: sight.archive, cabinet, clock, log, legalMax, rowOf, accounts })
    const receivers: Receiver[] = config.webhooks.map(webhook => new Webhook(webhook, clock))
    if (config.mqtt !== undefined) {
      const onReady = () => this.courier.pump()
      this.#broker = new Broker({ config: config.mqtt, mall, clock, log, newId, onReady })
      receivers.push(this.#broker)
    }
    this.courier = new Courier({ mall, tray: this.#tray, clock, log, receivers, chance })
    this.alerts = new AlertBook({
      mall,
      tray: this.#tray,
      clock,
      log,
      newId,
      tell: notice => this.courier.enqueue(notice),
      levels: config.levels,
      repeatMs: config.repeatMinutes * 60_000,
    })
    this.#gateAlarms = options.board && new GateAlarms(options.board, this.alerts)
  }

  /** Reads back what was open and not delivered, then looks once a second. Counting on from the archive goes on behind. */
  async start(): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    await this.alerts.start()
    await this.courier.start()
    this.#safely('count', this.reconciler.start())
    if (this.#broker !== undefined) await this.#broker.start()
    this.#again()
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#cancel?.()
    await this.#looking
    await this.#try('count', this.reconciler.stop())
    await this.courier.stop()
    await this.#try('write', this.#tray.flush())
  }

  /** One look, for whoever does not want to wait a second for it. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** The mall as it is seen now. */
  observation(): Observation {
    const { sight, clock, telemetry, skews, collection, approvals, signals } = this.#o
    return observe(sight, this.reconciler, {
      now: clock.now(),
      wall: clock.wall(),
      since: this.#since,
      leases: this.#leases,
      evidence: this.#evidence,
      ...(telemetry === undefined ? {} : { telemetry: telemetry() }),
      ...(skews === undefined ? {} : { skews: skews() }),
      ...(collection === undefined ? {} : { collection: collection() }),
      ...(approvals === undefined ? {} : { approvals: approvals() }),
      ...(signals === undefined ? {} : { signals: signals() }),
    })
  }

  /** All with a label for the mall. */
  families(): Family[] {
    return [...this.#metrics.families(), ...this.alerts.families(), ...this.courier.families()]
  }

  #again(): void {
    if (this.#isStopped) return
    this.#cancel = this.#o.clock.in(LOOK_MS, () => {
      this.look().finally(() => this.#again())
    })
  }

  async #look(): Promise<void> {
    const { clock } = this.#o
    const now = clock.now()
    this.#safely('count', this.reconciler.count())
    if (now - this.#evidenceAt >= EVIDENCE_EVERY_MS) {
      this.#evidenceAt = now
      this.#safely('evidence', this.#readEvidence())
    }
    try {
      if (now - this.#leasesAt >= LEASES_EVERY_MS) {
        this.#leasesAt = now
        this.#leases = this.reconciler.leaseDrift()
      }
      this.#gateAlarms?.look(clock.wall())
      const seen = this.observation()
      const raised = this.alerts.observe(seen, now, clock.wall())
      this.#metrics.observe(seen, raised, now)
      const { count, atMost, capacity } = seen.occupancy
      this.#broker?.occupancy({ count, atMost, capacity, mode: seen.mode }, clock.wall(), now)
      this.#troubles.delete('look')
    } catch (error) {
      this.#trouble('look', error)
    }
    await this.#try('write', this.#tray.flush())
    this.courier.pump()
    if (now - this.#savedAt >= SAVE_EVERY_MS) {
      this.#savedAt = now
      this.#safely('count', this.reconciler.save())
    }
  }

  async #readEvidence(): Promise<void> {
    const all = await this.#o.sight.archive.evidence()
    this.#evidence = all.map(({ id, account, what, detail }) => ({ id, account, what, detail }))
  }

  #safely(what: string, work: Promise<void>): void {
    void this.#try(what, work)
  }

  async #try(what: string, work: Promise<void>): Promise<void> {
    try {
      await work
      this.#troubles.delete(what)
    } catch (error) {
      this.#trouble(what, error)
    }
  }

  /** Said when it begins, not every second. */
  #trouble(what: string, error: unknown): void {
    if (this.#troubles.has(what)) return
    this.#troubles.add(what)
    this.#o.log.error('watch', { what, error: (error as Error).stack ?? String(error) })
    if (what === 'write') this.alerts.alarmed('DISK', 'anchor', `alerts are not on disk: ${(error as Error).message}`)
  }
}
