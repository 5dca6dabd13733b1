import assert from 'node:assert/strict'
import type { ModeStatement } from '../../ledger/mode.ts'
import { Feed } from '../../mesh/window/feed.ts'
import type { AlertReport, GateReport, Happening, MallReport } from '../../mesh/window/mall-report.ts'
import { NO_RATES } from '../../mesh/window/report.ts'
import { suite } from '../suite.ts'

const test = suite('window/feed')

const WALL = Date.UTC(2030, 0, 2, 14)

type Change = Partial<Omit<MallReport, 'gates' | 'occupancy' | 'anchor'>> & {
  readonly gates?: Readonly<Record<string, Partial<GateReport>>>
  readonly count?: number
  readonly capacity?: number
  readonly anchor?: Partial<MallReport['anchor']>
  readonly statement?: ModeStatement
}

function gate(name: string, change: Partial<GateReport> = {}): GateReport {
  const counters = { admitted: 0, forced: 0, exited: 0, lapsed: 0 }
  const flags = { isReachable: true, isBanned: false, isRostered: true }
  return {
    name,
    account: `${name}/1`,
    balance: 5,
    counters,
    inFlight: 0,
    ageMs: 0,
    ...flags,
    state: 'NORMAL',
    ...change,
  }
}

/** A mall of so many gates, in which a report is made twice a second. */
class Scene {
  readonly feed = new Feed()
  readonly #names: string[]
  #now = 0
  #is: Change = {}

  constructor(gates = 3) {
    this.#names = Array.from({ length: gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)
    this.pass(20)
  }

  get wall(): number {
    return WALL + this.#now
  }

  /** What is different from now on. */
  set(change: Change): this {
    this.#is = { ...this.#is, ...change }
    return this
  }

  /** Seconds pass; returns the texts that are new, oldest first. */
  pass(seconds: number): string[] {
    return this.news(seconds).map(({ text }) => text)
  }

