import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MarkFile } from '../../ledger/mark.ts'
import { formatFile, formatSlot, joined, readSlots, slotOffset } from '../../ledger/slot.ts'
import { type Mark, STORE_LIMITS } from '../../ledger/store.ts'
import { suite } from '../suite.ts'
import { CHARTER, Lines, NAME } from './lines.ts'
import { fill, openAt, random, withFolder } from './ordeal.ts'

const test = suite('store/mark')
const mark = (size: number, tail: readonly string[] = []) => ({ account: 'gate-07/3', size, root: CHARTER, tail })
const newestOf = (file: Buffer) => readSlots(file)[0]

/** As another process finds it. */
const readBack = (path: string) => new MarkFile(path).read()

test('a slot is text that anyone can read', () => {
  const slot = formatSlot({ serial: 12, mark: mark(18423, ['{"seq":18421}', '{"seq":18422,"é":1}']) })
  for (const copy of [slot.subarray(0, 4096), slot.subarray(4096)]) {
    assert.deepEqual(copy.toString().replace(/\0+$/, '').split('\n'), [
      'gatemesh mark 2',
      '12',
      'gate-07/3',
      '18423',
      CHARTER,
      '2',
      '{"seq":18421}',
      '{"seq":18422,"é":1}',
      // sha256sum of the lines above says so too
      'Zdt8bfMeywCNRY8+l8+u5anT1Zywh+UCPhEC4Hk0UkA=',
      '',
    ])
  }
})

test('so is one with notes that came with the lines', () => {
  const change = ['note/modes', 'checksum\nthe "mode"\n'] as const
  const slot = { serial: 12, mark: { ...mark(3, ['{"seq":2}']), notes: [{ size: 3, change }] } }
  const [copy] = formatSlot(slot).toString().split('\0')
  assert.deepEqual(copy?.split('\n').slice(0, -2), [
    'gatemesh mark 3',
    '12',
    'gate-07/3',
    '3',
    CHARTER,
    '1',
    '1',
    '{"seq":2}',
    '["note/modes","checksum\\nthe \\"mode\\"\\n"]',
  ])
  assert.deepEqual(newestOf(formatFile(slot)), slot)
})

test('a mark with notes that nobody wrote so is none, whatever its hash says', () => {
  const read = (note: string) => {
    const lines = ['gatemesh mark 3', '12', 'gate-07/3', '3', CHARTER, '0', '1', note]
    const body = `${lines.join('\n')}\n`
    return readSlots(Buffer.from(`${body}${hash('sha256', body, 'base64')}\n`)).length
  }
  assert.equal(read('["note/modes","a"]'), 1)
  for (const note of ['no JSON', '{}', 'null', '["note/modes"]', '["note/modes",7]', '["note/modes","a","b"]'])
    assert.equal(read(note), 0, note)
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

test('a mark of format 1 is read, and replaced by the next write', () =>
  withFolder(async dir => {
    const path = join(dir, 'mark')
    const body = `gatemesh mark 1\n12\ngate-07/3\n18423\n${CHARTER}\n`
    const bytes = Buffer.alloc(4608)
    bytes.write(`${body}hcRsnUCix5EqRqeDoxomjklhyfv9NPYshIgYlnd9TNE=\n`)
    await writeFile(path, bytes)
    assert.deepEqual(await readBack(path), mark(18423))
    const file = new MarkFile(path)
    await file.write(mark(18424, ['a line']))
    assert.deepEqual(await readBack(path), mark(18424, ['a line']))
    await file.close()
    assert.equal(newestOf(await readFile(path))?.serial, 13)
  }))

test('marks tell all lines that lead up to the newest, and none across a gap', () => {
  const of = (...marks: Mark[]) => joined(marks)?.tail
  assert.deepEqual(of(mark(9, ['7', '8']), mark(7, ['6']), mark(6, ['5'])), ['5', '6', '7', '8'])
  assert.deepEqual(of(mark(9, ['7', '8']), mark(7), mark(7, ['6'])), ['6', '7', '8'])
  assert.deepEqual(of(mark(9, ['7', '8']), mark(6, ['5'])), ['7', '8'])
  assert.deepEqual(of(mark(9, ['7', '8']), { ...mark(7, ['6']), account: 'gate-07/2' }), ['7', '8'])
  assert.deepEqual(of(mark(9), mark(8, ['7'])), [])
  assert.equal(of(), undefined)
})

test('as many marks are kept with their lines as are promised', () =>
  withFolder(async dir => {
    const path = join(dir, 'mark')
    const file = new MarkFile(path)
    const { marks, tailBytesMax } = STORE_LIMITS
    const long = 'x'.repeat(tailBytesMax / 2)
    for (let size = 2; size <= 80; size += 2) await file.write(mark(size, [`${size - 2} ${long}`, `${size - 1}`]))
    await file.close()
    const read = await readBack(path)
    const tail = typeof read === 'object' ? (read.tail ?? []) : []
    const from = 80 - 2 * marks
    assert.deepEqual(
      tail.map(line => Number(line.split(' ')[0])),
      Array.from({ length: 2 * marks }, (_, k) => from + k),
    )
  }))

test('a write torn after any byte leaves the mark before it or the new one', () => {
  for (const serial of [8, 9]) {
    const before = formatFile({ serial, mark: mark(8) })
    formatSlot({ serial: serial - 1, mark: mark(7) }).copy(before, slotOffset(serial - 1))
    const slot = formatSlot({ serial: serial + 1, mark: mark(9) })
    const torn = Buffer.from(before)
    for (let bytes = 0; bytes <= slot.length; bytes++) {
      slot.copy(torn, slotOffset(serial + 1), 0, bytes)
      const size = newestOf(torn)?.mark.size
      assert.equal(size === 8 || size === 9, true, `${bytes} bytes: ${size}`)
    }
  }
})

test('a flipped bit anywhere in a slot changes nothing: there are two of it', () => {
  const slot = { serial: 3, mark: mark(18423, ['{"seq":18422}']) }
  const file = formatFile(slot)
  const at = slotOffset(slot.serial)
  for (const copy of [at, at + 4096]) {
    for (let byte = copy; byte < copy + 300; byte++) {
      for (let bit = 0; bit < 8; bit++) {
        file[byte] = (file[byte] as number) ^ (1 << bit)
        assert.deepEqual(newestOf(file), slot)
        file[byte] = (file[byte] as number) ^ (1 << bit)
      }
    }
  }
  file[at] = 0
  file[at + 4096] = 0
  assert.deepEqual(readSlots(file), [])
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
    assert.equal(newestOf(bytes)?.mark.size, 3)
    const at = slotOffset(newestOf(bytes)?.serial ?? 0)
    bytes.fill(0, at, at + 8192)
    assert.equal(newestOf(bytes)?.mark.size, 2)
  }))

test('with either slot spoilt a new epoch does not fall back to the one before', async () => {
  for (const which of [0, 1]) {
    await withFolder(async dir => {
      await fill(dir, random(1), 10)
      const store = await openAt(dir)
      await store.begin(`${NAME}/2`, CHARTER)
      await store.close()
      const bytes = await readFile(join(dir, 'mark'))
      const serials = new Set(readSlots(bytes).map(({ serial }) => serial))
      const at = slotOffset([...serials][which] as number)
      bytes.fill('x', at, at + 8192)
      await writeFile(join(dir, 'mark'), bytes)
      const again = await openAt(dir)
      assert.equal(again.found.kind === 'intact' && again.found.account, `${NAME}/2`)
      await again.append(new Lines().next())
      await again.close()
    })
  }
})

test.run()
