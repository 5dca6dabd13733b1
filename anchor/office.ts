// Office: where one mall's people and programs are served: what was collected, what waits for signatures, what is wrong.
//
// Law: everything here stands beside the core and behind one cabinet. The mall admits and lets out whether or not any of
// it works.

import { randomInt } from 'node:crypto'
import type { Account } from '../ledger/account.ts'
import type { Charter } from '../ledger/charter.ts'
import { CALM } from '../ledger/mode.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import type { Cabinet } from '../mesh/archive/cabinet.ts'
import { CabinetArchive } from '../mesh/archive/cabinet-archive.ts'
import { Collector } from '../mesh/archive/collector.ts'
import { openLevelCabinet } from '../mesh/archive/level-cabinet.ts'
import type { Host, Surroundings } from '../mesh/host.ts'
import type { LanPeer } from '../mesh/lan/lan.ts'
import type { Member } from '../mesh/member.ts'
import { OwnLedger } from '../mesh/own-ledger.ts'
import { newId } from '../mesh/real-clock.ts'
import type { Alarm } from '../mesh/siren.ts'
import type { LanPort } from '../mesh/station.ts'
import type { AlertReport, MallReport, Trend } from '../mesh/window/mall-report.ts'
import type { Family } from '../mesh/window/prometheus.ts'
import type { Alert } from './alerts/alert.ts'
import type { AlertBook } from './alerts/alert-book.ts'
import { Watch } from './alerts/watch.ts'
import type { AnchorEvent } from './anchor.ts'
import type { BoardPort, Desk } from './api/ports.ts'
import { Approvals } from './approvals/approvals.ts'
import { Bms, type Restraint } from './bms/bms.ts'
import { wiresOf } from './bms/wires.ts'
import type { MallConfig } from './config.ts'
import type { Mint } from './mint.ts'
import { PublicCounts } from './public/public-counts.ts'
import type { Reconciler } from './reconcile/reconciler.ts'
import { Retention } from './retention/retention.ts'
import type { Skews } from './skews.ts'
import { type AnchorStatus, statusOf } from './status.ts'

export interface OfficeOptions {
  readonly config: MallConfig
  readonly surroundings: Surroundings
  readonly host: Host<AnchorEvent>
  readonly mint: Mint
  readonly skews: Skews
}

const CHANCES = 1 << 24
const chance = () => randomInt(CHANCES) / CHANCES

interface Files {
  readonly cabinet: Cabinet
  readonly archive: CabinetArchive
}

interface Staff {
  readonly approvals: Approvals
  readonly retention: Retention
  readonly public: PublicCounts
  readonly bms: Bms
}

export class Office implements Desk {
  readonly mall: string
  readonly charter: Charter
  readonly charterNotes: readonly string[]
  readonly archive: CabinetArchive
  readonly #o: OfficeOptions
  readonly #cabinet: Cabinet
  readonly #own: OwnLedger<AnchorEvent>
  readonly #collector: Collector
  #staff: Staff | undefined
  #watch: Watch | undefined
  /** what the core was told last, and which core that was */
  #restrained: { readonly core: object; readonly told: string } | undefined

  /** Throws where its cabinet cannot be opened, and leaves nothing open then. */
  static async open(options: OfficeOptions): Promise<Office> {
    const { config, surroundings, host } = options
    const dir = `${config.store}.office`
    const onFault = (fault: Error) => host.alarm('OFFICE_DISK', `${dir}: ${fault.message}`)
    const cabinet = await openLevelCabinet({ dir, onFault })
    try {
      const archive = await CabinetArchive.open({ cabinet, wall: () => surroundings.clock.wall() })
      const office = new Office(options, { cabinet, archive })
      await office.#hire()
      return office
    } catch (error) {
      await cabinet.close()
      throw error
    }
  }

  private constructor(options: OfficeOptions, { cabinet, archive }: Files) {
    const { surroundings, host } = options
    const { papers, clock } = surroundings
    this.#o = options
    this.#cabinet = cabinet
    this.archive = archive
    this.charter = papers.charter
    this.charterNotes = papers.charterNotes
    this.mall = papers.charter.mall
    this.#own = new OwnLedger(host.station, { mall: this.mall, signer: papers.signer, clock })
    this.#collector = this.#makeCollector()
  }

