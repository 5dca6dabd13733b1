// The contract of a cabinet, as claims. Level and its twin in memory both keep it.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Cabinet, Edit, Item, Span } from '../../mesh/archive/cabinet.ts'
import { type Suite, suite } from '../suite.ts'

export interface Place {
  open(): Promise<Cabinet>
  /** closes what is open and opens it again */
  again(cabinet: Cabinet): Promise<Cabinet>
  destroy(): Promise<void>
}

export async function all(cabinet: Cabinet, span: Partial<Span> = {}): Promise<Item[]> {
  const items: Item[] = []
  for await (const portion of cabinet.read({ from: '', to: '\u{10ffff}', ...span })) {
    assert.notEqual(portion.length, 0)
    items.push(...portion.map(([key, value]) => [key, value] as const))
  }
  return items
}

export function contract(title: string, makePlace: () => Promise<Place>): Suite {
  const test = suite(title)
  const claim = (name: string, act: (cabinet: Cabinet, place: Place) => Promise<Cabinet | undefined>) =>
    test(name, async () => {
      const place = await makePlace()
      const cabinet = await place.open()
      try {
        await (await act(cabinet, place))?.close()
        await cabinet.close()
      } finally {
        await place.destroy()
      }
    })

  claim('what was written is there, also after closing and opening; undefined removes', async (cabinet, place) => {
    assert.equal(await cabinet.get('a'), undefined)
    await cabinet.write([
      ['a', '1'],
      ['b', ''],
      ['c', 'zwölf 🚪'],
    ])
    await cabinet.write([
      ['a', undefined],
      ['never there', undefined],
      ['d', '4'],
    ])
    const found = [
      ['b', ''],
      ['c', 'zwölf 🚪'],
      ['d', '4'],
    ]
    assert.deepEqual(await all(cabinet), found)
    const next = await place.again(cabinet)
    assert.deepEqual(await all(next), found)
    assert.equal(await next.get('c'), 'zwölf 🚪')
    assert.equal(await next.get('a'), undefined)
    return next
  })

  claim('of two edits of one key in one write the later one stays', async cabinet => {
    await cabinet.write([
      ['a', '1'],
      ['a', '2'],
      ['b', '1'],
      ['b', undefined],
      ['c', undefined],
      ['c', '3'],
    ])
    assert.deepEqual(await all(cabinet), [
      ['a', '2'],
      ['c', '3'],
    ])
    return undefined
  })

  claim('keys are in the order of their bytes', async cabinet => {
    const keys = ['~', 'z', 'é', '\uffee', '🚪', '\ue000', 'a/2', 'a/10', 'a', 'a/', 'A', ' ', '一']
    await cabinet.write(keys.map(key => [key, key]))
    const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.deepEqual(
      (await all(cabinet)).map(([key]) => key),
      sorted,
    )
    return undefined
  })

  claim('a span is from a key on and before another, forwards or backwards, so many at most', async cabinet => {
    const keys = Array.from({ length: 1300 }, (_, n) => `k/${String(n).padStart(4, '0')}`)
    await cabinet.write(keys.map(key => [key, `${key}!`] as const).toReversed())
    for (const [from, to] of [
      ['', '~'],
      ['k/0010', 'k/0012'],
      ['k/0010', 'k/0010'],
      ['k/0012', 'k/0010'],
      ['k/00105', 'k/1299'],
      ['x', 'z'],
    ] as const) {
      const inside = keys.filter(key => key >= from && key < to).map(key => [key, `${key}!`])
      for (const limit of [0, 1, 2, 700, 5000]) {
        assert.deepEqual(await all(cabinet, { from, to, limit }), inside.slice(0, limit))
        assert.deepEqual(await all(cabinet, { from, to, limit, reverse: true }), inside.toReversed().slice(0, limit))
      }
      assert.deepEqual(await all(cabinet, { from, to }), inside)
    }
    return undefined
  })

  claim('a reading sees what was there when it began', async cabinet => {
    const edits = Array.from({ length: 2000 }, (_, n): Edit => [`k${String(n).padStart(5, '0')}`, 'old'])
    await cabinet.write(edits)
    const reading = cabinet.read({ from: 'k', to: 'l' })[Symbol.asyncIterator]()
    let seen = (await reading.next()).value?.length ?? 0
    await cabinet.write([...edits.map(([key]): Edit => [key, undefined]), ['k99999', 'new']])
    for (let step = await reading.next(); !step.done; step = await reading.next()) {
      for (const [, value] of step.value) assert.equal(value, 'old')
      seen += step.value.length
    }
    assert.equal(seen, 2000)
    assert.deepEqual(await all(cabinet), [['k99999', 'new']])
    return undefined
  })

  claim('writes asked for at once all happen, in order', async cabinet => {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        cabinet.write([
          ['last', String(n)],
          [`n/${n}`, 'x'],
        ]),
      ),
    )
    assert.equal(await cabinet.get('last'), '99')
    assert.equal((await all(cabinet, { from: 'n/', to: 'n0' })).length, 100)
    return undefined
  })

  claim('an empty write, and one with a key that is none, change nothing', async cabinet => {
    await cabinet.write([])
    await assert.rejects(cabinet.write([['', 'x']]), { name: 'BrokenLaw' })
    await assert.rejects(
      cabinet.write([
        ['a', 'x'],
        ['\u0001', 'x'],
      ]),
      { name: 'BrokenLaw' },
    )
    assert.deepEqual(await all(cabinet), [])
    return undefined
  })

  claim('closed is closed, twice too', async cabinet => {
    await cabinet.write([['a', '1']])
    await Promise.all([cabinet.close(), cabinet.close()])
    await cabinet.close()
    await assert.rejects(cabinet.get('a'), { code: 'CABINET_CLOSED' })
    await assert.rejects(all(cabinet), { code: 'CABINET_CLOSED' })
    await assert.rejects(cabinet.write([['a', '2']]), { code: 'CABINET_CLOSED' })
    return undefined
  })

  claim('it is a map, whatever is done to it', async cabinet => {
    const model = new Map<string, string>()
    const key = fc.constantFrom('a', 'a/1', 'a/2', 'b', 'bb', 'c', 'ü', '🚪')
    const edit = fc.tuple(key, fc.option(fc.string({ maxLength: 3 }), { nil: undefined }))
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 12 }), key, key, async (edits, from, to) => {
        await cabinet.write(edits)
        for (const [key, value] of edits) value === undefined ? model.delete(key) : model.set(key, value)
        const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
        const inside = [...model].filter(([key]) => order(key, from) >= 0 && order(key, to) < 0)
        assert.deepEqual(
          await all(cabinet, { from, to }),
          inside.toSorted(([a], [b]) => order(a, b)),
        )
      }),
      { numRuns: 60 },
    )
    return undefined
  })

  return test
}
