// Xml: is this text well-formed, and which elements are in it? Strict about what our drawings use, and knows nothing else: no
// comments, no declarations, no entities but numeric ones.

import assert from 'node:assert/strict'

export interface Element {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
}

const TAG = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g
const TEXT = /[^<]*/y
const STRAY = /&(?!#\d+;)/

export function elementsOf(xml: string): Element[] {
  const open: string[] = []
  const found: { name: string; attributes: Map<string, string>; text: string }[] = []
  let roots = 0
  for (let at = 0; at < xml.length; ) {
    TEXT.lastIndex = at
    const text = TEXT.exec(xml)?.[0] ?? ''
    assert.ok(!STRAY.test(text), `a stray & in ${text}`)
    assert.ok(open.length > 0 || text.trim() === '', `text outside of everything: ${text}`)
    if (text !== '') (found.at(-1) as { text: string }).text += text
    at += text.length
    if (at === xml.length) break
    TAG.lastIndex = at
    const tag = TAG.exec(xml) ?? assert.fail(`not a tag: ${xml.slice(at, at + 80)}`)
    const [whole, closing, name = '', attributes = '', empty] = tag
    at += whole.length
    if (closing) {
      assert.equal(open.pop(), name, `</${name}> closes what is not open`)
      continue
    }
    if (open.length === 0) roots++
    const pairs = [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, value] as const)
    assert.equal(new Set(pairs.map(([key]) => key)).size, pairs.length, `an attribute twice in ${whole}`)
    for (const [, value] of pairs) assert.ok(!STRAY.test(value), `a stray & in ${whole}`)
    found.push({ name, attributes: new Map(pairs), text: '' })
    if (!empty) open.push(name)
  }
  assert.deepEqual(open, [], 'all that was opened is closed')
  assert.equal(roots, 1, 'one root')
  return found
}
