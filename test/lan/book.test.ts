import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Book } from '../../mesh/lan/book.ts'
import { type Place, placeText } from '../../mesh/lan/place.ts'
import { suite } from '../suite.ts'

const test = suite('lan/book')

const at = (...ports: number[]): Place[] => ports.map(port => ({ host: '10.0.0.1', port }))
const book = (fixed: Record<string, Place[]> = {}) => new Book(new Map(Object.entries(fixed)))
const ports = (of: Book, name = 'east') => of.places(name).map(({ port }) => port)

test("a restarted member's own word replaces what it said before", () => {
  const b = book()
  assert.equal(b.sawItself('east', at(1, 2)), true)
  assert.equal(b.sawItself('east', at(3)), true)
  assert.deepEqual(ports(b), [3])
})

test('the same places in another order are no news', () => {
  const b = book()
  b.sawItself('east', at(1, 2))
  assert.equal(b.sawItself('east', at(2, 1)), false)
  assert.equal(b.sawItself('east', at(2)), true)
})

test('what others say fills a gap, behind what the member says itself', () => {
  const b = book()
  assert.equal(b.wasTold('east', at(9)), true)
  assert.deepEqual(ports(b), [9])
  b.sawItself('east', at(1))
  assert.deepEqual(ports(b), [1, 9])
  assert.equal(b.wasTold('east', at(1, 9)), false)
  assert.deepEqual(ports(b), [1, 9])
})

test('what others say never takes away what the member said, nor what the config says', () => {
  const b = book({ east: at(7) })
  b.sawItself('east', at(1))
  for (let port = 100; port < 200; port++) b.wasTold('east', at(port, port + 1, port + 2, port + 3, port + 4))
  assert.equal(ports(b)[0], 1)
  assert.ok(ports(b).includes(7))
})

test('static places stay, last', () => {
  const b = book({ east: at(7) })
  assert.deepEqual(ports(b), [7])
  assert.equal(b.wasTold('east', at(7)), false)
  b.sawItself('east', at(1))
  assert.deepEqual(ports(b), [1, 7])
  b.sawItself('east', at(2))
  assert.deepEqual(ports(b), [2, 7])
})

test('of one nobody knows there is nothing, and asking leaves no trace', () => {
  assert.deepEqual(book().places('west'), [])
})

test('whatever is said: no place twice, never more than eight, own word first, static ones among them', () => {
  const some = fc.array(fc.nat(30), { maxLength: 6 })
  const word = fc.record({ isOwn: fc.boolean(), ports: some })
  const fixed = fc.array(fc.nat(30), { maxLength: 4 })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fixed, (words, always) => {
      const b = book({ east: at(...always) })
      let own: number[] = []
      for (const { isOwn, ports: said } of words) {
        if (isOwn) own = said.slice(0, 4)
        if (isOwn) b.sawItself('east', at(...said))
        else b.wasTold('east', at(...said))
      }
      const all = b.places('east').map(placeText)
      assert.equal(new Set(all).size, all.length)
      assert.ok(all.length <= 8)
      const mine = [...new Set(own)]
      assert.deepEqual(ports(b).slice(0, mine.length).sort(), mine.sort())
      for (const port of always) assert.ok(ports(b).includes(port) || all.length === 8)
    }),
  )
})

test.run()
