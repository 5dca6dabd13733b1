// Bench of the store: 300 appends at once, again and again, on this machine's temporary folder.
//
// All contenders write the same lines to LevelDB under the same keys, with `sync: true`. The plain ones do what one writes
// first: every entry waits for a put of its own, and for a mark of its own. LevelDB merges puts that wait at the same
// time (as many as Node has threads for them), so they are faster than one flush per entry would be. They neither hash
// nor check the chain, which group commit does.
//
// Contenders take turns, each round on a new store, so that whatever else the machine does meets all of them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Level } from 'level'
import { toBase64 } from '../../ledger/base64.ts'
import { Chain } from '../../ledger/chain.ts'
import { must } from '../../ledger/fault.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import { MarkFile } from '../../ledger/mark.ts'
import { lineKey } from '../../ledger/record.ts'
import { leafHash } from '../../ledger/tree.ts'
import type { Bench } from '../bench.ts'

const AT_ONCE = 300
const ACCOUNT = 'gate-01/1'
/** more than any disk takes */
const LINES_PER_MS_MAX = 400
const CHARTER = toBase64(leafHash('bench'))

interface Contender {
  append(line: string, seq: number): Promise<unknown>
  close(): Promise<void>
}

async function grouped(dir: string): Promise<Contender> {
  const store = await openLevelStore({ dir, name: 'gate-01' })
  await store.begin(ACCOUNT, CHARTER)
  return { append: line => store.append(line), close: () => store.close() }
}

async function plain(dir: string, withMark: boolean): Promise<Contender> {
  const db = new Level<string, string>(dir, { compression: false })
  await db.open()
  const mark = new MarkFile(join(dir, 'mark'))
  await mark.write({ account: ACCOUNT, size: 0, root: CHARTER })
  // One file cannot be written twice at a time: each waits its turn, for a flush of its own.
  let turn: Promise<void> = Promise.resolve()
  return {
    async append(line, seq) {
      await db.put(lineKey(seq), line, { sync: true })
      if (!withMark) return
      turn = turn.then(() => mark.write({ account: ACCOUNT, size: seq + 1, root: CHARTER }))
      await turn
    },
    async close() {
      await mark.close()
      await db.close()
    },
  }
}

interface Result {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Made beforehand, and in one piece each: what is measured is the store and not the pen. */
function linesFor(count: number): string[] {
  const chain = new Chain(CHARTER)
  return Array.from({ length: count }, (_, seq) => {
    const id = `01890a5d-ac96-774b-8cce-${seq.toString(16).padStart(12, '0')}`
    const { line } = chain.write({ id, at: seq, type: 'admit', source: 'local', confidence: 1000 })
    return Buffer.from(line).toString()
  })
}

async function measure(contender: Contender, lines: readonly string[], forMs: number, atOnce: number): Promise<Result> {
  let next = 0
  const waits: number[] = []
  const start = performance.now()
  const one = async () => {
    let asked = performance.now()
    while (asked - start < forMs) {
      const seq = next++
      const line = lines[seq]
      must(line !== undefined, 'there are more lines than a round can take')
      await contender.append(line, seq)
      const done = performance.now()
      waits.push(done - asked)
      asked = done
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  const seconds = (performance.now() - start) / 1000
  waits.sort((a, b) => a - b)
  const at = (share: number) => waits[Math.floor(share * waits.length)] ?? 0
  return { perSecond: waits.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

interface Row {
  readonly store: string
  readonly atOnce: number
  readonly make: (dir: string) => Promise<Contender>
}

const ROWS: readonly Row[] = [
  { store: 'group commit, with high-water mark', atOnce: AT_ONCE, make: grouped },
  { store: 'a synced put and a mark per entry', atOnce: AT_ONCE, make: dir => plain(dir, true) },
  { store: 'a synced put per entry, no mark', atOnce: AT_ONCE, make: dir => plain(dir, false) },
  { store: 'group commit, one append at a time', atOnce: 1, make: grouped },
]

export const bench: Bench = async ({ quick }) => {
  const forMs = quick ? 250 : 700
  const rounds = quick ? 3 : 15
  const lines = linesFor(forMs * LINES_PER_MS_MAX)
  const run = async ({ make, atOnce }: Row) => {
    const dir = await mkdtemp(join(tmpdir(), 'gatemesh-bench-store-'))
    try {
      const contender = await make(dir)
      const result = await measure(contender, lines, forMs, atOnce)
      await contender.close()
      return result
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }
  // The first round is thrown away: it pays for compiling the code.
  const measured: Result[][] = []
  for (let round = 0; round <= rounds; round++) {
    const results: Result[] = []
    // Not always in the same order: what one leaves behind, the disk may still be busy with under the next.
    for (let turn = 0; turn < ROWS.length; turn++) {
      const k = (round + turn) % ROWS.length
      results[k] = await run(ROWS[k] as Row)
    }
    if (round > 0) measured.push(results)
  }
  return {
    name: 'store',
    title: `durable appends, ${AT_ONCE} waiting at any time`,
    rows: ROWS.map(({ store, atOnce }, k) => {
      const median = (of: (result: Result, ours: Result) => number) =>
        middle(measured.map(results => of(results[k] as Result, results[0] as Result)))
      return {
        store,
        atOnce,
        perSecond: Math.round(median(result => result.perSecond)),
        p50Ms: tenths(median(result => result.p50Ms)),
        p99Ms: tenths(median(result => result.p99Ms)),
        timesSlower: atOnce === AT_ONCE ? tenths(median((result, ours) => ours.perSecond / result.perSecond)) : '',
      }
    }),
    notes: [
      `medians of ${rounds} rounds of ${forMs} ms each; timesSlower is against group commit in the same round`,
      'p50Ms and p99Ms: from append to acknowledgement',
    ],
  }
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function tenths(value: number): number {
  return Math.round(10 * value) / 10
}
