// Row note: a row as a signed C2SP checkpoint whose extension lines are the counters.
//
// Law: a row has one text, and exactly one signature, by the gate (or anchor) that owns the account.

import { type Account, isAccount, isAnchor, nameOf } from './account.ts'
import { isHash64 } from './base64.ts'
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts'
import type { Counters } from './counters.ts'
import { parseCount } from './decimal.ts'
import { Fault, must } from './fault.ts'
import type { SignerKey, VerifierKey } from './key.ts'
import { openParsed, parseNote, signNote } from './note.ts'
import { accountOfOrigin, originOf } from './origin.ts'
import type { Row } from './row.ts'
import { WordReader, WordWriter } from './words.ts'

/** Some 600 accounts to trade with, twenty epochs of each gate; a frame or a gossip message must hold it. */
export const ROW_BYTES_MAX = 64 * 1024

export type KeyOf = (name: string) => VerifierKey | undefined

export function formatRow(row: Row, mall: string): string {
  const { account, size, root, at, counters, budget, policy } = row
  const words = new WordWriter()
  words.number('at', at)
  words.number('admitted', counters.admitted)
  words.number('exited', counters.exited)
  words.number('forced', counters.forced)
  words.number('lapsed', counters.lapsed)
  for (const to in counters.sent) words.number(`sent ${to}`, counters.sent[to] ?? 0)
  for (const from in counters.received) words.number(`received ${from}`, counters.received[from] ?? 0)
  if (budget !== undefined && policy !== undefined) {
    words.number('capacity', budget.capacity)
    words.number('correction', budget.correction)
    words.number('reclaimed', budget.reclaimed)
    words.number('carried', budget.carried)
    words.add('policy', `${policy.version} ${policy.hash}`)
  }
  return formatCheckpoint({ origin: originOf(mall, account), size, root, extensions: words.lines() })
}

export function parseRow(text: string, mall: string): Row {
  const { origin, size, root, extensions } = parseCheckpoint(text)
  const account = accountOfOrigin(mall, origin)
  if (account === undefined) throw new Fault('ROW', `not an account of ${mall}: ${JSON.stringify(origin.slice(0, 80))}`)
  if (size === 0) throw new Fault('ROW', 'a ledger begins with an entry, so no row has size 0')
  const words = new WordReader('ROW', extensions)
  const at = words.count('at')
  const counters = parseCounters(words, account)
  const row = { account, size, root, at, counters, ...parseForce(words, account) }
  words.end()
  if (formatRow(row, mall) !== text) throw new Fault('ROW', 'not in its one spelling')
  return row
}

/** The signed note of a row; refused where it grew beyond what others take. */
export function signRow(row: Row, mall: string, signer: SignerKey): string {
  must(signer.name === originOf(mall, nameOf(row.account)), 'a row is signed by its own gate')
  const note = signNote(formatRow(row, mall), [signer])
  if (Buffer.byteLength(note, 'utf8') > ROW_BYTES_MAX) {
    throw new Fault('ROW', `the row of ${row.account} is longer than ${ROW_BYTES_MAX} bytes`)
  }
  return note
}

/** The row in a note that arrived. `keyOf` knows the roster: the key of a gate's name, or of `anchor`. */
export function openRow(note: string, mall: string, keyOf: KeyOf, options: { readonly twice?: boolean } = {}): Row {
  // UTF-16 units are never more than bytes, and a row is ASCII but for the dash of its signature
  if (note.length > ROW_BYTES_MAX) throw new Fault('ROW', `longer than ${ROW_BYTES_MAX} bytes`)
  const parsed = parseNote(note)
  const { text, signatures } = parsed
  if (signatures.length !== 1) throw new Fault('ROW', `${signatures.length} signatures, a row has one`)
  const row = parseRow(text, mall)
  const name = nameOf(row.account)
  const key = keyOf(name)
  if (key === undefined) throw new Fault('ROSTER', `${row.account} is not on the roster`)
  if (key.name !== originOf(mall, name)) throw new Fault('ROSTER', `the key of ${name} is called ${key.name}`)
  openParsed(parsed, [key], options)
  return { ...row, note }
}

function parseCounters(words: WordReader, account: Account): Counters {
  const sent = parseTally(words, 'sent', account)
  const received = parseTally(words, 'received', account)
  const counters = {
    admitted: words.count('admitted'),
    forced: words.count('forced'),
    exited: words.count('exited'),
    lapsed: words.count('lapsed'),
    sent,
    received,
    sentTotal: total(sent),
    receivedTotal: total(received),
  }
  // the anchor has no door
  if (isAnchor(account) && counters.admitted + counters.forced + counters.exited + counters.lapsed > 0) {
    throw new Fault('ROW', 'the anchor lets nobody in or out')
  }
  return counters
}

function parseTally(words: WordReader, word: string, self: Account): Record<Account, number> {
  const tally: Record<Account, number> = {}
  for (const value of words.all(word)) {
    const [account = '', amountText = '', ...rest] = value.split(' ')
    const amount = parseCount(amountText)
    if (!isAccount(account) || !amount || rest.length > 0) throw words.fault(`${word}: not an account and an amount`)
    if (account === self) throw words.fault(`${word}: nobody trades with itself`)
    if (account in tally) throw words.fault(`${word} ${account}: said twice`)
    tally[account] = amount
  }
  return tally
}

function total(tally: Record<Account, number>): number {
  let sum = 0
  for (const account in tally) sum += tally[account] ?? 0
  if (!Number.isSafeInteger(sum)) throw new Fault('ROW', 'the amounts do not add up exactly')
  return sum
}

/** What the anchor has put into force: nothing yet, or all of it. */
function parseForce(words: WordReader, account: Account): Pick<Row, 'budget' | 'policy'> {
  const said = words.one('policy')
  if (said === undefined) return {}
  if (!isAnchor(account)) throw words.fault('policy: only the anchor puts one into force')
  const [versionText = '', hash = '', ...rest] = said.split(' ')
  const version = parseCount(versionText)
  if (!version || !isHash64(hash) || rest.length > 0) throw words.fault('policy: not a version and a hash')
  const budget = {
    capacity: words.count('capacity'),
    correction: words.signed('correction'),
    reclaimed: words.count('reclaimed'),
    carried: words.count('carried'),
  }
  return { budget, policy: { version, hash } }
}
