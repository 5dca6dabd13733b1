// Bench of the store: 300 appends at once, again and again, on this machine's temporary folder.
//
// All contenders write the same lines to LevelDB with `sync: true`. The plain ones do what one writes first: every entry
// waits for a put of its own, and for a mark of its own. LevelDB merges puts that wait at the same time, so they are
// faster than one flush per entry would be.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Level } from 'level'
import { toBase64 } from '../../ledger/base64.ts'
import { Chain } from '../../ledger/chain.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import { MarkFile } from '../../ledger/mark.ts'
import { leafHash } from '../../ledger/tree.ts'
import type { Bench } from '../bench.ts'

const AT_ONCE = 300
const ACCOUNT = 'gate-01/1'
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
  const db = new Level<string, string>(dir)
  await db.open()
  const mark = new MarkFile(join(dir, 'mark'))
  await mark.write({ account: ACCOUNT, size: 0, root: CHARTER })
  // One file cannot be written twice at a time: each waits its turn, for a flush of its own.
  let turn: Promise<void> = Promise.resolve()
  return {
    async append(line, seq) {
      await db.put(`line/${seq}`, line, { sync: true })
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

/** Made beforehand: what is measured is the store and not the pen. */
function linesFor(count: number): string[] {
  const chain = new Chain(CHARTER)
  return Array.from({ length: count }, (_, seq) => {
    const id = `01890a5d-ac96-774b-8cce-${seq.toString(16).padStart(12, '0')}`
    return chain.write({ id, at: seq, type: 'admit', source: 'local', confidence: 1000 }).line
  })
}

async function measure(contender: Contender, lines: readonly string[], forMs: number, atOnce: number): Promise<Result> {
  let next = 0
  const waits: number[] = []
  const start = performance.now()
  const one = async () => {
    while (next < lines.length && performance.now() - start < forMs) {
      const asked = performance.now()
      const seq = next++
      await contender.append(lines[seq] as string, seq)
      waits.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  const seconds = (performance.now() - start) / 1000
  waits.sort((a, b) => a - b)
  const at = (share: number) => Math.round((waits[Math.floor(share * waits.length)] ?? 0) * 10) / 10
  return { perSecond: Math.round(waits.length / seconds), p50Ms: at(0.5), p99Ms: at(0.99) }
}

export const bench: Bench = async ({ quick }) => {
  const forMs = quick ? 700 : 3_000
  const lines = linesFor(150 * forMs)
  const run = async (make: (dir: string) => Promise<Contender>, atOnce: number) => {
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
  const ours = await run(grouped, AT_ONCE)
  const marked = await run(dir => plain(dir, true), AT_ONCE)
  const bare = await run(dir => plain(dir, false), AT_ONCE)
  const alone = await run(grouped, 1)
  const row = (store: string, atOnce: number, result: Result) => ({
    store,
    atOnce,
    ...result,
    timesSlower: atOnce === AT_ONCE ? Math.round((10 * ours.perSecond) / result.perSecond) / 10 : '',
  })
  return {
    name: 'store',
    title: `durable appends, ${AT_ONCE} waiting at any time`,
    rows: [
      row('group commit, with high-water mark', AT_ONCE, ours),
      row('a synced put and a mark per entry', AT_ONCE, marked),
      row('a synced put per entry, no mark', AT_ONCE, bare),
      row('group commit, one append at a time', 1, alone),
    ],
    notes: ['p50Ms and p99Ms: from append to acknowledgement'],
  }
}
