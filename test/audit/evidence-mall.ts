// Evidence mall: two days of a paper mall, small enough to turn over every byte of it. A gate that lost its memory, a fire, a
// cut, a recount, an operator's new key, an anchor that was replaced, and rows of every account on both days.

import type { Account } from '../../ledger/account.ts'
import { nameOf } from '../../ledger/account.ts'
import { type About, BUNDLE_FORMAT, type Scope, type Stretch, WHOLE } from '../../ledger/audit/about.ts'
import { type Start, startOf } from '../../ledger/audit/start.ts'
import type { Charter } from '../../ledger/charter.ts'
import { signCharter } from '../../ledger/charter-note.ts'
import type { Policy } from '../../ledger/policy.ts'
import { openPolicy, type PolicyText, signPolicy } from '../../ledger/policy-note.ts'
import { Frontier, leafHash } from '../../ledger/tree.ts'
import type { BundleContent } from '../../tools/audit/bundle-writer.ts'
import { goldenMall, KEPT_OF_NORTH } from '../ledger/golden-mall.ts'
import { MALL, type PaperMall, signerOf } from '../ledger/paper-mall.ts'

export const MADE = Date.UTC(2026, 0, 2, 3, 4, 5)

export interface EvidenceMall {
  readonly mall: PaperMall
  /** the first charter and its revisions */
  readonly charters: readonly string[]
  /** the first moment of the second day, and the last */
  readonly morning: number
  readonly evening: number
}

export function evidenceMall(): EvidenceMall {
  const mall = goldenMall()
  const morning = lastAt(mall) + 1
  const revised = revisionOf(mall)
  const [after, afterSize, afterRoot] = mall.headOf('anchor/1')
  mall.open('anchor/2', { after, afterSize, afterRoot })
  secondPolicy(mall, revised)
  // what the first anchor made there is to give, the second does not make again
  mall.budget({ carried: 20 }, 'anchor/2')
  mall.give('anchor/2', 'east/1', 3)
  for (let i = 0; i < 3; i++) mall.admit('east/1')
  mall.give('west/1', 'north/2', 1)
  mall.exit('west/1')
  mall.write('east/1', { type: 'optical', in: 7, out: 0 })
  const gates = ['east/1', 'north/2', 'west/1']
  for (const account of gates) mall.row(account)
  mall.write('anchor/2', { type: 'checkpoint', heads: gates.map(account => mall.headOf(account)) })
  mall.row('anchor/2')
  const evening = lastAt(mall) + 1
  // a little of a third day, so that the second has an end
  mall.exit('east/1')
  mall.admit('west/1')
  for (const account of ['east/1', 'west/1']) mall.row(account)
  return { mall, charters: [mall.charterNote, signCharter(revised, mall.owner)], morning, evening }
}

/** What is shown of it: the parts of the ledgers that touch the time asked for, between the nearest rows. */
export function contentOf({ mall, charters }: EvidenceMall, scope: Partial<Scope> = {}): BundleContent {
  const asked = { ...WHOLE, ...scope }
  const rows = rowsOf(mall)
  const isAsked = (account: Account) => asked.gates === null || asked.gates.includes(nameOf(account))
  const ledgers = [...mall.ledgers.keys()]
    .filter(isAsked)
    .sort()
    .map(account => {
      const lines = shownOf(mall, account)
      const sizes = rows.filter(row => row.account === account).map(row => row.size)
      return stretchOf(account, lines, sizes, asked)
    })
  const about: About = { format: BUNDLE_FORMAT, mall: MALL, made: MADE, source: 'anchor', ...asked, ledgers }
  const stretch = new Map(ledgers.map(one => [one.account, one]))
  const within = ({ account, size }: { account: Account; size: number }) => {
    const { from, to } = stretch.get(account) ?? { from: 0, to: 0 }
    return size >= from && (asked.to === null || size <= to)
  }
  return {
    about,
    charters,
    policies: mall.policies.map(({ version, note }) => ({ version, note: note as string })),
    rows: rows.filter(within),
    forks: [],
    starts: ledgers.filter(({ from, to }) => from > 0 && from < to).map(one => begin(mall, one)),
    custody: [{ at: MADE, what: 'made', by: 'test', from: 'paper' }],
    lines: account => {
      const { from, to } = stretch.get(account) as Stretch
      return shownOf(mall, account).slice(from, to)
    },
  }
}

/** Of each account and size the newest. */
function rowsOf(mall: PaperMall): { account: Account; size: number; note: string }[] {
  const rows = new Map<string, { account: Account; size: number; note: string }>()
  for (const note of mall.rows) {
    const [origin = '', size] = note.split('\n')
    const account = origin.slice(`gatemesh/${MALL}/`.length)
    rows.set(`${account} ${size}`, { account, size: Number(size), note })
  }
  return [...rows.values()]
}

/** The disk of north kept little of its first epoch. */
function shownOf(mall: PaperMall, account: Account): string[] {
  return account === 'north/1' ? mall.linesOf(account).slice(0, KEPT_OF_NORTH) : mall.linesOf(account)
}

function stretchOf(account: Account, lines: readonly string[], sizes: readonly number[], scope: Scope): Stretch {
  const newest = Math.max(...sizes)
  const times = lines.map(line => (JSON.parse(line) as { at: number }).at)
  const first = scope.from === null ? 0 : times.filter(at => at < (scope.from as number)).length
  const last = scope.to === null ? lines.length : times.filter(at => at < (scope.to as number)).length
  if (first === lines.length) return { account, from: newest, to: newest }
  const from = Math.max(0, ...sizes.filter(size => size <= first))
  const to = Math.min(lines.length, ...sizes.filter(size => size >= last))
  return { account, from, to: Math.max(from, scope.to === null ? lines.length : to) }
}

function begin(mall: PaperMall, { account, from }: Stretch): Start {
  const frontier = new Frontier()
  for (const line of mall.linesOf(account).slice(0, from)) frontier.append(leafHash(line))
  return startOf(account, frontier)
}

/** Bruno has a new key, from policy 4 on. */
function revisionOf(mall: PaperMall): Charter {
  const key = signerOf('bruno', ' 2').verifier.toString()
  const operators = mall.charter.operators.map(one => (one.name === 'bruno' ? { ...one, key } : one))
  return { ...mall.charter, operators, revision: { number: 2, previous: mall.charterHash, since: 4 } }
}

function secondPolicy(mall: PaperMall, charter: Charter): void {
  const { signers: _signers, hash, note: _note, ...before } = mall.policies.at(-1) as Policy
  const text: PolicyText = {
    ...before,
    version: 4,
    previous: hash,
    capacities: [{ from: 0, capacity: 20 }],
    reason: 'repairs are done',
  }
  const signers = [signerOf('anchor'), signerOf('alma'), signerOf('bruno', ' 2')]
  mall.policies.push(openPolicy(signPolicy(text, MALL, signers), charter))
}

function lastAt(mall: PaperMall): number {
  const lines = [...mall.ledgers.values()].map(({ lines }) => lines.at(-1) as string)
  return Math.max(...lines.map(line => (JSON.parse(line) as { at: number }).at))
}
