// Disk pace: how long the entries of this member waited for its disk lately. Others' disks are known by what they say
// (lateness.ts); a token that goes through here waits for this one.
//
// Law: nothing here has authority. Whoever takes the disk for slower than it is lets people wait a little longer.

interface Written {
  readonly size: number
  readonly at: number
}

/** The slowest of the last few seconds counts, and less and less: disks are slow in bouts. */
const FADE_MS = 5000

export class DiskPace {
  /** one for each moment at which something was written */
  #waiting: Written[] = []
  #slowestMs = 0
  #sinceMs = 0

  wrote(size: number, now: number): void {
    const last = this.#waiting.at(-1)
    if (last?.at === now) this.#waiting.pop()
    this.#waiting.push({ size, at: now })
  }

  durable(size: number, now: number): void {
    const done = this.#waiting.findIndex(one => one.size > size)
    const written = this.#waiting.splice(0, done < 0 ? this.#waiting.length : done)
    const tookMs = now - (written[0]?.at ?? now)
    if (tookMs < this.slowMs(now)) return
    this.#slowestMs = tookMs
    this.#sinceMs = now
  }

  /** What an entry may have to wait, going by those that did. */
  slowMs(now: number): number {
    return this.#slowestMs * Math.max(0, 1 - (now - this.#sinceMs) / FADE_MS)
  }
}
