// Who may do what: the table that people agreed on, held against the server, for every operation and every role.

import assert from 'node:assert/strict'
import { OPERATIONS, type Operation } from '../../anchor/access/operations.ts'
import { ROLES } from '../../ledger/charter.ts'
import { MALL } from '../approvals/office.ts'
import { suite } from '../suite.ts'
import { CASES } from './cases.ts'
import { describe } from './description.ts'
import { inRig, PEOPLE } from './rig.ts'

const test = suite('api/roles')

/** nobody, viewer, operator, marshal, auditor: may they? `n` needs no token, for its authority is in the note. */
const AGREED = `
  getOpenapi          n n n n n
  createChallenge     n n n n n
  login               n n n n n
  bringPolicy         n n n n n
  bringMode           n n n n n
  bringRecount        n n n n n
  bringApproval       n n n n n
  signApproval        n n n n n
  logout              - y y y y
  whoami              - y y y y
  listMalls           - y y y y
  getOccupancy        - y y y y
  streamOccupancy     - y y y y
  listGates           - y y y y
  getPolicy           - y y y y
  getModes            - y y y y
  getSignals          - y y y y
  getCheckpoint       - y y y y
  getCharter          - y y y y
  getMetrics          - y y y y
  listAlerts          - y y y y
  listAlertHistory    - y y y y
  listEvents          - - y y y
  getEvent            - - y y y
  getProof            - - y y y
  exportEvents        - - y y y
  streamEvents        - - y y y
  listRecounts        - - y y y
  listApprovals       - - y y y
  getApproval         - - y y y
  listReconciliation  - - y y y
  listHolds           - - y y y
  listEvidence        - - y y y
  getInventory        - - y y y
  listRows            - - y y y
  exportLedger        - - y y y
  createDraft         - - y y -
  withdrawApproval    - - y y -
  acknowledgeAlert    - - y y -
  placeGate           - - y y -
  labelGate           - - y y -
  createNote          - - y y -
  createHold          - - - y y
  endHold             - - - y -
  listTokens          - - - y -
  createToken         - - - y -
  revokeToken         - - - y -
`

const agreed = new Map(
  AGREED.trim()
    .split('\n')
    .map(line => {
      const [operation = '', ...marks] = line.trim().split(/\s+/)
      return [operation as Operation, marks] as const
    }),
)
/** In the order of the columns. */
const CALLERS = [undefined, 'viewer', 'operator', 'marshal', 'auditor'] as const

test('the table of what was agreed names every operation and every role', () => {
  assert.deepEqual([...agreed.keys()].sort(), Object.keys(OPERATIONS).sort())
  assert.deepEqual(CALLERS.slice(1).sort(), [...ROLES].sort())
  for (const [operation, marks] of agreed) assert.equal(marks.length, CALLERS.length, operation)
})

test('every operation lets in who was agreed on, and refuses everyone else before it does anything', async () => {
  await inRig(async rig => {
    const described = describe((await rig.ask('GET', '/api/v1/openapi.json')).json)
    const tokens = new Map<string | undefined, string>()
    for (const [role, name] of Object.entries(PEOPLE)) tokens.set(role, await rig.login(name))
    const spare = { viewer: 'vic', operator: 'cat', marshal: 'ann', auditor: 'aud' } as const
    for (const [operation, marks] of agreed) {
      const one = CASES[operation]
      for (const [i, role] of CALLERS.entries()) {
        const made = one === 'window' ? { path: '/metrics' } : await one.good(rig)
        const it = described.find(known => known.operation === operation)
        const whole = it?.path.replace('{mall}', MALL) ?? '/metrics'
        const path =
          made.path === undefined ? whole : /^\/(api|metrics)/.test(made.path) ? made.path : rig.at(made.path)
        const token = operation === 'logout' && role !== undefined ? await rig.login(spare[role]) : tokens.get(role)
        const headers = {
          'content-type': 'application/json',
          ...(it?.method === 'GET' || it === undefined ? {} : { 'idempotency-key': `key-${operation}-${i}` }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        }
        const body = 'body' in made ? JSON.stringify(made.body) : ''
        if (body === '') Reflect.deleteProperty(headers, 'content-type')
        const response = await rig.begin(it?.method ?? 'GET', path, headers, asked => asked.end(body))
        response.resume()
        const status = response.statusCode ?? 0
        response.destroy()
        const expected = marks[i] === '-' ? (role === undefined ? 401 : 403) : 200
        // only who signed something withdraws it, and what ann brings was signed by bob: she may ask
        const isTheirs = operation === 'withdrawApproval' && role === 'marshal'
        const isRight = isTheirs ? status === 403 : expected === 200 ? status < 300 : status === expected
        assert.ok(isRight, `${operation} by ${role ?? 'nobody'}: ${status}, and ${expected} was agreed on`)
      }
    }
    assert.deepEqual(rig.faults, [])
  })
})

test('where reads are open nobody needs a token to read, and everybody needs one to change anything', async () => {
  await inRig(
    async rig => {
      const described = describe((await rig.ask('GET', '/api/v1/openapi.json')).json)
      for (const [operation, [nobody, , , , auditor]] of agreed) {
        const it = described.find(known => known.operation === operation)
        if (it === undefined || nobody === 'n' || it.path.includes('{id}')) continue
        const one = CASES[operation]
        const made = one === 'window' ? {} : await one.good(rig)
        // with its query, where it needs one
        const query = /\?.*$/.exec(made.path ?? '')?.[0] ?? ''
        const path = it.path.replace('{mall}', MALL) + query
        const headers = { 'idempotency-key': 'a-key-of-mine' }
        const response = await rig.begin(it.method, path, headers, asked => asked.end())
        response.resume()
        const status = response.statusCode ?? 0
        response.destroy()
        const isFree = it.method === 'GET' && auditor === 'y'
        assert.equal(status, isFree ? 200 : 401, operation)
      }
    },
    { access: 'open' },
  )
})

test.run()
