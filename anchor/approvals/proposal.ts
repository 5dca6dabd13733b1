// Proposal: a note that somebody brought, opened and held against what is in force.
//
// Law: what no number of signatures would make good is refused before anyone else is asked to sign it.

import { ANCHOR } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import { Fault } from '../../ledger/fault.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { type ModeStatement, outranks, severity } from '../../ledger/mode.ts'
import { type ModeText, openMode } from '../../ledger/mode-note.ts'
import { formatNote, type NoteSignature, parseNote } from '../../ledger/note.ts'
import { originOf, within } from '../../ledger/origin.ts'
import { type Policy, textFlaw } from '../../ledger/policy.ts'
import { formatPolicy, openProposal, type PolicyText } from '../../ledger/policy-note.ts'
import { textHash } from '../../ledger/text-hash.ts'
import { wordsOf } from '../pages/wording.js'
import { type Approval, approvalId, type RefusalCode, type Refused, refused, type Step } from './approval.ts'
import { maySign, type Needs, needsOfMode, needsOfPolicy, whyFlawed } from './needs.ts'

const HOUR_MS = 3_600_000
export const POLICY_LIFE_MS = 24 * HOUR_MS
/** A mall that waits to be re-armed waits for people who are there. */
export const CLEAR_LIFE_MS = HOUR_MS
/** Clocks of people's machines are allowed this much. */
const AHEAD_MS_MAX = 5 * 60_000

export interface Proposal {
  readonly id: string
  readonly kind: Approval['kind']
  readonly text: string
  readonly version: number
  /** operators who signed this note, in the order of their lines */
  readonly signers: readonly string[]
  readonly signatures: readonly NoteSignature[]
  readonly needs: Needs
  readonly words: readonly string[]
  readonly lifeMs: number
  /** a raise of the mode: waits for nobody */
  readonly isUrgent: boolean
}

/** What is in force. */
export interface InForce {
  readonly charter: Charter
  /** oldest first */
  readonly policies: readonly Policy[]
  readonly mode: ModeStatement
  readonly wall: number
}

/** The newest version that two operators signed, which solo changes are held against. */
export function agreedOf(policies: readonly Policy[]): Policy | undefined {
  return policies.findLast(policy => policy.signers.length >= 2) ?? policies.at(-1)
}

