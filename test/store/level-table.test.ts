import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { crc32c, tableFlaw } from '../../ledger/level-table.ts'
import { suite } from '../suite.ts'
import { filesOf, fill, random, withFolder } from './ordeal.ts'

const test = suite('store/level-table')

test('CRC-32C is that of RFC 3720', () => {
  assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
  assert.equal(crc32c(Buffer.alloc(32)), 0x8a9136aa)
  assert.equal(crc32c(Buffer.alloc(32, 0xff)), 0x62a8ab43)
})

test('a table as LevelDB wrote it has no flaw; with a bit flipped or its end cut it has', () =>
  withFolder(async dir => {
    await fill(dir, random(7), 700)
    const tables = (await filesOf(dir)).filter(file => file.path.endsWith('.ldb'))
    assert.equal(tables.length > 0, true, 'this many entries fill a table')
    for (const { path } of tables) {
      const table = await readFile(path)
      assert.equal(tableFlaw(table), undefined)
      for (let at = 0; at < table.length; at += at < table.length - 600 ? 131 : 1) {
        for (let bit = 0; bit < 8; bit++) {
          table[at] = (table[at] as number) ^ (1 << bit)
          // The footer is padded to a fixed length, and nobody reads the padding.
          const padding = at >= table.length - 48 && at < table.length - 8
          if (!padding) assert.notEqual(tableFlaw(table), undefined, `bit ${bit} of byte ${at} of ${table.length}`)
          table[at] = (table[at] as number) ^ (1 << bit)
        }
      }
      for (let left = 0; left < table.length; left += 97) {
        assert.notEqual(tableFlaw(table.subarray(0, left)), undefined, `${left} of ${table.length} bytes`)
      }
    }
  }))

test.run()
