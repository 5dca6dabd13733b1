// What a turnstile promises, whatever it is made of. Every driver is held to the same list.

import assert from 'node:assert/strict'
import type { Happening, Lane } from '../../../hardware/turnstile.ts'
import type { Suite } from '../../suite.ts'
import { HOLD_MS, type Parts, type Rig } from './rig.ts'

type Kind = Happening['kind']

/** A rig that was started, and all that was heard of it. */
class Watched {
  readonly rig: Rig
  readonly heard: Happening[] = []

  constructor(rig: Rig) {
    this.rig = rig
  }

  get lane(): Lane {
    return this.rig.turnstile.lanes[0] as Lane
  }

  start(): Promise<void> {
    return this.rig.turnstile.start(happening => this.heard.push(happening))
  }

  count(kind: Kind): number {
    return this.heard.filter(one => one.kind === kind).length
  }

  until(kind: Kind, times = 1): Promise<void> {
    return this.rig.until(`${kind} ${times} times`, () => this.count(kind) >= times)
  }

  faults(): string[] {
    return this.heard.flatMap(one => (one.kind === 'fault' ? [`${one.code}${one.isOver ? ' over' : ''}`] : []))
  }

  /** As a gate does it: again and again, so that a lease is never out. */
  async untilLocked(): Promise<void> {
    await this.rig.until('locked', () => {
      this.lane.entry.hold(HOLD_MS)
      return this.rig.isLocked()
    })
  }
}

async function hold(make: () => Promise<Rig>, act: (watched: Watched) => Promise<void>): Promise<void> {
  const watched = new Watched(await make())
  try {
    await watched.start()
    await watched.rig.until('it is up', () => watched.rig.turnstile.state().lanes.every(lane => lane.isUp))
    await act(watched)
  } finally {
    await watched.rig.turnstile.stop()
    await watched.rig.close()
  }
}

/** So many rigs at once: in a real process most of the time is waiting. */
const AT_ONCE = 4

