// Whose store is being written: two disks have files of the same number, and a gate on one of them says nothing of the other.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLevelStore } from '../../ledger/level-store.ts'
import { leafHash } from '../../ledger/tree.ts'
import { copyDisk } from '../../tools/audit/sources/disk-copy.ts'
import { type Mount, mountTmpfs, whyNoMounts } from '../store/mount.ts'
import { suite } from '../suite.ts'

const test = suite('audit/locks')
const name = 'a gate that runs on another disk does not keep this one from being read'
const scratch = mkdtempSync(join(tmpdir(), 'locks-'))
const why = await whyNoMounts('tmpfs', scratch)

if (why === undefined) test(name, twoDisks)
else test.skip(name, why)

async function twoDisks(): Promise<void> {
  const mounts: Mount[] = []
  try {
    for (const disk of ['here', 'there']) {
      mkdirSync(join(scratch, disk))
      mounts.push(await mountTmpfs(join(scratch, disk), '8m'))
    }
    const [here = '', there = ''] = mounts.map(({ at }) => join(at, 'store'))
    for (const dir of [here, there]) {
      const store = await openLevelStore({ dir, name: 'gate-01' })
      await store.begin('gate-01/1', leafHash('charter').toString('base64'))
      await store.close()
    }
    const inodeOf = (dir: string) => statSync(join(dir, 'lock', 'LOCK')).ino
    assert.equal(inodeOf(here), inodeOf(there), 'the same steps on two fresh disks give the same numbers')
    const running = await openLevelStore({ dir: there, name: 'gate-01' })
    try {
      await assert.rejects(copyDisk(there), /a gate runs on it/)
      await (await copyDisk(here)).remove()
    } finally {
      await running.close()
    }
  } finally {
    for (const { remove } of mounts) await remove()
  }
}

test.run()
