// Cases: for every operation of the API a request that succeeds, and those that make it say what only it says.

import { randomUUID } from 'node:crypto'
import type { Operation } from '../../anchor/access/operations.ts'
import { signNote } from '../../ledger/note.ts'
import { newId } from '../../mesh/real-clock.ts'
import { CHARTER, keyOf, MALL } from '../approvals/office.ts'
import type { Rig } from './rig.ts'

export interface Made {
  /** below the mall, or the whole of it where it begins with /api/ */
  readonly path?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface Case {
  /** what succeeds */
  readonly good: (rig: Rig) => Made | Promise<Made>
  readonly status?: number
  /** another request of the same operation, for the same idempotency key */
  readonly other?: (rig: Rig, good: Made) => Made | Promise<Made>
  /** statuses of its own: how each is produced */
  readonly own?: Readonly<Record<number, (rig: Rig) => Made | Promise<Made>>>
}

const wish = (capacity: number) => ({ kind: 'capacity', capacity }) as const
/** One person may say it, whatever is in force. */
const near = (rig: Rig) => wish(rig.office.policy.capacities.at(-1)?.capacity === 310 ? 305 : 310)
/** It takes two. */
const far = (rig: Rig) => wish(rig.office.policy.capacities.at(-1)?.capacity === 100 ? 500 : 100)
const calm = async (rig: Rig) => {
  if (rig.office.modes.effective === 'NORMAL') return
  await rig.office.approvals.bring(rig.office.modeNote({ kind: 'clear' }, ['ann', 'bob'], randomUUID()))
}
const hold = (reason = 'court order') => ({ body: { from: 1, to: 2, reason } })
const someHold = async (rig: Rig) => {
  const { id } = await rig.retention.hold({ from: 1, to: 2, reason: 'r', by: 'ann' })
  return `/holds/${id}?reason=over`
}
const someToken = async (rig: Rig) => {
  const granted = await rig.access.issue({ mall: MALL, name: 'wall', role: 'viewer', by: 'ann' })
  return `/tokens/${granted?.record.id}`
}
const pending = async (rig: Rig) => {
  const brought = await rig.office.approvals.bring(rig.office.note(far(rig), ['bob'], randomUUID()))
  return brought as { id: string }
}
const noteFor = (rig: Rig, what: (rig: Rig) => ReturnType<typeof wish>, ...by: string[]) => ({
  body: { note: rig.office.note(what(rig), by, randomUUID()) },
})
const recountBy = (rig: Rig, by: readonly string[], actual = 90) => {
  const recount = { kind: 'recount', actual, counted: 100, at: rig.office.wall } as const
  return { body: { note: rig.office.note(recount, by, randomUUID()) } }
}
const cosigned = async (rig: Rig, by: string) => {
  const { id } = await pending(rig)
  const text = (await rig.office.approvals.get(id))?.text ?? ''
  return { path: `/approvals/${id}/signatures`, body: { note: signNote(text, [keyOf(by)]) } }
}
const raiseBy = async (rig: Rig, mode: 'LOCKDOWN' | 'FIRE', ...by: string[]) => {
  if (mode === 'LOCKDOWN') await calm(rig)
  return { body: { note: rig.office.modeNote({ kind: 'raise', mode }, by) } }
}
/** A text that one operator signed and that must wait for another. */
const clearBy = async (rig: Rig, ...by: string[]) => {
  await calm(rig)
  await rig.office.approvals.bring(rig.office.modeNote({ kind: 'raise', mode: 'LOCKDOWN' }, ['bob']))
  return { body: { note: rig.office.modeNote({ kind: 'clear' }, by, randomUUID()) } }
}

export const CASES: Readonly<Record<Operation, Case | 'window'>> = {
  getMetrics: 'window',
  getOpenapi: { good: () => ({ path: '/api/v1/openapi.json' }) },
  listMalls: { good: () => ({ path: '/api/v1/malls' }) },
  createChallenge: { good: () => ({ body: { name: 'ann' } }) },
  login: {
    good: async rig => {
      const { json } = await rig.post('/login/challenges', { name: 'ann' })
      return { body: { note: signNote(json.text, [keyOf('ann')]) } }
    },
    own: { 401: () => ({ body: { note: 'let me in' } }) },
  },
  logout: { good: () => ({}) },
  whoami: { good: () => ({}) },
  getOccupancy: { good: () => ({}) },
  streamOccupancy: { good: () => ({}) },
  listGates: { good: () => ({}) },
  getPolicy: { good: () => ({}) },
  getModes: { good: () => ({}) },
  getSignals: { good: () => ({}) },
  getCheckpoint: {
    good: rig => {
      rig.checkpoint = 'gatemesh/north/anchor/1\n1\n…\n'
      return {}
    },
  },
  getCharter: { good: () => ({}) },
  listAlerts: { good: rig => rig.raise().then(() => ({})) },
  listAlertHistory: { good: rig => rig.raise().then(() => ({})) },
  listEvents: { good: rig => rig.collect('east/1', rig.admits(2)).then(() => ({})) },
  getEvent: {
    good: async rig => {
      const bodies = rig.admits(1)
      await rig.collect('east/1', bodies)
      return { path: `/events/${bodies[0]?.id}` }
    },
    own: { 404: () => ({ path: `/events/${newId()}` }) },
  },
  getProof: {
    good: async rig => {
      const bodies = rig.admits(3)
      await rig.collect('east/1', bodies)
      await rig.vouch('east/1')
      return { path: `/events/${bodies[0]?.id}/proof` }
    },
    own: {
      404: () => ({ path: `/events/${newId()}/proof` }),
      409: async rig => {
        const bodies = rig.admits(1)
        await rig.collect('east/1', bodies)
        return { path: `/events/${bodies[0]?.id}/proof` }
      },
    },
  },
  exportEvents: {
    good: async rig => {
      await rig.collect('east/1', rig.admits(2))
      return { path: '/events/export?format=csv' }
    },
  },
  streamEvents: { good: () => ({}) },
  listRecounts: {
    good: async rig => {
      await rig.office.approvals.bring(recountBy(rig, ['ann', 'bob']).body.note)
      return {}
    },
  },
  listApprovals: { good: rig => pending(rig).then(() => ({})) },
  getApproval: {
    good: async rig => ({ path: `/approvals/${(await pending(rig)).id}` }),
    own: { 404: () => ({ path: `/approvals/${'0'.repeat(64)}` }) },
  },
  listReconciliation: {
    good: async rig => {
      await rig.collect('west/1', rig.admits(2))
      await rig.reconciler.count()
      return {}
    },
  },
  listHolds: { good: rig => someHold(rig).then(() => ({})) },
  listEvidence: {
    good: async rig => {
      const lines = ['{}']
      await rig.archive.keep({ id: 'e1', account: 'east/1', at: 1, what: 'chain', detail: 'd', rows: [], lines })
      return {}
    },
  },
  getInventory: {
    good: async rig => {
      const rows = ['one\n', 'two\n']
      await rig.collect('east/1', rig.admits(2))
      await rig.vouch('east/1')
      await rig.archive.keep({ id: 'e1', account: 'east/1', at: 1, what: 'fork', detail: 'd', rows, lines: [] })
      await someHold(rig)
      return {}
    },
  },
  listRows: {
    good: async rig => {
      await rig.collect('east/1', rig.admits(2))
      await rig.vouch('east/1')
      return { path: '/evidence/rows?account=east/1' }
    },
    own: { 404: () => ({ path: '/evidence/rows?account=east/9' }) },
  },
  exportLedger: {
    good: async rig => {
      await rig.collect('east/1', rig.admits(2))
      return { path: '/evidence/ledger?account=east/1&from=1' }
    },
    own: { 404: () => ({ path: '/evidence/ledger?account=east/9' }) },
  },
  bringPolicy: {
    good: rig => noteFor(rig, near, 'bob'),
    other: rig => noteFor(rig, near, 'bob'),
    own: { 202: rig => noteFor(rig, far, 'bob'), 403: rig => noteFor(rig, near, 'vic') },
  },
  bringMode: {
    good: rig => raiseBy(rig, 'LOCKDOWN', 'bob'),
    other: rig => raiseBy(rig, 'FIRE', 'bob'),
    own: { 202: rig => clearBy(rig, 'bob'), 403: rig => raiseBy(rig, 'FIRE', 'vic') },
  },
  bringRecount: {
    good: rig => recountBy(rig, ['ann', 'bob']),
    other: rig => recountBy(rig, ['ann', 'bob']),
    own: { 202: rig => recountBy(rig, ['bob']), 403: rig => recountBy(rig, ['bob', 'aud']) },
  },
  bringApproval: {
    good: rig => noteFor(rig, near, 'bob'),
    other: rig => noteFor(rig, near, 'bob'),
    own: { 202: rig => noteFor(rig, far, 'bob'), 403: rig => noteFor(rig, near, 'vic') },
  },
  signApproval: {
    good: rig => cosigned(rig, 'ann'),
    other: (_rig, good) => ({ ...good, body: { note: 'something else' } }),
    own: {
      202: rig => cosigned(rig, 'bob'),
      403: rig => cosigned(rig, 'vic'),
      404: rig => ({ ...noteFor(rig, far, 'ann'), path: `/approvals/${'0'.repeat(64)}/signatures` }),
    },
  },
  createDraft: {
    good: () => ({ body: { wish: wish(310), reason: 'r' } }),
    own: {
      422: () => ({ body: { wish: wish(CHARTER.legalMax + 1), reason: 'r' } }),
      409: rig => {
        rig.desk = { ...rig.desk, policies: () => [] }
        return { body: { wish: wish(310), reason: 'r' } }
      },
    },
  },
  withdrawApproval: {
    good: async rig => ({ path: `/approvals/${(await pending(rig)).id}` }),
    other: () => ({ path: `/approvals/${'1'.repeat(64)}` }),
    own: { 404: () => ({ path: `/approvals/${'0'.repeat(64)}` }) },
  },
  acknowledgeAlert: {
    good: async rig => ({ path: `/alerts/${await rig.raise()}/acknowledgements`, body: { note: 'on my way' } }),
    other: (_rig, good) => ({ ...good, body: {} }),
    own: { 404: () => ({ path: `/alerts/${newId()}/acknowledgements`, body: {} }) },
  },
  placeGate: {
    good: () => ({ path: '/gates/east/position', body: { x: 250, y: 1000 } }),
    other: () => ({ path: '/gates/east/position', body: { x: 0, y: 0 } }),
    own: { 404: () => ({ path: '/gates/nowhere/position', body: { x: 1, y: 1 } }) },
  },
  labelGate: {
    good: () => ({ path: '/gates/east/label', body: { text: 'car park' } }),
    other: () => ({ path: '/gates/east/label', body: { text: '' } }),
    own: { 404: () => ({ path: '/gates/nowhere/label', body: { text: 'x' } }) },
  },
  createNote: {
    good: () => ({ body: { text: 'the lift is out of order' } }),
    status: 201,
    other: () => ({ body: { text: 'the lift works again' } }),
  },
  createHold: { good: () => hold(), status: 201, other: () => hold('another') },
  endHold: {
    good: async rig => ({ path: await someHold(rig) }),
    other: async rig => ({ path: await someHold(rig) }),
    own: { 404: () => ({ path: `/holds/${newId()}?reason=over` }) },
  },
  listTokens: { good: () => ({}) },
  createToken: {
    good: () => ({ body: { name: 'wall', role: 'viewer' } }),
    status: 201,
    other: () => ({ body: { name: 'wall', role: 'auditor' } }),
  },
  revokeToken: {
    good: async rig => ({ path: await someToken(rig) }),
    other: async rig => ({ path: await someToken(rig) }),
    own: { 404: () => ({ path: '/tokens/nobody' }) },
  },
}
