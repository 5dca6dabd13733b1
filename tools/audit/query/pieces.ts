// Pieces: the files that a query reads, from bundles and from archive folders, and which entries each of them is read for.
//
// Law: an entry that several files show is read once, from the file that begins first. Files that cannot be used are named
// and passed over; a folder in which there is nothing to read is an error.

import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { LINES, PROOF, REMOVED, readProof } from '../../../anchor/retention/segment-file.ts'
import type { Account } from '../../../ledger/account.ts'
import { openBundle } from '../../../ledger/audit/folder.ts'
import { Fault } from '../../../ledger/fault.ts'
import { sizeAfter } from './line-file.ts'

export interface Piece {
  readonly mall: string
  readonly account: Account
  readonly path: string
  /** the entries [from, to) */
  readonly from: number
  readonly to: number
  /** those before this one are read from another file */
  readonly skip: number
  /** the first and the last moment in it, where something says so */
  readonly oldest?: number
  readonly newest?: number
}

export interface Pieces {
  /** of each ledger in its order */
  readonly pieces: readonly Piece[]
  /** what whoever asked should know */
  readonly remarks: readonly string[]
}

const DEEP_MAX = 3

export async function openPieces(dirs: readonly string[]): Promise<Pieces> {
  const found: Piece[] = []
  const remarks: string[] = []
  for (const dir of dirs) {
    const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
      const what = cause.code === 'ENOENT' ? 'there is no such folder' : cause.message
      throw new Fault('QUERY', `${dir}: ${what}`, { cause })
    })
    const isBundle = ['data', 'bagit.txt', 'charter.note'].some(name => names.includes(name))
    const pieces = isBundle ? await inBundle(dir, remarks) : await inArchive(dir, remarks)
    if (pieces.length === 0)
      throw new Fault('QUERY', `${dir}: no ledgers are in there, neither a bundle’s nor an archive’s`)
    found.push(...pieces)
  }
  return { pieces: onceEach(found), remarks }
}

async function inBundle(dir: string, remarks: string[]): Promise<Piece[]> {
  const { about, charters, ledgers, flaws } = await openBundle(dir)
  const [flaw] = flaws
  if (flaw !== undefined) remarks.push(`${dir} is not as a bundle should be: ${flaw.file} ${flaw.what}`)
  const mall = about?.mall ?? /^gatemesh\/([a-z0-9-]+)\/charter\n/.exec(charters[0]?.note ?? '')?.[1] ?? ''
  const pieces: Piece[] = []
  for (const { account, path, from, to } of ledgers.values()) {
    const end = to ?? (await sizeAfter(path)) ?? Number.MAX_SAFE_INTEGER
    pieces.push({ mall, account, path: resolve(path), from, to: end, skip: 0 })
  }
  return pieces
}

async function inArchive(dir: string, remarks: string[]): Promise<Piece[]> {
  const files = new Set(await filesIn(resolve(dir), 0))
  const pieces: Piece[] = []
  let removed = 0
  for (const file of files) {
    if (file.endsWith(REMOVED) && !files.has(`${file.slice(0, -REMOVED.length)}${LINES}`)) removed++
    if (!file.endsWith(LINES)) continue
    const path = file.slice(0, -LINES.length)
    if (!files.has(`${path}${PROOF}`)) {
      remarks.push(`${file} was left out: no proof lies beside it, so its writer did not get to the end`)
      continue
    }
    try {
      const { mall, account, from, to, oldest, newest } = await readProof(path)
      pieces.push({ mall, account, path: file, from, to, skip: 0, oldest, newest })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      remarks.push(`${basename(file)} was left out: ${error.message}`)
    }
  }
  if (removed > 0) remarks.push(`${dir}: the lines of ${removed} files were removed after their time`)
  return pieces
}

async function filesIn(dir: string, deep: number): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const files: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(dir, entry.name)
    if (entry.isFile()) files.push(path)
    else if (entry.isDirectory() && deep < DEEP_MAX) files.push(...(await filesIn(path, deep + 1)))
  }
  return files
}

function onceEach(found: readonly Piece[]): Piece[] {
  const ledger = ({ mall, account }: Piece) => `${mall} ${account}`
  const order = (a: Piece, b: Piece) => (ledger(a) < ledger(b) ? -1 : ledger(a) > ledger(b) ? 1 : 0)
  const sorted = [...found].sort((a, b) => order(a, b) || a.from - b.from || b.to - a.to)
  const reach = new Map<string, number>()
  return sorted.flatMap(piece => {
    const skip = reach.get(ledger(piece)) ?? 0
    if (piece.to <= skip) return []
    reach.set(ledger(piece), piece.to)
    return [{ ...piece, skip }]
  })
}
