import assert from 'node:assert/strict'
import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatFile, formatSlot, MarkFile, newestSlot, slotOffset } from '../../ledger/mark.ts'
import { suite } from '../suite.ts'
import { CHARTER, Lines, NAME } from './lines.ts'
import { fill, openAt, random, withFolder } from './ordeal.ts'

const test = suite('store/mark')
const mark = (size: number) => ({ account: 'gate-07/3', size, root: CHARTER })

/** As another process finds it. */
const readBack = (path: string) => new MarkFile(path).read()

test('a slot is text that anyone can read', () => {
  const lines = formatSlot({ serial: 12, mark: mark(18423) })
    .toString()
    .replace(/\0+$/, '')
    .split('\n')
  assert.deepEqual(lines, [
    'gatemesh mark 1',
    '12',
    'gate-07/3',
    '18423',
    CHARTER,
    // sha256sum of the lines above says so too
    'hcRsnUCix5EqRqeDoxomjklhyfv9NPYshIgYlnd9TNE=',
    '',
  ])
})

test('what was written is read back, by whoever asks', () =>
  withFolder(async dir => {
    const path = join(dir, 'mark')
    assert.equal(await readBack(path), undefined)
    const file = new MarkFile(path)
    for (let size = 0; size < 7; size++) {
      await file.write(mark(size))
      assert.deepEqual(await readBack(path), mark(size))
    }
    await file.close()
    const other = new MarkFile(path)
    await other.write(mark(7))
    assert.deepEqual(await readBack(path), mark(7))
    await other.close()
  }))

test('a write torn after any byte leaves the mark before it or the new one', () => {
  for (const serial of [8, 9]) {
    const before = formatFile({ serial, mark: mark(8) })
    formatSlot({ serial: serial - 1, mark: mark(7) }).copy(before, slotOffset(serial - 1))
    const slot = formatSlot({ serial: serial + 1, mark: mark(9) })
    for (let bytes = 0; bytes <= slot.length; bytes++) {
      const torn = Buffer.from(before)
      slot.copy(torn, slotOffset(serial + 1), 0, bytes)
      const size = newestSlot(torn)?.mark.size
      assert.equal(size === 8 || size === 9, true, `${bytes} bytes: ${size}`)
    }
  }
})

test('a flipped bit anywhere in a slot makes it unreadable or changes nothing', () => {
  const slot = { serial: 3, mark: mark(18423) }
  const file = formatFile(slot)
  for (let at = 0; at < file.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      file[at] = (file[at] as number) ^ (1 << bit)
      const read = newestSlot(file)
      if (read !== undefined) assert.deepEqual(read, slot)
      file[at] = (file[at] as number) ^ (1 << bit)
    }
  }
})

test('a mark that cannot be read is garbled, and is replaced by the next write', () =>
  withFolder(async dir => {
    const path = join(dir, 'mark')
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(10_000, 'x'), Buffer.from('gatemesh mark 1\n')]) {
      await writeFile(path, bytes)
      assert.equal(await readBack(path), 'garbled')
      const file = new MarkFile(path)
      await file.write(mark(5))
      assert.deepEqual(await readBack(path), mark(5))
      await file.close()
    }
  }))

test('a write that fails spares the newest mark, and so does the one after it', () =>
  withFolder(async dir => {
    const path = join(dir, 'mark')
    const file = new MarkFile(path)
    for (let size = 0; size < 3; size++) await file.write(mark(size))
    await file.close()
    await rename(path, `${path}.away`)
    await mkdir(path)
    await assert.rejects(file.write(mark(3)), { code: 'EISDIR' })
    await rmdir(path)
    await rename(`${path}.away`, path)
    await file.write(mark(3))
    await file.close()
    const bytes = await readFile(path)
    assert.equal(newestSlot(bytes)?.mark.size, 3)
    bytes.fill(0, slotOffset(newestSlot(bytes)?.serial ?? 0), slotOffset(newestSlot(bytes)?.serial ?? 0) + 512)
    assert.equal(newestSlot(bytes)?.mark.size, 2)
  }))

test('with either slot spoilt a new epoch does not fall back to the one before', async () => {
  for (const at of [0, 4096]) {
    await withFolder(async dir => {
      await fill(dir, random(1), 10)
      const store = await openAt(dir)
      await store.begin(`${NAME}/2`, CHARTER)
      await store.close()
      const bytes = await readFile(join(dir, 'mark'))
      bytes.fill('x', at, at + 512)
      await writeFile(join(dir, 'mark'), bytes)
      const again = await openAt(dir)
      assert.equal(again.found.kind === 'intact' && again.found.account, `${NAME}/2`)
      await again.append(new Lines().next())
      await again.close()
    })
  }
})

test.run()
