// Bundle writer: evidence as a folder that can be handed to somebody (FORMAT.md, section 11).
//
// Law: a folder under the name asked for is whole and on the disk. Everything is written beside it, under `.part`, hashed
// as it is written, synced, and only then renamed; whatever goes wrong before that leaves nothing behind.

import { createHash, type Hash, hash } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Account, isAccount } from '../../ledger/account.ts'
import { type About, formatAbout, type Stretch } from '../../ledger/audit/about.ts'
import { formatStart, type Start } from '../../ledger/audit/start.ts'
import { Fault } from '../../ledger/fault.ts'
import { bagInfo, readme } from './bundle-words.ts'

export interface BundleContent {
  readonly about: About
  /** notes: the first charter and its revisions */
  readonly charters: readonly string[]
  readonly policies: readonly { readonly version: number; readonly note: string }[]
  readonly rows: readonly { readonly account: Account; readonly size: number; readonly note: string }[]
  readonly forks: readonly { readonly account: Account; readonly notes: readonly string[] }[]
  readonly starts: readonly Start[]
  /** one JSON line each */
  readonly custody: readonly Readonly<Record<string, unknown>>[]
  /** of the stretch shown, without newlines */
  lines(account: Account): AsyncIterable<string> | Iterable<string>
}

export interface WrittenBundle {
  /** SHA-256 of tagmanifest-sha256.txt, in hex: the one line to write on a receipt */
  readonly seal: string
  /** all there are, and what they hold together */
  readonly files: number
  readonly bytes: number
  readonly entries: number
}

export interface WriteOptions {
  onProgress?: (entries: number) => void
}

/** Copied into every bundle, so that it can be read where we are not. */
const COPIES = {
  'FORMAT.md': new URL('../../ledger/FORMAT.md', import.meta.url),
  'verify.mjs': new URL('bundle/verify.mjs', import.meta.url),
} as const

const CHUNK_BYTES = 1 << 16
/** Small files written at once: each waits for the disk, and a year of rows is many. */
const AT_ONCE = 16

export async function writeBundle(
  dir: string,
  content: BundleContent,
  options: WriteOptions = {},
): Promise<WrittenBundle> {
  const target = resolve(dir)
  const part = `${target}.part`
  if (await isThere(target)) throw new Fault('BUNDLE', `${dir}: is there already, and nothing is written over`)
  await mkdir(dirname(target), { recursive: true })
  await mkdir(part).catch((cause: NodeJS.ErrnoException) => {
    const what = cause.code === 'EEXIST' ? 'left by an export that was cut short, or still at work' : cause.message
    throw new Fault('BUNDLE', `${dir}.part: ${what}`, { cause })
  })
  try {
    const written = await new Bag(part, content, options).write()
    if (await isThere(target)) throw new Fault('BUNDLE', `${dir}: has come to be there meanwhile`)
    await rename(part, target)
    await syncFolder(dirname(target))
    return written
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    throw error
  }
}

interface Written {
  readonly hash: string
  readonly bytes: number
}

class Bag {
  readonly #dir: string
  readonly #content: BundleContent
  readonly #options: WriteOptions
  readonly #folders = new Set<string>()
  readonly #written = new Map<string, Written>()
  #entries = 0

  constructor(dir: string, content: BundleContent, options: WriteOptions) {
    this.#dir = dir
    this.#content = content
    this.#options = options
  }

