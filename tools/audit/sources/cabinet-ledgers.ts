// Cabinet ledgers: what the copy of a member's cabinet holds of others: a gate's copies of the anchor's ledger, or all that an
// anchor collected, with the files of closed days where those are at hand.

import { stat } from 'node:fs/promises'
import { Holds } from '../../../anchor/retention/holds.ts'
import { SegmentFolder } from '../../../anchor/retention/segment-folder.ts'
import { SegmentIndex } from '../../../anchor/retention/segment-index.ts'
import { removedStretches, WholeLedgers } from '../../../anchor/retention/whole-ledger.ts'
import type { Account } from '../../../ledger/account.ts'
import { CabinetArchive } from '../../../mesh/archive/cabinet-archive.ts'
import { gatherForks, type Inventory, type KeptRow, type Reach, type Remark } from '../../../mesh/archive/inventory.ts'
import { openLevelCabinet } from '../../../mesh/archive/level-cabinet.ts'

export interface CabinetLedgers {
  readonly ledgers: readonly Reach[]
  readonly rows: readonly KeptRow[]
  readonly forks: Inventory['forks']
  readonly remarks: readonly Remark[]
  lines(account: Account, from: number, to: number): AsyncIterable<string>
  close(): Promise<void>
}

/** Undefined where there is none. `archive` is the folder of closed days. */
export async function openCabinetLedgers(
  dir: string,
  a: { readonly mall: string; readonly archive: string | undefined },
): Promise<CabinetLedgers | undefined> {
  const isThere = await stat(dir).then(
    () => true,
    () => false,
  )
  if (!isThere) return undefined
  const remarks: Remark[] = []
  const onFault = ({ message }: Error) =>
    remarks.push({ what: 'damage', detail: message.replaceAll(dir, 'its cabinet') })
  const cabinet = await openLevelCabinet({ dir, onFault })
  try {
    const archive = await CabinetArchive.open({ cabinet, wall: () => Date.now() })
    const index = new SegmentIndex(cabinet)
    const folder = a.archive === undefined ? undefined : new SegmentFolder(a.archive, a.mall)
    const whole = new WholeLedgers({ archive, index, folder })
    const evidence = await archive.evidence()
    for (const { account, at, what, detail } of evidence) {
      remarks.push({ what: 'contradiction', account, kind: what, detail, seen: at })
    }
    for (const hold of (await Holds.open(cabinet, undefined)).list()) remarks.push({ what: 'hold', hold })
    remarks.push(...(await removedStretches(index.gone())))
    const rows: KeptRow[] = []
    for (const account of archive.accounts()) {
      rows.push(...(await whole.rows(account, { after: 0, limit: Number.MAX_SAFE_INTEGER })))
    }
    const forks = evidence.filter(({ what }) => what === 'fork')
    return {
      ledgers: await whole.all(),
      rows,
      forks: gatherForks(forks.map(({ account, rows: notes }) => ({ account, notes }))),
      remarks,
      lines: (account, from, to) => whole.lines(account, from, to),
      close: () => cabinet.close(),
    }
  } catch (error) {
    await cabinet.close()
    throw error
  }
}
