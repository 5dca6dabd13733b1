// Makes the golden files of ledgers and notes. Run only when the format changes, and read the diff:
//
//     node test/golden/make.ts
//
// Tests never write these; they make the same texts and compare.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { goldenFiles } from '../ledger/golden-mall.ts'

for (const [name, text] of await goldenFiles()) {
  const path = join(import.meta.dirname, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  console.log(name)
}
