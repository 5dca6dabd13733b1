// Policy note: a policy as a text signed by the anchor and by operators.
//
//   gatemesh/<mall>/policy
//   capacity <from ms> <people>
//   confidence-min 600
//   correction -3
//   expire-after-ms 86400000
//   gate <vkey>
//   margin-per-mille 10
//   max-share-per-mille 250
//   previous <hash of the version before>
//   reason <text>
//   reclaimed <account> <amount>
//   recount <at ms> <people found> <people counted>
//   version 4
//
// Law: every signature on it verifies, one of them the anchor's. Whether the signers suffice for what the policy
// changes is for `flawOf` to say.

import { ANCHOR, isAccount } from './account.ts'
import { isHash64 } from './base64.ts'
import type { Charter } from './charter.ts'
import { parseGates, refuseDoubles } from './charter-note.ts'
import { parseCount, parseSigned } from './decimal.ts'
import { Fault } from './fault.ts'
import { type SignerKey, VerifierKey } from './key.ts'
import { isText } from './line.ts'
import { openNote, parseNote, signNote } from './note.ts'
import { originOf, within } from './origin.ts'
import type { Policy } from './policy.ts'
import { textHash } from './text-hash.ts'
import { WordReader, WordWriter } from './words.ts'

/** What the text says; who signed it, and its hash, come from the note. */
export type PolicyText = Omit<Policy, 'signers' | 'hash' | 'note'>

export function formatPolicy(policy: PolicyText, mall: string): string {
  const words = new WordWriter()
  for (const { from, capacity } of policy.capacities) words.add('capacity', `${from} ${capacity}`)
  words.number('confidence-min', policy.confidenceMin)
  words.number('correction', policy.correction)
  words.number('expire-after-ms', policy.expireAfterMs)
  for (const gate of policy.gates) words.add('gate', gate.key)
  words.number('margin-per-mille', policy.marginPerMille)
  words.number('max-share-per-mille', policy.maxSharePerMille)
  words.text('previous', policy.previous ?? '')
  words.text('reason', policy.reason)
  for (const { account, amount } of policy.reclaimed) words.number(`reclaimed ${account}`, amount)
  const { recount } = policy
  if (recount !== undefined) words.add('recount', `${recount.at} ${recount.actual} ${recount.counted}`)
  words.number('version', policy.version)
  return `${[originOf(mall, 'policy'), ...words.lines()].join('\n')}\n`
}

export function parsePolicy(text: string, mall: string): PolicyText {
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n')
  if (head !== originOf(mall, 'policy')) throw new Fault('POLICY', `not a policy of ${mall}`)
  const words = new WordReader('POLICY', lines)
  const previous = words.one('previous')
  const recount = parseRecount(words)
  const policy = {
    version: words.count('version'),
    capacities: parseSchedule(words),
    marginPerMille: words.count('margin-per-mille'),
    correction: words.signed('correction'),
    reclaimed: parseReclaimed(words),
    gates: parseGates(words, mall),
    maxSharePerMille: words.count('max-share-per-mille'),
    expireAfterMs: words.count('expire-after-ms'),
    confidenceMin: words.count('confidence-min'),
    reason: words.text('reason'),
    ...(previous === undefined ? {} : { previous }),
    ...(recount === undefined ? {} : { recount }),
  }
  words.end()
  if (policy.version < 1) throw words.fault('version: the first is 1')
  if (policy.marginPerMille > 1000) throw words.fault('margin-per-mille: more than all of it')
  if (previous !== undefined && !isHash64(previous)) throw words.fault('previous: not a hash')
  if (!isText(policy.reason)) throw words.fault('reason: too long, or with control characters')
  refuseDoubles(policy.gates, 'POLICY')
  if (formatPolicy(policy, mall) !== text) throw words.fault('not in its one spelling')
  return policy
}

export function policyHash(policy: PolicyText, mall: string): string {
  return textHash(formatPolicy(policy, mall))
}

/** Others add their signatures with `cosign`. */
export function signPolicy(policy: PolicyText, mall: string, signers: readonly SignerKey[]): string {
  const text = formatPolicy(policy, mall)
  parsePolicy(text, mall)
  return signNote(text, signers)
}

export function openPolicy(note: string, charter: Charter, options: { readonly twice?: boolean } = {}): Policy {
  const { policy, isAnchored } = openSigned(note, charter, options)
  if (!isAnchored) throw new Fault('POLICY', 'not signed by the anchor')
  return policy
}

/** One that operators signed and the anchor has not taken in; its signature may be there already. */
export function openProposal(note: string, charter: Charter): Policy {
  return openSigned(note, charter, {}).policy
}

function openSigned(note: string, charter: Charter, options: { readonly twice?: boolean }) {
  const { mall } = charter
  const { text, by } = openNote(note, signersOf(charter), options)
  if (by.length !== parseNote(note).signatures.length) {
    throw new Fault('POLICY', 'signed by somebody who is neither the anchor nor an operator')
  }
  const names = by.map(key => within(mall, key.name) ?? key.name)
  const words = parsePolicy(text, mall)
  refuseDoubles([...words.gates, ...charter.operators, { name: ANCHOR, key: charter.anchor }], 'POLICY')
  const signers = names.filter(name => name !== ANCHOR).sort()
  const policy: Policy = { ...words, signers, hash: textHash(text), note }
  return { policy, isAnchored: names.includes(ANCHOR) }
}

// importing a key costs more than checking with it
const imported = new WeakMap<Charter, readonly VerifierKey[]>()

function signersOf(charter: Charter): readonly VerifierKey[] {
  let keys = imported.get(charter)
  if (keys === undefined) {
    keys = [charter.anchor, ...charter.operators.map(o => o.key)].map(key => VerifierKey.parse(key))
    imported.set(charter, keys)
  }
  return keys
}

function parseSchedule(words: WordReader): { from: number; capacity: number }[] {
  const steps = words.all('capacity').map(value => {
    const [from, capacity, ...rest] = value.split(' ').map(parseCount)
    if (from === undefined || capacity === undefined || rest.length > 0)
      throw words.fault('capacity: not a time and a number')
    return { from, capacity }
  })
  return steps.sort((a, b) => a.from - b.from)
}

function parseRecount(words: WordReader): Policy['recount'] {
  const said = words.one('recount')
  if (said === undefined) return undefined
  const [atText = '', actualText = '', countedText = '', ...rest] = said.split(' ')
  const [at, actual, counted] = [parseCount(atText), parseCount(actualText), parseSigned(countedText)]
  if (at === undefined || actual === undefined || counted === undefined || rest.length > 0) {
    throw words.fault('recount: not a time and two numbers')
  }
  return { at, actual, counted }
}

function parseReclaimed(words: WordReader): { account: string; amount: number }[] {
  const seen = new Set<string>()
  return words.all('reclaimed').map(value => {
    const [account = '', amountText = '', ...rest] = value.split(' ')
    const amount = parseCount(amountText)
    if (!isAccount(account) || !amount || rest.length > 0) throw words.fault('reclaimed: not an account and an amount')
    if (seen.has(account)) throw words.fault(`reclaimed ${account}: said twice`)
    seen.add(account)
    return { account, amount }
  })
}
