// Board: what people write for each other: where gates stand on the plan, what they are called, and notes. It hangs at
// every gate, and no decision reads it.

import { Fault } from '../../../ledger/fault.ts'
import { BOARD_LIMITS } from '../../../mesh/board/limits.ts'
import { type Endpoint, ofMall, ok, refusal } from '../endpoint.ts'
import type { Desk } from '../ports.ts'
import { ApiRefusal } from '../refusal.ts'
import { MallPath, Name, only } from '../shape.ts'
import { Type } from '../type.ts'

const { textMax, labelMax } = BOARD_LIMITS

const GatePath = only({ mall: Name, gate: Name })
const OnPlan = Type.Integer({
  minimum: 0,
  maximum: 1000,
  description: 'per mille of the plan, from the left or the top',
})
const LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'

const COMMON = { tag: 'board', once: 'required' } as const
const GATE_REPLIES = {
  404: refusal(404, 'there is no such mall, or no such gate on its roster'),
  409: refusal(409, 'the board is full until tomorrow, or the same request is under way'),
  503: refusal(503, 'there is no board at present: try again in a moment'),
}

export const BOARD: readonly Endpoint[] = [
  ofMall({
    ...COMMON,
    operation: 'placeGate',
    method: 'PUT',
    url: '/malls/:mall/gates/:gate/position',
    summary: 'Says where a gate stands on the plan',
    shapes: { path: GatePath, body: only({ x: OnPlan, y: OnPlan }) },
    replies: {
      200: {
        description: 'as it is then',
        schema: Type.Object({ gate: Type.String(), x: Type.Integer(), y: Type.Integer() }),
      },
      ...GATE_REPLIES,
    },
    answer: ({ desk, path: { gate }, body: { x, y } }) => {
      refuseUnknown(desk, gate)
      written(() => desk.board.place(gate, x, y))
      return ok({ gate, x, y })
    },
  }),
  ofMall({
    ...COMMON,
    operation: 'labelGate',
    method: 'PUT',
    url: '/malls/:mall/gates/:gate/label',
    summary: 'Says what people call a gate; an empty text takes the label away',
    shapes: { path: GatePath, body: only({ text: Type.String({ maxLength: labelMax, pattern: LINE }) }) },
    replies: {
      200: { description: 'as it is then', schema: Type.Object({ gate: Type.String(), text: Type.String() }) },
      ...GATE_REPLIES,
    },
    answer: ({ desk, path: { gate }, body }) => {
      refuseUnknown(desk, gate)
      const text = body.text.trim()
      written(() => desk.board.label(gate, text))
      return ok({ gate, text })
    },
  }),
  ofMall({
    ...COMMON,
    operation: 'createNote',
    method: 'POST',
    url: '/malls/:mall/notes',
    summary: 'Hangs a note on the board, under the name of whoever asks; it stays for a day',
    shapes: { path: MallPath, body: only({ text: Type.String({ minLength: 1, maxLength: textMax, pattern: LINE }) }) },
    replies: {
      201: {
        description: 'it hangs',
        schema: Type.Object({ id: Type.String(), by: Type.String(), text: Type.String() }),
      },
      409: GATE_REPLIES[409],
      503: GATE_REPLIES[503],
    },
    answer: ({ desk, body, caller }) => {
      const by = caller?.name ?? ''
      const text = body.text.trim()
      return { status: 201, body: { id: written(() => desk.board.note(by, text)), by, text } }
    },
  }),
]

function refuseUnknown(desk: Desk, gate: string): void {
  const gates = desk.policies().at(-1)?.gates ?? desk.charter.gates
  if (gates.some(({ name }) => name === gate)) return
  throw new ApiRefusal(404, 'no-gate', `there is no gate ${gate} on the roster`, { where: 'params/gate' })
}

function written<T>(write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === 'BOARD_FULL') throw new ApiRefusal(409, 'full', error.message)
    if (error.code === 'BOARD_TEXT') throw new ApiRefusal(422, 'invalid', error.message, { where: 'body/text' })
    throw new ApiRefusal(503, 'no-board', error.message, { headers: { 'retry-after': '2' } })
  }
}
