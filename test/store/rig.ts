// Rig: stores on a disk that outlives them, for claims that hold on any disk.

import assert from 'node:assert/strict'
import { Keeper } from '../../ledger/keeper.ts'
import type { Medium } from '../../ledger/medium.ts'
import type { Found, LossReason, Store, StoreOptions } from '../../ledger/store.ts'
import type { Suite } from '../suite.ts'
import { Faulty } from './faulty.ts'
import { CHARTER, gather, Lines, NAME } from './lines.ts'

/** A disk that outlives the stores on it. Images are taken and restored while no store is open. */
export interface Disk {
  medium(): Medium
  image(): Promise<(what: 'ledger' | 'mark' | 'both') => Promise<void>>
  removeMark(): Promise<void>
  garbleMark(): Promise<void>
  removeLedger(epoch: number): Promise<void>
  destroy(): Promise<void>
}

export const FIRST = `${NAME}/1`
export const SECOND = `${NAME}/2`

/** `claim` is a test with a disk of its own. */
export function claims(test: Suite, makeDisk: () => Promise<Disk>) {
  return (name: string, act: (disk: Disk) => Promise<void>) =>
    test(name, async () => {
      const disk = await makeDisk()
      try {
        await act(disk)
      } finally {
        await disk.destroy()
      }
    })
}

export async function open(disk: Disk, options: Partial<StoreOptions> = {}) {
  const medium = new Faulty(disk.medium())
  const store = await Keeper.open(medium, { name: NAME, ...options })
  return { medium, store }
}

export async function begun(disk: Disk, options: Partial<StoreOptions> = {}) {
  const opened = await open(disk, options)
  await opened.store.begin(FIRST, CHARTER)
  opened.medium.log.length = 0
  return opened
}

/** Leaves a closed store with this many entries; returns the pen that goes on. */
export async function filled(disk: Disk, count: number): Promise<Lines> {
  const { store } = await begun(disk)
  const lines = new Lines()
  for (const line of lines.take(count)) await store.append(line)
  await store.close()
  return lines
}

export async function foundOn(disk: Disk): Promise<Found> {
  const { store } = await open(disk)
  await store.close()
  return store.found
}

export function assertLost(found: Found, reason: LossReason): void {
  assert.equal(found.kind === 'lost' ? found.reason : found.kind, reason)
}

/** The next epoch opens, works and is found again, and what is left of the one before can still be read. */
export async function goesOn(store: Store, disk: Disk): Promise<void> {
  await store.begin(SECOND, CHARTER)
  const lines = new Lines()
  for (const line of lines.take(3)) await store.append(line)
  assert.deepEqual(await store.accounts(), [FIRST, SECOND])
  for (const { seq, line } of await gather(store.salvage(FIRST))) assert.equal(line.startsWith(`{"seq":${seq},`), true)
  await store.close()
  const found = await foundOn(disk)
  assert.deepEqual(found.kind === 'intact' && [found.account, found.size, found.root], [SECOND, 3, lines.root()])
}
