// Bare mark: a disk whose marks do not hold the last entries any more, so that what its ledger lost is lost.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { MarkFile } from '../../ledger/mark.ts'

export async function bareMark(dir: string): Promise<void> {
  const path = join(dir, 'mark')
  const file = new MarkFile(path)
  const mark = await file.read()
  if (typeof mark !== 'object') throw new Error(`${path}: no mark`)
  rmSync(path)
  await file.write({ account: mark.account, size: mark.size, root: mark.root })
  await file.close()
}
