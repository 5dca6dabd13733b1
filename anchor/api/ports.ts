// Ports: what the API needs of a mall's other parts, a few functions each.

import type { MallReport, Trend } from '../../mesh/window/mall-report.ts'
import type { Alert } from '../alerts/alert.ts'
import type { AlertPage, AlertQuery } from '../alerts/alert-book.ts'
import type { Approval, Brought, Refused } from '../approvals/approval.ts'
import type { ApprovalPage, ApprovalQuery } from '../approvals/approval-file.ts'
import type { BmsState } from '../bms/state.ts'
import type { Sight } from '../desk.ts'
import type { PublicAnswer } from '../public/answer.ts'
import type { LeaseDrift } from '../reconcile/cut.ts'
import type { Compliance, HourPage, HourQuery } from '../reconcile/reconciler.ts'
import type { Hold } from '../retention/holds.ts'
import type { ArchiveFile } from '../retention/retention.ts'
import type { SegmentRecord } from '../retention/segment-index.ts'
import type { WholeLedgers } from '../retention/whole-ledger.ts'

/** What can be said of a mall while the rest of it is still starting. */
export interface MallView extends Pick<Sight, 'mall' | 'charter' | 'status'> {
  /** undefined: nothing can be said yet */
  report(): MallReport | undefined
  /** the last 24 hours; undefined: nothing can be said yet */
  trend(): Trend | undefined
}

export interface Desk extends Sight {
  /** the charter as the owner signed it, then its revisions */
  readonly charterNotes: readonly string[]
  /** the last 24 hours */
  trend(): Trend
  readonly approvals: ApprovalsPort
  readonly alerts: AlertsPort
  readonly board: BoardPort
  readonly reconciler: ReconcilerPort
  readonly retention: RetentionPort
  readonly public: PublicPort
  readonly signals: SignalsPort
}

export interface ApprovalsPort {
  /** A policy or mode note with at least one operator's signature. */
  bring(note: string): Promise<Brought>
  /** A note over the text of this very approval. */
  sign(id: string, note: string): Promise<Brought>
  withdraw(id: string, by: string): Promise<Approval | Refused>
  /** newest first */
  list(query: ApprovalQuery): Promise<ApprovalPage>
  get(id: string): Promise<Approval | undefined>
}

export interface AlertsPort {
  /** Newest first: all that are open, and the newest that are over. */
  list(query: AlertQuery): readonly Alert[]
  /** Every alert ever, newest first. */
  history(query: { readonly cursor?: string; readonly limit: number }): Promise<AlertPage>
  /** The alert as it is then; undefined where there is none of this id. */
  acknowledge(id: string, by: string, note?: string): Promise<Alert | undefined>
}

/** Each throws a Fault where there is no board, or no room on it. */
export interface BoardPort {
  place(gate: string, x: number, y: number): void
  /** an empty text takes the label away */
  label(gate: string, text: string): void
  /** The note's id. */
  note(by: string, text: string): string
}

/** What anyone may know. */
export interface PublicPort {
  /** may door displays say about how many places are left? */
  readonly places: boolean
  /** undefined: nothing is told */
  answer(): PublicAnswer | undefined
}

/** Signals of the building. */
export interface SignalsPort {
  readonly state: BmsState
}

export interface ReconcilerPort {
  hours(query: HourQuery): Promise<HourPage>
  compliance(): Compliance
  leaseDrift(): LeaseDrift
}

export interface RetentionPort {
  /** Up to when entries lie in files and are not found in the database any more. */
  archivedUntil(gate?: string): Promise<number | undefined>
  /** Files that hold what happened about then. */
  filesAt(time: { readonly from: number; readonly to: number }, limit: number): Promise<readonly ArchiveFile[]>
  /** Ledgers as they were written, whether files hold them or the database. */
  readonly whole: WholeLedgers
  /** What was taken out of the archive. */
  removed(): AsyncIterable<SegmentRecord>
  /** Ended ones too, oldest first. */
  holds(): readonly Hold[]
  hold(wish: {
    readonly from: number
    readonly to: number
    readonly reason: string
    readonly by: string
  }): Promise<Hold>
  /** Undefined where there is no such hold. */
  endHold(id: string, a: { readonly by: string; readonly reason: string }): Promise<Hold | undefined>
}
