// Signals: what is read of the building, and what its rules ask for.

import { type Endpoint, ofMall, ok } from '../endpoint.ts'
import { Count, MallPath, Moment } from '../shape.ts'
import { Type } from '../type.ts'

const SourceShape = Type.Object({
  name: Type.String(),
  in: Type.String({ description: 'what it is counted in' }),
  value: Type.Optional(Type.Number({ description: 'absent while it is silent' })),
  at: Type.Optional(Moment),
  isSilent: Type.Boolean(),
  trouble: Type.Optional(Type.String({ description: 'what was wrong with the newest reading' })),
})

const DemandShape = Type.Object({
  atMost: Type.Integer({ description: 'people that it asks for at most, before the margin' }),
  value: Type.Number({ description: 'what was read when it began' }),
  since: Moment,
  standing: Type.Enum(['in-force', 'proposed', 'declined', 'waiting']),
  approval: Type.Optional(Type.String({ description: 'the approval that operators may sign' })),
})

const RuleShape = Type.Object({
  name: Type.String(),
  source: Type.String(),
  condition: Type.String({ description: 'when it asks for fewer people' }),
  enact: Type.Boolean({ description: 'it may put a limit in reserve in force' }),
  demand: Type.Optional(DemandShape),
})

export const SIGNALS: readonly Endpoint[] = [
  ofMall({
    operation: 'getSignals',
    method: 'GET',
    url: '/malls/:mall/signals',
    tag: 'policy',
    summary: 'Signals of the building, which limits they ask for, and the limits in reserve',
    shapes: { path: MallPath },
    replies: {
      200: {
        description: 'now',
        schema: Type.Object({
          sources: Type.Array(SourceShape),
          rules: Type.Array(RuleShape),
          reserve: Type.Array(Count, { description: 'capacities that operators signed in advance' }),
        }),
      },
    },
    answer: ({ desk }) => ok(desk.signals.state),
  }),
]
