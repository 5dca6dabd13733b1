// Prove from a bundle: one entry of it, with what shows that its writer wrote it, and nothing of the others.
//
// Laws: the ledgers go by once to find the entry, and the one it is in once more for the path; nothing is held but what the
// proof is made of. What does not hold when it is done is not handed out.

import { BY_HAND } from '../../../anchor/api/by-hand.ts'
import { type Account, ANCHOR, epochOf, isAnchor, nameOf } from '../../../ledger/account.ts'
import { type EventProof, PROOF_FORMAT, type ShownEntry, type Witness } from '../../../ledger/audit/event-proof.ts'
import { type Bundle, type LedgerFile, openBundle } from '../../../ledger/audit/folder.ts'
import { checkEventProof } from '../../../ledger/audit/proof-check.ts'
import { frontierAt } from '../../../ledger/audit/start.ts'
import { toBase64 } from '../../../ledger/base64.ts'
import { Fault } from '../../../ledger/fault.ts'
import { parseLine } from '../../../ledger/line.ts'
import { PathMaker } from '../../../ledger/path.ts'
import { placeOf } from '../../../ledger/scan.ts'
import { Frontier, type Hash, leafHash } from '../../../ledger/tree.ts'
import { portionsOf, sizeAfter } from '../query/line-file.ts'
import { Papers, type SignedRow } from './papers.ts'

/** There is no proof to be had, and why. */
export class NoProof extends Error {}

export interface Wanted {
  readonly id: string
  /** where several ledgers, or one of them twice, have the id */
  readonly account?: Account | undefined
  readonly seq?: number | undefined
  /** leave the anchor's checkpoint out, which shows the sizes of all ledgers */
  readonly isBare?: boolean
}

export interface Proved {
  readonly proof: EventProof
  /** what whoever asked should know */
  readonly remarks: readonly string[]
}

interface Place {
  readonly account: Account
  readonly seq: number
}

export async function proveFromBundle(dir: string, wanted: Wanted): Promise<Proved> {
  const bundle = await openBundle(dir)
  const papers = new Papers(bundle)
  const place = await find(bundle, wanted)
  const ledger = bundle.ledgers.get(place.account) as LedgerFile
  const row = papers.rowOver(place.account, place.seq)
  if (row === undefined) throw new NoProof(unsigned(papers, place))
  const seen = wanted.isBare || isAnchor(place.account) ? undefined : await findSeen(bundle, papers, ledger, place.seq)
  const found = await follow(bundle, ledger, place.seq, [row.size, ...(seen === undefined ? [] : [seen.head.size])])
  const proof: EventProof = {
    format: PROOF_FORMAT,
    mall: papers.mall,
    id: wanted.id,
    ...shown(row, found, 0),
    charter: {
      hash: papers.charters.hash,
      note: papers.notes[0] as string,
      ...(papers.notes.length > 1 ? { revisions: papers.notes.slice(1) } : {}),
    },
    ...(seen === undefined
      ? {}
      : { checkpoint: { ...seen, head: { ...seen.head, proof: found.paths[1] as string[] } } }),
    instructions: BY_HAND,
  }
  return judged(proof)
}

/** A checkpoint that does not fit is a matter for `audit verify`, and nothing to prove an entry with. */
function judged(proof: EventProof): Proved {
  const failed = checkEventProof(proof).steps.filter(({ holds }) => holds === false)
  if (failed.length === 0) return { proof, remarks: [] }
  const { checkpoint: _checkpoint, ...bare } = proof
  const told = failed.map(({ title, words }) => `${title}: ${words}`).join('; ')
  if (failed.some(({ title }) => title !== 'The anchor')) {
    throw new NoProof(`what the bundle shows does not prove it: ${told}. \`gatemesh audit verify\` says more`)
  }
  const remark = `the anchor’s checkpoint was left out, for it does not fit: ${told}. \`gatemesh audit verify\` says more`
  return { proof: bare, remarks: [remark] }
}

async function find(bundle: Bundle, { id, account, seq }: Wanted): Promise<Place> {
  if (account !== undefined && !bundle.ledgers.has(account)) {
    throw new NoProof(`the bundle shows no entries of ${account}`)
  }
  const places: Place[] = []
  for (const ledger of bundle.ledgers.values()) {
    if (account !== undefined && ledger.account !== account) continue
    places.push(...(await placesIn(ledger, id)).filter(place => seq === undefined || place.seq === seq))
  }
  const [only, ...more] = places
  const where = account === undefined ? 'the bundle' : account
  if (only === undefined) throw new NoProof(`no entry ${id} is in what ${where} shows`)
  if (more.length === 0) return only
  const all = places.map(place => `entry ${place.seq} of ${place.account}`).join(', ')
  throw new NoProof(`${id} is there more than once: ${all}. --account and --seq say which is meant`)
}

