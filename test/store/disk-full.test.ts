// The disk is full in the middle of writing, stays so for a while, and has space again.

import assert from 'node:assert/strict'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { account } from '../../ledger/account.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import { suite } from '../suite.ts'
import { CHARTER, gather, Lines, NAME } from './lines.ts'
import { mountTmpfs, whyNoMounts } from './mount.ts'
import { below, ROUNDS, random, SEED, WRITE_BUFFER_BYTES, withFolder } from './ordeal.ts'

const test = suite('store/disk-full')
const draw = random(SEED)

const name = `${ROUNDS} times full and then not: nothing acknowledged is lost, and nothing that waited is dropped`
let why: string | undefined
await withFolder(async scratch => {
  why = await whyNoMounts('tmpfs', scratch)
})
if (why) test.skip(name, why)
else {
  test(name, () =>
    withFolder(async scratch => {
      const disk = await mountTmpfs(scratch, '10m')
      try {
        for (let round = 0; round < ROUNDS; round++) await fillAndFree(disk.at, round)
      } finally {
        await disk.remove()
      }
    }),
  )
}

async function fillAndFree(at: string, round: number): Promise<void> {
  const told = `seed ${SEED}, round ${round}`
  const dir = join(at, 'store')
  const ballast = join(at, 'ballast')
  const faults: string[] = []
  const options = { dir, name: NAME, writeBufferBytes: WRITE_BUFFER_BYTES }
  let changes = 0
  const store = await openLevelStore({
    ...options,
    onFault: fault => faults.push(fault.code),
    onState: () => changes++,
  })
  if (store.found.kind === 'blank') await store.begin(account(NAME, 1), CHARTER)
  assert.equal(store.found.kind, 'intact', told)

  // Some room is left, less than a table or more, so that logs, tables and manifests each get to be what fails.
  const { bavail, bsize } = await statfs(at)
  await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - (8 + below(draw, 120)) * 1024)))

  const lines = new Lines(store.end)
  let acknowledged = store.durable.size
  const waiting: Promise<void>[] = []
  const append = (count: number) => {
    for (const line of lines.take(count)) {
      waiting.push(
        store.append(line).then(size => {
          acknowledged = Math.max(acknowledged, size)
        }),
      )
    }
  }
  // Opening it again tidies up, and may make room for some more: full is what stays full.
  let rounds = 0
  let before = { changes, acknowledged }
  while (rounds < 4) {
    append(1 + below(draw, 20))
    await sleep(rounds === 0 ? 0 : 15)
    rounds = store.state === 'mending' && before.changes === changes ? rounds + 1 : 0
    if (rounds > 0) assert.equal(acknowledged, before.acknowledged, `${told}: acknowledged on a full disk`)
    before = { changes, acknowledged }
  }
  await rm(ballast)
  await Promise.all(waiting)
  assert.equal(acknowledged, lines.size, told)
  assert.equal(faults.length > 0, true, told)
  await store.close()

  const again = await openLevelStore(options)
  assert.deepEqual(
    again.found.kind === 'intact' && [again.found.size, again.found.root],
    [lines.size, lines.root()],
    told,
  )
  assert.deepEqual(await gather(again.range(0, lines.size)), new Lines().take(lines.size), told)
  await again.close()
  if ((await statfs(at)).bavail * bsize < 2 * 1024 * 1024) await rm(dir, { recursive: true })
}

test.run()