  async write(): Promise<WrittenBundle> {
    const { about } = this.#content
    for (const stretch of about.ledgers) await this.#ledger(stretch)
    await this.#small(await this.#texts())
    const payload = [...this.#written].sort(byPath)
    const payloadBytes = sum(payload)
    const top = new Map([
      ['bagit.txt', 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'],
      ['bag-info.txt', await bagInfo(about, { bytes: payloadBytes, files: payload.length, entries: this.#entries })],
      ['manifest-sha256.txt', manifest(payload)],
    ])
    await this.#small(top)
    const tags = manifest([...this.#written].filter(([path]) => top.has(path)).sort(byPath))
    await this.#small(new Map([['tagmanifest-sha256.txt', tags]]))
    for (const folder of [...this.#folders].sort().reverse()) await syncFolder(folder)
    await syncFolder(this.#dir)
    const all = [...this.#written]
    return { seal: hash('sha256', tags), files: all.length, bytes: sum(all), entries: this.#entries }
  }

  async #texts(): Promise<Map<string, string>> {
    const { about, charters, policies, rows, forks, starts, custody } = this.#content
    const texts = new Map<string, string>()
    const put = (path: string, text: string) => {
      if (texts.has(path)) throw new Fault('BUNDLE', `${path}: given twice`)
      texts.set(path, text)
    }
    put('data/bundle.json', formatAbout(about))
    if (charters.length === 0) throw new Fault('BUNDLE', 'no charter: nothing could be checked')
    charters.forEach((note, i) => {
      put(i === 0 ? 'data/charter.note' : `data/charter.${i + 1}.note`, note)
    })
    for (const { version, note } of policies) put(`data/policies/${numbered(version, 'policy')}.note`, note)
    for (const { account, size, note } of rows) put(`data/rows/${named(account)}.${numbered(size, 'row')}.note`, note)
    for (const { account, notes } of forks) {
      notes.forEach((note, i) => {
        put(`data/forks/${named(account)}.${i + 1}.note`, note)
      })
    }
    for (const start of starts) put(`data/starts/${named(start.account)}.json`, formatStart(start))
    if (custody.length === 0) throw new Fault('BUNDLE', 'nothing says who took this from where')
    put('data/custody.jsonl', custody.map(event => `${JSON.stringify(event)}\n`).join(''))
    const shown = { policies: policies.length, rows: rows.length, forked: forks.map(({ account }) => account) }
    for (const [name, source] of Object.entries(COPIES)) put(`data/${name}`, await copyOf(name, source))
    put('data/README.txt', await readme(about, shown))
    return texts
  }

  async #small(texts: ReadonlyMap<string, string>): Promise<void> {
    const rest = texts.entries()
    const worker = async () => {
      // the workers share one iterator, and each takes what comes next
      for (const [path, text] of rest) await this.#file(path, file => file.add(text))
    }
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
    const failed = ends.find(end => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  async #ledger({ account, from, to }: Stretch): Promise<void> {
    if (from === to) return
    if (from > 0 && !this.#content.starts.some(start => start.account === account && start.size === from)) {
      throw new Fault('BUNDLE', `${account}: shown from ${from} on, and nothing says what was before`)
    }
    let count = 0
    await this.#file(`data/ledgers/${named(account)}.jsonl`, async file => {
      for await (const line of this.#content.lines(account)) {
        if (line === '' || line.includes('\n')) throw new Fault('BUNDLE', `${account} ${from + count}: not one line`)
        if (++count > to - from) break
        if (file.add(`${line}\n`)) continue
        await file.flush()
        this.#options.onProgress?.(this.#entries + count)
      }
    })
    if (count !== to - from) {
      const more = count > to - from ? 'more' : `${count}`
      throw new Fault('BUNDLE', `${account}: ${to - from} entries were promised, and ${more} came`)
    }
    this.#entries += count
    this.#options.onProgress?.(this.#entries)
  }

  async #file(path: string, fill: (file: HashedFile) => unknown): Promise<void> {
    const at = join(this.#dir, path)
    await this.#folder(dirname(at))
    const file = new HashedFile(await open(at, 'wx'))
    try {
      await fill(file)
      this.#written.set(path, await file.end())
    } finally {
      await file.close()
    }
  }

  async #folder(path: string): Promise<void> {
    if (path === this.#dir || this.#folders.has(path)) return
    await this.#folder(dirname(path))
    await mkdir(path, { recursive: true })
    this.#folders.add(path)
  }
}

/** What goes to the disk is hashed on its way. */
class HashedFile {
  readonly #handle: FileHandle
  readonly #hash: Hash = createHash('sha256')
  #waiting = ''
  #bytes = 0

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** False when it is time to flush. */
  add(text: string): boolean {
    this.#waiting += text
    return this.#waiting.length < CHUNK_BYTES
  }

  async flush(): Promise<void> {
    const chunk = Buffer.from(this.#waiting)
    this.#waiting = ''
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    for (let done = 0; done < chunk.length; ) {
      done += (await this.#handle.write(chunk, done, chunk.length - done)).bytesWritten
    }
  }

  async end(): Promise<Written> {
    await this.flush()
    await this.#handle.sync()
    return { hash: this.#hash.digest('hex'), bytes: this.#bytes }
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

function manifest(files: readonly (readonly [string, Written])[]): string {
  return files.map(([path, written]) => `${written.hash}  ${path}\n`).join('')
}

function byPath([a]: readonly [string, Written], [b]: readonly [string, Written]): number {
  return a < b ? -1 : 1
}

function sum(files: readonly (readonly [string, Written])[]): number {
  return files.reduce((bytes, [, written]) => bytes + written.bytes, 0)
}

/** Accounts become paths; nothing else may. */
function named(account: Account): string {
  if (isAccount(account)) return account
  throw new Fault('BUNDLE', `not an account: ${JSON.stringify(account)}`)
}

function numbered(n: number, what: string): number {
  if (Number.isSafeInteger(n) && n > 0) return n
  throw new Fault('BUNDLE', `a ${what} numbered ${n}`)
}

async function copyOf(name: string, source: URL): Promise<string> {
  try {
    return await readFile(source, 'utf8')
  } catch (cause) {
    throw new Fault('BUNDLE', `${name} belongs into every bundle, and this installation lacks it`, { cause })
  }
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
