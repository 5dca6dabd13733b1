// Desk: one mall as its anchor's other parts see it.

import type { Charter } from '../ledger/charter.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Archive } from '../mesh/archive/archive.ts'
import type { LanPeer } from '../mesh/lan/lan.ts'
import type { Member } from '../mesh/member.ts'
import type { MallReport } from '../mesh/window/mall-report.ts'
import type { AnchorStatus } from './status.ts'

export interface Sight {
  readonly mall: string
  readonly charter: Charter
  readonly archive: Archive
  status(): AnchorStatus
  report(): MallReport
  /** undefined while its store is being opened */
  me(): Member | undefined
  /** oldest first */
  policies(): readonly Policy[]
  /** people inside as counted, correction included and below zero where it is: what a head count is held against */
  counted(): number | undefined
  /** the newest row of the anchor's own ledger as it was signed; it covers the newest checkpoint entry */
  checkpoint(): string | undefined
  /** members as the network sees them */
  peers(): readonly LanPeer[]
}
