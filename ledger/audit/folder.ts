// Folder: a bundle as it lies on a disk. Reads what is small, and says where the large files are.
//
// Law: whatever is not as the format has it is named and passed over; nothing that lies here ends the reading of the rest.

import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, isAccount } from '../account.ts'
import { Fault } from '../fault.ts'
import { NOTE_BYTES_MAX } from '../note.ts'
import { fromUtf8 } from '../utf8.ts'
import { type About, parseAbout, type Scope, WHOLE } from './about.ts'
import { parseStart, type Start } from './start.ts'

export interface NoteFile {
  /** below the bundle's top */
  readonly file: string
  readonly note: string
}

export interface LedgerFile {
  readonly account: Account
  readonly from: number
  /** undefined where nothing says so (format 0) */
  readonly to: number | undefined
  /** below the bundle's top */
  readonly file: string
  /** to be opened */
  readonly path: string
  readonly bytes: number
}

/** Something that is not as the format has it. */
export interface Flaw {
  readonly file: string
  readonly what: string
}

export interface Bundle {
  readonly dir: string
  readonly profile: 0 | 1
  /** undefined in format 0, and where it cannot be read */
  readonly about: About | undefined
  readonly scope: Scope
  /** the first charter, then its revisions */
  readonly charters: readonly NoteFile[]
  readonly policies: readonly NoteFile[]
  readonly rows: readonly NoteFile[]
  readonly forks: readonly NoteFile[]
  readonly starts: ReadonlyMap<Account, Start>
  /** with entries */
  readonly ledgers: ReadonlyMap<Account, LedgerFile>
  readonly flaws: readonly Flaw[]
}

/** Thirty gates, a row a day for ten years, and room. */
const FILES_MAX = 1_000_000
const DEEP_MAX = 6
const JSON_BYTES_MAX = 4 << 20

const TOP = ['bag-info.txt', 'bagit.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt']
const PLAIN = ['README.txt', 'FORMAT.md', 'verify.mjs', 'custody.jsonl', 'bundle.json']
const POLICY = /^policies\/[1-9][0-9]{0,15}\.note$/

/** Throws a Fault only where the folder itself cannot be read. */
export async function openBundle(dir: string): Promise<Bundle> {
  const top = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
    const what = cause.code === 'ENOENT' ? 'there is no such folder' : cause.message
    throw new Fault('BUNDLE', `${dir}: ${what}`, { cause })
  })
  const isBag = top.includes('data') || top.includes('bagit.txt') || !top.includes('charter.note')
  return new Opening(dir, isBag ? 1 : 0).run()
}

/** A note that was read once, and is read again when it is looked at. */
class LazyNote implements NoteFile {
  readonly file: string
  readonly #dir: string

  constructor(dir: string, file: string) {
    this.#dir = dir
    this.file = file
  }