async function placesIn(ledger: LedgerFile, id: string): Promise<Place[]> {
  const places: Place[] = []
  // quotes in a text are escaped, so this stands nowhere but in the field
  const needle = Buffer.from(`,"id":"${id}",`)
  for await (const lines of portionsOf(ledger.path)) {
    for (const line of lines) {
      if (!line.includes(needle)) continue
      const place = placeOf(line.toString('utf8'))
      if (place !== undefined) places.push({ account: ledger.account, seq: place.seq })
    }
  }
  return places
}

function unsigned(papers: Papers, { account, seq }: Place): string {
  const reach = papers.rowsOf(account).at(-1)?.size ?? 0
  return `no signed row in the bundle covers entry ${seq} of ${account}: its rows reach ${reach} entries`
}

interface Followed {
  readonly line: string
  /** one for each size, base64 */
  readonly paths: readonly (readonly string[])[]
}

/** The line of an entry, and its path in the ledger at each of these sizes. */
async function follow(bundle: Bundle, ledger: LedgerFile, seq: number, sizes: readonly number[]): Promise<Followed> {
  let line = ''
  let makers: PathMaker[] = []
  const end = Math.max(...sizes)
  await eachLeaf(bundle, ledger, (bytes, leaf, before) => {
    if (before.size === seq) {
      line = bytes.toString('utf8')
      makers = sizes.map(size => new PathMaker(before, size))
    }
    for (const maker of makers) maker.append(leaf)
    return before.size + 1 < end
  })
  return { line, paths: makers.map(maker => pathOf(maker, ledger)) }
}

function pathOf(maker: PathMaker | undefined, { account }: LedgerFile): readonly string[] {
  const path = maker?.path()
  if (path !== undefined) return path.map(toBase64)
  throw new NoProof(`what is shown of ${account} ends before the ${maker?.size} entries of the row that would cover it`)
}

function shown(row: SignedRow, { line, paths }: Followed, which: number): ShownEntry {
  const { account, size, root, note, key } = row
  return {
    account,
    index: placeOf(line)?.seq ?? -1,
    line,
    leafHash: toBase64(leafHash(line)),
    size,
    root,
    proof: paths[which] as string[],
    row: note,
    key,
  }
}

/** The first checkpoint of the anchor's that covers the entry within what is shown; the path to its head is to be made yet. */
async function findSeen(bundle: Bundle, papers: Papers, ledger: LedgerFile, seq: number): Promise<Witness | undefined> {
  const reach = (await sizeAfter(ledger.path)) ?? 0
  const anchors = [...bundle.ledgers.values()].filter(({ account }) => nameOf(account) === ANCHOR)
  for (const anchor of anchors.sort((a, b) => epochOf(a.account) - epochOf(b.account))) {
    const found = await seenBy(bundle, papers, anchor, { account: ledger.account, seq, reach })
    if (found !== undefined) return found
  }
  return undefined
}

interface Seen {
  readonly account: Account
  readonly seq: number
  readonly reach: number
}

async function seenBy(
  bundle: Bundle,
  papers: Papers,
  anchor: LedgerFile,
  { account, seq, reach }: Seen,
): Promise<Witness | undefined> {
  const needle = Buffer.from(`["${account}",`)
  let found: { at: number; head: Witness['head']; line: string; row: SignedRow; maker: PathMaker } | undefined
  await eachLeaf(bundle, anchor, (bytes, leaf, before) => {
    if (found === undefined && bytes.includes(needle)) {
      const row = papers.rowOver(anchor.account, before.size)
      // later lines are covered by no row either
      if (row === undefined) return false
      const line = bytes.toString('utf8')
      const written = readCheckpoint(line)
      const [, size = 0, root = ''] = written?.heads.find(([name]) => name === account) ?? []
      if (written !== undefined && size > seq && size <= reach) {
        const maker = new PathMaker(before, row.size)
        found = { at: written.at, head: { size, root, proof: [] }, line, row, maker }
      }
    }
    found?.maker.append(leaf)
    return found === undefined || before.size + 1 < found.row.size
  })
  if (found === undefined) return undefined
  const path = found.maker.path()
  if (path === undefined) return undefined
  const { at, head, row, line } = found
  return { ...shown(row, { line, paths: [path.map(toBase64)] }, 0), at, head }
}

function readCheckpoint(line: string) {
  try {
    const entry = parseLine(line)
    return entry.type === 'checkpoint' ? entry : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

type See = (line: Buffer, leaf: Hash, before: Frontier) => boolean

/** Every line with the tree before it, until `see` has seen enough. */
async function eachLeaf(bundle: Bundle, ledger: LedgerFile, see: See): Promise<void> {
  const frontier = beginning(bundle, ledger)
  for await (const lines of portionsOf(ledger.path)) {
    for (const line of lines) {
      const leaf = leafHash(line)
      if (!see(line, leaf, frontier)) return
      frontier.append(leaf)
    }
  }
}

function beginning(bundle: Bundle, { account, from }: LedgerFile): Frontier {
  if (from === 0) return new Frontier()
  const start = bundle.starts.get(account)
  if (start?.size === from) return frontierAt(start)
  throw new NoProof(`${account} is shown from entry ${from} on, and nothing says what was before`)
}
