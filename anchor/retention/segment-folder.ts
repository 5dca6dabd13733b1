// Segment folder: the archive of one mall on a disk, as names of files.
//
// Law: nothing here is overwritten or taken away unless it says so: what was found damaged is put beside, and what was
// kept for long enough leaves its proof and a record of its removal.

import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Account, isAccount } from '../../ledger/account.ts'
import { syncFolder } from '../../ledger/mark.ts'
import { writeWhole } from '../../mesh/whole-file.ts'
import type { Day } from './day.ts'
import { parseTitle } from './proof.ts'
import { LINES, PROOF, REMOVED } from './segment-file.ts'

export class SegmentFolder {
  readonly dir: string

  constructor(archive: string, mall: string) {
    this.dir = join(archive, mall)
  }

  /** Without the ending of one of its files. */
  pathOf(account: Account, title: string): string {
    return join(this.dir, account.replace('/', '-'), title)
  }

  async accounts(): Promise<readonly Account[]> {
    const names = (await namesIn(this.dir)).map(name => name.replace(/-(?=\d+$)/, '/'))
    return names.filter(isAccount).sort()
  }

  /** Of every segment that has a proof, by day. */
  async titles(account: Account): Promise<readonly string[]> {
    return this.#endingIn(account, PROOF)
  }

  /** Lines without a proof: whoever wrote them did not get to the end. */
  async strays(account: Account): Promise<readonly string[]> {
    const titles = new Set(await this.titles(account))
    return (await this.#endingIn(account, LINES)).filter(title => !titles.has(title))
  }

  async isRemoved(account: Account, title: string): Promise<boolean> {
    const path = this.pathOf(account, title)
    return (await isThere(`${path}${REMOVED}`)) && !(await isThere(`${path}${LINES}`))
  }

  async isKept(account: Account, title: string): Promise<boolean> {
    const path = this.pathOf(account, title)
    return (await isThere(`${path}${LINES}`)) && (await isThere(`${path}${PROOF}`))
  }

  /** How many segments of this day there are. */
  async partsOf(account: Account, day: Day): Promise<number> {
    const parts = (await this.titles(account)).map(parseTitle).filter(title => title?.day === day)
    return Math.max(0, ...parts.map(title => title?.part ?? 0))
  }

  /** Puts a segment that cannot be believed beside, under a name that nobody takes for one; says which. */
  async setAside(account: Account, title: string): Promise<string> {
    const path = this.pathOf(account, title)
    let n = 1
    while ((await isThere(`${path}${LINES}.damaged-${n}`)) || (await isThere(`${path}${PROOF}.damaged-${n}`))) n++
    // the proof first: without it there is no segment
    for (const ending of [PROOF, LINES]) {
      if (await isThere(`${path}${ending}`)) await rename(`${path}${ending}`, `${path}${ending}.damaged-${n}`)
    }
    await syncFolder(dirname(path))
    return `${path}${LINES}.damaged-${n}`
  }

  /** Takes the lines away. That, when and why is on disk before they are gone. */
  async remove(account: Account, title: string, record: object): Promise<void> {
    const path = this.pathOf(account, title)
    await writeWhole(`${path}${REMOVED}`, `${JSON.stringify(record, null, 2)}\n`, 0o644)
    await rm(`${path}${LINES}`, { force: true })
    await syncFolder(dirname(path))
  }

  /** A small file of this mall's, as it was last kept. */
  async recall(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.dir, name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async keep(name: string, text: string): Promise<void> {
    await mkdir(this.dir, { recursive: true })
    await writeWhole(join(this.dir, name), text, 0o644)
  }

  async #endingIn(account: Account, ending: string): Promise<readonly string[]> {
    const names = await namesIn(this.pathOf(account, ''))
    const titles = names.filter(name => name.endsWith(ending)).map(name => name.slice(0, -ending.length))
    return titles.filter(title => parseTitle(title) !== undefined).sort(byDay)
  }
}

/** In the order of days, and of parts within one. */
export function byDay(a: string, b: string): number {
  const [x, y] = [parseTitle(a), parseTitle(b)]
  if (x === undefined || y === undefined || x.day !== y.day) return a < b ? -1 : 1
  return x.part - y.part
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Never by a call that waits: a disk that hangs is this mall's trouble, and all malls share a thread. */
function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
