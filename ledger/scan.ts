// Scan: reading a ledger from its first line to its last and believing nothing that is not hashed.
//
// Law: a line counts once the next one, or the head record after the last, says its hash. So `size` and `root` are of
// lines that are certainly the ones written, whatever comes after them.

import { fromBase64, toBase64 } from './base64.ts'
import type { HeadRecord } from './record.ts'
import type { Damage } from './recovery.ts'
import { Frontier, leafHash } from './tree.ts'

const PLACE = /^\{"seq":(0|[1-9][0-9]{0,15}),"prev":"([A-Za-z0-9+/]{43}=)",/

/** Where a line says that it belongs. */
export function placeOf(line: string): { seq: number; prev: string } | undefined {
  const match = PLACE.exec(line)
  return match ? { seq: Number(match[1]), prev: match[2] as string } : undefined
}

/** Is this the line of entry `seq`, written after one with this hash? The same as asking `placeOf`, and cheaper. */
export function follows(line: string, { seq, prev }: { seq: number; prev: string }): boolean {
  return line.startsWith(`{"seq":${seq},"prev":"${prev}",`)
}

export class Scan {
  readonly frontier = new Frontier()
  readonly #wanted: ReadonlySet<number>
  readonly #roots = new Map<number, string>()
  #last: string
  #next = 0
  #damage: Damage | undefined

  /** `wanted` are the sizes whose roots will be asked for. */
  constructor(charterHash: string, wanted: readonly number[]) {
    this.#last = charterHash
    this.#wanted = new Set(wanted)
    this.#note()
  }

  /** the first thing that is wrong, if anything */
  get damage(): Damage | undefined {
    return this.#damage
  }

  get size(): number {
    return this.frontier.size
  }

  root(): string {
    return toBase64(this.frontier.root())
  }

  rootAt(size: number): string | undefined {
    return this.#roots.get(size)
  }

  /** The next line as stored under `seq`. False once there is no point in going on. */
  line(seq: number, line: string): boolean {
    if (this.#damage) return false
    if (seq !== this.#next) return this.#bad(this.#next, `entry ${this.#next} is missing`)
    const place = placeOf(line)
    if (place === undefined) return this.#bad(seq, `entry ${seq} is not a ledger line`)
    if (place.seq !== seq) return this.#bad(seq, `entry ${seq} says that it is entry ${place.seq}`)
    if (!this.#confirm(place.prev, `what entry ${seq} was chained to`)) return false
    this.#last = toBase64(leafHash(line))
    this.#next++
    return true
  }

  /** After the last line: what the head record says there should be. */
  end(head: HeadRecord): void {
    if (this.#damage) return
    if (this.#next < head.size) this.#bad(this.#next, `entry ${this.#next} is missing`)
    else if (this.#next > head.size) this.#bad(head.size, `entry ${head.size} lies beyond the head`)
    else if (!this.#confirm(head.last, 'the one that the head was made of')) return
    else if (!samePeaks(this.frontier, head.peaks)) this.#bad(this.size, 'the head is not the hash of the entries')
  }

  /** For what the scan cannot see: the medium failed to hand over the rest. */
  cut(what: string): void {
    this.#bad(this.#next, `entry ${this.#next} cannot be read (${what})`)
  }

  #confirm(hash: string, as: string): boolean {
    if (hash !== this.#last) {
      if (this.#next === 0) return this.#bad(0, 'entry 0 does not follow the charter')
      return this.#bad(this.#next - 1, `entry ${this.#next - 1} is not ${as}`)
    }
    if (this.#next > this.size) {
      this.frontier.append(fromBase64(hash, 32) as Buffer)
      this.#note()
    }
    return true
  }

  #note(): void {
    if (this.#wanted.has(this.size)) this.#roots.set(this.size, this.root())
  }

  #bad(seq: number, what: string): false {
    this.#damage ??= { seq, what }
    return false
  }
}

function samePeaks(frontier: Frontier, peaks: readonly string[]): boolean {
  return frontier.peaks.length === peaks.length && frontier.peaks.every((peak, k) => toBase64(peak) === peaks[k])
}
