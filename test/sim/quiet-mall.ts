// QuietMall: the real gates and anchor in virtual time with nothing broken, to measure how well tokens find people.
// Only the clock, the wire and the disk are made up: 3 ms round trips, rows heard within 150 ms, 1 ms to disk.

import type { Charter } from '../../ledger/charter.ts'
import type { Body } from '../../ledger/entry.ts'
import type { Pen } from '../../ledger/pen.ts'
import type { Policy } from '../../ledger/policy.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { type Answer, EVERYONE, type Message } from '../../mesh/message.ts'
import { Agenda } from './agenda.ts'
import { Host, type Surroundings } from './host.ts'
import { CheapPen } from './pen.ts'
import { Random } from './random.ts'

export interface Told {
  readonly gate: Host
  readonly id: string
  readonly answer: Answer
}

export class QuietMall implements Surroundings {
  readonly agenda = new Agenda()
  readonly hosts = new Map<string, Host>()
  readonly gates: Host[] = []
  readonly #random: Random
  readonly #told: (told: Told) => void
  /** from one member to one other; what moves tokens */
  messages = 0
  /** rows said to everyone; one per gate and 100 ms at most, whatever the number of people */
  broadcasts = 0
  #cut: ((a: string, b: string) => boolean) | undefined
  #ids = 0

  constructor(a: { gates: number; capacity: number; seed: string; told: (told: Told) => void }) {
    this.#random = new Random(a.seed)
    this.#told = a.told
    const names = Array.from({ length: a.gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)
    const charter = charterOf(names, a.capacity)
    for (const name of ['anchor', ...names]) {
      const identity = { name, charter, limits: LIMITS, key: name, newId: () => this.newId() }
      const random = this.#random.stream(name)
      const host = new Host({ name, around: this, random, fsyncMs: 1, identity, birth: true, handOutMs: 100 })
      this.hosts.set(name, host)
      if (name !== 'anchor') this.gates.push(host)
    }
    for (const host of this.hosts.values()) host.boot()
    this.agenda.runUntil(1500)
    this.hosts.get('anchor')?.step({ kind: 'decreed', policy: policyOf(names, a.capacity) })
    this.agenda.runUntil(5000)
  }

  newId(): string {
    return `i${(this.#ids++).toString(36)}`
  }

  /** Two halves that do not hear each other, until the returned function is called. */
  cutInHalf(): () => void {
    const left = new Set([...this.hosts.keys()].filter((_, i) => i % 2 === 0))
    this.#cut = (a, b) => left.has(a) !== left.has(b)
    return () => {
      this.#cut = undefined
      for (const a of this.hosts.values()) {
        for (const b of this.hosts.keys()) if (a.name !== b) a.step({ kind: 'met', peer: b })
      }
    }
  }

  tell(from: Host, to: string, message: Message): void {
    if (to !== EVERYONE) {
      this.messages++
      this.#send(from.name, to, message, 1.5)
      return
    }
    this.broadcasts++
    for (const name of this.hosts.keys()) {
      if (name !== from.name) this.#send(from.name, name, message, 1.5 + this.#random.next() * 48.5)
    }
  }

  answered(gate: Host, id: string, answer: Answer): void {
    this.#told({ gate, id, answer })
  }

  opened(): void {}
  stepped(): void {}
  released(): void {}
  durable(): void {}
  crashed(): void {}
  fault(): void {}

  booted(host: Host): void {
    for (const other of this.hosts.keys()) {
      if (other !== host.name) this.agenda.in(5, () => host.step({ kind: 'met', peer: other }))
    }
  }

  penFor(entries: readonly Body[]): Pen {
    return new CheapPen(entries)
  }

  #send(from: string, to: string, message: Message, ms: number): void {
    if (this.#cut?.(from, to)) return
    this.agenda.in(ms, () => this.hosts.get(to)?.step({ kind: 'heard', from, message }))
  }
}

function charterOf(names: readonly string[], capacity: number): Charter {
  return {
    mall: 'bench',
    legalMax: capacity,
    anchor: 'anchor',
    operators: [
      { name: 'ann', role: 'marshal', key: 'ann' },
      { name: 'bob', role: 'operator', key: 'bob' },
    ],
    gates: names.map(name => ({ name, key: name })),
    exitsPerMinuteMax: 240,
    aloneMovePerMille: 200,
  }
}

function policyOf(names: readonly string[], capacity: number): Policy {
  return {
    version: 1,
    capacities: [{ from: 0, capacity }],
    correction: 0,
    reclaimed: [],
    gates: names.map(name => ({ name, key: name })),
    maxSharePerMille: 1000,
    expireAfterMs: 86_400_000,
    confidenceMin: 700,
    marginPerMille: 0,
    reason: 'bench',
    signers: ['ann', 'bob'],
    hash: 'policy 1',
  }
}
