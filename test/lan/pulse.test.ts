import assert from 'node:assert/strict'
import fc from 'fast-check'
import { PULSE, Pulse } from '../../mesh/lan/pulse.ts'
import { suite } from '../suite.ts'

const test = suite('lan/pulse')

const { tickMs, beatMs, suspectMs, stallMs } = PULSE

/** Ticks as the LAN does, until `to`; what came of the last tick of all that said anything. */
function run(pulse: Pulse, from: number, to: number, each: (now: number) => void = () => undefined) {
  const suspected = new Map<string, number>()
  let beats = 0
  for (let now = from; now <= to; now += tickMs) {
    each(now)
    const { suspects, owed } = pulse.tick(now)
    for (const name of suspects) {
      if (!suspected.has(name)) suspected.set(name, now)
      pulse.down(name)
    }
    beats += owed.length
    for (const name of owed) pulse.said(name, now)
  }
  return { suspected, beats }
}

test('the limits fit each other: two beats come before suspicion, and a stall is shorter than that', () => {
  assert.ok(2 * beatMs < suspectMs)
  assert.ok(suspectMs + tickMs <= 2600, 'about two seconds')
  assert.ok(tickMs + stallMs < suspectMs - beatMs)
})

test('whoever stops talking is suspected after the silence and within a tick of it', () => {
  const pulse = new Pulse()
  pulse.up('east', 0)
  pulse.up('west', 0)
  const { suspected } = run(pulse, 0, 10_000, now => {
    pulse.heard('west', now)
    if (now <= 3000) pulse.heard('east', now)
  })
  const at = suspected.get('east') ?? Number.NaN
  assert.ok(at >= 3000 + suspectMs && at <= 3000 + suspectMs + tickMs, `${at}`)
  assert.deepEqual([...suspected.keys()], ['east'])
})

test('a suspect that was let go is not suspected again', () => {
  const pulse = new Pulse()
  pulse.up('east', 0)
  run(pulse, 0, suspectMs + tickMs)
  assert.deepEqual(pulse.tick(60_000).suspects, [])
  assert.equal(pulse.silentMs('east', 60_000), Number.POSITIVE_INFINITY)
})

test('a beat in time is enough, at whatever moment it comes', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: suspectMs - tickMs }), { maxLength: 30 }), pauses => {
      const pulse = new Pulse()
      pulse.up('east', 0)
      let last = 0
      const words = pauses.map(pause => (last += pause))
      const { suspected } = run(pulse, 0, words.at(-1) ?? 0, now => {
        for (const at of words) if (at <= now && at > now - tickMs) pulse.heard('east', at)
      })
      assert.equal(suspected.size, 0)
    }),
  )
})

test('our own stall forgives everyone, once', () => {
  const pulse = new Pulse()
  pulse.up('east', 0)
  pulse.up('west', 0)
  pulse.tick(0)
  const woke = 60_000
  assert.deepEqual(pulse.tick(woke).suspects, [])
  const { suspected } = run(pulse, woke + tickMs, woke + 10_000, now => pulse.heard('west', now))
  assert.deepEqual([...suspected.keys()], ['east'])
  assert.ok((suspected.get('east') ?? 0) - woke >= suspectMs)
})

test('ticks that are a few ms late forgive nobody', () => {
  const pulse = new Pulse()
  pulse.up('east', 0)
  for (let now = 0; now < suspectMs; now += tickMs + 20) pulse.tick(now)
  assert.deepEqual(pulse.tick(suspectMs).suspects, ['east'])
})

test('whoever runs late itself waits longer for others, and not for ever', () => {
  const pulse = new Pulse()
  pulse.up('east', 0)
  const late = tickMs + stallMs
  let now = 0
  while (pulse.tick(now).suspects.length === 0 && now < 60_000) now += late
  assert.ok(now > suspectMs + 2 * stallMs && now < 4 * suspectMs, `${now}`)
})

test('once it is on time again it is as quick as ever', () => {
  const pulse = new Pulse()
  pulse.tick(0)
  pulse.tick(tickMs + stallMs)
  pulse.up('east', 0)
  const from = tickMs + stallMs
  const { suspected } = run(pulse, from, from + 40_000, now => {
    if (now < from + 30_000) pulse.heard('east', now)
  })
  const silent = (suspected.get('east') ?? Number.NaN) - from - 30_000
  assert.ok(silent >= suspectMs - tickMs && silent <= suspectMs + 2 * tickMs, `${silent}`)
})

test('a beat is owed to whoever was told nothing for long, and to nobody else', () => {
  const pulse = new Pulse()
  pulse.up('quiet', 0)
  pulse.up('busy', 0)
  let toBusy = 0
  let toQuiet = 0
  for (let now = 0; now <= 20_000; now += tickMs) {
    pulse.heard('quiet', now)
    pulse.heard('busy', now)
    pulse.said('busy', now)
    for (const name of pulse.tick(now).owed) {
      if (name === 'busy') toBusy++
      else toQuiet++
      pulse.said(name, now)
    }
  }
  assert.equal(toBusy, 0)
  assert.equal(toQuiet, Math.floor(20_000 / 1250))
})

test('two idle members with beats only never suspect each other, even when every other beat is lost', () => {
  const a = new Pulse()
  const b = new Pulse()
  a.up('b', 0)
  b.up('a', 0)
  let sent = 0
  for (let now = 0; now <= 60_000; now += tickMs) {
    for (const [from, to, me] of [
      [a, b, 'a'],
      [b, a, 'b'],
    ] as const) {
      const { owed, suspects } = from.tick(now)
      assert.deepEqual(suspects, [])
      for (const name of owed) {
        from.said(name, now)
        if (sent++ % 4 < 2) to.heard(me, now)
        else to.heard(me, now + 40)
      }
    }
  }
})

test('words of one who is not up make nobody up', () => {
  const pulse = new Pulse()
  pulse.heard('ghost', 5)
  pulse.said('ghost', 5)
  assert.equal(pulse.silentMs('ghost', 6), Number.POSITIVE_INFINITY)
  assert.deepEqual(pulse.tick(1e6), { suspects: [], owed: [] })
})

test.run()
