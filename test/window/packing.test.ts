import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { packer, takesGzip } from '../../mesh/window/packing.ts'
import { suite } from '../suite.ts'

const test = suite('window/packing')

test('gzip goes to whoever says that they take it, and to nobody else', () => {
  const yes = ['gzip', 'gzip, deflate, br, zstd', 'br;q=1.0, gzip;q=0.8', 'GZIP;q=1', ' deflate , gzip ']
  const no = [undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.0', 'gzipped', '*;q=0', 'x-gzip']
  for (const accepts of yes) assert.equal(takesGzip(accepts), true, accepts)
  for (const accepts of no) assert.equal(takesGzip(accepts), false, accepts)
})

test('a file is packed once, and unpacks to itself', () => {
  const packed = packer()
  const file = { text: 'üb'.repeat(5000) }
  assert.equal(gunzipSync(packed(file)).toString('utf8'), file.text)
  assert.ok(packed(file).length < 1000)
  assert.equal(packed(file), packed(file), 'the very same bytes')
  assert.notEqual(packed(file), packed({ ...file }))
})

test.run()
