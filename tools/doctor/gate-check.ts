// Gate check: how a running gate is by its own word: its state, whom it hears, the anchor and the policy.

import type { Charter } from '../../ledger/charter.ts'
import { Fault } from '../../ledger/fault.ts'
import { parseNote } from '../../ledger/note.ts'
import { parsePolicy } from '../../ledger/policy-note.ts'
import type { Inventory } from '../../mesh/archive/inventory.ts'
import { LIMITS } from '../../mesh/limits.ts'
import type { GateState } from '../../node/status.ts'
import { doubt, type Finding, fine, unknown, wrong } from './finding.ts'
import type { Status } from './gate-talk.ts'

const REARM = 'if it is over, two people re-arm: `gatemesh mode clear`'

const STATES = {
  NORMAL: ['fine', 'decides'],
  DEGRADED: ['doubt', 'decides, and does not hear the anchor', 'look at the anchor and the way to it'],
  EXHAUSTED: ['fine', 'decides, and no tokens are in reach: the mall is full'],
  ISOLATED: ['wrong', 'hears no other gate and lives on what it holds', 'look at its network cable and switch'],
  JOINING: ['doubt', 'has not heard enough others yet to decide', 'start the anchor, or most other gates'],
  EXPIRED: ['wrong', 'lets nobody in: the anchor was away for too long', 'bring the anchor back, or sign an extension'],
  FAULT: ['wrong', 'lets nobody in', 'the reason is in its log and in the lines below'],
  LOCKDOWN: ['doubt', 'lets nobody in', REARM],
  EVACUATE: ['doubt', 'lets nobody in', REARM],
  FIRE: ['doubt', 'the arms are free', REARM],
} as const satisfies Record<GateState, readonly [Finding['verdict'], string, string?]>

export function checkState({ state, fault, account, balance, counters, exits }: Status): Finding[] {
  const [verdict, words, todo] = STATES[state] as readonly [Finding['verdict'], string, string?]
  const why = fault === undefined ? '' : ` (${fault})`
  const holds = `${account || 'no ledger'}, holds ${balance}, ${counters.admitted + counters.forced} in, ${counters.exited} out`
  const what = `${state}: ${words}${why}; ${holds}`
  const findings: Finding[] = [{ about: 'gate', verdict, what, ...(todo === undefined ? {} : { todo }) }]
  if (exits.waiting + exits.uncounted > 0) {
    const counts = `${exits.waiting} exits wait to be written, ${exits.uncounted} never will be`
    findings.push(doubt('exits', counts, 'mend the disk; then count heads: `gatemesh recount`'))
  }
  return findings
}

const ALARMS_SHOWN = 3

export function checkAlarms({ alarms }: Status, now: number): Finding[] {
  const recent = alarms.filter(({ at }) => now - at < 3_600_000)
  return recent.slice(0, ALARMS_SHOWN).map(({ code, detail, at }) => {
    const what = `${code} ${Math.max(0, Math.round((now - at) / 60_000))} min ago: ${detail}`
    return doubt('alarm', what, 'anchor/RUNBOOK.md says what to do for each')
  })
}

export function checkReach({ lan }: Status): Finding[] {
  if (lan === undefined)
    return [wrong('peers', 'the gate has no network yet', 'its log says why: a port that is taken?')]
  const down = lan.peers.filter(({ isUp }) => !isUp)
  if (lan.peers.length === 0) return [wrong('peers', 'nobody else is known', 'look at cable, switch and multicast')]
  if (down.length === 0) return [fine('peers', `all ${lan.peers.length} are connected`)]
  const named = down.map(({ name, failure }) => (failure === undefined ? name : `${name} (${failure})`)).join(', ')
  const what = `${down.length} of ${lan.peers.length} not connected: ${named}`
  const todo = 'do they run? Are cables, switches and firewalls open?'
  return [down.length === lan.peers.length ? wrong('peers', what, todo) : doubt('peers', what, todo)]
}

export function checkAnchor({ anchorAgeMs }: Status): Finding {
  const todo = 'look at the anchor and the way to it; the mall runs on meanwhile'
  if (anchorAgeMs < 0) return doubt('anchor', 'never heard since this gate started', todo)
  if (anchorAgeMs > LIMITS.anchorFreshMs) return doubt('anchor', `last heard ${ageText(anchorAgeMs)} ago`, todo)
  return fine('anchor', `heard ${ageText(anchorAgeMs)} ago`)
}

/** The policy by its note; what it says of how long it holds without the anchor. */
export function checkPolicy({ policyVersion, anchorAgeMs }: Status, inventory: Inventory | undefined): Finding {
  if (policyVersion === 0) return wrong('policy', 'none yet: nobody is let in', 'bring the first one to the anchor')
  const note = inventory?.policies.find(({ version }) => version === policyVersion)?.note
  const policy = note === undefined ? undefined : policyIn(note, inventory?.mall ?? '')
  const named = `version ${policyVersion}`
  if (policy === undefined) return unknown('policy', `${named} in force; its text could not be read from here`)
  const leftMs = policy.expireAfterMs - Math.max(0, anchorAgeMs)
  const what = `${named} in force; without the anchor it holds for ${ageText(leftMs)} more`
  const todo = 'bring the anchor back before that: nobody is let in afterwards'
  return leftMs * 4 < policy.expireAfterMs ? doubt('policy', what, todo) : fine('policy', what)
}

function policyIn(note: string, mall: string) {
  try {
    return parsePolicy(parseNote(note).text, mall)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** Is it the gate that the file is about? */
export function checkIdentity(
  told: { readonly mall: string; readonly gate: string },
  wanted: { readonly charter: Pick<Charter, 'mall'>; readonly name: string },
): Finding | undefined {
  if (told.mall === wanted.charter.mall && told.gate === wanted.name) return undefined
  const what = `${told.gate} of ${told.mall} answers there, and the file is of ${wanted.name} of ${wanted.charter.mall}`
  return wrong('gate', what, 'give the --gate and --config of one gate')
}

function ageText(ms: number): string {
  if (ms < 0) return '0 s'
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 600_000) return `${Math.round(ms / 1000)} s`
  return ms < 36_000_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}
