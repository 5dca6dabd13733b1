// Store: where an account's ledger outlives the process. This file is the port; `level-store.ts` is the disk,
// `memory-store.ts` its twin for tests, and one contract suite runs on both.
//
// Law: what `append` acknowledged is on disk twice over: with the high-water mark (size, root) in a file of its own,
// two copies of it, and a moment later in the ledger, before those copies are written over. So whoever opens the store
// later either finds all of it, or finds out that something is missing.
//
// What the law does not cover: ledger and mark taken back together to an older, consistent copy. Only those who saw
// later rows can tell; the gate asks them before it admits anyone.

import type { Account } from './account.ts'
import type { ChainEnd, Head } from './chain.ts'
import type { Fault } from './fault.ts'
import { LINE_BYTES_MAX } from './line.ts'

export type { Head }

/** High-water mark: the newest head that was acknowledged, and whose it was. */
export interface Mark extends Head {
  readonly account: Account
  /** the last lines up to that size, which the ledger may not have yet */
  readonly tail?: readonly string[]
  /** what was kept beside the ledger with those lines, the oldest first */
  readonly notes?: readonly MarkedNote[]
}

/** A row or a note as the ledger will have it, once it goes as far as this. */
export interface MarkedNote {
  readonly size: number
  readonly change: readonly [key: string, value: string]
}

export type LossReason =
  /** a mark but no ledger of its account */
  | 'no-store'
  /** a ledger but no mark */
  | 'no-mark'
  /** a mark file that cannot be read */
  | 'garbled-mark'
  /** a ledger of a later epoch than the mark's: the mark is an old copy */
  | 'old-mark'
  /** the next epoch was being opened when the power went; the old ledger had been given up by then */
  | 'cut-short'
  /** the ledger contradicts itself or cannot be read */
  | 'damaged'
  /** the ledger is smaller than what was acknowledged */
  | 'behind-mark'
  /** the ledger is large enough, but not the one that was acknowledged */
  | 'other-history'

/** What opening the store found. */
export type Found = Blank | Intact | Lost

/** No memory at all, not even of an epoch: somebody else has to say which account to open. */
export interface Blank {
  readonly kind: 'blank'
  /** set where a mark was there but told nothing */
  readonly what?: string
}

export interface Intact extends Head {
  readonly kind: 'intact'
  readonly account: Account
  /** the newest own row that was stored with the entries it covers */
  readonly row?: string
  /** rows and notes that failed their checksum and were left out; entries that only the mark had and that were put back */
  readonly flaws: readonly string[]
}

/** Memory is lost: this account must never be continued. `begin` opens the next epoch. */
export interface Lost {
  readonly kind: 'lost'
  readonly account: Account
  readonly reason: LossReason
  /** for the operator: account and entry in words */
  readonly what: string
  /** entries up to here are on disk and fit together */
  readonly lastGood?: Head
  /** what had been acknowledged, where the mark still says so */
  readonly marked?: Head
  readonly row?: string
  readonly flaws: readonly string[]
}

/**
 * ok       appends are acknowledged once durable
 * mending  a write failed, so it is unknown what the disk holds: it is being reopened and verified, again and again until
 *          that works. Appends wait in memory and nothing is acknowledged, so entries should be refused meanwhile.
 * lost     the disk has less than was acknowledged, see `found`: appends are refused until `begin`
 * idle     no ledger is open: nothing was found, or what was found is lost, and `begin` was not called yet
 * closed   for good
 */
export type StoreState = 'ok' | 'mending' | 'lost' | 'idle' | 'closed'

export interface Kept {
  readonly seq: number
  readonly line: string
}

export interface Store {
  /** What opening found; after `begin` it is the new ledger, empty, and after a loss it is that loss. */
  readonly found: Found
  readonly state: StoreState
  /** the newest head that was acknowledged */
  readonly durable: Head
  /** where the pen goes on: after the newest line appended; undefined while there is none */
  readonly end: ChainEnd | undefined
  /** lines appended but not acknowledged yet */
  readonly waiting: number

  /**
   * Opens a new ledger. Its epoch must be above every one kept here; what was there before stays readable by `salvage`,
   * and rows and notes are carried over. `charterHash` is what the first entry's `prev` says. Resolves once durable;
   * when it rejects it may be called again. From the first call on the ledger before it is given up: found again
   * without its successor, it is lost.
   */
  begin(account: Account, charterHash: string): Promise<void>

  /**
   * Adds a ledger line (without its newline), which must follow the one appended before it. Resolves with the durable
   * ledger size once this line is part of it. Everything appended while a write is in flight goes into the next
   * one, in order. Rejects only if the ledger is lost, or closed while the disk was failing; never because the disk is full.
   * `soon`: nobody waits for it, and it need not have a write of its own.
   */
  append(line: string, when?: 'now' | 'soon'): Promise<number>

  /** The newest row of another account, for the next write. Losing it makes the gate poorer and nothing worse. */
  keepRow(account: Account, note: string): void
  rows(): ReadonlyMap<Account, string>

  /** A named note (charter, policies, modes), for the next write. */
  keepNote(name: string, note: string): void
  notes(): ReadonlyMap<string, string>

  /** Resolves once everything appended or kept before the call is durable. */
  sync(): Promise<void>

  /** The durable lines of the open ledger in [from, to), each checked against the one before it. */
  range(from: number, to: number): AsyncIterable<string>

  /** Every account with a ledger here, oldest first. */
  accounts(): Promise<Account[]>

  /** Whatever can still be read of any ledger here, damaged ones too, unchecked and in order; lines may be missing. */
  salvage(account: Account): AsyncIterable<Kept>

  /** Waits for appends in flight. While mending it gives up instead, and they reject. Safe to repeat. */
  close(): Promise<void>
}

export interface StoreOptions {
  /** whose ledgers these are; accounts are `<name>/<epoch>` */
  readonly name: string
  /**
   * Called when lines go into the ledger and none follow them yet, never from within `append`: the signed own row at this
   * head, stored with the lines it covers. Undefined where there is none to give.
   */
  readonly seal?: (head: Head) => string | undefined
  /** every failure as it happens, for the alarm */
  readonly onFault?: (fault: Fault) => void
  readonly onState?: (state: StoreState) => void
  /** lines became durable, and how long the disk took for them; a store without a clock does not say */
  readonly onWrite?: (ms: number, lines: number) => void
  /** while a ledger is verified: entries read, and how many there should be */
  readonly onProgress?: (read: number, of: number) => void
}

export const STORE_LIMITS = {
  lineBytesMax: LINE_BYTES_MAX,
  /** a policy note with a roster of a thousand gates fits */
  noteBytesMax: 256 * 1024,
  /** marks that are kept, with their lines: so many writes the ledger may be behind */
  marks: 32,
  /** what a write adds must be less to go with its mark: a token that was received, and the rows of thirty others that it
   *  stands on, are; more goes into the ledger first, which costs a second flush and the file system's journal */
  tailBytesMax: 60_000,
  /** so long the ledger waits for more before it takes what was acknowledged: it grows, and whoever else uses this disk
   *  waits for the journal of its file system meanwhile */
  shelveMs: 500,
  /** so long a line that nobody waits for waits for others */
  soonMs: 50,
  /** …and with no more than so many of them: they still fit into a mark */
  soonLines: 150,
  /** first pause between attempts at a failing disk: short, for a hiccup */
  retryMsMin: 20,
  /** longest pause: space that is freed by hand is noticed while that person is still looking */
  retryMsMax: 2_000,
} as const
