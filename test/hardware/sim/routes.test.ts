// People sent by HTTP through the model, the guard and the attendant to a real gate on a disk in the test's hand.

import assert from 'node:assert/strict'
import type { HardwareConfig } from '../../../hardware/config.ts'
import { openTurnstile } from '../../../hardware/open.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'
import type { SimIo } from '../../../hardware/sim/sim-io.ts'
import { newId, REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { Server } from '../../../mesh/window/server.ts'
import { Attendant } from '../../../node/attendant.ts'
import { SimDesk } from '../../../node/sim-routes.ts'
import { suite } from '../../suite.ts'
import { inFront, type Rig, until } from '../../window/rig.ts'

const test = suite('hardware/sim/routes')

const HOLD_MS = 1000
const RULES = { ...PASSAGE_RULES, doubleMs: 150, passageMs: 500, guardMs: 100, tailgateMs: 1000, perMinuteMax: 300 }
const CONFIG: HardwareConfig = {
  driver: { driver: 'sim', seed: 5, turnsRoundPerMille: 0, tailgatePerMille: 0, walkMs: 150 },
  lanes: [
    { name: 'north', rules: RULES, inputs: {} },
    { name: 'south', rules: RULES, inputs: {} },
  ],
  holdMs: HOLD_MS,
  memory: 'none',
  optical: [],
}

class Street {
  readonly rig: Rig
  readonly desk: SimDesk
  readonly #server: Server
  readonly #attendant: Attendant
  #sim: SimIo | undefined

  constructor(rig: Rig, pass?: string) {
    const { door } = rig
    this.rig = rig
    this.desk = new SimDesk({ door, clock: REAL_CLOCK, newId, ...(pass === undefined ? {} : { pass }) })
    this.#server = new Server({ routes: this.desk.routes, onFault: error => rig.faults.push(error) })
    const turnstile = openTurnstile(CONFIG, {
      clock: REAL_CLOCK,
      settled: () => door.kept(),
      isSameLife: async () => true,
      played: sim => {
        this.#sim = sim
        this.desk.play(sim)
      },
    })
    const visitors = this.desk
    this.#attendant = new Attendant({ door, turnstile, clock: REAL_CLOCK, newId, holdMs: HOLD_MS, visitors })
  }

  async open(): Promise<void> {
    await this.#server.listen({ host: '127.0.0.1', port: 0 }, false)
    this.#attendant.start()
    await until(() => this.#attendant.state().lanes.every(({ isHeld }) => isHeld), 'every arm is held')
  }

  async close(): Promise<void> {
    await this.#attendant.stop()
    await this.#server.close()
  }

  get truth() {
    const { in: ins, out } = (this.#sim as SimIo).truth
    return { in: ins, out }
  }

  get counters() {
    const { admitted, forced, lapsed, exited } = this.rig.door.gate?.me.books?.counters ?? {}
    return { admitted, forced, lapsed, exited }
  }

  async send(wish: object | string, headers: Record<string, string> = {}) {
    const body = typeof wish === 'string' ? wish : JSON.stringify(wish)
    const reply = await fetch(`${this.#server.url}/turnstile/sim`, { method: 'POST', body, headers })
    // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked at field by field
    return { status: reply.status, json: (await reply.json()) as any }
  }
}

function onStreet(act: (street: Street) => Promise<void>, a: { tokens?: number; pass?: string } = {}): Promise<void> {
  return inFront(async rig => {
    const street = new Street(rig, a.pass)
    try {
      await rig.boot(a.tokens ?? 10)
      await street.open()
      await act(street)
    } finally {
      await street.close()
    }
  })
}

test('somebody sent in is asked for, decided on and walks; the answer is that of an entry, and whether they passed', async () => {
  await onStreet(async street => {
    const id = newId()
    const [one, again] = await Promise.all([street.send({ do: 'in', id }), street.send({ do: 'in', id })])
    const entry = ['id', 'decision', 'reason', 'source', 'latencyUs', 'balance', 'occupancy']
    assert.deepEqual(Object.keys(one.json), [...entry, 'passed', 'why', 'lane', 'followers'])
    assert.deepEqual([one.json.id, one.json.decision, one.json.passed], [id, 'ADMIT', true])
    assert.deepEqual(again.json, one.json, 'the same id is the same person')
    const admit = (await street.rig.entries).find(({ type }) => type === 'admit')
    assert.equal(admit?.id, id)

    const out = newId()
    const { json } = await street.send({ do: 'out', id: out, lane: 'south' })
    const lane = { lane: 'south', followers: 0 }
    assert.deepEqual(json, { id: out, credited: true, isSeen: true, passed: true, why: 'walked', ...lane })
    assert.deepEqual(street.truth, { in: 1, out: 1 })
    assert.deepEqual(street.counters, { admitted: 1, forced: 0, lapsed: 0, exited: 1 })
  })
})

test('whoever is refused sees it and goes, and the next one is asked for', async () => {
  await onStreet(
    async street => {
      const replies = await Promise.all([1, 2, 3, 4].map(() => street.send({ do: 'in' })))
      const passed = replies.filter(({ json }) => json.passed)
      assert.equal(passed.length, 2)
      for (const { json } of replies) assert.equal(json.passed, json.decision === 'ADMIT', JSON.stringify(json))
      assert.ok(replies.filter(({ json }) => json.why === 'sent-away').length === 2)
      assert.deepEqual(street.truth, { in: 2, out: 0 })
      assert.equal(street.counters.admitted, 2)
    },
    { tokens: 2 },
  )
})

test('a tailgater is forced, somebody who turns round gives the token back, by what the sensors saw alone', async () => {
  await onStreet(async street => {
    const { json } = await street.send({ do: 'tailgate' })
    assert.deepEqual([json.passed, json.followers], [true, 1])
    await until(() => street.counters.forced === 1, 'the follower was seen')
    const turned = await street.send({ do: 'turn' })
    assert.deepEqual([turned.json.decision, turned.json.passed, turned.json.why], ['ADMIT', false, 'turned-round'])
    await until(() => street.counters.lapsed === 1, 'the token is back')
    assert.deepEqual(street.truth, { in: 2, out: 0 })
    assert.deepEqual(street.counters, { admitted: 2, forced: 1, lapsed: 1, exited: 0 })
  })
})

test('without power people still leave, and the fire loop is the fire of the gate', async () => {
  await onStreet(async street => {
    assert.equal((await street.send({ do: 'power', on: false, lane: 'north' })).status, 200)
    const { json } = await street.send({ do: 'out', lane: 'north' })
    assert.deepEqual([json.passed, json.isSeen, json.credited], [true, false, false])
    await street.send({ do: 'power', on: true })
    await street.send({ do: 'fire', active: true })
    assert.equal(street.rig.door.gate?.me.modes.effective, 'FIRE')
    const refused = await street.send({ do: 'in' })
    assert.deepEqual([refused.json.decision, refused.json.passed], ['REJECT_EMERGENCY', false])
    assert.equal((await street.send({ do: 'out' })).json.passed, true)
  })
})

test('bad words get a clear no', async () => {
  await onStreet(
    async street => {
      const pass = { authorization: 'Bearer sesame' }
      const bad: [body: string, says: RegExp][] = [
        ['{', /not JSON/],
        ['[]', /JSON object/],
        ['{"do":"fly"}', /do: one of in, out/],
        ['{"do":"in","id":"7"}', /id: a UUIDv7/],
        ['{"do":"in","lane":"west"}', /lane: one of north, south/],
        ['{"do":"power"}', /on: true or false/],
        ['{"do":"fire","active":1}', /active: true or false/],
      ]
      for (const [body, says] of bad) {
        const { status, json } = await street.send(body, pass)
        assert.equal(status, 400)
        assert.match(json.error, says)
      }
      const { status } = await street.send({ do: 'in' })
      assert.equal(status, 401)
      assert.deepEqual(street.truth, { in: 0, out: 0 })
    },
    { pass: 'sesame' },
  )
})

test.run()
