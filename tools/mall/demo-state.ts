// Demo state: how everyone is, as the panel in the browser is told. No more than a page can know the types of.

import type { Mode } from '../../ledger/entry.ts'

export interface MemberState {
  readonly name: string
  readonly url: string | undefined
  readonly state: 'up' | 'starting' | 'down'
  /** as it says itself; undefined while it does not answer */
  readonly says?: { readonly state: string; readonly mode: Mode; readonly balance: number; readonly peers: number }
  /** whom it is kept from */
  readonly cutFrom: readonly string[]
  readonly isFireClosed: boolean
}

export interface DemoState {
  readonly anchor: MemberState
  readonly gates: readonly MemberState[]
  /** the worst that anyone has in force */
  readonly mode: Mode
  readonly inside: number
  readonly capacity: { readonly now: number; readonly usual: number }
  readonly crowd: { readonly kind: string; readonly kinds: readonly string[] }
  /** the newest first; those with nobody inside any more are left out but for the last */
  readonly rushes: readonly RushReport[]
  readonly isCalm: boolean
}

export interface RushReport {
  readonly id: number
  readonly gate: string
  readonly people: number
  readonly admitted: number
  readonly turnedAway: number
  /** of those admitted, who has not left yet */
  readonly inside: number
  /** everyone has come and got an answer */
  readonly isAnswered: boolean
}
