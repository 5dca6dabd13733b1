// Shape: the pieces that requests and answers are made of, as schemas. The same ones validate what comes in, write what
// goes out, and make the description at /api/v1/openapi.json.

import type { Static, TProperties } from 'typebox'
import { ROLES } from '../../ledger/charter.ts'
import { MODES } from '../../ledger/entry.ts'
import { Type } from './type.ts'

/** A note within JSON: each of its lines costs one character more there. */
export const NOTE_CHARS_MAX = 256 * 1024
export const PAGE_MAX = 1000
const PAGE_USUAL = 100

/** Nothing but these fields: a field that is misspelt and ignored would be found out on the worst day. */
export const only = <T extends TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const NAME = '^[a-z][a-z0-9-]{0,30}$'

export const Name = Type.String({ pattern: NAME, description: 'a name of this mall' })
export const GateName = Type.String({ pattern: NAME, description: 'a gate, or `anchor`' })
export const Moment = Type.Integer({ minimum: 0, maximum: 8.64e15, description: 'ms since 1970' })
export const Count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 })
export const Signed = Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 })
export const PerMille = Type.Integer({ minimum: 0, maximum: 1000 })
export const Id = Type.String({ pattern: '^[A-Za-z0-9_+=~.:-]{1,100}$' })
export const Reason = Type.String({
  minLength: 1,
  maxLength: 400,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'why, for whoever reads it later',
})
export const NoteText = Type.String({
  minLength: 1,
  maxLength: NOTE_CHARS_MAX,
  description: 'a C2SP signed note: text, blank line, signature lines',
})
export const Mode = Type.Enum([...MODES])
export const Role = Type.Enum([...ROLES])
export const AccountName = Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}/[1-9][0-9]{0,8}$' })

export const MallPath = only({ mall: Name })
export const IdPath = only({ mall: Name, id: Id })

export const Cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 300, description: 'where the page before ended, as it was told there' }),
)
export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_USUAL, description: 'at most so many' }),
)
export const Next = Type.Optional(Type.String({ description: 'there may be more: ask again with it as cursor' }))

export const NoteBody = only({ note: NoteText })

export const ERROR_ID = 'Error'
export const ErrorShape = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'for programs; does not change' }),
      message: Type.String({ description: 'for people' }),
      where: Type.Optional(Type.String({ description: 'which part of the request' })),
    }),
  },
  { $id: ERROR_ID },
)

export type PageAsked = { readonly cursor?: string; readonly limit?: number }
export type Wanted<T extends TProperties> = Static<ReturnType<typeof Type.Object<T>>>

export function limitOf({ limit }: PageAsked): number {
  return limit ?? PAGE_USUAL
}
