// Disk source: evidence from the disk of a gate (or of the anchor), pulled out of its box. Several disks make one bundle.
//
// Laws: nothing on the disk is written to. Of each account the disk that has the most of it is asked; what is damaged is shown
// as far as it can be believed, and named.

import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Account, ANCHOR } from '../../../ledger/account.ts'
import { Fault } from '../../../ledger/fault.ts'
import { parseNote } from '../../../ledger/note.ts'
import { isName, originOf } from '../../../ledger/origin.ts'
import { gatherForks, type Inventory, type KeptRow, type Reach, type Remark } from '../../../mesh/archive/inventory.ts'
import { revisionPath } from '../../../mesh/papers.ts'
import { type CabinetLedgers, openCabinetLedgers } from './cabinet-ledgers.ts'
import { copyDisk, type DiskCopy } from './disk-copy.ts'
import { readRow, type Source, type Taken } from './source.ts'
import { openStoreLedgers, type StoreLedgers } from './store-ledgers.ts'

/** Where the parts of a member's disk are. */
export interface DiskPlace {
  /** as it was given: its last name goes into the custody log */
  readonly path: string
  readonly store: string
  readonly name?: string
  readonly charter: string
  /** the folder of closed days, of an anchor that has one */
  readonly archive?: string
}

/** `path` is a config file or a data folder; `charter` is where the charter is, if not beside it. */
export async function findDisk(path: string, charter?: string): Promise<DiskPlace> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new Fault('DISK', `${path}: ${cause.code === 'ENOENT' ? 'there is nothing there' : cause.message}`, { cause })
  })
  if (!found.isDirectory()) return configured(path, charter)
  const store = resolve(path)
  const beside = join(dirname(store), 'charter.note')
  const name = isName(basename(store)) ? { name: basename(store) } : {}
  return { path, store, charter: charter ?? beside, ...name }
}

interface Config {
  readonly name?: unknown
  readonly store?: unknown
  readonly charter?: unknown
  readonly retention?: { readonly archive?: unknown }
}

async function configured(path: string, charter: string | undefined): Promise<DiskPlace> {
  const dir = dirname(resolve(path))
  let config: Config
  try {
    config = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new Fault('DISK', `${path}: neither a data folder nor a config file: ${(cause as Error).message}`, { cause })
  }
  const { name, store, charter: own } = config ?? {}
  if (typeof name !== 'string' || !isName(name) || typeof store !== 'string' || typeof own !== 'string') {
    throw new Fault('DISK', `${path}: a config file says name, store and charter`)
  }
  const archive = config.retention?.archive
  const closed = typeof archive === 'string' ? { archive: resolve(dir, archive) } : {}
  return { path, name, store: resolve(dir, store), charter: charter ?? resolve(dir, own), ...closed }
}

interface Holder {
  readonly reach: Reach
  lines(account: Account, from: number, to: number): AsyncIterable<string>
}

export class DiskSource implements Source {
  readonly kind = 'disk'
  readonly #places: readonly DiskPlace[]
  readonly #isWhole: boolean
  readonly #disks: Disk[] = []
  readonly #holders = new Map<Account, Holder>()

  /** `isWhole`: these are all disks of a mall. So is the anchor's alone, which collects from everyone. */
  constructor(places: readonly DiskPlace[], isWhole = false) {
    this.#places = places
    this.#isWhole = isWhole
  }

  get gates(): readonly string[] | null {
    const names = this.#disks.map(({ own }) => own.name)
    return this.#isWhole || names.includes(ANCHOR) ? null : [...new Set(names)].sort()
  }

