// Manifest: the lists of a BagIt folder, and whether the files are those that were listed.
//
// What this finds is damage on the way. Somebody who alters a file and writes the list anew is found by the signatures.

import { createHash, hash as oneShot } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Flaw } from './folder.ts'

const BAGIT = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'
const PAYLOAD = 'manifest-sha256.txt'
const TAGS = 'tagmanifest-sha256.txt'
const TAGGED = ['bag-info.txt', 'bagit.txt', PAYLOAD]
const LINE = /^([0-9a-f]{64}) {2}([!-~]{1,400})$/
/** A million files, each with a long name. */
const LIST_BYTES_MAX = 256 << 20

/** Thousands of rows: each read at once, and on this thread, which takes less time than to ask another for it. */
const SMALL_BYTES = 1 << 16

/** Files that are missing or should not be there are `folder.ts`'s to tell; here they are held against the lists. */
export async function checkManifests(dir: string, onBytes: (bytes: number) => void = () => {}): Promise<Flaw[]> {
  const flaws: Flaw[] = []
  const bagit = await readFile(join(dir, 'bagit.txt'), 'latin1').catch(() => undefined)
  if (bagit !== undefined && bagit !== BAGIT)
    flaws.push({ file: 'bagit.txt', what: 'is not that of a BagIt 1.0 folder' })
  await checkList(dir, TAGS, TAGGED, flaws, onBytes)
  await checkList(dir, PAYLOAD, await filesBelow(dir, 'data'), flaws, onBytes)
  return flaws
}

async function checkList(
  dir: string,
  list: string,
  files: readonly string[],
  flaws: Flaw[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  const listed = await readList(dir, list, flaws)
  if (listed === undefined) return
  for (const file of files) {
    const said = listed.get(file)
    listed.delete(file)
    if (said === undefined) {
      flaws.push({ file, what: `is not listed in ${list}` })
      continue
    }
    const is = await hashOf(join(dir, file), onBytes).catch(() => undefined)
    if (is !== said) flaws.push({ file, what: is === undefined ? 'cannot be read' : `is not what ${list} lists` })
  }
  for (const file of listed.keys()) flaws.push({ file, what: `is listed in ${list}, and not there` })
}

async function readList(dir: string, list: string, flaws: Flaw[]): Promise<Map<string, string> | undefined> {
  const bytes = await readFile(join(dir, list)).catch(() => undefined)
  if (bytes === undefined || bytes.length === 0) return undefined
  const listed = new Map<string, string>()
  const lines = bytes.length > LIST_BYTES_MAX ? [''] : bytes.toString('latin1').split('\n')
  if (lines.pop() !== '') flaws.push({ file: list, what: 'does not end in a newline, or is too long' })
  lines.forEach((line, i) => {
    const [, hash, file] = LINE.exec(line) ?? []
    if (hash === undefined || file === undefined)
      flaws.push({ file: list, what: `line ${i + 1} is not a hash and a path` })
    else if (listed.has(file)) flaws.push({ file: list, what: `line ${i + 1} lists ${file} again` })
    else listed.set(file, hash)
  })
  return listed
}

async function filesBelow(dir: string, folder: string): Promise<string[]> {
  const found = await readdir(join(dir, folder), { recursive: true, withFileTypes: true }).catch(() => [])
  return found
    .filter(entry => entry.isFile())
    .map(entry => relative(dir, join(entry.parentPath, entry.name)))
    .sort()
}

async function hashOf(path: string, onBytes: (bytes: number) => void): Promise<string> {
  const { size } = statSync(path)
  if (size <= SMALL_BYTES) {
    onBytes(size)
    return oneShot('sha256', readFileSync(path), 'hex')
  }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
    hash.update(chunk as Buffer)
    onBytes((chunk as Buffer).length)
  }
  return hash.digest('hex')
}
