// Description: /api/v1/openapi.json, read by somebody who knows nothing of how it was made.

import assert from 'node:assert/strict'
import type { TSchema } from 'typebox'
import type { Operation } from '../../anchor/access/operations.ts'

export interface Described {
  readonly operation: Operation
  readonly method: string
  readonly path: string
  readonly statuses: ReadonlyMap<number, TSchema | undefined>
}

interface OpenApi {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operated>>>>
  readonly components: { readonly schemas: Readonly<Record<string, TSchema>> }
}

interface Operated {
  readonly operationId: Operation
  readonly tags: readonly string[]
  readonly summary: string
  readonly responses: Readonly<Record<string, Answered>>
}

interface Answered {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: TSchema & { readonly $ref?: string } }>>
}

export function describe(said: OpenApi): Described[] {
  assert.match(said.openapi, /^3\.1/)
  return Object.entries(said.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, tags, summary, responses }]) => {
      assert.ok(tags.length === 1 && summary.length > 0, `${method} ${path}`)
      const statuses = new Map<number, TSchema | undefined>()
      for (const [status, { description, content }] of Object.entries(responses)) {
        assert.notEqual(description, '', `${method} ${path} ${status}`)
        const schema = content?.['application/json']?.schema
        const name = schema?.$ref?.split('/').at(-1)
        statuses.set(Number(status), name === undefined ? schema : said.components.schemas[name])
      }
      return { operation: operationId, method: method.toUpperCase(), path, statuses }
    }),
  )
}