  get note(): string {
    return readFileSync(join(this.#dir, this.file), 'utf8')
  }
}

class Opening {
  readonly #dir: string
  readonly #profile: 0 | 1
  readonly #flaws: Flaw[] = []
  readonly #files = new Map<string, number>()
  readonly #ledgers = new Map<Account, LedgerFile>()

  constructor(dir: string, profile: 0 | 1) {
    this.#dir = dir
    this.#profile = profile
  }

  async run(): Promise<Bundle> {
    await this.#list('', 0)
    const isBag = this.#profile === 1
    const about = isBag ? await this.#about() : undefined
    const starts = new Map<Account, Start>()
    const [charters, policies, rows, forks]: [NoteFile[], NoteFile[], NoteFile[], NoteFile[]] = [[], [], [], []]
    for (const file of [...this.#files.keys()].sort()) {
      const name = isBag ? file.slice('data/'.length) : file
      if (/^charter(\.[1-9][0-9]*)?\.note$/.test(name)) await this.#note(file, charters)
      else if (POLICY.test(name)) await this.#note(file, policies)
      else if (/^rows\/.+\.note$/.test(name)) await this.#note(file, rows)
      else if (isBag && /^forks\/.+\.note$/.test(name)) await this.#note(file, forks)
      else if (isBag && /^starts\/.+\.json$/.test(name)) await this.#start(file, name, starts)
      else if (/^ledgers\/.+\.jsonl$/.test(name)) this.#ledger(file, name, about)
      else if (!this.#isKnown(file, name)) this.#flaw(file, 'does not belong into a bundle')
    }
    rows.sort(bySize)
    this.#lookAtForks(forks)
    charters.sort((a, b) => revisionOf(a.file) - revisionOf(b.file))
    if (isBag) this.#lookForMissing(about)
    const scope = about ?? WHOLE
    const ledgers = this.#ledgers
    const found = { about, scope, charters, policies, rows, forks, starts, ledgers, flaws: this.#flaws }
    return { dir: this.#dir, profile: this.#profile, ...found }
  }

  async #list(folder: string, deep: number): Promise<void> {
    const entries = await readdir(join(this.#dir, folder), { withFileTypes: true }).catch(() => undefined)
    if (entries === undefined) return this.#flaw(folder, 'the folder cannot be read')
    if (entries.length === 0 && folder !== '') this.#flaw(folder, 'an empty folder')
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (this.#files.size >= FILES_MAX) throw new Fault('BUNDLE', `more than ${FILES_MAX} files`)
      if (entry.isDirectory() && deep < DEEP_MAX) await this.#list(file, deep + 1)
      else if (entry.isFile()) this.#files.set(file, lstatSync(join(this.#dir, file)).size)
      else this.#flaw(file, 'neither a file nor a folder of a bundle')
    }
  }

  #isKnown(file: string, name: string): boolean {
    if (this.#profile === 0) return file === 'README.txt' || file === 'owner.vkey' || file === 'report.json'
    return TOP.includes(file) || (file.startsWith('data/') && PLAIN.includes(name))
  }

  async #about(): Promise<About | undefined> {
    const text = await this.#text('data/bundle.json', JSON_BYTES_MAX)
    if (text === undefined) return undefined
    return this.#attempt('data/bundle.json', () => parseAbout(text))
  }

  async #note(file: string, into: NoteFile[]): Promise<void> {
    // one that cannot be read says nothing, and is missed where it should have said something
    const note = await this.#text(file, NOTE_BYTES_MAX)
    if (note === undefined) return void into.push({ file, note: '' })
    // of a year there are thousands of rows; the others are few
    into.push(file.includes('rows/') ? new LazyNote(this.#dir, file) : { file, note })
  }

  async #start(file: string, name: string, into: Map<Account, Start>): Promise<void> {
    const text = await this.#text(file, JSON_BYTES_MAX)
    if (text === undefined) return
    const start = this.#attempt(file, () => parseStart(text))
    if (start === undefined) return
    if (name === `starts/${start.account}.json`) into.set(start.account, start)
    else this.#flaw(file, `is the start of ${start.account}`)
  }

  #ledger(file: string, name: string, about: About | undefined): void {
    const account = name.slice('ledgers/'.length, -'.jsonl'.length)
    if (!isAccount(account)) return this.#flaw(file, 'is not named after an account')
    const bytes = this.#files.get(file) as number
    const path = join(this.#dir, file)
    const shown = about?.ledgers.find(one => one.account === account)
    if (about !== undefined && (shown === undefined || shown.from === shown.to)) {
      this.#flaw(file, 'bundle.json does not show it')
    }
    if (bytes === 0) this.#flaw(file, 'is empty')
    this.#ledgers.set(account, { account, from: shown?.from ?? 0, to: shown?.to, file, path, bytes })
  }

  /** One statement contradicts nothing. */
  #lookAtForks(forks: readonly NoteFile[]): void {
    const of = (file: string) => file.replace(/\.[0-9]+\.note$/, '')
    for (const { file } of forks) {
      if (!forks.some(other => other.file !== file && of(other.file) === of(file))) this.#flaw(file, 'is there alone')
    }
  }

  #lookForMissing(about: About | undefined): void {
    const needed = [...TOP, ...PLAIN.map(name => `data/${name}`), 'data/charter.note']
    for (const { account, from, to } of about?.ledgers ?? []) {
      if (from < to) needed.push(`data/ledgers/${account}.jsonl`)
      if (from < to && from > 0) needed.push(`data/starts/${account}.json`)
    }
    for (const file of needed) {
      if (!this.#files.has(file)) this.#flaw(file, 'is missing')
      else if (this.#files.get(file) === 0) this.#flaw(file, 'is empty')
    }
  }

  async #text(file: string, bytesMax: number): Promise<string | undefined> {
    const bytes = this.#files.get(file)
    if (bytes === undefined) return undefined
    if (bytes > bytesMax) return this.#flaw(file, `is longer than ${bytesMax} bytes`)
    try {
      const text = fromUtf8(readWhole(join(this.#dir, file), bytesMax))
      return text ?? this.#flaw(file, 'is not valid UTF-8')
    } catch (error) {
      return this.#flaw(file, `cannot be read: ${(error as Error).message}`)
    }
  }

  #attempt<T>(file: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return this.#flaw(file, error.message)
    }
  }

  #flaw(file: string, what: string): undefined {
    this.#flaws.push({ file, what })
  }
}

/**
 * What is under the name now may be more than it was when its size was asked for. Not by way of other threads: there are
 * thousands, and handing over a small file takes several times as long as reading it.
 */
function readWhole(path: string, bytesMax: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(Math.min(fstatSync(file).size, bytesMax))
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0))
  } finally {
    closeSync(file)
  }
}

/** The first charter has no number in its name. */
function revisionOf(file: string): number {
  return Number(/\.([0-9]+)\.note$/.exec(file)?.[1] ?? 1)
}

/** Rows of an account in their order, as far as names tell. */
function bySize(a: NoteFile, b: NoteFile): number {
  const [one, other] = [a.file.split('.'), b.file.split('.')]
  if (one[0] !== other[0]) return (one[0] as string) < (other[0] as string) ? -1 : 1
  return Number(one[1]) - Number(other[1])
}
