import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Fault } from '../../ledger/fault.ts'
import { isLoopback, type Place, parsePlace, placeText } from '../../mesh/lan/place.ts'
import { suite } from '../suite.ts'

const test = suite('lan/place')

const place: fc.Arbitrary<Place> = fc.record({ host: fc.ipV4(), port: fc.nat(65_535) }, { noNullPrototype: true })

test('a place reads back as it was written', () => {
  fc.assert(fc.property(place, at => assert.deepEqual(parsePlace(placeText(at)), at)))
})

test('what is no address and port is refused by name', () => {
  const wrong = [
    '',
    ':',
    '10.0.0.1',
    '10.0.0.1:',
    ':4501',
    '10.0.0.1:65536',
    '10.0.0.1:-1',
    '10.0.0.1:1e3',
    '10.0.0.1: 80',
    '10.0.0.256:1',
    '10.0.0:1',
    '10.0.0.1.2:1',
    '10.0.0.1.:1',
    '::1:4501',
    '[::1]:4501',
    'gate-01.mall:4501',
    ' 10.0.0.1:4501',
    '10.0.0.1:4501\n',
    '10.0.0.1:000080',
  ]
  for (const text of wrong) {
    assert.throws(
      () => parsePlace(text),
      (error: unknown) =>
        error instanceof Fault && error.code === 'PLACE' && error.message.includes(JSON.stringify(text)),
      text,
    )
  }
})

test('any text is a place or a Fault', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0129.:-x ') }), text => {
      try {
        const { host, port } = parsePlace(text)
        assert.match(host, /^\d+\.\d+\.\d+\.\d+$/)
        assert.ok(port >= 0 && port <= 65_535)
      } catch (error) {
        assert.ok(error instanceof Fault, String(error))
      }
    }),
  )
})

test('only 127.* is loopback', () => {
  assert.equal(isLoopback({ host: '127.0.0.1', port: 1 }), true)
  assert.equal(isLoopback({ host: '127.9.9.9', port: 1 }), true)
  assert.equal(isLoopback({ host: '12.7.0.1', port: 1 }), false)
  assert.equal(isLoopback({ host: '128.0.0.1', port: 1 }), false)
})

test.run()
