import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { Member } from '../../mesh/member.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { type Core, Shell } from '../../mesh/shell.ts'
import { Door } from '../../node/door.ts'
import type { GateEvent } from '../../node/gate-event.ts'
import { Home } from '../../tools/mall/home.ts'
import { suite } from '../suite.ts'
import { IndoorMall, until } from './indoor-mall.ts'
import { inFolder } from './running.ts'

const test = suite('mall/shell')

const CAPACITY = 30

async function inRig(act: (rig: IndoorMall, doors: [Door, Door, Door]) => Promise<void>): Promise<void> {
  await inFolder(async dir => {
    await Home.found(dir, { gates: 3, legalMax: CAPACITY })
    const rig = new IndoorMall(await Home.open(dir))
    await rig.start()
    try {
      await act(rig, rig.doors)
    } finally {
      await rig.stop()
    }
  })
}

const decide = async (door: Door) => {
  const { decision, reason } = await door.enter(undefined, undefined)
  return reason === '' ? decision : `${decision} ${reason}`
}

test('an admission is on disk before it is told; a disk too slow for that makes it a no, and the token comes back', async () => {
  await inRig(async (rig, [door]) => {
    const disk = rig.disk('gate-01')
    assert.equal(await decide(door), 'ADMIT')
    disk.hold()
    let told = ''
    const waiting = decide(door).then(decision => {
      told = decision
    })
    await sleep(40)
    assert.equal(told, '')
    assert.equal(door.leave(undefined, undefined).credited, true, 'nobody who leaves waits for it')
    disk.release()
    await waiting
    assert.equal(told, 'ADMIT')
    disk.hold()
    assert.equal(await decide(door), 'REJECT_FAULT disk')
    disk.release()
    const { admitted, lapsed } = door.gate?.me.books?.counters ?? {}
    assert.deepEqual([admitted, lapsed], [3, 1])
  })
})

test('while the disk fails entries are refused and exits go on; mended, both are as before and nothing is missing', async () => {
  await inRig(async (rig, [door]) => {
    assert.equal(await decide(door), 'ADMIT')
    rig.disk('gate-01').failMarks(1000)
    assert.equal(await decide(door), 'REJECT_FAULT disk', 'the write of its own admission failed')
    assert.equal(await decide(door), 'REJECT_FAULT disk')
    const { credited } = door.leave(undefined, undefined)
    assert.equal(credited, true)
    rig.disk('gate-01').heal()
    await until(() => door.gate?.fault === undefined, 'the gate is mended')
    assert.equal(await decide(door), 'ADMIT')
    const { admitted, exited } = door.gate?.me.books?.counters ?? {}
    assert.deepEqual([admitted, exited], [3, 1], 'the token of the admission in doubt stays spent')
    assert.match(rig.alarms.join('\n'), /DISK: gate-01/)
  })
})

test('a disk that loses what it acknowledged ends that ledger: the gate opens its next epoch with nothing', async () => {
  await inRig(async (rig, [door, other]) => {
    let inside = 0
    for (let i = 0; i < 4; i++) if ((await decide(door)) === 'ADMIT') inside++
    assert.equal(inside, 4)
    await until(() => (other.gate?.me.view.counted ?? 0) === 4, 'the others heard of them')
    const disk = rig.disk('gate-01')
    disk.cutTail(1, 2)
    disk.failMarks(1)
    assert.match(await decide(door), /^REJECT_FAULT/)
    door.leave(undefined, undefined)
    await until(() => door.gate?.isJoined === true && door.gate.me.books?.account === 'gate-01/2', 'a new epoch')
    assert.match(rig.alarms.join('\n'), /RESTARTED: gate-01: the disk lost entries/)
    for (let i = 0; i < 60; i++) if ((await decide(i % 2 === 0 ? door : other)) === 'ADMIT') inside++
    assert.ok(inside > 4, 'it lets people in again')
    assert.ok(inside <= CAPACITY, `${inside} inside`)
  })
})

test('an emergency outlives a restart of everyone, and exits are free in it', async () => {
  await inRig(async (rig, [door, other]) => {
    assert.equal(await decide(other), 'ADMIT')
    door.contact('fire', true)
    await until(() => other.gate?.me.modes.effective === 'FIRE', 'the other gate hears of it')
    assert.equal(await decide(other), 'REJECT_EMERGENCY fire')
    await rig.stop()
    await rig.start()
    const { doors } = rig
    for (const late of doors) assert.equal(await decide(late), 'REJECT_EMERGENCY fire')
    assert.equal(doors[1].leave(undefined, undefined).credited, true)
  })
})

test('a core that breaks a law of its own admits nobody any more, and nobody who leaves notices', async () => {
  await inFolder(async dir => {
    await Home.found(dir, { gates: 1, legalMax: 5 })
    const home = await Home.open(dir)
    const name = 'gate-01'
    const key = home.key(name).verifier.toString()
    const alarms: string[] = []
    const door = new Door({ name, clock: REAL_CLOCK, newId, alarm: code => alarms.push(code) })
    const me = new Member({ name, charter: home.charter, limits: LIMITS, key, newId })
    const core: Core<GateEvent> = {
      me,
      wakeAt: Number.POSITIVE_INFINITY,
      step(event) {
        if (event.kind === 'asked' || event.kind === 'left') throw new Error('a bug')
        return []
      },
    }
    const { shell, boot } = await Shell.open<GateEvent>({
      name,
      charters: home.charters,
      signer: home.key(name),
      rememberMs: 1000,
      clock: REAL_CLOCK,
      transport: { send: () => undefined },
      witness: door,
      make: () => core,
      openStore: options => openMemoryStore(new MemoryDisk(), options),
    })
    door.shell = shell
    assert.equal(await decide(door), 'REJECT_FAULT away', 'before it is there')
    boot()
    door.leave(undefined, Number.NaN)
    assert.equal(door.tally.out, 1)
    assert.equal(await decide(door), 'REJECT_FAULT broken-law')
    assert.deepEqual(alarms, ['BROKEN_LAW'])
    await shell.close()
    assert.equal(door.leave('no id at all', 'very sure').credited, false)
    assert.equal(await decide(door), 'REJECT_FAULT away')
  })
})

test.run()
