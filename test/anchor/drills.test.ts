// quiet
// Drills of anchor/RUNBOOK.md, by processes and by the very commands that are written there.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyPath, policyPath } from '../../tools/founding.ts'
import { BIN, change, founded, inFolder, type Reply, Running } from '../process/members.ts'
import { suite } from '../suite.ts'
import { eventually, newGate, Operators } from './desk.ts'
import { Impostor } from './impostor.ts'

const test = suite('anchor/drills')
const GATES = ['g1', 'g2', 'g3']
const CAPACITY = 60
/** So long after its start an anchor gives gates to come back. */
const SETTLED_MS = 23_000
const SECRET = 'what the pager knows'

interface Notice {
  readonly kind: string
  readonly alert: { readonly code: string; readonly subject: string; readonly detail: string }
}

/** Whoever is called: takes what is signed, and remembers it. */
class Pager {
  readonly notices: Notice[] = []
  unsigned = 0
  readonly #server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', text => {
      body += text
    })
    request.on('end', () => {
      const { 'gatemesh-id': id, 'gatemesh-at': at, 'gatemesh-signature': said } = request.headers
      const mac = createHmac('sha256', SECRET).update(`${id}.${at}.${body}`).digest('hex')
      if (said === `v1=${mac}`) this.notices.push(JSON.parse(body))
      else this.unsigned++
      response.end()
    })
  })

  async open(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  hears(kind: string, code: string, subject?: string): Promise<number> {
    const is = ({ kind: k, alert }: Notice) =>
      k === kind && alert.code === code && (subject ?? alert.subject) === alert.subject
    return eventually(`${code} is told as ${kind}`, 20_000, async () => this.notices.some(is))
  }
}

/** A mall with a pager, and people at a command line. */
class Place {
  readonly since = performance.now()
  readonly dir: string
  readonly anchor: Running
  readonly gates: Running[]

  constructor(dir: string) {
    this.dir = dir
    this.anchor = new Running(dir, 'anchor', ['--birth'])
    this.gates = GATES.map(name => new Running(dir, name))
  }

  gate(name: string): Running {
    return this.gates.find(gate => gate.name === name) as Running
  }

  async open(): Promise<void> {
    await this.anchor.until('it has joined', status => status.isJoined)
    const first = await this.anchor.post('/policy', readFileSync(policyPath(this.dir, 1), 'utf8'))
    assert.equal(first.status, 200, JSON.stringify(first.json))
    for (const gate of this.gates) await gate.until('it decides', s => s.state === 'NORMAL')
  }

  async api(path: string): Promise<Reply['json']> {
    const { status, json } = await this.anchor.ask('GET', `/api/v1/malls/m/${path}`)
    assert.equal(status, 200, JSON.stringify(json))
    return json
  }

  /** `gatemesh …`, as somebody, or as nobody who only reads. */
  async says(who: string | undefined, ...args: string[]): Promise<string> {
    const { http } = await this.anchor.heard('listening')
    const signing = who === undefined ? [] : ['--key', keyPath(this.dir, who)]
    const yes = who === undefined || args[0] === 'ask' ? [] : ['--yes']
    const all = [BIN, ...args, '--anchor', String(http), ...signing, ...yes]
    return new Promise((resolve, reject) => {
      execFile(process.execPath, all, { timeout: 20_000 }, (error, out, err) => {
        if (error === null) resolve(out)
        else reject(new Error(`gatemesh ${args.join(' ')}: ${out}${err}`))
      })
    })
  }

  /** What the first one began and still waits, signed by the second. */
  async approves(who: string): Promise<string> {
    const { approvals } = await this.api('approvals?state=pending')
    assert.equal(approvals.length, 1)
    const id = approvals[0].id.slice(0, 12)
    assert.match(await this.says(who, 'approve', id), /is in force, signed by/)
    return id
  }

  async everyGate(what: string, msMax: number, holds: (status: Reply['json']) => boolean): Promise<number> {
    return eventually(what, msMax, async () => {
      const all = await Promise.all(this.gates.map(gate => gate.ask('GET', '/status')))
      return all.every(({ json }) => holds(json))
    })
  }

