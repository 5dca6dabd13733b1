// Diary: the file beside the store in which a member keeps the trend of the day, so that a restart leaves no hole in it.
//
// Law: it serves a picture and nothing else, so nothing waits for it. A line a minute is added and not forced to the disk
// (memory cards wear); about once a day the file is written anew without what is older than a day. A last line that was
// cut off by a power cut is left out; whatever else cannot be read has the file set aside, and what can be read goes on.
//
//     gatemesh trend 1\n
//     one line each (diary-line.ts)

import { appendFile, readFile, rename, stat } from 'node:fs/promises'
import { writeWhole } from '../whole-file.ts'
import { type DiaryLine, parseDiaryLine } from './diary-line.ts'

export interface DiaryOptions {
  readonly path: string
  /** all that is still of use, one line each: for the file that is written anew */
  readonly contents: () => readonly string[]
  readonly alarm: (code: string, detail: string) => void
}

const TITLE = 'gatemesh trend 1'
/** no diary of ours grows to this */
const FILE_BYTES_MAX = 4 << 20
/** Lines that are added before the file is written anew: about a day of minutes. */
const ROOM = 1500
const CODE = 'TREND_FILE'

export class Diary {
  readonly #o: DiaryOptions
  #last: Promise<void> = Promise.resolve()
  /** lines that may be added to the file as it is; none where it is not there, or nobody knows how it ends */
  #room = 0
  #isFailing = false

  constructor(options: DiaryOptions) {
    this.#o = options
  }

  /** What was kept, oldest first. Never rejects. */
  async read(wall: number): Promise<readonly DiaryLine[]> {
    const { path, alarm } = this.#o
    let text: string
    try {
      const { size } = await stat(path)
      text = size > FILE_BYTES_MAX ? '' : await readFile(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      alarm(CODE, `${path} cannot be read (${(error as Error).message}): the trend starts empty`)
      return []
    }
    const [title, ...rest] = text.split('\n')
    // what follows the last end of line was cut off
    const lines = rest.slice(0, -1)
    const kept = (title === TITLE ? lines : []).flatMap(line => parseDiaryLine(line) ?? [])
    if (title === TITLE && kept.length === lines.length) {
      // otherwise the next line would be added to the rest of one
      if (rest.at(-1) === '') this.#room = Math.max(0, 2 * ROOM - kept.length)
      return kept
    }
    await this.#setAside(kept.length, wall)
    return kept
  }

  /** Sooner or later, and in the order of the calls. */
  add(lines: readonly string[]): void {
    if (lines.length > 0) this.#last = this.#last.then(() => this.#add(lines))
  }

  /** Resolves once all that was added is written, or could not be. */
  close(): Promise<void> {
    return this.#last
  }

  async #add(lines: readonly string[]): Promise<void> {
    const { path, contents, alarm } = this.#o
    try {
      if (lines.length <= this.#room) {
        await appendFile(path, `${lines.join('\n')}\n`)
        this.#room -= lines.length
      } else {
        await writeWhole(path, `${[TITLE, ...contents()].join('\n')}\n`, 0o644)
        this.#room = ROOM
      }
      this.#isFailing = false
    } catch (error) {
      // how far it came nobody knows: next time the whole file
      this.#room = 0
      if (!this.#isFailing) alarm(CODE, `${path} cannot be written: ${(error as Error).message}`)
      this.#isFailing = true
    }
  }

  async #setAside(kept: number, wall: number): Promise<void> {
    const { path, alarm } = this.#o
    const aside = `${path}.bad-${wall}`
    const why = `${path} is damaged, or no trend: ${kept} lines of it are kept`
    try {
      await rename(path, aside)
      alarm(CODE, `${why}, it is set aside as ${aside}`)
    } catch (error) {
      alarm(CODE, `${why}, and it cannot be moved: ${(error as Error).message}`)
    }
  }
}
