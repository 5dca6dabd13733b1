// Families of measures from many malls: told apart by a label, and each said once.

import type { Family } from '../mesh/window/prometheus.ts'

export function labelled(families: readonly Family[], mall: string): Family[] {
  return families.map(family => ({
    ...family,
    samples: family.samples.map(sample => ({ ...sample, labels: { mall, ...sample.labels } })),
  }))
}

/** A scraper takes a family once: those of one name become one. */
export function joined(families: readonly Family[]): Family[] {
  const byName = new Map<string, Family>()
  for (const family of families) {
    const known = byName.get(family.name)
    byName.set(family.name, known === undefined ? family : { ...known, samples: [...known.samples, ...family.samples] })
  }
  return [...byName.values()]
}