export function claims(test: Suite, make: () => Promise<Rig>, parts: Parts): void {
  const lanes: Promise<unknown>[] = Array(AT_ONCE).fill(Promise.resolve())
  let turn = 0
  const claim = (name: string, act: (watched: Watched) => Promise<void>, needs: readonly (keyof Parts)[] = []) => {
    const missing = needs.filter(part => !parts[part])
    if (missing.length > 0) return test.skip(name, `this hardware has no ${missing.join(', ')}`)
    const nth = turn++ % AT_ONCE
    const held = (lanes[nth] as Promise<unknown>).then(() => hold(make, act))
    lanes[nth] = held.catch(() => undefined)
    test(name, () => held)
  }

  claim('a person who asks and is let in is one pulse and one entry, by the id of the grant', async w => {
    if (parts.asks) {
      w.rig.asks()
      await w.until('asked')
    }
    w.lane.entry.grant('g1')
    await w.rig.until('a pulse', () => w.rig.pulses() === 1)
    await w.rig.walks('in')
    await w.until('entered')
    await w.rig.pass(1500)
    assert.deepEqual([w.count('entered'), w.count('intruded'), w.count('lapsed'), w.rig.pulses()], [1, 0, 0, 1])
    assert.ok(w.heard.some(one => one.kind === 'entered' && one.grant === 'g1'))
  })

  claim('a grant right behind another is a pulse of its own: no contact stays closed for two people', async w => {
    w.lane.entry.grant('g1')
    await w.rig.until('a pulse', () => w.rig.pulses() === 1)
    w.lane.entry.grant('g2')
    await w.rig.walks('in')
    await w.rig.until('another pulse', () => w.rig.pulses() === 2)
    await w.rig.walks('in')
    await w.until('entered', 2)
    assert.deepEqual([w.count('entered'), w.count('intruded'), w.rig.pulses()], [2, 0, 2])
  })

  claim('a person who leaves is told once, whatever the entry does', async w => {
    if (parts.locks) await w.untilLocked()
    await w.rig.walks('out')
    await w.until('left')
    await w.rig.walks('out')
    await w.until('left', 2)
    await w.rig.pass(700)
    assert.deepEqual([w.count('left'), w.count('entered') + w.count('intruded')], [2, 0])
  })

  claim('whoever walks in without a grant is inside all the same', async w => {
    await w.rig.walks('in')
    await w.until('intruded')
    await w.rig.pass(700)
    const people = w.heard.reduce((sum, one) => sum + (one.kind === 'intruded' ? one.count : 0), 0)
    assert.deepEqual([people, w.count('entered'), w.count('left')], [1, 0, 0])
  })

  claim('a grant that nobody walked on lapses, once, and not before its time', async w => {
    w.lane.entry.grant('g1')
    await w.until('lapsed')
    await w.rig.pass(1500)
    assert.deepEqual([w.count('lapsed'), w.count('entered')], [1, 0])
  })

  claim('a refusal moves no arm', async w => {
    w.lane.entry.refuse('g1')
    await w.rig.pass(300)
    assert.equal(w.rig.pulses(), 0)
  })

  claim(
    'a hold locks the entry, and lets go by itself when nobody renews it',
    async w => {
      await w.untilLocked()
      await w.rig.until('free again', () => !w.rig.isLocked())
      await w.rig.until('said so', () => w.rig.turnstile.state().lanes[0]?.isHeld === false)
    },
    ['locks', 'leases'],
  )

  claim(
    'the fire loop frees a locked entry and keeps it free until somebody re-arms',
    async w => {
      await w.untilLocked()
      w.rig.contact('fire', true)
      await w.rig.until('free', () => !w.rig.isLocked())
      await w.until('contact')
      for (let k = 0; k < 4; k++) {
        w.lane.entry.hold(HOLD_MS)
        w.rig.turnstile.rearm()
        await w.rig.pass(50)
        assert.equal(w.rig.isLocked(), false)
      }
      assert.equal(w.rig.turnstile.state().isLatched, true)
      w.rig.contact('fire', false)
      await w.until('contact', 2)
      w.lane.entry.hold(HOLD_MS)
      await w.rig.pass(100)
      assert.equal(w.rig.isLocked(), false)
      w.rig.turnstile.rearm()
      await w.untilLocked()
    },
    ['contacts', 'locks'],
  )

  claim(
    'people who walk while the fire loop is open are counted both ways',
    async w => {
      w.rig.contact('fire', true)
      await w.until('contact')
      await w.rig.walks('in')
      await w.until('intruded')
      await w.rig.walks('out')
      await w.until('left')
      assert.ok(w.heard.some(one => one.kind === 'intruded' && one.why === 'fire'))
      assert.equal(w.count('left'), 1)
    },
    ['contacts'],
  )

  claim(
    'the key switch is told and unlocks nothing by itself',
    async w => {
      await w.untilLocked()
      w.rig.contact('key', true)
      await w.until('contact')
      await w.untilLocked()
      assert.deepEqual([w.rig.turnstile.state().key, w.rig.turnstile.state().isLatched], [true, false])
    },
    ['contacts', 'locks'],
  )

  claim(
    'while the cable is cut nothing is known, no grant lapses, and no lock lasts; mended, all is as before',
    async w => {
      if (parts.locks) await w.untilLocked()
      w.lane.entry.grant('g1')
      await w.rig.until('a pulse', () => w.rig.pulses() === 1)
      w.rig.cable(false)
      await w.rig.until('a fault', () => w.faults().includes('LINK'))
      assert.equal(w.rig.turnstile.state().lanes[0]?.isUp, false)
      if (parts.leases) await w.rig.until('free', () => !w.rig.isLocked())
      await w.rig.pass(2000)
      assert.equal(w.count('lapsed'), 0)
      w.rig.cable(true)
      await w.rig.until('well again', () => w.faults().includes('LINK over'))
      const before = w.count('left')
      await w.rig.walks('out')
      await w.until('left', before + 1)
      assert.equal(w.count('lapsed'), 0)
    },
    ['cable'],
  )

  claim('who stops leaves the entry free, and may do so twice', async w => {
    if (parts.locks) await w.untilLocked()
    await w.rig.turnstile.stop()
    await w.rig.turnstile.stop()
    await w.rig.until('free', () => !w.rig.isLocked())
    w.lane.entry.hold(HOLD_MS)
    w.lane.entry.grant('g1')
    await w.rig.pass(100)
    assert.deepEqual([w.rig.isLocked(), w.rig.pulses()], [false, 0])
  })

  claim('an exit has nothing that could lock or refuse it', async w => {
    assert.deepEqual(Object.keys(w.lane.exit), ['free'])
    w.lane.exit.free()
    await w.rig.walks('out')
    await w.until('left')
  })
}
