// Bundle words: what a bundle says about itself to people, its README and its label. Proved by nothing; a verifier reads none
// of it.

import { readFile } from 'node:fs/promises'
import { type Account, epochOf, isAnchor, nameOf } from '../../ledger/account.ts'
import type { About } from '../../ledger/audit/about.ts'
import { Fault } from '../../ledger/fault.ts'

const TEMPLATE = new URL('bundle/README.txt', import.meta.url)
const PACKAGE = new URL('../../package.json', import.meta.url)

/** The label: bag-info.txt of RFC 8493. */
export async function bagInfo(
  about: About,
  payload: { readonly bytes: number; readonly files: number; readonly entries: number },
): Promise<string> {
  const { version } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { version: string }
  const fields = {
    'External-Identifier': `gatemesh/${about.mall}/${about.made}`,
    'External-Description': `Ledgers of the gates of ${about.mall}, ${periodOf(about)}, ${gatesOf(about)}`,
    'Bagging-Date': new Date(about.made).toISOString().slice(0, 10),
    'Bag-Software-Agent': `gatemesh ${version}`,
    'Payload-Oxum': `${payload.bytes}.${payload.files}`,
    'Gatemesh-Format': about.format,
    'Gatemesh-Mall': about.mall,
    'Gatemesh-Source': about.source,
    'Gatemesh-Made': new Date(about.made).toISOString(),
    'Gatemesh-Entries': payload.entries,
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

const WORD = /\{\{([a-z]+)\}\}/g

/** The template with its words filled in; one that it does not know is a fault, never a gap in somebody's evidence. */
export async function readme(
  about: About,
  shown: { readonly policies: number; readonly rows: number; readonly forked: readonly Account[] },
): Promise<string> {
  const template = await readFile(TEMPLATE, 'utf8').catch(cause => {
    throw new Fault('BUNDLE', 'README.txt belongs into every bundle, and this installation lacks it', { cause })
  })
  const words: Readonly<Record<string, string>> = {
    mall: about.mall,
    made: new Date(about.made).toISOString(),
    source: SOURCES[about.source],
    period: periodOf(about),
    gates: gatesOf(about),
    ledgers: ledgersOf(about),
    policies: String(shown.policies),
    rows: String(shown.rows),
    forks: forksOf(shown.forked),
    account: exampleOf(about),
  }
  return template.replace(WORD, (_, word: string) => {
    const value = words[word]
    if (value === undefined) throw new Fault('BUNDLE', `README.txt: no such word: ${word}`)
    return value
  })
}

const SOURCES = {
  anchor: 'the archive of the anchor, the computer in the office of the mall',
  gate: 'a gate while it was running',
  disk: 'the disk of one computer of the mall',
} as const satisfies Record<About['source'], string>

function periodOf({ from, to }: About): string {
  if (from === null && to === null) return 'from the first day to the day it was made'
  const begin = from === null ? 'the first day' : new Date(from).toISOString()
  return `from ${begin} to ${to === null ? 'the day it was made' : new Date(to).toISOString()}`
}

function gatesOf({ gates }: About): string {
  if (gates === null) return 'all gates'
  return `${gates.length === 1 ? 'only the gate' : 'only the gates'} ${gates.join(', ')}`
}

function ledgersOf({ ledgers }: About): string {
  const width = Math.max(0, ...ledgers.map(({ account }) => account.length))
  return ledgers
    .map(({ account, from, to }) => {
      const shown = from === to ? `no entries, only its signed row of size ${to}` : `entries ${from} to ${to - 1}`
      return `    ${account.padEnd(width)}   ${shown}`
    })
    .join('\n')
}

function forksOf(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'No gate is known to have told two histories.'
  return `Two histories were seen of: ${accounts.join(', ')}. Both signed statements are in data/forks.`
}

/** For the commands: a gate's newest book, from its first entry on if there is one; else whatever there is. */
function exampleOf({ ledgers }: About): string {
  const shown = ledgers.filter(({ from, to }) => from < to)
  const gates = shown.filter(({ account }) => !isAnchor(account))
  const newest = gates.filter(({ account }) =>
    gates.every(other => nameOf(other.account) !== nameOf(account) || epochOf(other.account) <= epochOf(account)),
  )
  const whole = newest.filter(({ from }) => from === 0)
  return [...whole, ...newest, ...shown, ...ledgers][0]?.account ?? 'none/1'
}
