import assert from 'node:assert/strict'
import type { Alert } from '../../anchor/alerts/alert.ts'
import { GateAlarms } from '../../anchor/alerts/gate-alarms.ts'
import type { Alert as Item } from '../../mesh/board/item.ts'
import { suite } from '../suite.ts'

const test = suite('alerts/gate-alarms')
const HOUR_MS = 3_600_000
const NOW = 10 * HOUR_MS

/** A board and a book with nothing else to do. */
function desk() {
  const items: Item[] = []
  const told: string[] = []
  const open: Partial<Alert>[] = []
  const off: string[] = []
  const board = {
    alerts: () => items,
    acknowledge: (id: string, by: string) => {
      const at = items.findIndex(item => item.id === id)
      items[at] = { ...(items[at] as Item), acknowledged: { by, at: NOW } }
      off.push(`${id} ${by}`)
    },
  }
  const book = {
    alarmed: (code: string, subject: string, detail: string) => {
      told.push(`${code} [${subject}] ${detail}`)
      open.push({ code: code === 'BROKEN_LAW' ? 'LAW_BROKEN' : code, subject })
    },
    list: () => open as Alert[],
  }
  const hang = (id: string, gate: string, code: string, text: string, rest: Partial<Item> = {}) =>
    items.push({ id, gate, code, text, at: NOW, by: gate, ...rest })
  return { hang, told, open, off, alarms: new GateAlarms(board, book) }
}

test('what a gate’s siren sounded becomes an alert about that gate, once', () => {
  const { hang, told, alarms } = desk()
  hang('1', 'g1', 'BROKEN_LAW', 'asked: Error: solvent')
  for (let i = 0; i < 3; i++) alarms.look(NOW)
  assert.deepEqual(told, ['BROKEN_LAW [g1] g1 says: asked: Error: solvent'])
})

test('what many gates say of one somebody is one alert', () => {
  const { hang, told, open, alarms } = desk()
  for (const gate of ['g1', 'g2']) hang(gate, gate, 'POLICY_REFUSED', 'policy 2: above-legal-max')
  alarms.look(NOW)
  assert.equal(told.length, 2)
  assert.deepEqual([...new Set(open.map(({ subject }) => subject))], ['policy 2'])
})

test('words about another gate, the anchor’s own, what a rule sees itself, and old ones are not taken', () => {
  const { hang, told, alarms } = desk()
  hang('1', 'g1', 'BROKEN_LAW', 'x', { by: 'g2' })
  hang('2', 'anchor', 'BROKEN_LAW', 'x')
  hang('3', 'g1', 'FORK', 'g2/1: two histories')
  hang('6', 'g1', 'DISK', 'g1: a write failed')
  hang('4', 'g1', 'BROKEN_LAW', 'x', { at: NOW - 2 * HOUR_MS })
  hang('5', 'g1', 'BROKEN_LAW', 'x', { acknowledged: { by: 'ann', at: NOW } })
  alarms.look(NOW)
  assert.deepEqual(told, [])
})

test('once its alert is acknowledged or over it is taken off the board, and sounded again it is told again', () => {
  const { hang, told, open, off, alarms } = desk()
  hang('1', 'g1', 'BROKEN_LAW', 'x')
  hang('2', 'g2', 'RESTARTED', 'g2: x')
  alarms.look(NOW)
  alarms.look(NOW)
  assert.deepEqual(off, [])
  open.splice(0, 2, { code: 'LAW_BROKEN', subject: 'g1', acknowledged: { by: 'bob', at: NOW, note: '' } })
  alarms.look(NOW)
  assert.deepEqual(off, ['1 bob', '2 anchor'])
  hang('3', 'g1', 'BROKEN_LAW', 'again')
  alarms.look(NOW)
  assert.equal(told.length, 3)
})

test.run()
