// OpenAPI: the description of all this, made from the schemas that validate and write it.

import { type Endpoint, ofService, ok } from '../endpoint.ts'
import { Type } from '../type.ts'

export const OPENAPI: readonly Endpoint[] = [
  ofService({
    operation: 'getOpenapi',
    method: 'GET',
    url: '/openapi.json',
    tag: 'description',
    summary: 'This description',
    shapes: {},
    replies: {
      200: {
        description: 'OpenAPI 3.1',
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      },
    },
    answer: ({ service }) => ok(service.openapi()),
  }),
]
