// Makes the golden files of ledgers and notes. Run only when the format changes, and read the diff:
//
//     node test/golden/make.ts
//
// Tests never write these; they make the same texts and compare. Bundles are written once: they keep the page and the program
// of their time, and one that is there stays as it is.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { VerifierKey } from '../../ledger/key.ts'
import { writeBundle } from '../../tools/audit/bundle-writer.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { agreed } from '../audit/agreed.ts'
import { GOLDEN, goldenBundles } from '../audit/golden-bundles.ts'
import { second } from '../audit/second.ts'
import { goldenFiles } from '../ledger/golden-mall.ts'

for (const [name, text] of await goldenFiles()) {
  const path = join(import.meta.dirname, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  console.log(name)
}

const { owner, bundles } = goldenBundles()
for (const [name, content] of bundles) {
  const dir = fileURLToPath(new URL(name, GOLDEN))
  if (existsSync(dir)) continue
  await writeBundle(dir, content)
  const report = agreed(await verifyBundle(dir, VerifierKey.parse(owner)))
  if (!report.ok || !isDeepStrictEqual(agreed(await second(dir, owner)), report)) {
    rmSync(dir, { recursive: true })
    throw new Error(`bundle-1/${name}: not to be kept, the two verifiers do not both find it true`)
  }
  writeFileSync(`${dir}.report.json`, `${JSON.stringify(report, undefined, 1)}\n`)
  writeFileSync(new URL('owner.vkey', GOLDEN), `${owner}\n`)
  console.log(`bundle-1/${name}`)
}
