// quiet: waits
// An anchor whose disk is gone: the machine is new, and has the key and the papers.

import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inFolder, opened, Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { collected, eventually, Operators } from './desk.ts'

const test = suite('anchor/wiped')
const GATES = ['g1', 'g2', 'g3']
const CAPACITY = 60

test(
  'it opens the next epoch, mints nothing twice, takes policies again, and reads its old ledger back from the gates',
  () =>
    inFolder(async dir => {
      const members = await opened(dir, GATES, CAPACITY, 'in reach')
      const gates = GATES.map(name => members.get(name) as Running)
      const anchor = members.get('anchor') as Running
      const operators = new Operators(dir)
      await gates[0]?.admit(10)
      await operators.decree(anchor, { capacity: 50 })
      await eventually('its own ledger is in its archive', 5000, async () => {
        return ((await collected(anchor)).get('anchor/1') ?? []).some(line => line.includes('"type":"change"'))
      })
      const before = (await collected(anchor)).get('anchor/1') ?? []
      // gates ask for its new entries every ten seconds
      await sleep(13_000)
      await anchor.signal('SIGKILL')
      for (const name of readdirSync(dir)) {
        if (/^(anchor|anchor\.(?!json).*|born)$/.test(name)) rmSync(join(dir, name), { recursive: true })
      }
      const again = new Running(dir, 'anchor')
      const { account } = await again.until('it has joined', status => status.isJoined)
      assert.equal(account, 'anchor/2')
      let admitted = 10
      for (let i = 0; i < CAPACITY; i++) {
        for (const gate of gates) if ((await gate.enter()).json.decision === 'ADMIT') admitted++
      }
      assert.ok(admitted <= 50, `${admitted} inside of 50`)
      await operators.decree(again, { capacity: 40 })
      for (const gate of gates)
        await gate.until('it follows', s => s.policyVersion === 3 && s.occupancy.capacity === 40)
      await eventually('the old ledger is back', 40_000, async () => {
        const lines = (await collected(again)).get('anchor/1') ?? []
        return before.every((line, i) => line === lines[i])
      })
    }),
  { timeoutMs: 150_000 },
)

test.run()
