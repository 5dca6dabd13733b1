// Run: one seed from start to verdict, and the search for the smallest storm that still breaks the same law.

import { BrokenLaw } from '../../ledger/fault.ts'
import { audit } from './audit.ts'
import { Broken } from './oracle.ts'
import { draw, NUISANCES, type Nuisance, type Profile, STRIKES } from './profile.ts'
import { World } from './world.ts'

export interface Outcome {
  readonly seed: number
  readonly broken?: { readonly law: string; readonly what: string; readonly atMs: number }
  readonly decisions: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  readonly simulatedMs: number
  readonly messages: number
  /** entries the auditor checked, in seeds on real hashes */
  readonly audited: number
}

/** What of a seed's storm to leave out. */
export interface Mercy {
  /** places in the script to keep; all unless given */
  readonly keep?: readonly number[]
  readonly without?: readonly Nuisance[]
}

/** Every kind of fault there is: a long run in which one of them never struck has proved nothing about it. */
export const FAULTS: readonly string[] = [...STRIKES, ...NUISANCES]
export const DECISIONS: readonly string[] = [
  'ADMIT local',
  'ADMIT stolen',
  'REJECT_AT_CAPACITY',
  'REJECT_NO_HEADROOM',
  'REJECT_EMERGENCY',
  'REJECT_FAULT',
]

export function profileOf(seed: number, mercy: Mercy = {}): Profile {
  const profile = draw(seed)
  const { keep, without = [] } = mercy
  const script = keep === undefined ? profile.script : profile.script.filter((_, i) => keep.includes(i))
  const rates = { ...profile.rates }
  for (const nuisance of without) rates[nuisance] = 0
  return { ...profile, script, rates }
}

export async function runSeed(seed: number, mercy: Mercy = {}, log?: (line: string) => void): Promise<Outcome> {
  const world = new World(profileOf(seed, mercy), log)
  let broken: Outcome['broken']
  let audited = 0
  try {
    world.run()
    const report = await audit(world)
    audited = report?.proved.entries ?? 0
    if (report !== undefined && !report.ok) throw new Broken('verified', JSON.stringify(report.findings[0]))
  } catch (error) {
    broken = { ...reasonOf(error), atMs: world.agenda.now }
    log?.(`✗ ${broken.law}: ${broken.what}`)
  }
  return {
    seed,
    ...(broken && { broken }),
    decisions: Object.fromEntries(world.decisions),
    faults: Object.fromEntries(world.faults),
    simulatedMs: world.agenda.now,
    messages: world.network.sent,
    audited,
  }
}

/** A law of the oracle's, a law that the core itself found broken, or a crash of the code: all of them are failures. */
function reasonOf(error: unknown): { law: string; what: string } {
  if (error instanceof Broken) return { law: error.law, what: error.message.slice(error.law.length + 2) }
  if (error instanceof BrokenLaw) return { law: 'must', what: error.message }
  return { law: 'exception', what: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

/** Leaves out whatever is not needed for the same law to break; tries at most `tries` storms. */
export async function shrink(seed: number, law: string, tries = 200): Promise<Mercy> {
  let left = tries
  const breaks = async (mercy: Mercy) => left-- > 0 && (await runSeed(seed, mercy)).broken?.law === law
  let keep = draw(seed).script.map((_, i) => i)
  let without: Nuisance[] = []
  for (const nuisance of NUISANCES) {
    if (await breaks({ keep, without: [...without, nuisance] })) without = [...without, nuisance]
  }
  for (let chunk = Math.ceil(keep.length / 2); chunk >= 1; chunk = chunk === 1 ? 0 : Math.ceil(chunk / 2)) {
    for (let i = 0; i < keep.length; ) {
      const fewer = [...keep.slice(0, i), ...keep.slice(i + chunk)]
      if (await breaks({ keep: fewer, without })) keep = fewer
      else i += chunk
    }
  }
  return { keep, without }
}
