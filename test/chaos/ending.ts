// Ending: what happens once everything is mended. Nobody moves, and all members must come to know the same; then people go
// home, and somebody at any door must get in.

import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../../mesh/limits.ts'
import type { Field } from './fault.ts'
import type { Journal, Said } from './journal.ts'
import type { People } from './people.ts'
import type { Watch } from './watch.ts'

const ALIKE_MS_MAX = 20_000
const SERVED_MS_MAX = 10_000
const AGAIN_MS = 300

export interface Cast {
  readonly field: Field
  readonly journal: Journal
  readonly people: People
  readonly watch: Watch
}

export async function playEnding({ field, journal, people, watch }: Cast): Promise<void> {
  const gates = field.members.slice(1)
  await people.close()
  journal.write({ is: 'phase', name: 'still' })
  const unlike = await until(ALIKE_MS_MAX, async () => whyUnlike(gates, await all(gates, watch)))
  journal.write(unlike === undefined ? { is: 'phase', name: 'alike' } : { is: 'phase', name: 'unlike', why: unlike })
  await people.goHome(Math.ceil(people.inside / 2))
  for (const gate of gates) {
    let isIn = false
    const unserved = await until(SERVED_MS_MAX, async () => {
      isIn ||= await people.tries(gate)
      return isIn ? undefined : `nobody gets in at ${gate}: ${shown(gates, await all(gates, watch))}`
    })
    if (unserved === undefined) continue
    journal.write({ is: 'phase', name: 'unserved', why: unserved })
    return
  }
  journal.write({ is: 'phase', name: 'served' })
}

type AllSaid = readonly (Said | undefined)[]

function all(gates: readonly string[], watch: Watch): Promise<AllSaid> {
  return Promise.all(gates.map(gate => watch.look(gate)))
}

function whyUnlike(gates: readonly string[], said: AllSaid): string | undefined {
  const counts = new Set(said.map(one => one?.occupancy.count))
  const isOld = said.some(one => one === undefined || (one.occupancy.ageMs ?? Number.NaN) > LIMITS.silentMs)
  return counts.size === 1 && !isOld ? undefined : `gates do not know the same: ${shown(gates, said)}`
}

function shown(gates: readonly string[], said: AllSaid): string {
  const words = gates.map((gate, i) => {
    const one = said[i]
    if (one === undefined) return `${gate} is silent`
    const { state, balance, occupancy } = one
    return `${gate} ${state} holds ${balance}, counts ${occupancy.count} to ${occupancy.atMost} (${occupancy.ageMs} ms)`
  })
  return words.join('; ')
}

/** Undefined once nothing is wrong any more; else what was wrong at last. */
async function until(msMax: number, wrong: () => Promise<string | undefined>): Promise<string | undefined> {
  const end = performance.now() + msMax
  let why = await wrong()
  while (why !== undefined && performance.now() < end) {
    await sleep(AGAIN_MS)
    why = await wrong()
  }
  return why
}
