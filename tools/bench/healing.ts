// Bench of healing: a mall in network namespaces, its halves cut apart without a word while people come and go on both sides.
// How long until the cut is noticed, and how long after it is healed until everyone knows everyone's row?

import { cutOnce, type Healed } from '../../test/lab/cut-and-heal.ts'
import { Lab } from '../../test/lab/lab.ts'
import { LabMall } from '../../test/lab/lab-mall.ts'
import type { Bench } from '../bench.ts'

const GATES = 6
const CAPACITY = 600
/** How long, and how often. A cut of half a minute is where TCP has learnt to wait; one of minutes is where it gives up. */
const CUTS = [5, 5, 5, 5, 5, 29, 29, 29, 150]
const QUICK = [5, 29]

export const bench: Bench = async ({ json, quick = false }) => {
  const title = `Halves of a mall of ${GATES} gates and an anchor cut apart, packets silently dropped, and healed`
  const skipped = await Lab.isMissing()
  if (skipped !== undefined) return { name: 'healing', title, rows: [], skipped }
  const mall = await LabMall.open(GATES, CAPACITY)
  const all: Healed[] = []
  try {
    for (const seconds of quick ? QUICK : CUTS) {
      if (!json) console.log(`a cut of ${seconds} s …`)
      all.push(await cutOnce(mall, seconds))
    }
  } finally {
    await mall.close()
  }
  const notes = [
    'Noticed: the first gate counts nobody on the other side any more. Healed: every gate knows every row.',
  ]
  return { name: 'healing', title, rows: rowsOf(all), notes }
}

export function rowsOf(all: readonly Healed[]): Record<string, number>[] {
  return [...new Set(all.map(({ seconds }) => seconds))].map(seconds => {
    const same = all.filter(healed => healed.seconds === seconds)
    const noticed = same.map(({ noticedMs }) => Math.round(noticedMs)).sort((a, b) => a - b)
    const healed = same.map(({ healedMs }) => Math.round(healedMs)).sort((a, b) => a - b)
    const middle = Math.floor(same.length / 2)
    return {
      'cut, s': seconds,
      times: same.length,
      'lasted, s: most': Number((Math.max(...same.map(({ lastedMs }) => lastedMs)) / 1000).toFixed(1)),
      'noticed after, ms: median': noticed[middle] as number,
      most: noticed.at(-1) as number,
      'every row known after healing, ms: median': healed[middle] as number,
      'most ': healed.at(-1) as number,
    }
  })
}
