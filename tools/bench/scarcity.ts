// Scarcity: when places are few, does a person at any door get the one that is free? The same people, arriving at the
// same moments, at the real mesh and at an all-knowing counter that decides in no time.

import { Agenda } from '../../test/sim/agenda.ts'
import { QuietMall } from '../../test/sim/quiet-mall.ts'
import { Random } from '../../test/sim/random.ts'
import type { Measured } from '../bench.ts'

interface Person {
  readonly at: number
  readonly gate: number
}

interface Stay {
  readonly exit: number
  readonly dwellMs: number
}

/**
 * The n-th person let in stays for the n-th stay, at the mesh and at the counter alike. With stays bound to persons the
 * two would let in different people, and chance in how long those stay would outweigh what is measured.
 */
interface Crowd {
  /** inside when measuring starts */
  readonly before: readonly (Person & Stay)[]
  readonly arriving: readonly Person[]
  readonly stays: readonly Stay[]
}

interface Scenario {
  readonly name: string
  readonly capacity: number
  readonly seconds: number
  /** how full the mall is when measuring starts */
  readonly filled: number
  readonly arrivalsPerSecond: number
  readonly dwellSeconds: number
  readonly hotGateMovesEverySeconds?: number
  /** the mesh in two halves for this part of the time; the all-knowing counter is never cut */
  readonly cut?: readonly [fromSecond: number, toSecond: number]
}

const GATES = 30
const EXIT_GATES = 10

export const SCENARIOS: readonly Scenario[] = [
  { name: 'saturated', capacity: 10_000, seconds: 300, filled: 1, arrivalsPerSecond: 20, dwellSeconds: 1000 },
  { name: '97 % full', capacity: 10_000, seconds: 300, filled: 0.97, arrivalsPerSecond: 9.7, dwellSeconds: 1000 },
  { name: 'capacity 100', capacity: 100, seconds: 600, filled: 0.9, arrivalsPerSecond: 3.5, dwellSeconds: 30 },
  { name: 'burst 100/s', capacity: 10_000, seconds: 60, filled: 0.8, arrivalsPerSecond: 100, dwellSeconds: 1000 },
  {
    name: 'half/half cut, 10 min',
    capacity: 10_000,
    seconds: 720,
    filled: 1,
    arrivalsPerSecond: 20,
    dwellSeconds: 1000,
    cut: [60, 660],
  },
  {
    name: 'moving hot gate',
    capacity: 1000,
    seconds: 600,
    filled: 0.97,
    arrivalsPerSecond: 10,
    dwellSeconds: 100,
    hotGateMovesEverySeconds: 30,
  },
]

export interface Result {
  readonly name: string
  readonly percentOfOmniscient: number
  readonly messagesPerArrival: number
  /** percent of the admissions that needed nobody else */
  readonly localHits: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly arrivals: number
  readonly unnecessaryRejects: number
}

export function measure(scenario: Scenario, seed = 1): Result {
  const crowd = draw(scenario, seed)
  return onMesh(scenario, crowd, omniscient(scenario, crowd), seed)
}

function draw(s: Scenario, seed: number): Crowd {
  const random = new Random(`scarcity ${s.name} ${seed}`)
  const reach: number[] = []
  let total = 0
  for (let i = 0; i < GATES; i++) {
    total += 1 / (i + 1) ** 1.2
    reach.push(total)
  }
  const person = (at: number): Person => {
    const spot = random.next() * total
    const moved = s.hotGateMovesEverySeconds ? Math.floor(at / 1000 / s.hotGateMovesEverySeconds) * 7 : 0
    return { at, gate: (reach.findIndex(w => spot < w) + moved) % GATES }
  }
  // exits are spread over the doors, every third one lets out
  const stay = (): Stay => ({
    exit: random.int(EXIT_GATES) * (GATES / EXIT_GATES),
    dwellMs: random.wait(s.dwellSeconds * 1000),
  })
  const before = Array.from({ length: Math.floor(s.capacity * s.filled) }, () => ({ ...person(0), ...stay() }))
  const arriving: Person[] = []
  for (let at = random.wait(10); at < s.seconds * 1000; at += random.wait(1000 / s.arrivalsPerSecond)) {
    arriving.push(person(at))
  }
  return { before, arriving, stays: arriving.map(stay) }
}

/** Admits whenever anybody could: no messages, no delay, no doors. */
function omniscient(s: Scenario, crowd: Crowd): number {
  const agenda = new Agenda()
  let inside = crowd.before.length
  let admitted = 0
  const leave = () => inside--
  for (const p of crowd.before) agenda.at(p.dwellMs, leave)
  for (const p of crowd.arriving) {
    agenda.at(p.at, () => {
      if (inside >= s.capacity) return
      inside++
      agenda.in((crowd.stays[admitted++] as Stay).dwellMs, leave)
    })
  }
  agenda.runUntil(s.seconds * 1000)
  return admitted
}

