// Metrics: what a gate counts about itself, as text for Prometheus.

import type { Clock } from '../mesh/clock.ts'
import type { Answer, Message } from '../mesh/message.ts'
import type { Meter } from '../mesh/meter.ts'
import { Histogram } from '../mesh/window/histogram.ts'
import { type Family, prometheusText, single, tallied } from '../mesh/window/prometheus.ts'
import { WireMetrics } from '../mesh/window/wire-metrics.ts'
import type { DoorMeter } from './door.ts'
import type { GateStatus } from './status.ts'

const SOURCES = ['local', 'stolen', 'none'] as const
const DECISIONS = ['ADMIT', 'REJECT_AT_CAPACITY', 'REJECT_NO_HEADROOM', 'REJECT_EMERGENCY', 'REJECT_FAULT'] as const

/** What the LAN has carried so far, by name: bytesIn, framesOut, drops … */
export type Traffic = { readonly [what: string]: number }

/** A few minutes at a busy gate. */
const NEWEST = 200

export class GateMetrics implements Meter, DoorMeter {
  readonly #wire: WireMetrics
  readonly #newest: number[] = []
  #decided = 0
  readonly #latency = new Map(SOURCES.map(source => [source, new Histogram()]))
  readonly #decisions = new Map<string, number>(DECISIONS.map(decision => [decision, 0]))
  readonly #writes = new Histogram()
  #lines = 0
  #exits = 0
  #credited = 0

  constructor(clock: Clock) {
    this.#wire = new WireMetrics(clock)
  }

  /** Of the newest decisions, the latency that one in a hundred is above, ms; undefined before there was any. */
  get decisionP99Ms(): number | undefined {
    const sorted = [...this.#newest].sort((a, b) => a - b)
    return sorted[Math.ceil(sorted.length * 0.99) - 1]
  }

  /** An entry was answered; without a source nobody was let in. */
  decided(answer: Answer, latencyUs: number): void {
    this.#newest[this.#decided++ % NEWEST] = latencyUs / 1000
    this.#decisions.set(answer.decision, (this.#decisions.get(answer.decision) ?? 0) + 1)
    const source = answer.decision === 'ADMIT' ? (answer.source ?? 'none') : 'none'
    this.#latency.get(source)?.observe(latencyUs / 1e6)
  }

  /** Somebody left. */
  left(): void {
    this.#exits++
  }

  /** An exit gave a token back. */
  credited(): void {
    this.#credited++
  }

  /** Lines of the ledger became durable. */
  fsynced(ms: number, lines: number): void {
    this.#writes.observe(ms / 1000)
    this.#lines += lines
  }

  told(to: string, message: Message, bytes: number): void {
    this.#wire.told(to, message, bytes)
  }

  heard(from: string, message: Message, bytes: number): void {
    this.#wire.heard(from, message, bytes)
  }

  refused(from: string, notes: number): void {
    this.#wire.refused(from, notes)
  }

  garbage(): void {
    this.#wire.garbage()
  }

  /** `more` is what others measured: the process, the board. */
  toPrometheus(status: GateStatus, lan: Traffic = {}, more: readonly Family[] = []): string {
    return prometheusText([
      ...this.#door(status),
      ...present(status),
      ...this.#wire.families(),
      tallied('counter', 'gatemesh_lan_total', 'What the LAN carried, dialled and dropped.', {
        by: 'what',
        values: Object.entries(lan),
      }),
      ...more,
    ])
  }

  #door({ unnecessaryRejects, exits }: GateStatus): Family[] {
    const latencies = [...this.#latency].flatMap(([source, histogram]) => histogram.samples({ source }))
    return [
      {
        name: 'gatemesh_decision_seconds',
        help: 'From a request for entry to its answer, by where the token came from; none for rejects.',
        type: 'histogram',
        samples: latencies,
      },
      tallied('counter', 'gatemesh_decisions_total', 'Requests for entry answered, by answer.', {
        by: 'decision',
        values: this.#decisions,
      }),
      single(
        'counter',
        'gatemesh_unnecessary_rejects_total',
        'Rejects while a reachable gate could have given a token.',
        unnecessaryRejects,
      ),
      single('counter', 'gatemesh_exits_total', 'People let out.', this.#exits),
      single('counter', 'gatemesh_exits_credited_total', 'Exits that gave a token back.', this.#credited),
      single('gauge', 'gatemesh_exits_waiting', 'People let out while there was no ledger yet.', exits.waiting),
      single('counter', 'gatemesh_exits_uncounted_total', 'People let out and in no ledger.', exits.uncounted),
      // There is no counter behind this 0 because there is no code that refuses an exit: Door.leave returns that the
      // person is out and nothing else, and has no other way to end. A number that could be raised would need such code.
      single('counter', 'gatemesh_exits_refused_total', 'Exits refused: 0, no code can refuse one.', 0),
      {
        name: 'gatemesh_fsync_seconds',
        help: 'Time until ledger and mark were on disk, per write.',
        type: 'histogram',
        samples: this.#writes.samples(),
      },
      single('counter', 'gatemesh_ledger_lines_written_total', 'Ledger lines made durable.', this.#lines),
    ]
  }
}

function present(status: GateStatus): Family[] {
  const { occupancy, counters } = status
  return [
    tallied('gauge', 'gatemesh_state', 'The state the gate is in.', { by: 'state', values: [[status.state, 1]] }),
    tallied('gauge', 'gatemesh_mode', 'The mode in force at this gate.', { by: 'mode', values: [[status.mode, 1]] }),
    tallied('gauge', 'gatemesh_counter', 'Counters of the account, as in its row.', {
      by: 'counter',
      values: Object.entries(counters),
    }),
    single('gauge', 'gatemesh_balance', 'Tokens held; below zero is a debt.', status.balance),
    single('gauge', 'gatemesh_ledger_size', 'Entries in the ledger.', status.ledger.size),
    single('gauge', 'gatemesh_occupancy_count', 'People inside by the rows in view.', occupancy.count),
    single('gauge', 'gatemesh_occupancy_at_most', 'People inside at the very most.', occupancy.atMost),
    single('gauge', 'gatemesh_occupancy_age_seconds', 'Age of the oldest row that counts.', occupancy.ageMs / 1000),
    single('gauge', 'gatemesh_capacity', 'Capacity in force.', occupancy.capacity),
    single('gauge', 'gatemesh_peers_up', 'Members heard lately, the anchor included.', status.peers),
    single('gauge', 'gatemesh_policy_version', 'Version of the policy in force.', status.policyVersion),
    single('gauge', 'gatemesh_anchor_age_seconds', 'Since the anchor was heard; -1 never.', anchorAge(status)),
    single('gauge', 'gatemesh_alarms', 'Alarms on the list of the last twenty.', status.alarms.length),
  ]
}

function anchorAge({ anchorAgeMs }: GateStatus): number {
  return anchorAgeMs < 0 ? -1 : anchorAgeMs / 1000
}