  /** The open alert, if there is one. */
  async alert(code: string): Promise<Reply['json']> {
    return (await this.api(`alerts?state=raised&code=${code}`)).alerts[0]
  }
}

test(
  'a pager hears of it, two people decide, a head count leaves its residual, an emergency ends by two, a silent gate is told',
  () =>
    inFolder(async dir => {
      const pager = new Pager()
      try {
        await founded(dir, GATES, CAPACITY)
        writeFileSync(join(dir, 'pager.secret'), SECRET, { mode: 0o600 })
        change(dir, 'anchor', { alerts: { webhooks: [{ url: await pager.open(), secretFile: 'pager.secret' }] } })
        const place = new Place(dir)
        await place.open()
        await siren(place, pager)
        await place.gate('g1').admit(20)
        await fourEyes(place, pager)
        await headCount(place)
        await emergency(place, pager)
        await silence(place, pager)
        assert.equal(pager.unsigned, 0)
      } finally {
        pager.close()
      }
    }),
  { timeoutMs: 120_000 },
)

async function fourEyes(place: Place, pager: Pager): Promise<void> {
  const said = await place.says('ann', 'capacity', 'set', '15', '--reason', 'smoke in the hall')
  assert.match(said, /waits for one more signature/)
  await pager.hears('raised', 'APPROVAL_WAITING')
  const [id = ''] = /[0-9a-f]{12}/.exec(said) ?? []
  assert.match(
    await place.says(undefined, 'approve', id),
    /^capacity: 15; it was 60$/m,
    'it is shown before anyone signs',
  )
  await place.approves('bob')
  await place.everyGate('the cut is at every gate', 1000, s => s.occupancy.capacity === 15)
  for (const gate of place.gates) assert.notEqual((await gate.enter()).json.decision, 'ADMIT')
  await pager.hears('raised', 'CAPACITY_CHANGED_FAR')
  await pager.hears('raised', 'OCCUPANCY_EXCEEDED')
  for (let i = 0; i < 6; i++) await place.gate('g2').leave()
  await eventually('admissions resume by themselves', 5000, async () => {
    return (await place.gate('g3').enter()).json.decision === 'ADMIT'
  })
}

async function headCount(place: Place): Promise<void> {
  await place.says('ann', 'recount', '12', '--reason', 'counted at closing time')
  assert.deepEqual((await place.api('recounts')).recounts, [], 'one signature is none')
  await place.approves('bob')
  const { recounts } = await place.api('recounts')
  const { actual, counted, residual, by } = recounts[0]
  assert.deepEqual({ actual, counted, residual, by }, { actual: 12, counted: 15, residual: -3, by: ['ann', 'bob'] })
  await eventually('it is an entry', 10_000, async () => {
    const { events } = await place.api('events?type=recount')
    return events.length === 1 && events[0].entry.residual === -3 && events[0].entry.by === 'ann,bob'
  })
  await place.everyGate('every gate counts so', 3000, s => s.occupancy.count === 12)
}

async function emergency(place: Place, pager: Pager): Promise<void> {
  await place.gate('g2').ask('POST', '/turnstile/contact', '{"contact":"fire","closed":true}')
  await place.everyGate('FIRE everywhere', 1000, s => s.mode === 'FIRE')
  await pager.hears('raised', 'MODE', 'FIRE')
  assert.equal((await place.gate('g1').enter()).json.decision, 'REJECT_EMERGENCY')
  assert.equal((await place.gate('g1').leave()).status, 200)
  await place.gate('g2').ask('POST', '/turnstile/contact', '{"contact":"fire","closed":false}')
  assert.match(await place.says('bob', 'mode', 'clear', '--reason', 'all clear'), /waits for a marshal/)
  await place.approves('ann')
  await place.everyGate('all are back', 2000, s => s.mode === 'NORMAL')
}

