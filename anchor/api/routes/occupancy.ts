// Occupancy: the malls there are, how full each is, and its gates.

import type { MallReport } from '../../../mesh/window/mall-report.ts'
import { closedAccounts } from '../../approvals/closed.ts'
import { type Endpoint, ofMall, ofService, ok, watched } from '../endpoint.ts'
import type { Desk, MallView } from '../ports.ts'
import { Count, MallPath, Mode, Moment, Name } from '../shape.ts'
import { Type } from '../type.ts'

/** Often enough that a page looks alive, seldom enough that a few of them cost nothing. */
const TELL_EVERY_MS = 500

const AgeMs = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'null: never heard' })

const Occupancy = Type.Object({
  mall: Name,
  at: Moment,
  mode: Mode,
  count: Type.Integer({ minimum: 0, description: 'people inside by what is proved' }),
  atMost: Type.Integer({ minimum: 0, description: 'nobody can be beyond this, whatever silent gates did' }),
  counted: Type.Optional(
    Type.Integer({ description: 'as counted, also below zero: what a head count is held against' }),
  ),
  closed: Type.Array(Type.Object({ account: Type.String(), amount: Count }), {
    description: 'tokens of accounts that nobody uses any more, which a head count can put back into use',
  }),
  capacity: Count,
  left: Count,
  ageMs: Type.Integer({ minimum: 0, description: 'age of the oldest word that this rests on' }),
  policyVersion: Type.Integer({ minimum: 0 }),
  state: Type.String({ description: 'of the anchor' }),
})

const PerMinute = Type.Object(
  {
    local: Type.Number({ description: 'let in with a token that was there' }),
    stolen: Type.Number({ description: 'let in with a token fetched for them' }),
    exits: Type.Number(),
    atCapacity: Type.Number(),
    noHeadroom: Type.Number(),
    emergency: Type.Number(),
    fault: Type.Number(),
  },
  { description: 'people per minute, by what became of them' },
)

const Gate = Type.Object({
  name: Type.String(),
  account: Type.String({ description: 'empty: never heard of' }),
  balance: Type.Integer({ description: 'tokens it holds; below zero is a debt' }),
  inFlight: Type.Integer(),
  counters: Type.Object({
    admitted: Type.Integer(),
    forced: Type.Integer(),
    exited: Type.Integer(),
    lapsed: Type.Integer(),
  }),
  ageMs: AgeMs,
  isReachable: Type.Boolean(),
  isBanned: Type.Boolean(),
  isRostered: Type.Boolean(),
  isConnected: Type.Boolean({ description: 'there is a connection to it' }),
  key: Type.Optional(Type.String({ description: 'its key on the roster' })),
  failure: Type.Optional(Type.String({ description: 'why the last call to it failed' })),
  places: Type.Array(Type.String(), { description: 'where it can be reached' }),
  today: Type.Optional(
    Type.Object(
      { in: Count, out: Count, isPart: Type.Boolean({ description: 'the day was not watched from its beginning' }) },
      { description: 'people in and out since midnight UTC' },
    ),
  ),
  state: Type.Optional(Type.String({ description: 'what it says of itself; not proved, as all that follows' })),
  fault: Type.Optional(Type.String({ description: 'why it decides nothing' })),
  health: Type.Optional(Type.String({ description: 'how its sensors are' })),
  rate: Type.Optional(Type.Number({ description: 'people let in per minute' })),
  rates: Type.Optional(PerMinute),
  waiting: Type.Optional(Type.Integer({ description: 'people at its arm' })),
  queue: Type.Optional(Type.Integer({ description: 'people who stand before it, estimated' })),
  unnecessaryRejects: Type.Optional(
    Type.Integer({ description: 'turned away while a reachable gate could have given a token, since it started' }),
  ),
  label: Type.Optional(Type.String({ description: 'what people call it' })),
  position: Type.Optional(
    Type.Object({ x: Type.Integer(), y: Type.Integer() }, { description: 'on the plan, 0 to 1000 both ways' }),
  ),
})

export const OCCUPANCY: readonly Endpoint[] = [
  ofService({
    operation: 'listMalls',
    method: 'GET',
    url: '/malls',
    tag: 'malls',
    summary: 'The malls this token is for; all of them where reads are open',
    shapes: {},
    replies: {
      200: {
        description: 'in order of their names',
        schema: Type.Object({
          malls: Type.Array(Type.Object({ mall: Name, state: Type.String(), mode: Mode, legalMax: Count })),
        }),
      },
    },
    answer: ({ caller, service }) => {
      const malls = [...service.malls().values()].filter(({ mall }) => caller === undefined || caller.mall === mall)
      return ok({ malls: malls.map(mallOf).sort((a, b) => (a.mall < b.mall ? -1 : 1)) })
    },
  }),
  ofMall({
    operation: 'getOccupancy',
    method: 'GET',
    url: '/malls/:mall/occupancy',
    tag: 'malls',
    summary: 'How many people are inside, as it can be proved now',
    shapes: { path: MallPath },
    replies: { 200: { description: 'now', schema: Occupancy } },
    answer: ({ desk }) => ok(occupancyOf(desk)),
  }),
  watched({
    operation: 'streamOccupancy',
    method: 'GET',
    url: '/malls/:mall/occupancy/stream',
    tag: 'malls',
    summary: 'The same twice a second, as server-sent events; a slow reader gets fewer of them',
    shapes: { path: MallPath },
    replies: {
      200: { description: 'events whose data is an occupancy', type: 'text/event-stream', schema: Type.String() },
    },
    watch: { everyMs: TELL_EVERY_MS, tell: occupancyOf },
  }),
  ofMall({
    operation: 'listGates',
    method: 'GET',
    url: '/malls/:mall/gates',
    tag: 'malls',
    summary: 'Every gate of the roster, and those taken off it that are still counted',
    shapes: { path: MallPath },
    replies: { 200: { description: 'in the order of the roster', schema: Type.Object({ gates: Type.Array(Gate) }) } },
    answer: ({ desk }) => ok({ gates: gatesOf(desk) }),
  }),
]

export function occupancyOf(desk: Desk) {
  const { mall, at, mode, occupancy, left, anchor } = desk.report()
  const { policyVersion } = anchor
  const me = desk.me()
  const closed = me === undefined ? [] : closedAccounts(me)
  const counted = desk.counted()
  const said = counted === undefined ? {} : { counted }
  return { mall, at, mode, ...occupancy, ...said, closed, left, policyVersion, state: desk.status().state }
}

function mallOf(view: MallView) {
  const { state, mode } = view.status()
  return { mall: view.mall, state, mode, legalMax: view.charter.legalMax }
}

function gatesOf(desk: Desk) {
  const peers = new Map(desk.peers().map(peer => [peer.name, peer]))
  const keys = new Map((desk.policies().at(-1)?.gates ?? desk.charter.gates).map(({ name, key }) => [name, key]))
  return desk.report().gates.map((gate: MallReport['gates'][number]) => {
    const peer = peers.get(gate.name)
    const key = keys.get(gate.name)
    return {
      ...gate,
      ...(gate.rates === undefined ? {} : { rate: gate.rates.local + gate.rates.stolen }),
      isConnected: peer?.isUp ?? false,
      places: (peer?.places ?? []).map(({ host, port }) => `${host}:${port}`),
      ...(key === undefined ? {} : { key }),
      ...(peer?.failure === undefined ? {} : { failure: peer.failure }),
    }
  })
}
