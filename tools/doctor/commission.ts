// Commission: every lane of a gate tried by people before visitors come: direction, a walk of a known count, contacts.
//
// Law: those who walk are ordinary people to the gate: they need places, and they are counted. Accepted is a gate whose
// every lane was tried both ways and told the truth; what was skipped is said, and is not accepted.

import type { HardwareConfig } from '../../hardware/config.ts'
import { Fault } from '../../ledger/fault.ts'
import { type ContactTested, testContacts } from './contacts.ts'
import { Stopped } from './desk.ts'
import { type LaneTested, type TestOptions, testLane } from './lane-test.ts'

export interface CommissionOptions extends TestOptions {
  /** one lane instead of all */
  readonly lane: string | undefined
  readonly hardware: HardwareConfig | undefined
}

export interface Commissioned {
  readonly mall: string
  readonly gate: string
  readonly by: string
  /** wall clock of whoever asked */
  readonly at: number
  readonly lanes: readonly LaneTested[]
  readonly contacts: readonly ContactTested[]
  /** why it ended before it was done */
  readonly stopped?: string
  /** every lane that was asked for told the truth, and no contact failed */
  readonly ok: boolean
}

export async function commission(o: CommissionOptions, at: number): Promise<Commissioned> {
  const { talk, desk, by } = o
  const { mall, gate, mayCount } = await talk.who()
  if (!mayCount)
    throw new Fault('PASS', `${talk.url.origin} has a pass: --token takes it, or --config the file that has it`)
  const names = await lanesOf(o)
  await refuseEmergency(o)
  desk.say(`commissioning ${gate} of ${mall}: ${names.join(', ')}; whoever walks is counted like any visitor`)
  const lanes: LaneTested[] = []
  const contacts: ContactTested[] = []
  let stopped: string | undefined
  try {
    for (const name of names) {
      const config = o.hardware?.lanes.find(lane => lane.name === name)
      lanes.push(await testLane(o, name, config))
    }
    contacts.push(...(await testContacts({ desk, talk, waitMs: o.waitMs, wired: wiredOf(o.hardware) })))
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    stopped = error.message
  }
  const isWhole = stopped === undefined && lanes.length === names.length
  const ok = isWhole && lanes.every(lane => lane.ok) && contacts.every(({ outcome }) => outcome !== 'failed')
  return { mall, gate, by, at, lanes, contacts, ...(stopped === undefined ? {} : { stopped }), ok }
}

async function lanesOf({ talk, lane }: CommissionOptions): Promise<string[]> {
  const { lanes, driver } = await talk.turnstile()
  const names = lanes.map(({ name }) => name)
  if (names.length === 0) {
    const why = `the gate's turnstile is ${driver}, without lanes`
    throw new Fault(
      'NO_LANES',
      `${why}: there is nothing to walk through. \`gatemesh doctor --count\` checks what it counts`,
    )
  }
  if (lane === undefined) return names
  if (names.includes(lane)) return [lane]
  throw new Fault('LANE', `the gate has no lane ${lane}; there are ${names.join(', ')}`)
}

/** Nobody is let in then, and a walk would be a walk of intruders. */
async function refuseEmergency({ talk }: CommissionOptions): Promise<void> {
  const { mode, state } = await talk.status()
  if (mode !== 'NORMAL') throw new Fault('MODE', `the mall is in ${mode}: lanes are tried while people may come in`)
  const deaf = ['JOINING', 'FAULT', 'EXPIRED'].includes(state)
  if (deaf) throw new Fault('STATE', `the gate is ${state} and lets nobody in: \`gatemesh doctor\` says what to do`)
}

function wiredOf(hardware: HardwareConfig | undefined) {
  if (hardware === undefined) return undefined
  return { fire: hardware.fire !== undefined, key: hardware.key !== undefined }
}
