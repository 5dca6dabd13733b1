// About: `bundle.json`, what a bundle says it shows.
//
// Law: nothing here is signed, so nothing is believed because it stands here. It says what to expect; a verifier holds the
// files against it, and tells its reader what was left out.

import { type Account, isAccount, nameOf } from '../account.ts'
import { Fault } from '../fault.ts'
import { isName } from '../origin.ts'

export const BUNDLE_FORMAT = 'gatemesh/bundle/1'

export const BUNDLE_SOURCES = ['anchor', 'gate', 'disk'] as const
export type BundleSource = (typeof BUNDLE_SOURCES)[number]

/** Entries `from` up to, not including, `to` of an account. */
export interface Stretch {
  readonly account: Account
  readonly from: number
  readonly to: number
}

/** What was asked for; null where it was everything. */
export interface Scope {
  /** ms */
  readonly from: number | null
  readonly to: number | null
  readonly gates: readonly string[] | null
}

export interface About extends Scope {
  readonly format: typeof BUNDLE_FORMAT
  readonly mall: string
  /** ms, by the clock of whoever made it */
  readonly made: number
  readonly source: BundleSource
  /** sorted by account */
  readonly ledgers: readonly Stretch[]
}

/** Everything, of everyone. */
export const WHOLE: Scope = { from: null, to: null, gates: null }

/** Must all of this account be there? */
export function isOwedWhole({ to, gates }: Scope, account: Account): boolean {
  return to === null && (gates === null || gates.includes(nameOf(account)))
}

export function formatAbout(about: About): string {
  const { format, mall, made, source, from, to, gates } = about
  const head = JSON.stringify({ format, mall, made, source, from, to, gates })
  const ledgers = about.ledgers.map(one => `  ${JSON.stringify({ account: one.account, from: one.from, to: one.to })}`)
  const text = `${head.slice(0, -1)},"ledgers":[\n${ledgers.join(',\n')}\n]}\n`
  parseAbout(text)
  return text
}

export function parseAbout(text: string): About {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Fault('BUNDLE', 'not JSON', { cause })
  }
  const fields = only(value, ['format', 'mall', 'made', 'source', 'from', 'to', 'gates', 'ledgers'], 'bundle.json')
  const { format, mall, source, gates, ledgers } = fields
  if (format !== BUNDLE_FORMAT) throw refused('format', `is not ${BUNDLE_FORMAT}`)
  if (typeof mall !== 'string' || !isName(mall)) throw refused('mall', 'is not the name of a mall')
  if (!BUNDLE_SOURCES.includes(source as BundleSource))
    throw refused('source', `is none of ${BUNDLE_SOURCES.join(', ')}`)
  const known =
    gates === null || (Array.isArray(gates) && gates.every(name => typeof name === 'string' && isName(name)))
  if (!known) throw refused('gates', 'is neither null nor names of gates')
  if (!Array.isArray(ledgers)) throw refused('ledgers', 'is not a list')
  const shown = ledgers.map((one, i) => stretch(one, `ledgers[${i}]`))
  shown.forEach(({ account }, i) => {
    if (i > 0 && account <= (shown[i - 1] as Stretch).account)
      throw refused(`ledgers[${i}]`, 'is not sorted by account')
  })
  return {
    format: BUNDLE_FORMAT,
    mall,
    made: whole(fields.made, 'made'),
    source: source as BundleSource,
    from: fields.from === null ? null : whole(fields.from, 'from'),
    to: fields.to === null ? null : whole(fields.to, 'to'),
    gates: gates as readonly string[] | null,
    ledgers: shown,
  }
}

function stretch(value: unknown, where: string): Stretch {
  const { account, ...sizes } = only(value, ['account', 'from', 'to'], where)
  if (typeof account !== 'string' || !isAccount(account)) throw refused(`${where}.account`, 'is no account')
  const from = whole(sizes.from, `${where}.from`)
  const to = whole(sizes.to, `${where}.to`)
  if (to < from || to === 0) throw refused(where, 'ends before it begins, or shows nothing of nothing')
  return { account, from, to }
}

function only(value: unknown, names: readonly string[], where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused(where, 'is not an object')
  const keys = Object.keys(value)
  const lacking = names.find(name => !keys.includes(name))
  if (lacking !== undefined) throw refused(where, `has no ${lacking}`)
  const odd = keys.find(key => !names.includes(key))
  if (odd !== undefined) throw refused(where, `has a field that does not belong: ${JSON.stringify(odd.slice(0, 40))}`)
  return value as Record<string, unknown>
}

function whole(value: unknown, where: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw refused(where, 'is not a whole number')
}

function refused(where: string, what: string): Fault {
  return new Fault('BUNDLE', `${where} ${what}`)
}
