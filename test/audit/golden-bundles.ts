// Golden bundles: what is in test/golden/bundle-1, a bundle of each scope, and where.

import type { Scope } from '../../ledger/audit/about.ts'
import type { BundleContent } from '../../tools/audit/bundle-writer.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'

export const GOLDEN = new URL('../golden/bundle-1/', import.meta.url)

export function goldenBundles(): { owner: string; bundles: ReadonlyMap<string, BundleContent> } {
  const evidence = evidenceMall()
  const scopes: Readonly<Record<string, Partial<Scope>>> = {
    whole: {},
    period: { from: evidence.morning, to: evidence.evening },
    gate: { gates: ['north'] },
  }
  const bundles = new Map(Object.entries(scopes).map(([name, scope]) => [name, contentOf(evidence, scope)]))
  return { owner: evidence.mall.owner.verifier.toString(), bundles }
}
