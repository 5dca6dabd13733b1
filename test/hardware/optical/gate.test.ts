import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Eyes } from '../../../anchor/reconcile/eyes.ts'
import { driftOf, noHour } from '../../../anchor/reconcile/hour.ts'
import type { OpticalConfig } from '../../../hardware/optical/config.ts'
import type { Entry } from '../../../ledger/entry.ts'
import { Server } from '../../../mesh/window/server.ts'
import { deskOf } from '../../../node/optical/desk-of-door.ts'
import { suite } from '../../suite.ts'
import { Rig } from '../../window/rig.ts'
import { HandClock } from './clock.ts'

const test = suite('hardware/optical/gate')

const NORTH: OpticalConfig = {
  ...{ name: 'north', format: 'xovis', isSwapped: false },
  counterIds: { in: [1], out: [2] },
}

interface At {
  readonly rig: Rig
  readonly clock: HandClock
  /** Moves the totals of the lens and pushes a package. */
  see(people: { readonly in?: number; readonly out?: number }): Promise<void>
  restart(): Promise<void>
}

/** A real gate with a real ledger, and a lens above it. */
async function at(act: (a: At) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'optical-'))
  const rig = new Rig()
  const clock = new HandClock()
  const open = async () => {
    const desk = deskOf({ door: rig.door, configs: [NORTH], clock, path: join(dir, 'store.optical') })
    const server = new Server({ routes: desk.routes, onFault: error => rig.faults.push(error) })
    await server.listen({ host: '127.0.0.1', port: 0 }, false)
    await desk.start()
    return { desk, server }
  }
  let place: Awaited<ReturnType<typeof open>> | undefined
  const close = async () => {
    await place?.server.close()
    await place?.desk.stop()
  }
  const totals = new Map([
    [1, 700],
    [2, 600],
  ])
  let id = 0
  const see: At['see'] = async people => {
    const moved = [
      [1, people.in ?? 0],
      [2, people.out ?? 0],
    ] as const
    const events = moved.flatMap(([counter_id, count]) =>
      Array.from({ length: count }, () => {
        const counter_value = (totals.get(counter_id) ?? 0) + 1
        totals.set(counter_id, counter_value)
        return { type: 'COUNT_INCREMENT', attributes: { counter_id, counter_value } }
      }),
    )
    const time = new Date(clock.wall()).toISOString()
    const body = JSON.stringify({ live_data: { package_info: { id: id++ }, frames: [{ time, events }] } })
    const url = `${place?.server.url}/optical/north`
    const { status } = await fetch(url, { method: 'POST', body, headers: { connection: 'close' } })
    assert.equal(status, 200)
  }
  try {
    await rig.boot(20)
    place = await open()
    const restart = async () => {
      await close()
      place = await open()
    }
    await act({ rig, clock, see, restart })
    assert.deepEqual(rig.faults, [])
  } finally {
    await close()
    await rig.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

const enter = async (rig: Rig) => assert.equal((await rig.door.enter(undefined, 1000)).decision, 'ADMIT')

test('a tailgater costs a token, and lens and ledger agree when the anchor reads them', async () => {
  await at(async ({ rig, clock, see, restart }) => {
    await see({})
    for (let k = 0; k < 5; k++) await enter(rig)
    await see({ in: 3 })
    await see({ in: 3, out: 1 })
    rig.door.leave(undefined, 1000)
    const before = rig.door.gate?.me.books?.balance ?? 0
    clock.pass(400_000)
    assert.equal(rig.door.gate?.me.books?.balance, before - 1)
    await restart()
    await see({})
    clock.pass(400_000)
    const told = (await rig.entries) as unknown as Entry[]
    const shown = told.flatMap(e =>
      e.type === 'forced' ? [`forced ${e.count} ${e.why}`] : e.type === 'optical' ? [`optical ${e.in} ${e.out}`] : [],
    )
    assert.deepEqual(shown, ['optical 0 0', 'forced 1 tailgate', 'optical 6 1'])
    const eyes = new Eyes()
    const hour = noHour(0, 'gate-01')
    for (const entry of told) eyes.see('gate-01', entry, 0, hour)
    assert.equal(driftOf(hour)?.people, 0)
    assert.equal(eyes.count, 5)
  })
})

test('more tailgaters than tokens are a debt, and everybody goes on leaving', async () => {
  await at(async ({ rig, clock, see }) => {
    await see({})
    await see({ in: 25 })
    clock.pass(30_000)
    assert.equal(rig.door.gate?.me.books?.balance, -5)
    assert.notEqual((await rig.door.enter(undefined, 1000)).decision, 'ADMIT')
    assert.equal(rig.door.leave(undefined, 1000).id.length, 36)
  })
})

test.run()
