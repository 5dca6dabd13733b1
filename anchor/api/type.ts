// Type: the kinds of schema that the API has, under typebox's types.
//
// A schema is a plain object. To make one, typebox would load three hundred files at every start of an anchor.

import type { TSchema, Type as Typebox } from 'typebox'

type Kind =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'String'
  | 'Union'

const OPTIONAL = '~optional'

export const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options?: object) => ({ enum: values, ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object: (properties: Readonly<Record<string, TSchema>>, options?: object) => {
    const required = Object.keys(properties).filter(name => !(OPTIONAL in (properties[name] as TSchema)))
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
  },
  // said to whatever it becomes a property of, and to nobody who reads the schema
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
} as unknown as Pick<typeof Typebox, Kind>
