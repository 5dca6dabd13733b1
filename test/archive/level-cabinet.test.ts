import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fault } from '../../ledger/fault.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import { openLevelCabinet } from '../../mesh/archive/level-cabinet.ts'
import { mountTmpfs, whyNoMounts } from '../store/mount.ts'
import { all, contract } from './cabinet-contract.ts'

const home = () => mkdtemp(join(tmpdir(), 'gatemesh-cabinet-'))

const test = contract('archive/level-cabinet', async () => {
  const folder = await home()
  const dir = join(folder, 'deep', 'cabinet')
  return {
    open: () => openLevelCabinet({ dir }),
    again: async cabinet => {
      await cabinet.close()
      return openLevelCabinet({ dir })
    },
    destroy: () => rm(folder, { recursive: true, force: true }),
  }
})

/** A cabinet with some writes, small enough buffers to have tables too, and closed. */
async function filled(dir: string, writes: number): Promise<void> {
  const cabinet = await openLevelCabinet({ dir, writeBufferBytes: 64 * 1024 })
  for (let n = 0; n < writes; n++) await cabinet.write([[`k/${String(n).padStart(6, '0')}`, 'x'.repeat(8000)]])
  await cabinet.close()
}

async function within(act: (dir: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await home()
  try {
    await act(join(folder, 'cabinet'), folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function reopened(dir: string): Promise<{ cabinet: Cabinet; faults: Fault[] }> {
  const faults: Fault[] = []
  const cabinet = await openLevelCabinet({ dir, onFault: fault => faults.push(fault) })
  return { cabinet, faults }
}

test('one process at a time, and the other is told so', () =>
  within(async dir => {
    const cabinet = await openLevelCabinet({ dir })
    await assert.rejects(openLevelCabinet({ dir }), { code: 'CABINET_LOCKED' })
    await cabinet.write([['a', '1']])
    await cabinet.close()
    const { cabinet: next, faults } = await reopened(dir)
    assert.deepEqual(await all(next), [['a', '1']])
    assert.deepEqual(faults, [])
    await next.close()
  }))

for (const [what, spoil] of [
  ['a flipped bit in a table', (dir: string) => flip(dir, /\.ldb$/)],
  ['a lost CURRENT', (dir: string) => rm(join(dir, 'CURRENT'))],
  ['a lost manifest', (dir: string) => remove(dir, /^MANIFEST/)],
  ['a lost table', (dir: string) => remove(dir, /\.ldb$/)],
] as const) {
  test(`${what} is reported, what is left is kept aside, and a new cabinet is begun`, () =>
    within(async (dir, folder) => {
      await filled(dir, 30)
      for (const number of [1, 2]) {
        await spoil(dir)
        const { cabinet, faults } = await reopened(dir)
        assert.deepEqual([...new Set(faults.map(fault => fault.code))], ['CABINET_DAMAGED'])
        assert.match(faults.at(-1)?.message ?? '', new RegExp(`kept as .*cabinet\\.damaged-${number} and begun anew`))
        assert.deepEqual(await all(cabinet), [])
        await cabinet.close()
        assert.ok((await readdir(folder)).includes(`cabinet.damaged-${number}`))
        await filled(dir, 30)
      }
    }))
}

test('a record that is lost from the middle of the log does not go unnoticed', () =>
  within(async dir => {
    const cabinet = await openLevelCabinet({ dir })
    // in blocks of 32 KiB: LevelDB drops the rest of the spoilt one and reads on in the next
    for (let n = 0; n < 30; n++) await cabinet.write([[`k/${n}`, 'x'.repeat(5000)]])
    await cabinet.close()
    const [log] = (await readdir(dir)).filter(name => name.endsWith('.log'))
    const path = join(dir, log as string)
    const bytes = await readFile(path)
    bytes[50_000] = (bytes[50_000] as number) ^ 1
    await writeFile(path, bytes)
    const { cabinet: next, faults } = await reopened(dir)
    assert.match(faults[0]?.message ?? '', /^write [0-9]+ is missing in /)
    assert.deepEqual(await all(next), [])
    await next.close()
  }))

test('logs and tables in good order are all there again', () =>
  within(async dir => {
    await filled(dir, 30)
    assert.ok((await matching(dir, /\.ldb$/)).length > 0)
    const { cabinet, faults } = await reopened(dir)
    assert.deepEqual(faults, [])
    assert.equal((await all(cabinet)).length, 30)
    await cabinet.close()
    assert.deepEqual(
      (await readdir(dir)).filter(name => name.endsWith('.flawed')),
      [],
    )
  }))

const noTmpfs = await (async () => {
  const scratch = await home()
  const why = await whyNoMounts('tmpfs', scratch)
  await rm(scratch, { recursive: true, force: true })
  return why
})()
const full = 'a full disk rejects writes, keeps what was acknowledged, and writing works again once there is room'
if (noTmpfs) test.skip(full, noTmpfs)
else {
  test(full, () =>
    within(async (_, folder) => {
      const mount = await mountTmpfs(folder, '3m')
      try {
        const filler = join(mount.at, 'filler')
        await writeFile(filler, Buffer.alloc(1024 * 1024))
        const { cabinet, faults } = await reopened(join(mount.at, 'cabinet'))
        const acknowledged: string[] = []
        let refused = 0
        for (let n = 0; refused < 5; n++) {
          assert.ok(n < 1000, 'the disk never got full')
          const key = `k/${String(n).padStart(4, '0')}`
          await cabinet.write([[key, `${n}`.repeat(8000)]]).then(
            () => acknowledged.push(key),
            (error: Fault) => {
              assert.equal(error.code, 'CABINET_IO')
              refused++
            },
          )
        }
        assert.ok(faults.length >= 5)
        await rm(filler)
        await cabinet.write([['then', 'room']])
        const keys = (await all(cabinet)).map(([key]) => key)
        for (const key of [...acknowledged, 'then']) assert.ok(keys.includes(key), `${key} was acknowledged`)
        await cabinet.close()
        const { cabinet: next, faults: later } = await reopened(join(mount.at, 'cabinet'))
        assert.deepEqual(later, [])
        assert.deepEqual(
          (await all(next)).map(([key]) => key),
          keys,
        )
        await next.close()
      } finally {
        await mount.remove()
      }
    }),
  )
}

async function flip(dir: string, which: RegExp): Promise<void> {
  const path = join(dir, (await matching(dir, which))[0] as string)
  const bytes = await readFile(path)
  // in the middle of a value, where nobody would notice
  const at = bytes.length >> 1
  bytes[at] = (bytes[at] as number) ^ 4
  await writeFile(path, bytes)
}

async function remove(dir: string, which: RegExp): Promise<void> {
  for (const name of await matching(dir, which)) await rm(join(dir, name))
}

async function matching(dir: string, which: RegExp): Promise<string[]> {
  const names = (await readdir(dir)).filter(name => which.test(name))
  assert.notEqual(names.length, 0, `no ${which} in ${dir}`)
  return names
}

test.run()
