// The checker itself: hand-made journals in which each law is kept, and then broken once.

import assert from 'node:assert/strict'
import { LIMITS } from '../../mesh/limits.ts'
import { suite } from '../suite.ts'
import type { Books, Kept } from './books.ts'
import { check } from './checker.ts'
import type { Fault } from './fault.ts'
import { LAWS, type Law } from './finding.ts'
import { Free } from './free.ts'
import type { Line, Said } from './journal.ts'
import { plot } from './plot.ts'

const test = suite('chaos/checker')
const seen = new Set<Law>()

const GATES = ['gate-01', 'gate-02']
const [A, B] = GATES as [string, string]

/** A journal and the books that go with it, told like a story. */
class Tale {
  readonly lines: Line[] = []
  readonly admits = new Map<string, Kept[]>()
  readonly exits = new Map<string, Kept[]>()
  readonly lapses = new Set<string>()
  readonly audit: string[] = []
  free = 1
  #t = 0
  #faults = 0

  constructor(capacity = 3) {
    this.say({ is: 'run', seed: 1, minutes: 1, gates: GATES, capacity, legalMax: capacity })
  }

  say(line: object): this {
    this.lines.push({ t: this.#t, ...line } as Line)
    return this
  }

  wait(ms: number): this {
    this.#t += ms
    return this
  }

  ask(id: string, gate = A): this {
    return this.say({ is: 'ask', id, gate }).wait(5)
  }

  answer(id: string, decision = 'ADMIT', gate = A, reason = ''): this {
    return this.say({ is: 'answer', id, gate, decision, reason, ms: 5 })
  }

  keep(id: string, gate = A): this {
    this.admits.set(id, [...(this.admits.get(id) ?? []), { account: `${gate}/1`, seq: this.#t, credited: false }])
    return this
  }

  enter(id: string, gate = A): this {
    return this.ask(id, gate).answer(id, 'ADMIT', gate).keep(id, gate)
  }

  leave(id: string, gate = A, status = 200, ms = 5): this {
    const exit = `exit of ${id}`
    this.say({ is: 'left', id, exit, gate }).say({ is: 'tell', exit, gate }).wait(ms)
    this.exits.set(exit, [{ account: `${gate}/1`, seq: this.#t, credited: true }])
    return this.say({ is: 'told', exit, gate, status, credited: true, ms })
  }

  status(member: string, said: Partial<Said> & { count?: number; atMost?: number; ageMs?: number } = {}): this {
    const { count = 0, atMost = count, ageMs = 0, ...own } = said
    const occupancy = { count, atMost, capacity: 3, ageMs }
    const whole = {
      state: 'NORMAL',
      mode: 'NORMAL',
      account: `${member}/1`,
      balance: 0,
      policyVersion: 1,
      ...own,
      occupancy,
    }
    const asked = this.#t
    return this.wait(2).say({ is: 'status', member, asked, said: whole })
  }

  /** what a member shows: the most, and of each gate how many and how long ago that was said */
  view(member: string, atMost: number, ...gates: readonly (readonly [string, number, number])[]): this {
    const shown = gates.map(([gate, inside, ageMs]) => {
      return { account: `${gate}/1`, inside, ageMs, isReachable: ageMs <= LIMITS.silentMs }
    })
    const asked = this.#t
    return this.wait(2).say({ is: 'view', member, asked, atMost, capacity: 9, policyVersion: 1, gates: shown })
  }

  fault(fault: Fault, during: (tale: this) => void): this {
    const n = this.#faults++
    this.say({ is: 'fault', n, stage: 'begin', fault }).say({ is: 'fault', n, stage: 'begun', fault })
    during(this)
    return this.say({ is: 'fault', n, stage: 'end', fault }).say({ is: 'fault', n, stage: 'ended', fault })
  }

  decree(to: number, version: number): this {
    return this.say({ is: 'capacity', to }).wait(10).say({ is: 'capacity', to, version })
  }

  get found(): Law[] {
    const { admits, exits, lapses, audit } = this
    const books: Books = {
      admits,
      exits,
      lapses,
      audit,
      entries: 1,
      maxOccupancy: 0,
      epochs: GATES.map(gate => `${gate}/1`),
      free: this.free,
    }
    if (!this.lines.some(line => line.is === 'phase')) this.wait(10).say({ is: 'phase', name: 'over' })
    const laws = check(this.lines, books).map(({ law }) => law)
    for (const law of laws) seen.add(law)
    return laws
  }
}

test('a day on which nothing went wrong has no findings', () => {
  const tale = new Tale().enter('a').enter('b').enter('c', B).ask('d').answer('d', 'REJECT_AT_CAPACITY')
  tale.wait(10_000).status(A, { count: 3 }).status(B, { count: 3 })
  assert.deepEqual(tale.leave('a', B).enter('e', B).found, [])
})

test('one more than the capacity is found', () => {
  assert.deepEqual(new Tale().enter('a').enter('b').enter('c').enter('d', B).found, ['ceiling'])
})

test('somebody who is told ADMIT twice is one person, and one who left makes room', () => {
  const tale = new Tale().enter('a').ask('a').answer('a').enter('b').enter('c')
  assert.deepEqual(tale.leave('b').enter('d').found, [])
})

test('a cut counts once every gate was seen to know of it, and not before', () => {
  const cut = () => new Tale().enter('a').decree(1, 2).status(A, { policyVersion: 2, count: 1 })
  const late = cut().wait(5000).enter('b', B)
  assert.deepEqual(late.found, [], 'gate-02 may not have heard')
  const known = cut().status(B, { policyVersion: 2, count: 1 }).wait(1000).enter('b', B)
  assert.deepEqual(known.found, [], 'and has a moment to pay')
  assert.deepEqual(cut().status(B, { policyVersion: 2, count: 1 }).wait(3000).enter('b', B).found, ['ceiling'])
})

test('who asked before a cut was known may be answered after it', () => {
  const tale = new Tale().enter('a').ask('b', B).keep('b', B).decree(1, 2)
  tale.status(A, { policyVersion: 2, count: 1 }).status(B, { policyVersion: 2, count: 1 }).wait(3000)
  assert.deepEqual(tale.answer('b', 'ADMIT', B).found, [])
})

test('after a raise the larger capacity is lawful from when it was asked for', () => {
  const tale = new Tale(1).enter('a').say({ is: 'capacity', to: 2 }).enter('b')
  assert.deepEqual(tale.found, [])
})

test('an exit that is answered with no, late or not at all is found, where the gate runs', () => {
  assert.deepEqual(new Tale().enter('a').leave('a', A, 503).found, ['exitFree'])
  assert.deepEqual(new Tale().enter('a').leave('a', A, 200, 4500).found, ['exitFree'])
  const stalled = new Tale().enter('a').wait(2000).say({ is: 'left', id: 'a', exit: 'x', gate: A })
  stalled.say({ is: 'tell', exit: 'x', gate: A }).wait(4500).say({ is: 'stall', ms: 4000 })
  stalled.say({ is: 'told', exit: 'x', gate: A, status: 200, credited: true, ms: 4500 })
  assert.deepEqual(stalled.found, [], 'it was answered while the harness did not look')
  const silent = (tale: Tale) => tale.say({ is: 'silence', of: 'exit of a', way: 'out', gate: A, refused: true, ms: 3 })
  assert.deepEqual(silent(new Tale().enter('a').wait(10)).found, ['exitFree'])
  const killed = new Tale().enter('a').fault({ kind: 'kill', member: A }, tale => silent(tale.wait(10)).wait(10))
  assert.deepEqual(killed.wait(500).status(A, { count: 1 }).found, [])
  assert.deepEqual(silent(killed.wait(12_000)).found, ['exitFree'], 'it was back')
})

test('a member that ends or falls silent by itself is found', () => {
  assert.deepEqual(new Tale().say({ is: 'death', member: A, why: 'exit code 1' }).found, ['alive'])
  const unseen = (tale: Tale) => {
    for (let i = 0; i < 5; i++) tale.wait(1000).say({ is: 'unseen', member: B, asked: 0, why: 'refused' })
  }
  const silent = new Tale()
  unseen(silent)
  assert.deepEqual(silent.found, ['alive'])
  assert.deepEqual(new Tale().fault({ kind: 'stop', member: B }, unseen).found, [])
})

test('somebody let in by a gate that knows of an emergency is found', () => {
  const fire = { kind: 'mode', mode: 'FIRE', at: A } as const
  const knows = (tale: Tale) => tale.wait(100).status(A, { mode: 'FIRE', state: 'FIRE' }).wait(100)
  assert.deepEqual(new Tale().fault(fire, tale => knows(tale).enter('a').wait(100)).found, ['calm'])
  assert.deepEqual(new Tale().fault(fire, tale => knows(tale).enter('b', B).wait(100)).found, [], 'not heard there yet')
  assert.deepEqual(new Tale().fault(fire, tale => knows(tale)).enter('a').found, [], 'over')
})

test('somebody who was told ADMIT and is on no ledger is found', () => {
  assert.deepEqual(new Tale().ask('a').answer('a').found, ['durable'])
})

test('an admission that nobody was told of needs an answer that was lost or taken back', () => {
  const lost = new Tale().ask('a').say({ is: 'silence', of: 'a', way: 'in', gate: A, refused: false, ms: 9 }).keep('a')
  assert.deepEqual(lost.found, [])
  assert.deepEqual(new Tale().ask('a').answer('a', 'REJECT_FAULT', A, 'disk').keep('a').found, [])
  assert.deepEqual(new Tale().ask('a').answer('a', 'REJECT_AT_CAPACITY').keep('a').found, ['invented'])
  assert.deepEqual(new Tale().keep('nobody').found, ['invented'])
  assert.deepEqual(new Tale().ask('a').answer('a').keep('a', B).found, ['invented'], 'at a door where nobody asked')
})

test('one person on two ledgers is found, and one exit twice', () => {
  assert.deepEqual(new Tale().enter('a').keep('a').found, ['once'])
  const twice = new Tale().enter('a').leave('a')
  const [exit] = twice.exits.values()
  exit?.push({ account: `${B}/1`, seq: 1, credited: true })
  assert.deepEqual(twice.found, ['once'])
  const wiped = new Tale().enter('a').fault({ kind: 'wipe', member: A }, tale => tale.wait(100))
  assert.deepEqual(wiped.wait(1000).keep('a').found, [], 'a gate that lost its disk takes the same id for a new person')
  const made = new Tale()
  made.exits.set('nobody', [{ account: `${A}/1`, seq: 1, credited: true }])
  assert.deepEqual(made.found, ['invented'])
})

test('a count outside of what was true in its time is found', () => {
  const day = () => new Tale(9).enter('a').wait(20_000).enter('b', B).wait(20_000)
  assert.deepEqual(day().status(A, { count: 2 }).found, [])
  assert.deepEqual(day().status(A, { count: 1, atMost: 2, ageMs: 30_000 }).found, [], 'by an old row')
  assert.deepEqual(day().status(A, { count: 1, atMost: 2 }).found, ['counted'])
  assert.deepEqual(day().status(A, { count: 3 }).found, ['counted'])
  assert.deepEqual(day().status(A, { count: 0, state: 'JOINING' }).found, [], 'who joins says nothing')
  assert.deepEqual(day().leave('a').status(B, { count: 2 }).found, [], 'the exit is on its way')
  assert.deepEqual(day().leave('a').wait(9000).status(B, { count: 2 }).found, ['counted'])
})

test('a gate shown as it was not in the time it was heard is found', () => {
  const day = () => new Tale(9).enter('a').wait(20_000).enter('b', A).wait(9000)
  assert.deepEqual(day().view(B, 9, [A, 2, 100], [B, 0, 0]).found, [])
  assert.deepEqual(day().view(B, 9, [A, 1, 15_000], [B, 0, 0]).found, [], 'by an old row')
  assert.deepEqual(day().view(B, 9, [A, 1, 100], [B, 0, 0]).found, ['counted'], 'an old row that is said to be young')
  assert.deepEqual(day().view(B, 9, [A, 3, 100], [B, 0, 0]).found, ['counted'])
})

test('somebody beyond the most that a member speaks of is found', () => {
  const day = () => new Tale(9).enter('a').enter('b', B).wait(9000)
  assert.deepEqual(day().view(A, 1, [A, 1, 0], [B, 0, 20_000]).found, ['atMost'])
  assert.deepEqual(day().view(A, 2, [A, 1, 0], [B, 0, 20_000]).found, [])
  assert.deepEqual(day().enter('c').wait(100).view(A, 2, [A, 2, 0], [B, 1, 500]).found, [], 'let in a moment ago')
  const silent = day().enter('c', B).wait(3000).view(A, 2, [A, 1, 0], [B, 0, 20_000])
  const raised = day().decree(10, 2).view(A, 1, [A, 1, 0], [B, 0, 20_000])
  assert.deepEqual(day().view(A, 0, [A, 0, 900], [B, 0, 900]).found, [], 'who has not joined says nothing')
  assert.deepEqual(raised.found, [], 'with a token of a capacity that it has not heard of')
  assert.deepEqual(silent.found, ['atMost'], 'by a gate that was silent, with a token that was not reckoned with')
})

test('what the auditor finds is found, and so is a mall that does not mend', () => {
  const tale = new Tale()
  tale.audit.push('fork gate-01/1: two histories')
  assert.deepEqual(tale.found, ['verified'])
  const ending = (name: string, free = 1) => {
    const told = new Tale().say({ is: 'phase', name, why: 'so' }).wait(1).say({ is: 'phase', name: 'over' })
    told.free = free
    return told.found
  }
  assert.deepEqual(ending('unlike'), ['converge'])
  assert.deepEqual(ending('unserved'), ['useful'])
  assert.deepEqual(ending('unserved', 0), [], 'every token went with a disk')
  assert.deepEqual(new Tale().say({ is: 'phase', name: 'heal' }).found, ['complete'])
  assert.deepEqual(new Tale().say({ is: 'phase', name: 'over', why: 'waited too long' }).found, ['complete'])
  const failed = { is: 'fault', n: 0, stage: 'failed', fault: { kind: 'power' }, why: 'no mount' }
  assert.deepEqual(new Tale().say(failed).found, ['complete'])
})

test('every law was broken here once', () => {
  assert.deepEqual([...seen].sort(), [...LAWS].sort())
})

test('a run can be drawn', () => {
  const tale = new Tale()
    .enter('a')
    .fault({ kind: 'power' }, t => t.wait(1000))
    .leave('a')
    .decree(2, 2)
  const drawing = plot(tale.lines)
  assert.match(drawing, /^<svg [^>]*viewBox/)
  assert.match(drawing, /at most 1, against a capacity of 3/)
  assert.match(drawing, /<rect class="life"/)
  assert.doesNotMatch(drawing, /NaN|undefined|Infinity/)
})

test('free is what somebody holds or will get, and not what went with a disk', () => {
  const free = new Free([
    { account: 'anchor/1', balance: 0 },
    { account: 'east/1', balance: 7 },
    { account: 'east/2', balance: 2 },
    { account: 'west/1', balance: -1 },
  ])
  assert.equal(free.total, 2, 'of those who live, and a debt is nobody’s token')
  free.take('anchor/1', { type: 'send', to: 'west/1', amount: 5 })
  assert.equal(free.total, 7, 'on its way')
  free.take('west/1', { type: 'receive', from: 'anchor/1', amount: 5 })
  free.take('anchor/1', { type: 'send', to: 'east/1', amount: 3 })
  free.take('east/1', { type: 'send', to: 'west/1', amount: 4 })
  free.take('west/1', { type: 'receive', from: 'east/1', amount: 1 })
  assert.equal(free.total, 2, 'what a lost disk was sent, or had sent, is nobody’s')
})

test.run()