  async take(_wish: unknown, say: (line: string) => void): Promise<Taken> {
    const remarks: Remark[] = []
    let charters: readonly string[] = []
    for (const place of this.#places) {
      say(`copying and reading ${basename(place.path)}`)
      const notes = await readCharters(place.charter)
      if (notes.length > charters.length) charters = notes
      const disk = await Disk.open(place, mallOf(notes[0] as string, place.charter))
      this.#disks.push(disk)
      remarks.push(...disk.remarks)
    }
    const mall = mallOf(charters[0] as string, this.#places[0]?.charter ?? '')
    const other = this.#disks.find(disk => disk.mall !== mall)
    if (other !== undefined) throw new Fault('DISK', `${other.own.name} is of ${other.mall}, the others of ${mall}`)
    const rows = this.#disks.flatMap(disk => disk.rows).flatMap(kept => readRow(kept, mall, remarks))
    const policies = new Map<number, string>()
    for (const { own } of this.#disks) {
      for (const [name, note] of own.notes) {
        const version = /^policy-([1-9][0-9]{0,8})$/.exec(name)?.[1]
        if (version !== undefined) policies.set(Number(version), note)
      }
      this.#hold(
        [...own.sizes].map(([account, size]) => ({ account, first: 0, peaks: [], size })),
        own,
      )
    }
    for (const { cabinet } of this.#disks) if (cabinet !== undefined) this.#hold(cabinet.ledgers, cabinet)
    return {
      mall,
      charters,
      policies: [...policies].sort(([a], [b]) => a - b).map(([version, note]) => ({ version, note })),
      ledgers: new Map([...this.#holders].map(([account, { reach }]) => [account, reach])),
      ends: new Map(),
      rows,
      forks: gatherForks(this.#disks.flatMap(disk => disk.forks)),
      remarks,
    }
  }

  lines(account: Account, from: number, to: number): AsyncIterable<string> {
    const holder = this.#holders.get(account)
    if (holder === undefined) throw new Fault('DISK', `nothing of ${account} is here`)
    return holder.lines(account, from, to)
  }

  async close(): Promise<void> {
    for (const disk of this.#disks.splice(0)) await disk.close()
  }

  /** Whoever has more of an account than the one before. */
  #hold(ledgers: readonly Reach[], by: Pick<Holder, 'lines'>): void {
    for (const reach of ledgers) {
      const { size = 0, first = 0 } = this.#holders.get(reach.account)?.reach ?? {}
      if (reach.size < size || (reach.size === size && reach.first >= first)) continue
      this.#holders.set(reach.account, { reach, lines: (account, from, to) => by.lines(account, from, to) })
    }
  }
}

/** One disk: its own ledgers, and what it keeps of others. */
class Disk {
  readonly mall: string
  readonly own: StoreLedgers
  readonly cabinet: CabinetLedgers | undefined
  readonly remarks: readonly Remark[]
  readonly #copy: DiskCopy

  private constructor(a: Pick<Disk, 'mall' | 'own' | 'cabinet' | 'remarks'>, copy: DiskCopy) {
    this.mall = a.mall
    this.own = a.own
    this.cabinet = a.cabinet
    this.remarks = a.remarks
    this.#copy = copy
  }

  static async open({ path, store, name, archive }: DiskPlace, mall: string): Promise<Disk> {
    const copy = await copyDisk(store)
    let own: StoreLedgers | undefined
    try {
      own = await openStoreLedgers(copy.store, name)
      const cabinets = { mall, archive }
      const cabinet =
        (await openCabinetLedgers(`${copy.store}.office`, cabinets)) ??
        (await openCabinetLedgers(`${copy.store}.copies`, cabinets))
      if (own.sizes.size === 0 && (cabinet?.ledgers.length ?? 0) === 0 && own.remarks.length === 0) {
        throw new Fault('DISK', `${path}: no ledger is in it: is this a gate's data folder?`)
      }
      const key = await keyOf(own)
      const from = { what: 'source', kind: 'disk', folder: basename(store), name: own.name, key }
      const unreadable = copy.unreadable.map(file => ({
        what: 'damage',
        name: own?.name,
        file,
        detail: 'not readable',
      }))
      const found = [...unreadable, ...own.remarks, ...(cabinet?.remarks ?? [])]
      // of the place of our copy nobody needs to know
      const remarks = [from, ...found.map(remark => without(remark, `${dirname(copy.store)}/`))]
      return new Disk({ mall, own, cabinet, remarks }, copy)
    } catch (error) {
      await own?.close()
      await copy.remove()
      throw error
    }
  }

  get rows(): readonly Pick<KeptRow, 'note' | 'peaks'>[] {
    return [...this.own.rows.map(note => ({ note })), ...(this.cabinet?.rows ?? [])]
  }

  get forks(): Inventory['forks'] {
    const proofs = [...this.own.notes].filter(([name]) => name.startsWith('fork-'))
    const own = proofs.map(([name, note]) => ({
      account: name.slice('fork-'.length),
      notes: JSON.parse(note) as string[],
    }))
    return [...own, ...(this.cabinet?.forks ?? [])]
  }

  async close(): Promise<void> {
    await this.own.close()
    await this.cabinet?.close()
    await this.#copy.remove()
  }
}

/** What its newest ledger says; null where none can be read. */
async function keyOf(own: StoreLedgers): Promise<string | null> {
  const newest = [...own.sizes.keys()].at(-1)
  if (newest === undefined) return null
  for await (const line of own.lines(newest, 0, 1)) {
    const { key } = JSON.parse(line) as { key?: unknown }
    return typeof key === 'string' ? key : null
  }
  return null
}

function without(remark: Remark, path: string): Remark {
  return JSON.parse(JSON.stringify(remark).replaceAll(JSON.stringify(path).slice(1, -1), ''))
}

/** The first and its revisions, which lie beside it. */
async function readCharters(path: string): Promise<readonly string[]> {
  const notes: string[] = []
  for (let n = 1; ; n++) {
    const file = n === 1 ? path : revisionPath(path, n)
    try {
      notes.push(await readFile(file, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && n > 1) return notes
      throw new Fault('DISK', `the charter cannot be read: ${(error as Error).message}; --charter says where it is`)
    }
  }
}

function mallOf(charter: string, path: string): string {
  let head = ''
  try {
    head = parseNote(charter).text.split('\n', 1)[0] ?? ''
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('DISK', `${path}: is no charter: ${cause.message}`, { cause })
  }
  const mall = head.split('/')[1] ?? ''
  if (isName(mall) && head === originOf(mall, 'charter')) return mall
  throw new Fault('DISK', `${path}: is no charter`)
}
