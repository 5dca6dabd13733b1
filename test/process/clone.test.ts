// quiet: waits
import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memberFilePath } from '../../tools/member-file.ts'
import { suite } from '../suite.ts'
import { inFolder, opened, type Reply, Running } from './members.ts'

const test = suite('process/clone')
const GATES = ['east', 'north', 'south', 'west']
/** It has joined, with tokens in reach or without. */
const DECIDES = ['NORMAL', 'EXHAUSTED']
/** Both may be given something while one of them joins: then it is known already. */
const isFound = ({ state, alarms }: Reply['json']) =>
  state === 'FAULT' && alarms.some(({ code }: { code: string }) => code === 'FORK')

/** A second machine with the disk and the key of another. It listens elsewhere, and calls everyone. */
function copyMachine(dir: string, of: string): string {
  const clone = join(dir, 'clone')
  for (const what of [of, 'keys', 'charter.note', 'owner.vkey']) {
    cpSync(join(dir, what), join(clone, what), { recursive: true })
  }
  const config = JSON.parse(readFileSync(memberFilePath(dir, of), 'utf8'))
  writeFileSync(memberFilePath(clone, of), JSON.stringify({ ...config, listen: ['127.0.0.1:0'] }))
  return clone
}

/**
 * Two machines that go on with the same ledger. As long as neither writes, nothing tells them apart; if one is given
 * tokens before the other has joined, that one finds out that it is behind and opens a new epoch, which is no fork.
 */
async function twins(dir: string): Promise<Running[]> {
  for (let round = 0; round < 8; round++) {
    const clone = copyMachine(dir, 'east')
    const both = [new Running(dir, 'east'), new Running(clone, 'east')]
    const accounts: string[] = []
    for (const one of both) {
      const { account } = await one.until('it decides', s => DECIDES.includes(s.state) || isFound(s))
      accounts.push(account)
    }
    if (accounts[0] === accounts[1]) return both
    for (const one of both) await one.signal('SIGKILL')
    rmSync(clone, { recursive: true })
    // the machine itself has been outlived by its copy: it begins anew
    const alone = new Running(dir, 'east')
    await alone.until('it decides', s => DECIDES.includes(s.state))
    await alone.signal('SIGKILL')
  }
  return assert.fail('one of the two was always ahead')
}

test(
  'a copied disk that runs twice is caught as a fork, and banned by all others for good',
  () =>
    inFolder(async dir => {
      const members = await opened(dir, GATES, 80, 'in reach')
      const others = GATES.filter(name => name !== 'east').map(name => members.get(name) as Running)
      await (members.get('east') as Running).signal('SIGKILL')
      const both = await twins(dir)
      try {
        const until = performance.now() + 60_000
        const isBanned = async (gate: Running) => {
          const { gates } = (await gate.ask('GET', '/mall')).json
          return gates.find((g: { name: string }) => g.name === 'east').isBanned
        }
        while (!(await Promise.all(others.map(isBanned))).every(Boolean)) {
          assert.ok(performance.now() < until, 'nobody noticed for a minute')
          // each writes its own history
          for (const one of both) await one.enter()
          await sleep(200)
        }
        for (const gate of others) {
          const { alarms, state } = (await gate.ask('GET', '/status')).json
          assert.ok(
            alarms.some((a: { code: string }) => a.code === 'FORK'),
            JSON.stringify(alarms),
          )
          assert.equal(state, 'NORMAL')
          await gate.admit(1)
        }
        // banned is banned: also after everyone else was started anew
        const [west] = others.filter(gate => gate.name === 'west')
        await west?.signal('SIGKILL')
        const again = new Running(dir, 'west')
        await again.until('it decides', s => s.state === 'NORMAL')
        assert.equal(await isBanned(again), true)
        // people still get out at both machines of the banned gate, and nobody gets in any more
        for (const one of both) {
          await one.until('it knows', s => s.state === 'FAULT' || s.state === 'JOINING' || s.state === 'ISOLATED')
          assert.equal((await one.leave()).status, 200)
        }
        const counts = others.concat(again).map(gate => gate.said('peer-up').length)
        assert.ok(Math.max(...counts) < 200, `two machines with one key call each other names: ${counts}`)
      } finally {
        for (const one of both) await one.signal('SIGKILL')
      }
    }),
  { timeoutMs: 150_000 },
)

test.run()