function onMesh(s: Scenario, crowd: Crowd, atBest: number, seed: number): Result {
  const asked = new Map<string, number>()
  const waits: number[] = []
  let admitted = 0
  let local = 0
  const mall = new QuietMall({
    gates: GATES,
    capacity: s.capacity,
    seed: `mesh ${s.name} ${seed}`,
    told: ({ id, answer }) => {
      const at = asked.get(id)
      if (at === undefined) return
      asked.delete(id)
      waits.push(agenda.now - at)
      if (answer.decision !== 'ADMIT') return
      if (answer.source === 'local') local++
      const stay = crowd.stays[admitted++] as Stay
      agenda.in(stay.dwellMs, () => leave(stay))
    },
  })
  const { agenda, gates } = mall
  const leave = (stay: Stay) => gates[stay.exit]?.step({ kind: 'left', id: mall.newId(), confidence: 990 })
  fill(mall, crowd.before)
  const start = agenda.now
  const counted = { messages: mall.messages, unnecessary: unnecessary(mall) }
  for (const p of crowd.before) agenda.at(start + p.dwellMs, () => leave(p))
  for (const person of crowd.arriving) {
    agenda.at(start + person.at, () => {
      const id = mall.newId()
      asked.set(id, agenda.now)
      gates[person.gate]?.step({ kind: 'asked', id, confidence: 990 })
    })
  }
  if (s.cut) {
    let heal = () => {}
    agenda.at(start + s.cut[0] * 1000, () => {
      heal = mall.cutInHalf()
    })
    agenda.at(start + s.cut[1] * 1000, () => heal())
  }
  agenda.runUntil(start + s.seconds * 1000)
  waits.sort((a, b) => a - b)
  const arrivals = crowd.arriving.length
  return {
    name: s.name,
    percentOfOmniscient: round((100 * admitted) / atBest, 2),
    messagesPerArrival: round((mall.messages - counted.messages) / arrivals, 2),
    localHits: round((100 * local) / admitted, 1),
    p50Ms: round(waits[Math.floor(waits.length * 0.5)] ?? 0, 2),
    p99Ms: round(waits[Math.floor(waits.length * 0.99)] ?? 0, 2),
    maxMs: round(waits[waits.length - 1] ?? 0, 2),
    arrivals,
    unnecessaryRejects: unnecessary(mall) - counted.unnecessary,
  }
}

/** Lets the people in who are inside when measuring starts, with the same preference for doors, in half a minute. */
function fill(mall: QuietMall, people: readonly Person[]): void {
  const { agenda, gates } = mall
  const start = agenda.now
  let missing = 0
  const ask = (p: Person, id: string) => gates[p.gate]?.step({ kind: 'asked', id, confidence: 990 })
  people.forEach((p, i) => {
    agenda.at(start + (30_000 * i) / people.length, () => {
      ask(p, mall.newId())
    })
  })
  agenda.runUntil(start + 32_000)
  for (let round = 0; round < 50; round++) {
    missing = people.length - inside(mall)
    for (let i = 0; i < missing; i++) ask(people[i] as Person, mall.newId())
    agenda.runUntil(agenda.now + 500)
    if (missing === 0) break
  }
  agenda.runUntil(agenda.now + 3000)
}

function inside(mall: QuietMall): number {
  let count = 0
  for (const gate of mall.gates) count += gate.core?.me.books?.counters.admitted ?? 0
  return count
}

function unnecessary(mall: QuietMall): number {
  let count = 0
  for (const gate of mall.gates) count += gate.gate?.unnecessaryRejects ?? 0
  return count
}

function round(x: number, digits: number): number {
  return Number(x.toFixed(digits))
}

export async function bench({ quick = false }: { quick?: boolean }): Promise<Measured> {
  const scenarios: Result[] = []
  for (const scenario of SCENARIOS) {
    process.stderr.write(`scarcity: ${scenario.name} …\n`)
    const seconds = quick ? scenario.seconds / 5 : scenario.seconds
    scenarios.push(measure(quick && !scenario.cut ? { ...scenario, seconds } : scenario))
  }
  return {
    name: 'scarcity',
    title: `Admissions against an all-knowing counter: ${GATES} gates, ${EXIT_GATES} with exits, Zipf 1.2, 3 ms round trips`,
    rows: scenarios.map(r => ({ ...r })),
    notes: [
      'Messages are those from one gate to another; rows said to everyone (10 a second and gate at most) are not in it.',
    ],
    scenarios,
  }
}
