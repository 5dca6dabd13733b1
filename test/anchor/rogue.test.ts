// quiet
// A compromised anchor: whoever took its key speaks to gates that run as processes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { noCounters } from '../../ledger/counters.ts'
import type { Policy } from '../../ledger/policy.ts'
import { openPolicy } from '../../ledger/policy-note.ts'
import { signRow } from '../../ledger/row-note.ts'
import { EVERYONE } from '../../mesh/message.ts'
import { policyPath } from '../../tools/founding.ts'
import { inFolder, opened, type Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { Operators } from './desk.ts'
import { Impostor } from './impostor.ts'

const test = suite('anchor/rogue')
const GATES = ['g1', 'g2', 'g3']
const CAPACITY = 40
const HASH = Buffer.alloc(32, 7).toString('base64')

test(
  'what is above the legal maximum, one signature short, replayed, or signed by the anchor alone, the gates refuse',
  () =>
    inFolder(async dir => {
      const members = await opened(dir, GATES, CAPACITY, 'in reach')
      const gates = GATES.map(name => members.get(name) as Running)
      const anchor = members.get('anchor') as Running
      const first = readFileSync(policyPath(dir, 1), 'utf8')
      const operators = new Operators(dir)
      const { charter, before: one } = operators
      const signed = (capacity: number, before: Policy, ...names: string[]) => {
        operators.before = before
        return operators.signed({ capacity }, ...names)
      }
      // an honest cut to the half, and then the anchor's key is in other hands
      const cut = signed(CAPACITY / 2, one, 'anchor', 'ann', 'bob')
      assert.equal((await anchor.post('/policy', cut)).status, 200)
      const two = openPolicy(cut, charter)
      // also of the anchor's own row about it: that is where the limit that a gate shows comes from
      for (const gate of gates) {
        await gate.until('it knows of the cut', s => s.policyVersion === 2 && s.occupancy.capacity === CAPACITY / 2)
      }
      await anchor.signal('SIGKILL')
      const rogue = await Impostor.start(dir, 'anchor', GATES)
      try {
        const version = async (gate: Running) => (await gate.ask('GET', '/status')).json.policyVersion
        const lies: readonly (readonly [what: string, note: string])[] = [
          ['above the legal maximum', signed(CAPACITY + 1, two, 'anchor', 'ann', 'bob')],
          ['one signature short', signed(CAPACITY, two, 'anchor', 'ann')],
          ['by the anchor alone', signed(CAPACITY, two, 'anchor')],
          ['without the anchor', signed(CAPACITY, two, 'ann', 'bob')],
          ['beside the one in force', signed(CAPACITY, one, 'anchor', 'ann', 'bob')],
          ['replayed', first],
        ]
        for (const [what, note] of lies) {
          rogue.send(EVERYONE, { kind: 'policies', policies: [note] })
          await sleep(200)
          for (const gate of gates) assert.equal(await version(gate), 2, `${gate.name}: ${what}`)
        }
        const counters = { ...noCounters(), sent: { 'g1/1': 1000 }, sentTotal: 1000 }
        const budget = { capacity: CAPACITY, correction: 0, reclaimed: 0, carried: 0 }
        const policy = { version: 2, hash: two.hash }
        const row = { account: 'anchor/1', size: 1_000_000, root: HASH, at: Date.now(), counters, budget, policy }
        const forged = signRow(row, 'm', operators.key('anchor'))
        for (const gate of GATES) rogue.send(gate, { kind: 'rows', rows: [forged] })
        await sleep(1500)
        for (const gate of gates) {
          const { policyVersion, occupancy } = (await gate.ask('GET', '/status')).json
          assert.equal(policyVersion, 2, `${gate.name} follows what two operators signed`)
          assert.equal(occupancy.capacity, CAPACITY / 2)
          const alarms = gate.said('alarm').map(line => `${line.code} ${line.detail}`)
          assert.ok(
            alarms.some(alarm => alarm.startsWith('POLICY_REFUSED')),
            `${gate.name} says so: ${alarms.join('\n')}`,
          )
        }
        let inside = 0
        for (let i = 0; i < CAPACITY; i++) {
          for (const gate of gates) if ((await gate.enter()).json.decision === 'ADMIT') inside++
        }
        assert.ok(inside <= CAPACITY / 2, `${inside} came in`)
        assert.ok(inside > 0, 'and the honest part goes on')
      } finally {
        await rogue.stop()
      }
    }),
  { timeoutMs: 90_000 },
)

test.run()
