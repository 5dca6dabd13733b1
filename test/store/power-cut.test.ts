// The plug is pulled while a store is being written: whatever was not flushed by then is gone, in any order.

import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Found } from '../../ledger/store.ts'
import { suite } from '../suite.ts'
import { NAME } from './lines.ts'
import { LoopDisk, whyNoMounts } from './mount.ts'
import { below, ROUNDS, random, SEED, standsUp, tally, withFolder } from './ordeal.ts'

const test = suite('store/power-cut')
const draw = random(SEED)

const name = `${ROUNDS} power cuts: every acknowledged entry is there`
let why: string | undefined
await withFolder(async scratch => {
  why = await whyNoMounts('ext4', scratch)
})
if (why) test.skip(name, why)
else {
  test(name, () =>
    withFolder(async scratch => {
      const disk = await LoopDisk.make(scratch)
      const found: Found[] = []
      let size = 0
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const told = `seed ${SEED}, round ${round}`
          // A young store and one that went through cuts before.
          if (round % 4 === 0) size = 0
          const dir = join(disk.at, `store-${Math.floor(round / 4)}`)
          size = await writeUntilCut(disk, dir, size, told)
          found.push(await standsUp(dir, { account: `${NAME}/1`, size }, told))
        }
      } finally {
        await disk.remove()
      }
      const { intact = 0, 'put back': putBack = 0 } = tally(found)
      assert.equal(
        intact + putBack,
        ROUNDS,
        `seed ${SEED}: nothing is lost to a power cut: ${JSON.stringify(tally(found))}`,
      )
      assert.equal(putBack > 0, true, `seed ${SEED}: no cut came between a mark and its ledger`)
    }),
  )
}

/** Returns what was acknowledged before the cut. */
async function writeUntilCut(disk: LoopDisk, dir: string, before: number, told: string): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts'), dir, String(below(draw, 1e9))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let acknowledged = before
  try {
    const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    assert.match((await said.next()).value ?? 'nothing', /^found intact /, told)
    // Opening a store takes longer than most cuts would wait.
    acknowledged = sizeIn((await said.next()).value ?? 'nothing')
    const ended = (async () => {
      for (let line = await said.next(); !line.done; line = await said.next()) {
        acknowledged = sizeIn(line.value)
      }
    })()
    await sleep(below(draw, 150))
    await stopped(child)
    await disk.cutPower()
    child.kill('SIGKILL')
    await ended
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await disk.remove()
    await disk.mount()
  }
  assert.equal(acknowledged > before, true, `${told}: cut before anything was written`)
  return acknowledged
}

function sizeIn(line: string): number {
  assert.match(line, /^acknowledged [0-9]+$/)
  return Number(line.slice('acknowledged '.length))
}

/** A process that runs on after the cut reads what never reached the disk, and acknowledges it. */
async function stopped(child: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  child.kill('SIGSTOP')
  while (!/^State:\s+T/m.test(await readFile(`/proc/${child.pid}/status`, 'utf8'))) await sleep(1)
}

test.run()
