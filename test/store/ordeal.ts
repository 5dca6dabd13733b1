// Ordeal: what every test on a real disk does. Write, harm, open again, and hold what is found against what was
// acknowledged.
//
// Claim: nothing acknowledged is lost unnoticed, and what is noticed opens a new epoch.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, account, epochOf } from '../../ledger/account.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import type { Found, Store } from '../../ledger/store.ts'
import { CHARTER, gather, Lines, NAME } from './lines.ts'

export const ROUNDS = 20
/** Small, so that a few hundred entries fill logs, tables and manifests. */
export const WRITE_BUFFER_BYTES = 64 * 1024

/** Say which with GATEMESH_SEED to run the same rounds again. */
export const SEED = Number(process.env.GATEMESH_SEED ?? Math.floor(Math.random() * 1e9))

export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export function below(draw: () => number, end: number): number {
  return Math.floor(draw() * end)
}

export function openAt(dir: string): Promise<Store> {
  return openLevelStore({ dir, name: NAME, writeBufferBytes: WRITE_BUFFER_BYTES })
}

export async function withFolder(act: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'gatemesh-ordeal-'))
  try {
    await act(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** A closed store of some hundred entries in a few dozen writes. Returns what was acknowledged. */
export async function fill(dir: string, draw: () => number, size: number, atOnce = 30): Promise<Acknowledged> {
  const store = await openAt(dir)
  if (store.found.kind === 'blank') await store.begin(account(NAME, 1), CHARTER)
  const lines = new Lines(store.end)
  while (lines.size < size) {
    // where each write has one line, marks shall have them all: lines with notes beside them go into the ledger only
    if (atOnce > 1) store.keepRow(`gate-0${1 + below(draw, 5)}/1`, `a row at ${lines.size}\n`.repeat(10))
    await Promise.all(lines.take(1 + below(draw, atOnce)).map(line => store.append(line)))
    // a batch of LevelDB's for each, as many as there are tables to be spoilt
    if (atOnce > 1) await store.sync()
  }
  const of = store.found.kind === 'intact' ? store.found.account : ''
  await store.close()
  return { account: of, size: lines.size }
}

export interface Acknowledged {
  readonly account: Account
  readonly size: number
}

/** Opens what is left of a store and goes on with it. `why` says how to see the same again. */
export async function standsUp(dir: string, acknowledged: Acknowledged, why: string): Promise<Found> {
  const store = await openAt(dir)
  const { found } = store
  if (found.kind === 'intact') {
    assert.equal(found.account, acknowledged.account, why)
    assert.equal(
      found.size >= acknowledged.size,
      true,
      `${found.size} of ${acknowledged.size} entries and all well? ${why}`,
    )
    assert.deepEqual(await gather(store.range(0, found.size)), new Lines().take(found.size), why)
  } else {
    assert.equal(found.kind, 'lost', why)
    const { account: old } = found.kind === 'lost' ? found : acknowledged
    await store.begin(account(NAME, epochOf(old) + 1), CHARTER)
    await gather(store.salvage(old)).catch(error => assert.equal(error.code, 'LEDGER_DAMAGED', why))
  }
  const lines = new Lines(store.end)
  await Promise.all(lines.take(20).map(line => store.append(line)))
  await store.close()
  const again = await openAt(dir)
  await again.close()
  assert.deepEqual(
    again.found.kind === 'intact' && [again.found.size, again.found.root],
    [lines.size, lines.root()],
    why,
  )
  return found
}

/** Every file of a store that has anything in it, but LevelDB's diary and the lock. */
export async function filesOf(dir: string): Promise<{ path: string; bytes: number }[]> {
  const names = await readdir(dir, { recursive: true })
  const files = await Promise.all(
    names.sort().map(async name => {
      const { size, isFile } = await stat(join(dir, name)).then(s => ({ size: s.size, isFile: s.isFile() }))
      return { path: join(dir, name), bytes: isFile && !/^lock|\/(LOG|LOG\.old|LOCK)$/.test(name) ? size : 0 }
    }),
  )
  return files.filter(file => file.bytes > 0)
}

/** Entries were missing in the ledger, and the marks had them. */
export function isPutBack(found: Found): boolean {
  return found.kind === 'intact' && found.flaws.some(flaw => flaw.endsWith('put back'))
}

/** How often each kind of thing was found, in words for a failure message. */
export function tally(found: readonly Found[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const one of found) {
    const kind = one.kind === 'lost' ? `lost: ${one.reason}` : isPutBack(one) ? 'put back' : one.kind
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