  news(seconds: number): Happening[] {
    const before = this.feed.newest[0]?.seq ?? 0
    for (let k = 0; k < seconds * 2; k++) {
      this.#now += 500
      this.feed.see({ report: this.report(), now: this.#now, statement: this.#is.statement })
    }
    return this.feed.newest.filter(({ seq }) => seq > before).reverse()
  }

  report(): MallReport {
    const { gates = {}, count = 10, capacity = 100, anchor, statement, ...rest } = this.#is
    const names = [...new Set([...this.#names, ...Object.keys(gates)])]
    return {
      mall: 'm',
      at: this.wall,
      me: 'gate-01',
      mode: 'NORMAL',
      occupancy: { count, atMost: count, capacity, ageMs: 0 },
      left: 0,
      anchor: {
        name: 'anchor',
        account: 'anchor/1',
        balance: 0,
        policyVersion: 1,
        ageMs: 0,
        isFresh: true,
        ...anchor,
      },
      gates: names.map(name => gate(name, gates[name])),
      rates: NO_RATES,
      flows: [],
      alerts: { open: [], more: 0 },
      feed: [],
      notes: [],
      ...rest,
    }
  }
}

const SILENT = { isReachable: false, ageMs: 4000 }

test('a mall in which nothing happens says nothing, however many people pass', () => {
  const scene = new Scene()
  assert.deepEqual(scene.feed.newest, [])
  for (let k = 0; k < 50; k++) assert.deepEqual(scene.set({ count: 10 + k }).pass(1), [])
})

test('a mode is told at once, with who raised it and why, and when it is over', () => {
  const scene = new Scene()
  const fire = { epoch: 0, mode: 'FIRE', by: ['gate-02'], at: scene.wall - 300, reason: 'contact closed' } as const
  const [raised] = scene.set({ mode: 'FIRE', statement: fire }).news(0.5)
  assert.deepEqual(
    [raised?.kind, raised?.severity, raised?.at, raised?.text],
    ['mode', 'critical', fire.at, 'FIRE, raised by gate-02: contact closed'],
  )
  assert.deepEqual(scene.pass(60), [])
  const clear = {
    ...fire,
    epoch: 1,
    mode: 'NORMAL',
    by: ['ann', 'bob'],
    at: scene.wall,
    reason: 'false alarm',
  } as const
  const over = scene.set({ mode: 'NORMAL', statement: clear }).pass(1)
  assert.deepEqual(over, ['NORMAL again, cleared by ann and bob: false alarm'])
  // a contact of this very gate, before anybody has signed anything
  assert.deepEqual(scene.set({ mode: 'EVACUATE' }).pass(1), ['EVACUATE, raised by gate-01'])
})

test('whoever starts in an emergency is told since when', () => {
  const feed = new Feed()
  const statement: ModeStatement = { epoch: 0, mode: 'LOCKDOWN', by: ['ann'], at: WALL - 60_000, reason: 'drill' }
  feed.see({ report: { ...new Scene().report(), mode: 'LOCKDOWN', at: WALL }, now: 0, statement })
  assert.deepEqual(
    feed.newest.map(({ at, text }) => [at, text]),
    [[WALL - 60_000, 'LOCKDOWN, raised by ann: drill']],
  )
})

test('a gate that falls silent is told with what it holds, and when it is heard again', () => {
  const scene = new Scene()
  const silent = { ...SILENT, balance: 15, inFlight: 3 }
  const [news] = scene.set({ gates: { 'gate-02': silent } }).news(3)
  assert.deepEqual(
    [news?.kind, news?.severity, news?.subject, news?.text],
    ['gate', 'warning', 'gate-02', 'gate-02 silent, holds 18 places, its counts are unknown'],
  )
  assert.ok((news?.at ?? 0) < scene.wall - 4000, 'since it was last heard')
  assert.deepEqual(scene.pass(60), [])
  assert.deepEqual(scene.set({ gates: {} }).pass(3), ['gate-02 is heard again'])
  assert.deepEqual(scene.set({ gates: { 'gate-02': { ...SILENT, balance: 1 } } }).pass(3), [
    'gate-02 silent, holds 1 place, its counts are unknown',
  ])
})

test('one lost word is no silence', () => {
  const scene = new Scene()
  for (let k = 0; k < 20; k++) {
    assert.deepEqual(scene.set({ gates: { 'gate-02': SILENT } }).pass(1), [])
    assert.deepEqual(scene.set({ gates: {} }).pass(1), [])
  }
})

test('many that fall silent together are one piece of news, and so is their return', () => {
  const scene = new Scene(12)
  const some = (from: number, to: number) =>
    Object.fromEntries(
      Array.from({ length: to - from }, (_, i) => [`gate-${String(from + i).padStart(2, '0')}`, SILENT]),
    )
  scene.set({ gates: some(2, 5) }).pass(1)
  // not all of them in the same moment
  assert.deepEqual(scene.set({ gates: some(2, 9) }).pass(4), [
    '7 gates silent (gate-02, gate-03, gate-04, gate-05, gate-06 …), hold 35 places, their counts are unknown',
  ])
  assert.deepEqual(scene.set({ gates: {} }).pass(3), [
    '7 gates heard again (gate-02, gate-03, gate-04, gate-05, gate-06 …)',
  ])
  assert.deepEqual(scene.set({ gates: some(2, 13) }).pass(3), [
    'gate-01 hears no other gate: 11 gates silent, hold 55 places, their counts are unknown',
  ])
})

test('what comes and goes at the last token is no news', () => {
  const scene = new Scene()
  for (const state of ['EXHAUSTED', 'NORMAL', 'DEGRADED', 'EXHAUSTED', 'NORMAL']) {
    assert.deepEqual(scene.set({ gates: { 'gate-02': { state } } }).pass(5), [])
  }
})

test('a gate that lets nobody in is told once that is steady, with its reason in words, and when it works again', () => {
  const scene = new Scene()
  const states: [change: Partial<GateReport>, text: string][] = [
    [{ state: 'FAULT', fault: 'disk' }, 'gate-02 lets nobody in: its disk fails'],
    [{ state: 'FAULT', fault: 'something new' }, 'gate-02 lets nobody in: something new'],
    [{ state: 'EXPIRED' }, 'gate-02 lets nobody in: it has not heard the anchor for too long'],
    [{ state: 'ISOLATED' }, 'gate-02 hears no other member, and goes on with the places it holds'],
    [{ state: 'JOINING' }, 'gate-02 is joining: it lets nobody in yet'],
  ]
  for (const [change, text] of states) {
    for (let k = 0; k < 5; k++) {
      assert.deepEqual(scene.set({ gates: { 'gate-02': change } }).pass(2), [], 'not steady')
      assert.deepEqual(scene.set({ gates: {} }).pass(2), [])
    }
    assert.deepEqual(scene.set({ gates: { 'gate-02': change } }).pass(4), [text])
    assert.deepEqual(scene.pass(30), [])
    // an emergency says nothing about the gate
    assert.deepEqual(scene.set({ gates: { 'gate-02': { state: 'FIRE' } } }).pass(10), [])
    assert.deepEqual(scene.set({ gates: {} }).pass(4), ['gate-02 works again'])
  }
})

test('what is so when we begin to look is no news, but for gates that stay silent', () => {
  const feed = new Feed()
  const scene = new Scene()
  const gates = [
    gate('gate-01', { state: 'JOINING' }),
    gate('gate-02', { ...SILENT, ageMs: null, balance: 0 }),
    gate('gate-03', { isBanned: true, isReachable: false }),
  ]
  const see = (now: number) =>
    feed.see({ report: { ...scene.report(), at: WALL + now, gates }, now, statement: undefined })
  for (let now = 0; now < 9500; now += 500) see(now)
  assert.deepEqual(feed.newest, [])
  for (let now = 9500; now < 20_000; now += 500) see(now)
  assert.deepEqual(
    feed.newest.map(({ text }) => text),
    ['gate-02 silent, holds 0 places, its counts are unknown'],
  )
})

test('bans and changes of the roster are told', () => {
  const scene = new Scene()
  const banned = { isBanned: true, isReachable: false }
  const [news, ...none] = scene.set({ gates: { 'gate-03': banned } }).news(5)
  assert.deepEqual([news?.severity, none.length], ['critical', 0])
  assert.equal(news?.text, 'gate-03 banned: it showed two histories of its ledger, nothing it says is believed')
  assert.deepEqual(scene.set({ gates: { 'gate-03': banned, 'gate-04': {} } }).pass(1), ['gate-04 is on the roster'])
  const gone = { 'gate-03': banned, 'gate-04': { isRostered: false, isReachable: false } }
  assert.deepEqual(scene.set({ gates: gone }).pass(5), ['gate-04 was taken off the roster'])
})

test('the anchor is told away once it is missed, and back', () => {
  const scene = new Scene()
  for (let k = 0; k < 5; k++) {
    assert.deepEqual(scene.set({ anchor: { isFresh: false, ageMs: 5500 } }).pass(1), [])
    assert.deepEqual(scene.set({ anchor: {} }).pass(1), [])
  }
  const [away] = scene.set({ anchor: { isFresh: false, ageMs: 7000 } }).news(3)
  assert.deepEqual([away?.text, away?.subject], ['the anchor is away: gates go on with the places they hold', 'anchor'])
  assert.deepEqual(scene.set({ anchor: {} }).pass(3), ['the anchor is heard again'])
})

test('a new policy is told with the capacity before and after, though that comes a moment later', () => {
  const scene = new Scene()
  assert.deepEqual(scene.set({ anchor: { policyVersion: 2 } }).pass(1), [])
  assert.deepEqual(scene.set({ capacity: 60 }).pass(1), ['policy 2: capacity 60, before 100'])
  assert.deepEqual(scene.set({ anchor: { policyVersion: 3 } }).pass(10), ['policy 3: capacity stays 60'])
  assert.deepEqual(scene.set({ capacity: 80 }).pass(10), ['capacity 80, before 60, as policy 3 has it'])
})

test('full is told once, and over only well below the limit', () => {
  const scene = new Scene()
  assert.deepEqual(scene.set({ count: 99 }).pass(2), [])
  assert.deepEqual(scene.set({ count: 100 }).pass(2), ['full: 100 of 100 inside'])
  for (const count of [99, 100, 98, 101, 100]) assert.deepEqual(scene.set({ count }).pass(2), [])
  assert.deepEqual(scene.set({ count: 97 }).pass(2), ['no longer full: 97 of 100 inside'])
  assert.deepEqual(scene.set({ count: 95, capacity: 80 }).pass(1), [
    'capacity 80, before 100, as policy 1 has it',
    '95 inside, limit 80: entries stop until 15 leave',
  ])
})

test('alerts and notes are told when they come, once, and old ones that were only brought late are not', () => {
  const scene = new Scene()
  const alert = (id: string, change: Partial<AlertReport> = {}): AlertReport => {
    return {
      id,
      code: 'DISK',
      subject: 'gate-02',
      severity: 'critical',
      detail: 'a write failed',
      at: scene.wall,
      ...change,
    }
  }
  const first = [alert('a'), alert('b', { detail: 'gate-02: full', at: scene.wall - 3600_000 })]
  assert.deepEqual(scene.set({ alerts: { open: first, more: 0 } }).pass(2), ['gate-02: a write failed'])
  const known = [alert('c', { code: 'GATE_SILENT' }), alert('d', { subject: '', detail: 'slow' }), ...first]
  assert.deepEqual(scene.set({ alerts: { open: known, more: 0 } }).pass(2), ['slow'], 'silence is told already')
  const note = { id: 'n', by: 'ann', text: 'lift out of order', at: scene.wall }
  assert.deepEqual(scene.set({ notes: [note, { ...note, id: 'o', at: 1 }] }).pass(2), ['ann: lift out of order'])
  assert.deepEqual(scene.set({ alerts: { open: [], more: 0 } }).pass(1), [])
  assert.deepEqual(scene.set({ alerts: { open: known, more: 0 } }).pass(1), [], 'the same again')
})

test('the newest 25 are shown, newest first, each with a number of its own', () => {
  const scene = new Scene()
  for (let k = 0; k < 60; k++) {
    scene.set({ notes: [{ id: `n${k}`, by: 'ann', text: `note ${k}`, at: scene.wall }] }).pass(0.5)
  }
  const { newest } = scene.feed
  assert.deepEqual([newest.length, newest[0]?.text, newest[0]?.seq, newest[24]?.seq], [25, 'ann: note 59', 60, 36])
})

test.run()
