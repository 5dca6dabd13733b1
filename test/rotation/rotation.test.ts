// quiet: waits
// Keys are replaced while a mall runs: a gate's, the anchor's, an operator's. Nobody is let in too many, and what the old
// keys signed stays good.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignerKey } from '../../ledger/key.ts'
import { signMode } from '../../ledger/mode-note.ts'
import { eventually } from '../anchor/desk.ts'
import { auditFolder } from '../mall/auditor.ts'
import { BIN, change, inFolder, opened, Running } from '../process/members.ts'
import { suite } from '../suite.ts'

const test = suite('rotation/rotation')

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

function gatemesh(...args: string[]): Promise<Ran> {
  return new Promise(resolve => {
    execFile(process.execPath, [BIN, ...args], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

async function fine(...args: string[]): Promise<string> {
  const { code, out, err } = await gatemesh(...args)
  assert.equal(code, 0, `${args.slice(0, 3).join(' ')}: ${out}${err}`)
  return out
}

/** A new key for this name; its vkey. */
async function newKey(dir: string, name: string, file: string): Promise<string> {
  const made = await fine(
    'key',
    'new',
    '--name',
    `gatemesh/m/${name}`,
    '--out',
    join(dir, `keys/${file}.key`),
    '--json',
  )
  return JSON.parse(made).vkey
}

/** Stopped as by the system, started with another key where one is said. */
async function restarted(gate: Running, key?: string): Promise<Running> {
  assert.equal((await gate.signal('SIGTERM')).code, 0)
  if (key !== undefined) change(gate.dir, gate.name, { key: `keys/${key}.key` })
  return new Running(gate.dir, gate.name)
}

/** So many people in; a disk that is slow for a moment turns one away, who tries again. */
async function admit(gate: Running, count: number): Promise<void> {
  let admitted = 0
  await eventually(`${gate.name} lets ${count} in`, 15_000, async () => {
    if ((await gate.enter()).json.decision === 'ADMIT') admitted++
    return admitted === count
  })
}

const admitsAt = (count: number) => (s: { state: string; occupancy: { count: number } }) =>
  ['NORMAL', 'EXHAUSTED', 'DEGRADED'].includes(s.state) && s.occupancy.count === count

test(
  'keys of a gate, of the anchor and of an operator are replaced in a mall that runs',
  () =>
    inFolder(async dir => {
      const members = await opened(dir, ['g1', 'g2', 'g3'], 30, 'in reach')
      let [anchor, g1, g2, g3] = ['anchor', 'g1', 'g2', 'g3'].map(name => members.get(name) as Running) as [
        Running,
        Running,
        Running,
        Running,
      ]
      const at = async () => ['--anchor', String((await anchor.heard('listening')).http), '--mall', 'm', '--yes']
      const as = (name: string) => ['--key', join(dir, `keys/${name}.key`)]
      await admit(g1, 4)

      // the gate: one signs, the gate is stopped and gives its tokens away, the other signs
      const g1Key = await newKey(dir, 'g1', 'g1-new')
      const rotate = ['roster', 'rotate', 'g1', g1Key, '--reason', 'yearly', '--json', ...as('ann'), ...(await at())]
      const { outcome, id } = JSON.parse(await fine(...rotate))
      assert.equal(outcome, 'pending', 'it takes two')
      assert.equal((await g1.signal('SIGTERM')).code, 0)
      assert.match(await fine('approve', id, ...as('bob'), ...(await at())), /policy 2 is in force/)
      change(dir, 'g1', { key: 'keys/g1-new.key' })
      g1 = new Running(dir, 'g1')
      const joined = await g1.until('it decides, and counts on', admitsAt(4))
      assert.equal(joined.account, 'g1/2', 'a ledger belongs to one key')
      await admit(g1, 3)
      await g1.leave()
      const listed = await fine('roster', 'list', ...as('ann'), ...(await at()).slice(0, 4))
      assert.match(listed, new RegExp(`g1 +g1/2 .*${String((await g1.heard('listening')).fingerprint)}`))

      // the anchor and bob: the owner signs, and everyone gets the file
      const [anchorKey, danKey] = await Promise.all([newKey(dir, 'anchor', 'anchor-new'), newKey(dir, 'dan', 'dan')])
      const names = ['--anchor', anchorKey, '--operators', `dan:operator=${danKey}`, '--remove', 'bob']
      const place = ['--from', dir, '--since', '3', '--owner-key', join(dir, 'keys/owner.key'), '--out', dir]
      assert.match(
        await fine('charter', 'revise', ...place, ...names),
        /charter\.2\.note:\n.*\n {2}operator bob: removed/,
      )
      ;[g1, g2] = await Promise.all([restarted(g1), restarted(g2)])
      // g3 has not got it yet: it goes on under the charter it knows
      await admit(g3, 1)
      anchor = await restarted(anchor, 'anchor-new')
      const minting = await anchor.until('most gates know it', s => s.isJoined)
      assert.equal(minting.account, 'anchor/2')
      assert.deepEqual(g3.said('cut-off'), [], 'whoever hands on what it cannot check yet is not to blame')
      g3 = await restarted(g3)
      for (const gate of [g1, g2, g3]) await gate.until('it hears the new anchor', s => s.state === 'NORMAL')
      for (const gate of [g1, g2, g3]) await gate.until('it counts everyone', admitsAt(7))

      // who was replaced moves nothing any more, and who came instead does
      const signer = SignerKey.parse(readFileSync(join(dir, 'keys/bob.key'), 'utf8').trim())
      const fire = signMode({ epoch: 0, mode: 'FIRE', at: Date.now(), reason: 'none' }, 'm', [signer])
      for (const gate of [g1, g2, g3]) assert.ok((await gate.post('/modes', fire)).status >= 400)
      const cut = ['capacity', 'set', '20', '--reason', 'fewer']
      assert.notEqual((await gatemesh(...cut, ...as('bob'), ...(await at()))).code, 0, 'bob is nobody now')
      const begun = JSON.parse(await fine(...cut, '--json', ...as('dan'), ...(await at())))
      assert.equal((await gatemesh('approve', begun.id, ...as('bob'), ...(await at()))).code, 1)
      assert.match(await fine('approve', begun.id, ...as('ann'), ...(await at())), /policy 3 is in force, signed by/)
      for (const gate of [g1, g2, g3])
        await gate.until('it follows', s => s.policyVersion === 3 && s.occupancy.capacity === 20)

      // the ledger of the old key is collected to its end, and the new one after it
      await eventually('both ledgers of g1 are collected', 10_000, async () => {
        const { json } = await anchor.ask('GET', '/api/v1/malls/m/events?gate=g1&type=admit&limit=100')
        return json.events.length >= 7
      })

      // the mall fills, and not beyond
      let inside = 7
      const enter = async (gate: Running) => (await gate.enter()).json.decision === 'ADMIT' && inside++
      // what was on its way to the old account of g1 when it stopped is known, and out of use until a head count
      const stranded = async () => {
        const { closed } = (await anchor.ask('GET', '/api/v1/malls/m/occupancy')).json
        return closed.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)
      }
      await eventually('all of the capacity is of use', 25_000, async () => {
        for (const gate of [g1, g2, g3]) await enter(gate)
        return inside + (await stranded()) >= 20
      })
      for (const gate of [g1, g2, g3]) await enter(gate)
      assert.equal(inside + (await stranded()), 20)
      await Promise.all([g1, g2, g3, anchor].map(one => one.signal('SIGTERM')))
      const { report, admitted } = await auditFolder(dir)
      assert.deepEqual(report.findings, [])
      assert.ok(report.maxOccupancy <= 20)
      assert.ok(admitted.size > inside, 'all who were let in, one of whom left')
      const accounts = new Set(report.accounts.map(({ account }: { account: string }) => account))
      for (const account of ['g1/1', 'g1/2', 'anchor/1', 'anchor/2']) assert.ok(accounts.has(account), account)
    }),
  { timeoutMs: 120_000 },
)

test.run()
