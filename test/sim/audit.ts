// Audit: what the auditor says of the ledgers that a storm left behind, in seeds on real hashes and signatures.

import type { Account } from '../../ledger/account.ts'
import type { Report } from '../../ledger/audit/report.ts'
import { type MallShown, verifyMall } from '../../ledger/audit/verify.ts'
import type { Row } from '../../ledger/row.ts'
import { RealSeal } from './seal.ts'
import type { World } from './world.ts'

export async function audit(world: World): Promise<Report | undefined> {
  const shown = shownBy(world)
  return shown && verifyMall(shown)
}

/** Every ledger still on a disk, and of every account the newest row that anyone holds. */
export function shownBy(world: World): MallShown | undefined {
  const { seal } = world
  if (!(seal instanceof RealSeal)) return undefined
  const ledgers = new Map<Account, string[]>()
  const newest = new Map<Account, Row>()
  const hold = (row: Row) => {
    if (row.note !== undefined && row.size > (newest.get(row.account)?.size ?? 0)) newest.set(row.account, row)
  }
  for (const host of world.hosts.values()) {
    for (const ledger of host.disk.ledgers) ledgers.set(ledger.account, ledger.lines.slice(0, ledger.synced))
    for (const known of host.core?.me.view.others() ?? []) hold(known.row)
  }
  const rows = [...newest.values()].map(row => row.note as string)
  return { charter: seal.charterNote, owner: seal.owner, policies: seal.policies, ledgers, rows }
}