export function openBrought(note: string, now: InForce): Proposal | Refused {
  const { mall } = now.charter
  try {
    const [head = ''] = parseNote(note).text.split('\n', 1)
    if (head === originOf(mall, 'policy')) return openPolicyNote(note, now)
    if (head === originOf(mall, 'mode')) return openModeNote(note, now)
    return refused('not-a-note', `neither a policy nor a mode of ${mall}: ${JSON.stringify(head.slice(0, 80))}`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return refused(error.code === 'NOTE_SIGNATURE' ? 'bad-signature' : 'not-a-note', error.message)
  }
}

/** A text that the anchor itself puts before people; nobody has signed it. */
export function proposalOf(policy: PolicyText, now: InForce): Proposal {
  const text = formatPolicy(policy, now.charter.mall)
  return { ...policyProposal(text, policy, now), signers: [], signatures: [] }
}

/** As it begins to wait. */
export function begun(opened: Proposal, at: number): Approval {
  const { id, kind, text, version, needs, words, lifeMs } = opened
  const times = { broughtAt: at, expiresAt: at + lifeMs }
  return { id, kind, state: 'pending', text, words, needs, signers: [], version, ...times, history: [] }
}

/** What became meanwhile of one that waits, if anything did. */
export function fateOf({ kind, text, note, version, expiresAt }: Approval, now: InForce): Step | undefined {
  const { wall: at, policies, mode } = now
  const step = { at, by: ANCHOR }
  if (kind === 'policy') {
    const newest = policies.at(-1)?.version ?? 0
    const same = policies.find(policy => policy.version === version)
    if (same !== undefined && same.hash === textHash(text)) return { ...step, what: 'enacted' }
    if (newest >= version) return { ...step, what: 'outdated', why: `policy ${newest} is in force` }
  } else if (note !== undefined) {
    if (mode.note !== undefined && parseNote(mode.note).text === text) return { ...step, what: 'enacted' }
    const opened = openBrought(note, now)
    if ('outcome' in opened && opened.code !== 'away') {
      return opened.code === 'expired' ? { ...step, what: 'expired' } : { ...step, what: 'outdated', why: opened.why }
    }
  }
  return at >= expiresAt ? { ...step, what: 'expired' } : undefined
}

/** The text with these signatures, each signer once. */
export function noteOf(text: string, signatures: readonly NoteSignature[]): string {
  const once = new Map(signatures.map(s => [`${s.name}+${s.id}`, s]))
  return formatNote({ text, signatures: [...once.values()] })
}

function openPolicyNote(note: string, now: InForce): Proposal | Refused {
  const { charter, policies } = now
  const policy = openProposal(note, charter)
  const { text, signatures } = parseNote(note)
  const id = approvalId(text)
  const by = signedBy(signatures, charter)
  if ('outcome' in by) return by
  const taken = policies.some(({ hash }) => hash === policy.hash)
  if (taken) return refused('replayed', `policy ${policy.version} was taken in before`, id)
  const before = policies.at(-1)
  const flaw = textFlaw(policy, before, charter)
  if (flaw === 'version-order') return refused('outdated', outdated(policy, before), id)
  if (flaw === 'above-legal-max' || flaw === 'bad-schedule' || flaw === 'bad-recount') {
    return refused(flaw, `policy ${policy.version} is refused: ${whyFlawed(flaw, charter)}`, id)
  }
  return { ...policyProposal(text, policy, now), ...by }
}

function policyProposal(text: string, policy: PolicyText, { charter, policies, wall }: InForce) {
  const before = policies.at(-1)
  const was = before === undefined ? undefined : formatPolicy(before, charter.mall)
  return {
    id: approvalId(text),
    kind: 'policy',
    text,
    version: policy.version,
    needs: needsOfPolicy(policy, before, charter, agreedOf(policies)),
    words: wordsOf(text, was, { now: wall }),
    lifeMs: POLICY_LIFE_MS,
    isUrgent: false,
  } as const
}

function openModeNote(note: string, now: InForce): Proposal | Refused {
  const { charter } = now
  const said = openMode(note, charter.mall, name => keyOf(name, charter))
  const { text, signatures } = parseNote(note)
  const by = signedBy(signatures, charter)
  if ('outcome' in by) return by
  const id = approvalId(text)
  const flaw = said.mode === 'NORMAL' ? clearFlaw(said, now) : raiseFlaw(said, now.mode)
  if (flaw !== undefined) return refused(flaw[0], flaw[1], id)
  return {
    id,
    kind: 'mode',
    text,
    version: said.epoch,
    needs: needsOfMode(said),
    words: wordsOf(text),
    lifeMs: CLEAR_LIFE_MS,
    isUrgent: said.mode !== 'NORMAL',
    ...by,
  }
}

type Flaw = readonly [RefusalCode, string]

function raiseFlaw(said: ModeText, inForce: ModeStatement): Flaw | undefined {
  const is = `${inForce.mode} of epoch ${inForce.epoch} is in force`
  if (said.clears !== undefined) return ['not-a-note', 'a mode that is raised clears nothing']
  if (said.epoch > inForce.epoch) return ['away', `this anchor has not heard of epoch ${said.epoch} yet: ${is}`]
  if (said.epoch !== inForce.epoch) return ['outdated', `it is said in epoch ${said.epoch}, and ${is}`]
  if (severity(said.mode) > severity(inForce.mode)) return undefined
  return ['changes-nothing', `it changes nothing: ${is}`]
}

/** It must cite the very thing that is in force: who signed for the end of LOCKDOWN has not seen the FIRE after it. */
function clearFlaw(said: ModeText, { mode: inForce, wall }: InForce): Flaw | undefined {
  const is = `${inForce.mode} of epoch ${inForce.epoch} is in force`
  const { clears } = said
  if (clears === undefined || said.epoch !== clears.epoch + 1) {
    return ['not-a-note', 'a re-arm names the epoch and mode that it clears, and begins the next epoch']
  }
  // modes never go back: one that is ahead of ours is known to others, or to our own disk before it is read
  if (outranks({ ...inForce, ...clears }, inForce)) {
    return ['away', `this anchor has not heard of ${clears.mode} of epoch ${clears.epoch} yet: ${is}`]
  }
  if (inForce.mode === 'NORMAL') return ['changes-nothing', `there is nothing to clear: ${is}`]
  if (clears.epoch !== inForce.epoch || clears.mode !== inForce.mode) {
    return ['outdated', `it clears ${clears.mode} of epoch ${clears.epoch}, and ${is}`]
  }
  if (wall - said.at > CLEAR_LIFE_MS) return ['expired', 'it was written more than an hour ago: say it anew']
  if (said.at - wall > AHEAD_MS_MAX) return ['not-a-note', 'it was written in the future: look at the clocks']
  return undefined
}

/** The operators' signatures only: the anchor adds its own when it takes a note in. */
function signedBy(all: readonly NoteSignature[], charter: Charter): Pick<Proposal, 'signers' | 'signatures'> | Refused {
  const operators = charter.operators.map(({ name }) => name)
  const signatures = all.filter(s => operators.includes(within(charter.mall, s.name) ?? ''))
  const signers = signatures.map(s => within(charter.mall, s.name) as string)
  if (signers.length === 0) return refused('may-not', 'no operator has signed it')
  const wrong = signers.find(name => !maySign(charter, name))
  if (wrong === undefined) return { signers, signatures }
  const role = charter.operators.find(({ name }) => name === wrong)?.role
  return refused('may-not', `${wrong} signed it and may not: the role is ${role}`)
}

function outdated(policy: PolicyText, before: Policy | undefined): string {
  if (before === undefined) return `policy ${policy.version} has nothing to stand on: no policy is in force yet`
  if (policy.version !== before.version + 1) {
    return `policy ${policy.version} does not follow: policy ${before.version} is in force`
  }
  return `policy ${policy.version} stands on another policy ${before.version} than the one in force`
}

function keyOf(name: string, charter: Charter): VerifierKey | undefined {
  const key = charter.operators.find(o => o.name === name)?.key
  return key === undefined ? undefined : VerifierKey.parse(key)
}