  get approvals(): Approvals {
    return (this.#staff as Staff).approvals
  }

  get retention(): Retention {
    return (this.#staff as Staff).retention
  }

  get public(): PublicCounts {
    return (this.#staff as Staff).public
  }

  get signals(): Bms {
    return (this.#staff as Staff).bms
  }

  get alerts(): AlertBook {
    return (this.#watch as Watch).alerts
  }

  get board(): BoardPort {
    return this.#o.host
  }

  get reconciler(): Reconciler {
    return (this.#watch as Watch).reconciler
  }

  status(): AnchorStatus {
    const { config, surroundings, host } = this.#o
    return statusOf(host.station.shell, config.name, surroundings.clock.now())
  }

  report(): MallReport {
    return this.#o.host.report()
  }

  trend(): Trend {
    return this.#o.host.trend()
  }

  /** As the report has them; undefined while nobody watches yet. */
  openAlerts(): readonly AlertReport[] | undefined {
    return this.#watch?.alerts.list({ state: 'raised' }).map(shownAlert)
  }

  me(): Member | undefined {
    return this.#o.host.station.me
  }

  policies(): readonly Policy[] {
    return this.me()?.policies.after(0) ?? []
  }

  counted(): number | undefined {
    const me = this.me()
    const budget = me?.books?.budget
    return me === undefined || budget === undefined ? undefined : me.view.counted + budget.correction
  }

  checkpoint(): string | undefined {
    return this.#own.row()?.note
  }

  peers(): readonly LanPeer[] {
    return this.#o.host.station.lan?.peers() ?? []
  }

  alarmed({ code, subject, detail }: Alarm): void {
    this.#watch?.alerts.alarmed(code, subject, detail)
  }

  /** All with a label for the mall. */
  families(): Family[] {
    const parts = [this.#collector, this.approvals, this.retention, this.signals, this.#watch]
    return parts.flatMap(part => part?.families() ?? [])
  }

  async start(): Promise<void> {
    await this.#watch?.start()
    await this.#collector.start()
    this.approvals.start()
    this.retention.start()
    this.public.start()
    this.signals.start()
  }

  /** Nothing new is begun, what is under way is finished. Safe to repeat. */
  async stop(): Promise<void> {
    await this.signals.stop()
    await this.public.stop()
    await this.approvals.stop()
    await this.retention.stop()
    await this.#collector.stop()
    await this.#watch?.stop()
  }

  close(): Promise<void> {
    return this.#cabinet.close()
  }

  async #hire(): Promise<void> {
    const { config, surroundings, host, mint, skews } = this.#o
    const { clock, log, papers } = surroundings
    const { charter, charters } = papers
    const cabinet = this.#cabinet
    const policies = () => this.policies()
    const approvals = await Approvals.open({
      charter,
      cabinet,
      clock,
      log,
      policies,
      mode: () => this.me()?.modes.statement ?? CALM,
      isReady: () => this.me() !== undefined,
      enact: mint,
      counted: () => this.counted(),
      ...(config.approvals.reset === undefined ? {} : { reset: config.approvals.reset }),
    })
    const alarm = (code: string, detail: string) => host.alarm(code, detail)
    const { archive } = this
    const own = { config: config.retention, charters, policies, archive, cabinet, clock, log, newId, alarm }
    const counts = await PublicCounts.open({
      mall: this.mall,
      config: config.public,
      cabinet,
      clock,
      log,
      below: n => randomInt(n),
      look: () => (this.me() === undefined ? undefined : this.report()),
    })
    const bms = await Bms.open({
      config: config.bms,
      charter,
      cabinet,
      clock,
      log,
      policies,
      approvals,
      restrain: restraint => this.#restrain(restraint),
      wire: wiresOf(config.bms, clock),
    })
    this.#staff = { approvals, retention: await Retention.open(own), public: counts, bms }
    this.#watch = new Watch({
      sight: this,
      cabinet,
      clock,
      log,
      config: config.alerts,
      newId,
      chance,
      telemetry: () => host.telemetry(),
      skews: () => skews.all,
      collection: () => this.#collector.status(),
      approvals: () => approvals.waiting(),
      signals: () => bms.state,
      board: host,
    })
  }

  /** A core that was begun anew knows of none. */
  #restrain(restraint: Restraint): void {
    const { station } = this.#o.host
    const core = station.shell?.core
    const told = JSON.stringify(restraint)
    if (core === undefined || (this.#restrained?.core === core && this.#restrained.told === told)) return
    this.#restrained = { core, told }
    station.step({ kind: 'restrained', ...restraint })
  }

  #makeCollector(): Collector {
    const { surroundings, host, skews } = this.#o
    const { clock, log, papers } = surroundings
    const station = () => host.station
    return new Collector({
      archive: this.archive,
      charterHash: papers.charterHash,
      clock,
      log,
      wants: () => true,
      rows: () => [...(this.me()?.view.others() ?? [])].map(({ row }) => row),
      banned: () => this.me()?.banned ?? new Map(),
      peers: () =>
        this.peers()
          .filter(({ isUp }) => isUp)
          .map(({ name }) => name),
      range: (peer, question) => (station().lan as LanPort).range(peer, question),
      vouched: (peer, account) => this.#vouched(peer, account),
      alarm: (code, detail) => host.alarm(code, detail),
      skewMs: account => skews.of(account),
      own: this.#own,
    })
  }

  async #vouched(peer: string, account: Account): Promise<Row | undefined> {
    const { station } = this.#o.host
    try {
      for await (const line of (station.lan as LanPort).range(peer, { account, from: 0, to: 0, vouch: true })) {
        return station.ring.row(JSON.parse(line))
      }
    } catch {
      // it says nothing that can be read, or nothing at all: it vouches for nothing
    }
    return undefined
  }
}

function shownAlert({ id, code, subject, severity, detail, raisedAt: at, acknowledged }: Alert): AlertReport {
  return { id, code, subject, severity, detail, at, ...(acknowledged === undefined ? {} : { acknowledged }) }
}
