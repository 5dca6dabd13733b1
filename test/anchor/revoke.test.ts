// quiet
// A gate comes onto the roster, and is taken off it, while the mall runs.

import assert from 'node:assert/strict'
import { inFolder, opened, Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { eventually, newGate, Operators } from './desk.ts'

const test = suite('anchor/revoke')

interface Peer {
  readonly name: string
  readonly isUp: boolean
}

async function peersOf(gate: Running): Promise<string[]> {
  const { lan } = (await gate.ask('GET', '/status')).json
  return (lan?.peers ?? []).filter(({ isUp }: Peer) => isUp).map(({ name }: Peer) => name)
}

test(
  'a gate that two operators take off is cut off within a second, and lets people out all the same',
  () =>
    inFolder(async dir => {
      const members = await opened(dir, ['g1', 'g2', 'g3'], 60, 'in reach')
      const [g1, g2, g3] = ['g1', 'g2', 'g3'].map(name => members.get(name) as Running) as [Running, Running, Running]
      const anchor = members.get('anchor') as Running
      const operators = new Operators(dir)
      // whoever came first may hold everything, and what g3 holds goes with it: the others must have some of their own
      for (const gate of [g1, g2]) await gate.admit(1)
      for (const gate of [g1, g2]) await gate.until('it holds tokens', s => s.balance > 0)
      await g3.admit(3)
      // what it has not told anybody before it is cut off, nobody will ever count
      for (const member of [anchor, g1, g2]) await member.until('it has heard of them', s => s.occupancy.count === 5)
      const gates = operators.before.gates.filter(gate => gate.name !== 'g3')
      const alone = await anchor.post('/policy', operators.signed({ gates }, 'ann'))
      assert.equal(alone.status, 202, 'one signature waits for another')
      await operators.decree(anchor, { gates })
      const ms = await eventually('g3 is cut off', 1000, async () => {
        const near = await Promise.all([g1, g2].map(peersOf))
        return near.every(names => !names.includes('g3'))
      })
      assert.ok(ms < 1000)
      const { decision, reason } = (await g3.enter()).json
      assert.deepEqual([decision, reason], ['REJECT_FAULT', 'revoked'])
      assert.equal((await g3.leave()).status, 200)
      for (const gate of [g1, g2]) await gate.admit(1)
      await g3.signal('SIGKILL')
      // what it did stays true: whoever starts later must believe the rows that stand on it, and count who it let in
      // (whoever left by its door after it was cut off is still inside to everyone else)
      const inside = 5 + 2
      await anchor.signal('SIGKILL')
      const again = new Running(dir, 'anchor')
      await again.until('it counts everyone', s => s.isJoined && s.occupancy.count === inside && s.peers === 2)
      await g1.signal('SIGKILL')
      const g1Again = new Running(dir, 'g1')
      await g1Again.until('it counts everyone', s => s.state === 'NORMAL' && s.occupancy.count === inside)
      await g1Again.admit(1)
    }),
  { timeoutMs: 90_000 },
)

test(
  'a gate that one operator adds by its key joins a mall that runs, and admits',
  () =>
    inFolder(async dir => {
      const members = await opened(dir, ['g1', 'g2'], 60)
      const anchor = members.get('anchor') as Running
      const operators = new Operators(dir)
      const { gate: g9, key } = await newGate(dir, 'g9')
      const told = await g9.heard('listening')
      assert.equal(told.vkey, key.verifier.toString(), 'it prints its key')
      assert.match(String(told.fingerprint), /^([0-9a-f]{4} ){4}[0-9a-f]{4}$/, 'and something short to compare')
      const gates = [...operators.before.gates, { name: 'g9', key: key.verifier.toString() }]
      assert.equal((await anchor.post('/policy', operators.signed({ gates }, 'bob'))).status, 200)
      await g9.until('it decides', status => status.state === 'NORMAL')
      await g9.admit(1)
    }),
  { timeoutMs: 60_000 },
)

test.run()
