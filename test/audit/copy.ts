// Copy: a bundle on disk to be spoilt and mended again, one mangling after another.
//
// A clumsy forger leaves the manifests as they were; a careful one writes them anew, and the label with them.

import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const MANIFEST = 'manifest-sha256.txt'
const TAGS = 'tagmanifest-sha256.txt'
const LABEL = 'bag-info.txt'

export class Copy {
  readonly dir: string
  /** what every file held, and what it holds now */
  readonly #was = new Map<string, Buffer>()
  readonly #is = new Map<string, Buffer>()

  constructor(from: string, dir: string) {
    this.dir = dir
    cpSync(from, dir, { recursive: true })
    for (const file of filesUnder(dir)) this.#was.set(file, readFileSync(join(dir, file)))
    for (const [file, bytes] of this.#was) this.#is.set(file, bytes)
  }

  /** Below the top, sorted. */
  get files(): string[] {
    return [...this.#is.keys()].sort()
  }

  under(folder: string): string[] {
    return this.files.filter(file => file.startsWith(`data/${folder}/`))
  }

  has(file: string): boolean {
    return this.#is.has(file)
  }

  bytes(file: string): Buffer {
    const bytes = this.#is.get(file)
    if (bytes === undefined) throw new Error(`${file} is not there`)
    return bytes
  }

  text(file: string): string {
    return this.bytes(file).toString('utf8')
  }

  lines(file: string): string[] {
    return this.text(file).split('\n').slice(0, -1)
  }

  write(file: string, content: Uint8Array | string): void {
    const path = join(this.dir, file)
    mkdirSync(dirname(path), { recursive: true })
    const bytes = Buffer.from(content as string)
    writeFileSync(path, bytes)
    this.#is.set(file, bytes)
  }

  writeLines(file: string, lines: readonly string[]): void {
    this.write(file, lines.map(line => `${line}\n`).join(''))
  }

  edit(file: string, change: (text: string) => string): void {
    const before = this.text(file)
    const after = change(before)
    if (after === before) throw new Error(`${file}: the edit changed nothing`)
    this.write(file, after)
  }

  /** Folders that are left empty go with it. */
  remove(file: string): void {
    rmSync(join(this.dir, file))
    this.#is.delete(file)
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      if (readdirSync(join(this.dir, folder)).length > 0) break
      rmdirSync(join(this.dir, folder))
    }
  }

  move(from: string, to: string): void {
    const bytes = this.bytes(from)
    this.remove(from)
    this.write(to, bytes)
  }

  /** As a careful forger leaves it. Manifests that were taken away stay away. */
  seal(): void {
    const payload = this.files.filter(file => file.startsWith('data/'))
    if (this.has(MANIFEST)) this.write(MANIFEST, this.#manifest(payload))
    if (this.has(LABEL)) {
      const octets = payload.reduce((sum, file) => sum + this.bytes(file).length, 0)
      const label = this.text(LABEL).replace(/^Payload-Oxum: .*$/m, `Payload-Oxum: ${octets}.${payload.length}`)
      this.write(LABEL, label)
    }
    const tags = this.files.filter(file => !file.includes('/') && file !== TAGS)
    if (this.has(TAGS)) this.write(TAGS, this.#manifest(tags))
  }

  /** Everything is again as it was in the beginning. */
  mend(): void {
    for (const file of this.files) if (!this.#was.has(file)) this.remove(file)
    for (const [file, bytes] of this.#was) if (this.#is.get(file) !== bytes) this.#put(file, bytes)
  }

  discard(): void {
    if (existsSync(this.dir)) rmSync(this.dir, { recursive: true })
  }

  #put(file: string, bytes: Buffer): void {
    this.write(file, bytes)
    this.#is.set(file, bytes)
  }

  #manifest(files: readonly string[]): string {
    return files.map(file => `${hash('sha256', this.bytes(file))}  ${file}\n`).join('')
  }
}

function filesUnder(dir: string, folder = ''): string[] {
  return readdirSync(join(dir, folder), { withFileTypes: true }).flatMap(entry => {
    const file = folder === '' ? entry.name : `${folder}/${entry.name}`
    return entry.isDirectory() ? filesUnder(dir, file) : [file]
  })
}
