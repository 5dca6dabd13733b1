// Report: what an auditor is given, and what is said of it at the end.

import type { Account } from '../account.ts'
import type { VerifierKey } from '../key.ts'
import type { About, Scope } from './about.ts'
import type { Finding } from './findings.ts'
import type { Flaw, NoteFile } from './folder.ts'
import type { Peak } from './merge.ts'
import type { Optical } from './source.ts'
import type { Start } from './start.ts'

/** Everything but the ledgers, which are at the desk. */
export interface Material {
  /** known by other means than these files */
  readonly owner: VerifierKey
  readonly charters: readonly NoteFile[]
  readonly policies: readonly NoteFile[]
  readonly rows: readonly NoteFile[]
  readonly forks: readonly NoteFile[]
  readonly scope: Scope
  /** the accounts that are shown, and from where to where; `to` undefined where nothing says so */
  readonly shown: ReadonlyMap<Account, { readonly from: number; readonly to: number | undefined }>
  readonly starts: ReadonlyMap<Account, Start>
  readonly profile: 0 | 1
  readonly about?: About | undefined
  readonly flaws: readonly Flaw[]
}

export interface AccountReport {
  readonly account: Account
  /** size at which it is shown from */
  readonly from: number
  /** size up to which it was read */
  readonly size: number
  /** how many of its entries a signed row covers */
  readonly signed: number
  readonly balance: number
  /** people in minus people out by this account */
  readonly inside: number
}

/** Entries `from` up to, not including, `to` are gone. */
export interface Loss {
  readonly account: Account
  readonly from: number
  readonly to: number
}

export interface Report {
  /** no findings */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** accounts closed after a loss of memory: what is missing is known, and the next epoch was opened for it */
  readonly lost: readonly Loss[]
  /** how much was checked */
  readonly proved: {
    readonly entries: number
    readonly rows: number
    readonly policies: number
    readonly heads: number
    readonly receives: number
    readonly cuts: number
  }
  /** null where not everyone is shown, or not whole: sums then prove nothing */
  readonly maxOccupancy: number | null
  /** where it was reached */
  readonly peak?: Peak
  readonly accounts: readonly AccountReport[]
  /** wall clocks of the oldest and newest entry, and of the first and last moment at which all ledgers could be summed up */
  readonly period?: { readonly from: number; readonly to: number; readonly since?: number; readonly until?: number }
  /** of gates that have such a counter */
  readonly optical: readonly (Optical & { readonly account: Account })[]
}