/** A gate is told what no charter allows, by somebody who took another gate's key; the anchor is not there. */
async function siren(place: Place, pager: Pager): Promise<void> {
  const operators = new Operators(place.dir)
  const forged = operators.signed({ capacity: CAPACITY + 1 }, 'anchor', 'ann', 'bob')
  await place.gate('g3').signal('SIGKILL')
  const rogue = await Impostor.start(place.dir, 'g3', ['g1'])
  try {
    const { version } = (await place.api('policy')).inForce
    rogue.send('g1', { kind: 'policies', policies: [forged] })
    await pager.hears('raised', 'POLICY_REFUSED')
    const { id, detail, isLatched } = await place.alert('POLICY_REFUSED')
    assert.match(detail, /^g1 says: /)
    assert.equal(isLatched, true)
    assert.equal((await place.api('policy')).inForce.version, version)
    const seen = JSON.parse(
      await place.says('bob', 'ask', `alerts/${id}/acknowledgements`, '--post', '{"note":"mine"}'),
    )
    assert.equal(seen.acknowledged.by, 'bob')
    await pager.hears('acknowledged', 'POLICY_REFUSED')
  } finally {
    await rogue.stop()
  }
  const again = new Running(place.dir, 'g3')
  await again.until('it is back', s => s.state === 'NORMAL')
  place.gates.splice(2, 1, again)
}

async function silence(place: Place, pager: Pager): Promise<void> {
  await sleep(Math.max(0, SETTLED_MS - (performance.now() - place.since)))
  const { child } = place.gate('g3')
  child.kill('SIGSTOP')
  const ms = await pager.hears('raised', 'GATE_SILENT', 'g3')
  assert.ok(ms < 10_000, `told after ${ms} ms`)
  child.kill('SIGCONT')
  await pager.hears('cleared', 'GATE_SILENT', 'g3')
  // nothing is over in the first half minute of an anchor's life
  for (const code of ['APPROVAL_WAITING', 'MODE', 'OCCUPANCY_EXCEEDED']) await pager.hears('cleared', code)
}

test(
  'a gate comes onto the roster by one command, and goes by two people, with its tokens put back into use',
  () =>
    inFolder(async dir => {
      await founded(dir, GATES, CAPACITY)
      const place = new Place(dir)
      await place.open()
      const { gate: g9 } = await newGate(dir, 'g9')
      const { vkey } = await g9.heard('listening')
      assert.match(await place.says('ann', 'roster', 'add', String(vkey), '--reason', 'a new door'), /is in force/)
      await g9.until('it decides', status => status.state === 'NORMAL')
      // it is given tokens when somebody asks for one
      await eventually('it admits', 10_000, async () => (await g9.enter()).json.decision === 'ADMIT')
      const gateOf = async (name: string) =>
        (await place.api('gates')).gates.find((gate: { name: string }) => gate.name === name)
      await eventually('its last row is known', 5000, async () => (await gateOf('g9')).counters.admitted === 1)
      await g9.signal('SIGKILL')
      const { account, balance } = await gateOf('g9')
      const reclaim = ['--reclaim', `${account}=${balance}`]
      const said = await place.says('ann', 'roster', 'remove', 'g9', '--reason', 'torn down', ...reclaim)
      assert.match(said, /takes a gate, or its key, off the roster/)
      await place.approves('bob')
      assert.equal((await gateOf('g9')).isRostered, false)
      // and what was on its way there when it died
      await place.says('ann', 'recount', '1', '--reclaim', 'closed', '--reason', 'nobody moves')
      await place.approves('bob')
      await eventually('nothing is left over', 5000, async () => (await place.api('occupancy')).closed.length === 0)
      let admitted = 1
      for (let idle = 0; idle < 5; idle++) {
        for (const gate of place.gates) {
          while ((await gate.enter()).json.decision === 'ADMIT') {
            admitted++
            idle = 0
          }
        }
      }
      assert.equal(admitted, CAPACITY, 'what it held is in use again, and not twice')
    }),
  { timeoutMs: 90_000 },
)

test.run()
