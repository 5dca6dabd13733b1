// Recovery: is what the disk holds all that was acknowledged?
//
// Law: the mark is written after the ledger and before the acknowledgement, so the ledger holds at least what the mark
// says, and the mark says at least what was acknowledged. A ledger larger than its mark is a crash between the two
// writes and nothing else. Anything the mark cannot vouch for is a loss, because what was spent in it is unknown.

import { type Account, epochOf } from './account.ts'
import type { Found, Head, LossReason, Mark } from './store.ts'

/** The newest ledger on disk: `size` and `root` are what its lines add up to, not what a record claims. */
export interface Stored extends Head {
  readonly account: Account
  readonly row?: string
  readonly flaws?: readonly string[]
}

export interface Damage {
  /** the first entry that cannot be trusted */
  readonly seq: number
  readonly what: string
}

export interface Evidence {
  /** undefined: there is none; 'garbled': there is one, and no part of it can be read */
  readonly mark?: Mark | 'garbled' | undefined
  readonly stored?: Stored | undefined
  readonly rootAt: (size: number) => string | undefined
  readonly damage?: Damage | undefined
}

export function judge({ mark, stored, rootAt, damage }: Evidence): Found {
  if (mark === undefined || mark === 'garbled') return withoutMark(mark, stored, damage)
  if (stored === undefined || epochOf(stored.account) < epochOf(mark.account)) {
    return lost('no-store', `${mark.account}: the mark says ${mark.size} entries, and there is no ledger`, { mark })
  }
  if (epochOf(stored.account) > epochOf(mark.account)) {
    if (stored.size > 0 || damage) {
      return lost('old-mark', `${stored.account}: the mark is of ${mark.account}, an old copy`, { stored, damage })
    }
    return lost('cut-short', `${mark.account}: given up while ${stored.account} was being opened`, { mark })
  }
  if (damage) return lost('damaged', `${stored.account}: ${damage.what}`, { mark, stored, damage })
  if (stored.size < mark.size) {
    const what = `${stored.account}: ${stored.size} entries of ${mark.size} that were acknowledged`
    return lost('behind-mark', what, { mark, stored })
  }
  if (rootAt(mark.size) !== mark.root) {
    return lost('other-history', `${stored.account}: not the ${mark.size} entries that were acknowledged`, { mark })
  }
  return {
    kind: 'intact',
    account: stored.account,
    size: stored.size,
    root: stored.root,
    ...rowOf(stored),
    flaws: stored.flaws ?? [],
  }
}

function withoutMark(mark: 'garbled' | undefined, stored: Stored | undefined, damage: Damage | undefined): Found {
  // An empty ledger without a mark is a first epoch whose opening was cut short: nothing was ever acknowledged in it.
  if (mark === undefined && (stored === undefined || (stored.size === 0 && !damage))) return { kind: 'blank' }
  if (stored === undefined) return { kind: 'blank', what: 'a mark that cannot be read, and no ledger' }
  const reason = mark === 'garbled' ? 'garbled-mark' : 'no-mark'
  const about = mark === 'garbled' ? 'a mark that cannot be read' : 'no mark'
  return lost(reason, `${stored.account}: ${stored.size} entries and ${about}`, { stored, damage })
}

interface Traces {
  readonly mark?: Mark
  readonly stored?: Stored
  readonly damage?: Damage | undefined
}

function lost(reason: LossReason, what: string, { mark, stored }: Traces): Found {
  const account = stored?.account ?? mark?.account ?? ''
  return {
    kind: 'lost',
    account,
    reason,
    what,
    ...(stored && stored.size > 0 ? { lastGood: { size: stored.size, root: stored.root } } : {}),
    ...(mark ? { marked: { size: mark.size, root: mark.root } } : {}),
    ...rowOf(stored),
    flaws: stored?.flaws ?? [],
  }
}

function rowOf(stored: Stored | undefined): { row?: string } {
  return stored?.row === undefined ? {} : { row: stored.row }
}
