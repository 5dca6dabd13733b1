import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Fault } from '../../ledger/fault.ts'
import { messageParcel, openParcel, placesParcel } from '../../mesh/lan/parcel.ts'
import type { Place } from '../../mesh/lan/place.ts'
import { suite } from '../suite.ts'

const test = suite('lan/parcel')

const place: fc.Arbitrary<Place> = fc.record({ host: fc.ipV4(), port: fc.nat(65_535) }, { noNullPrototype: true })
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/)
const placesOf = (text: string) => Buffer.concat([Buffer.of(2), Buffer.from(text)])

function faultOf(payload: Uint8Array): string {
  try {
    openParcel(payload)
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
  return ''
}

test('the bytes of a parcel are these', () => {
  assert.equal(Buffer.from(messageParcel('{"kind":"é"}')).toString('hex'), '017b226b696e64223a22c3a9227d')
  const places = new Map([
    ['anchor', [{ host: '10.0.0.2', port: 4500 }]],
    ['gate-01', []],
  ])
  assert.equal(Buffer.from(placesParcel(places)).toString('latin1'), '\x02{"anchor":["10.0.0.2:4500"],"gate-01":[]}')
})

test('a message opens to its very text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 200 }).filter(text => text.isWellFormed()),
      text => {
        assert.deepEqual(openParcel(messageParcel(text)), { kind: 'message', text })
      },
    ),
  )
})

test('a parcel is read from where it lies in a larger buffer', () => {
  const inside = Buffer.concat([Buffer.from('before'), messageParcel('word'), Buffer.from('after')]).subarray(6, 11)
  assert.deepEqual(openParcel(inside), { kind: 'message', text: 'word' })
})

test('places open to the same places', () => {
  const all = fc.dictionary(name, fc.array(place, { maxLength: 8 }), { maxKeys: 6 })
  fc.assert(
    fc.property(all, plain => {
      const places = new Map(Object.entries(plain))
      const parcel = openParcel(placesParcel(places))
      assert.equal(parcel.kind, 'places')
      if (parcel.kind === 'places') assert.deepEqual(new Map(parcel.places), places)
    }),
  )
})

test('any bytes at all are a parcel or a Fault', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), payload => void faultOf(payload)),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(fc.json(), text => void faultOf(placesOf(text))),
    { numRuns: 1000 },
  )
})

test('an empty parcel is a Fault like any other garbage', () => {
  assert.match(faultOf(new Uint8Array(0)), /parcel/)
})

test('what is wrong with places is said', () => {
  const table: [string, RegExp][] = [
    ['', /not JSON/],
    ['[]', /no object/],
    ['null', /no object/],
    ['7', /no object/],
    ['{"Gate 1":[]}', /not a name: "Gate 1"/],
    ['{"__proto__":["10.0.0.1:1"]}', /not a name/],
    ['{"gate-01":"10.0.0.1:1"}', /places of gate-01: not a list/],
    ['{"gate-01":[1]}', /places of gate-01: not a list/],
    [`{"gate-01":${JSON.stringify(Array(9).fill('10.0.0.1:1'))}}`, /at most 8/],
    ['{"gate-01":["mall.example:80"]}', /not an IPv4 address and port: "mall.example:80"/],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 2001 }, (_, k) => [`g${k}`, []]))), /more than 2000/],
  ]
  for (const [text, why] of table) assert.match(faultOf(placesOf(text)), why, text.slice(0, 60))
  assert.match(faultOf(Buffer.of(3, 1)), /no kind of parcel: 3/)
})

test('a long wrong name is not repeated in full', () => {
  assert.ok(faultOf(placesOf(`{"${'X'.repeat(100_000)}":[]}`)).length < 200)
})

test.run()
