import assert from 'node:assert/strict'
import { Type as Typebox } from 'typebox'
import { Type } from '../../anchor/api/type.ts'
import { suite } from '../suite.ts'

const test = suite('api/type')
type Maker = Pick<typeof Typebox, keyof typeof Type>

function everyKind(make: Maker) {
  const said = { description: 'said' }
  const text = make.String({ minLength: 1, ...said })
  const maybe = make.Optional(text)
  return {
    array: make.Array(text, { maxItems: 3 }),
    boolean: [make.Boolean(), make.Boolean(said)],
    enum: make.Enum(['a', 'b'], said),
    integer: make.Integer({ minimum: 0 }),
    literal: [make.Literal('a'), make.Literal(1), make.Literal(true, said)],
    null: make.Null(),
    number: make.Number(said),
    object: [
      make.Object({ text, maybe }, { additionalProperties: false }),
      make.Object({ maybe }),
      make.Object({}),
      make.Object({ within: make.Object({ text: make.Optional(make.Optional(text)) }) }),
    ],
    union: make.Union([text, make.Null()], said),
    // what was made optional is so only there
    text,
    maybe,
  }
}

test('every kind of schema is what typebox makes of it, to the order of its fields', () => {
  assert.equal(JSON.stringify(everyKind(Type), null, 1), JSON.stringify(everyKind(Typebox), null, 1))
})

test('no kind is left out', () => {
  const shown = Object.keys(everyKind(Type)).filter(kind => kind !== 'text' && kind !== 'maybe')
  assert.deepEqual(
    [...shown, 'optional', 'string'].sort(),
    Object.keys(Type)
      .map(kind => kind.toLowerCase())
      .sort(),
  )
})

test.run()
