import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitId } from '../../../hardware/counting/exit-id.ts'
import type { CounterMemory } from '../../../hardware/counting/memory.ts'
import { MemoryFile } from '../../../hardware/counting/memory-file.ts'
import { HardwareFault } from '../../../hardware/turnstile.ts'
import { isUuid7 } from '../../../ledger/line.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/counting/memory-file')

const NORTH: CounterMemory = {
  device: 'north/lot',
  since: 1_790_000_000_000,
  in: 12,
  out: 7,
  at: 1_790_000_060_000,
  pending: [{ id: exitId({ device: 'north/lot', since: 1, value: 7 }), confidence: 1000 }],
  grants: ['g1'],
}
const isDamage = (error: unknown) => error instanceof HardwareFault && error.code === 'MEMORY'

async function inFolder(act: (path: string, dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'memory-'))
  try {
    await act(join(dir, 'counters'), dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

test('where nothing was kept there is nothing, and that is no fault', () =>
  inFolder(async path => {
    assert.equal(await new MemoryFile(path).load('north'), undefined)
  }))

test('what was kept is there after a restart, lane by lane', () =>
  inFolder(async (path, dir) => {
    const file = new MemoryFile(path)
    const south = { ...NORTH, device: 'south/lot', out: 9 }
    await Promise.all([file.save('north', NORTH), file.save('south', south)])
    const again = new MemoryFile(path)
    assert.deepEqual(await again.load('north'), NORTH)
    assert.deepEqual(await again.load('south'), south)
    assert.deepEqual(readdirSync(dir), ['counters'], 'and nothing else lies around')
  }))

test('of many writes at once the last of each lane is kept, and each is kept when it resolves', () =>
  inFolder(async path => {
    const file = new MemoryFile(path)
    const saves = Array.from({ length: 50 }, async (_, k) => {
      await file.save('north', { ...NORTH, out: k })
      assert.ok(((await new MemoryFile(path).load('north'))?.out ?? -1) >= k)
    })
    await Promise.all(saves)
    assert.equal((await new MemoryFile(path).load('north'))?.out, 49)
  }))

test('any damage, wherever it is, is found, set aside, and followed by a fresh file', () =>
  inFolder(async (path, dir) => {
    await new MemoryFile(path).save('north', NORTH)
    const whole = readFileSync(path)
    const damages = [
      ...Array.from(whole.keys(), at => whole.map((byte, k) => (k === at ? byte ^ 1 : byte))),
      ...[0, 1, whole.length >> 1, whole.length - 1].map(length => whole.subarray(0, length)),
      Buffer.concat([whole, whole]),
    ]
    for (const damage of damages) {
      writeFileSync(path, damage)
      const file = new MemoryFile(path)
      await assert.rejects(file.load('north'), isDamage)
      assert.ok(existsSync(join(dir, 'counters.damaged')))
      assert.ok(!existsSync(path))
    }
    const file = new MemoryFile(path)
    await file.save('north', NORTH)
    assert.deepEqual(await new MemoryFile(path).load('north'), NORTH)
  }))

test('who saves after a damaged file was loaded begins anew', () =>
  inFolder(async path => {
    writeFileSync(path, '{"lanes":{}}\nno such hash\n')
    const file = new MemoryFile(path)
    await assert.rejects(file.load('north'), isDamage)
    await file.save('north', NORTH)
    assert.deepEqual(await new MemoryFile(path).load('north'), NORTH)
  }))

test('a folder that is not there or takes nothing rejects the write and says why', () =>
  inFolder(async (_path, dir) => {
    await assert.rejects(new MemoryFile(join(dir, 'gone', 'counters')).save('north', NORTH), { code: 'ENOENT' })
    const folder = join(dir, 'taken')
    mkdirSync(folder)
    await assert.rejects(new MemoryFile(folder).load('north'), isDamage)
  }))

test('after a write that failed the next one works', () =>
  inFolder(async (_path, dir) => {
    const path = join(dir, 'later', 'counters')
    const file = new MemoryFile(path)
    await assert.rejects(file.save('north', NORTH), { code: 'ENOENT' })
    mkdirSync(join(dir, 'later'))
    await file.save('north', NORTH)
    assert.deepEqual(await new MemoryFile(path).load('north'), NORTH)
  }))

test('exit ids are the same for the same exit, of one shape, and another for every other', () => {
  const a = { device: 'north/lot', since: 1_790_000_000_000, value: 7 }
  assert.equal(exitId(a), exitId({ ...a }))
  const others = [
    { ...a, value: 8 },
    { ...a, since: a.since + 1 },
    { ...a, device: 'south/lot' },
    { ...a, value: -1 },
  ]
  const ids = [a, ...others].map(exitId)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every(isUuid7))
})

test.run()
