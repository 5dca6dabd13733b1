// Metrics of a mall: a figure for every promise that operators are held to, and what they are made of.
//
// | promise                              | figure                                                        |
// |--------------------------------------|---------------------------------------------------------------|
// | entry decision p99 < 100 ms          | gatemesh_gate_decision_p99_seconds                            |
// | no over-admission                    | gatemesh_over_admissions_total, gatemesh_over_people          |
// | exits always                         | gatemesh_exits_refused_seen_total, gatemesh_gate_exits_uncounted |
// | every event collected within 60 s    | gatemesh_audit_behind_entries, gatemesh_audit_lag_seconds     |
// | tokens add up                        | gatemesh_lease_drift_tokens                                   |
// | a cut is noticed within 10 s         | gatemesh_silence_detection_seconds                            |
// | back within 2 min after a fire drill | gatemesh_emergency_seconds, gatemesh_restore_seconds          |

import { Histogram } from '../mesh/window/histogram.ts'
import type { Family, Sample } from '../mesh/window/prometheus.ts'
import type { Alert } from './alerts/alert.ts'
import { DRILL_BOUNDS, Drill } from './alerts/drill.ts'
import type { GateSeen, Observation } from './alerts/observation.ts'
import { SILENT_MS } from './alerts/rules.ts'

const DETECTION_BOUNDS: readonly number[] = [1, 2, 3, 5, 7, 10, 15, 30, 60, 300]

export class MallMetrics {
  readonly #mall: string
  readonly #detection = new Histogram(DETECTION_BOUNDS)
  readonly #lasted = new Histogram(DRILL_BOUNDS)
  readonly #restored = new Histogram(DRILL_BOUNDS)
  readonly #drill: Drill
  #seen: Observation | undefined
  #lastRestore: number | undefined

  constructor(mall: string) {
    this.#mall = mall
    this.#drill = new Drill({
      onLasted: ms => this.#lasted.observe(ms / 1000),
      onRestored: ms => {
        this.#lastRestore = ms / 1000
        this.#restored.observe(ms / 1000)
      },
    })
  }

  /** Once per look: what was seen, and which alerts that raised. */
  observe(seen: Observation, raised: readonly Alert[], now: number): void {
    this.#seen = seen
    const heard = seen.gates.filter(gate => gate.silentMs <= SILENT_MS)
    this.#drill.observe({ mode: seen.mode, gateModes: heard.map(({ said }) => said?.mode) }, now)
    for (const { code, subject } of raised) {
      if (code === 'MALL_SILENT') this.#detected(Math.min(...seen.gates.map(({ silentMs }) => silentMs)))
      const gate = code === 'GATE_SILENT' ? seen.gates.find(({ name }) => name === subject) : undefined
      if (gate !== undefined) this.#detected(gate.silentMs)
    }
  }

  families(): Family[] {
    const seen = this.#seen
    if (seen === undefined) return []
    return [...this.#promises(seen), ...this.#people(seen), ...this.#gates(seen)]
  }

  #detected(silentMs: number): void {
    this.#detection.observe(silentMs / 1000)
  }

  #promises(o: Observation): Family[] {
    const { compliance: c, leases, collection, exitsRefused } = o
    const audit =
      collection === undefined
        ? []
        : [
            this.#one('gauge', 'audit_entries', 'Entries collected.', collection.entries),
            this.#one(
              'gauge',
              'audit_behind_entries',
              'Entries that rows show and that are not here.',
              collection.behind,
            ),
            this.#one('gauge', 'audit_lag_seconds', 'Age of the oldest of them.', collection.lagMs / 1000),
            this.#one('gauge', 'audit_gaps', 'Ledgers of which something cannot be had.', collection.gaps.length),
          ]
    return [
      this.#one('counter', 'over_admissions_total', 'Admissions seen while there were too many.', c.overAdmissions),
      this.#one('gauge', 'over_people', 'People above the legal maximum by either sensor.', overOf(o)),
      this.#one('counter', 'exits_refused_seen_total', 'Exits that gates report as refused.', exitsRefused.total),
      ...audit,
      this.#one('gauge', 'lease_drift_tokens', 'Tokens sent less received less in flight: 0.', leases.drift),
      this.#one('gauge', 'lease_in_flight_tokens', 'Tokens sent and not received yet, by entries.', leases.inFlight),
      this.#histogram('silence_detection_seconds', 'From the last word of a gate to its alert.', this.#detection),
      this.#histogram('emergency_seconds', 'From a raised mode to the all-clear.', this.#lasted),
      this.#histogram('restore_seconds', 'From the all-clear until every gate heard is back.', this.#restored),
      ...(this.#lastRestore === undefined
        ? []
        : [this.#one('gauge', 'restore_last_seconds', 'The newest of these.', this.#lastRestore)]),
    ]
  }

  #people(o: Observation): Family[] {
    const { turnstile, optical, figure } = o.compliance
    const by = (sensor: string, value: number): Sample => ({ labels: { mall: this.#mall, by: sensor }, value })
    return [
      {
        name: 'gatemesh_compliance_people',
        help: 'People inside by collected events, by sensor; highest is what counts before the law.',
        type: 'gauge',
        samples: [
          by('turnstile', turnstile),
          ...(optical === undefined ? [] : [by('optical', optical)]),
          by('highest', figure),
        ],
      },
      this.#one('gauge', 'occupancy_people', 'People inside by the rows in view.', o.occupancy.count),
      this.#one('gauge', 'occupancy_people_at_most', 'People inside at the very most.', o.occupancy.atMost),
      this.#one('gauge', 'occupancy_row_age_seconds', 'Age of the oldest row that counts.', o.occupancy.ageMs / 1000),
      this.#one('gauge', 'capacity_people', 'Capacity in force.', o.occupancy.capacity),
      this.#one('gauge', 'legal_max_people', 'What the charter allows.', o.legalMax),
      this.#one('gauge', 'rejects_per_minute', 'People turned away in the last minute.', o.rejects.perMinute),
      this.#one('gauge', 'rejects_usual_per_minute', 'What is usual of that.', o.rejects.usualPerMinute),
      this.#one('gauge', 'emergency', '1 while a mode other than NORMAL is in force.', o.mode === 'NORMAL' ? 0 : 1),
    ]
  }

  #gates(o: Observation): Family[] {
    const per = (name: string, help: string, value: (gate: GateSeen) => number | undefined): Family => ({
      name: `gatemesh_${name}`,
      help,
      type: 'gauge',
      samples: o.gates.flatMap(gate => {
        const measured = value(gate)
        return measured === undefined ? [] : [{ labels: { mall: this.#mall, gate: gate.name }, value: measured }]
      }),
    })
    const ms = (value: number | undefined) => (value === undefined ? undefined : value / 1000)
    return [
      per('gate_decision_p99_seconds', 'Entry decisions of a gate, 99th percentile.', g => ms(g.said?.decisionP99Ms)),
      per('gate_silent_seconds', 'Since a gate was last heard.', g => g.silentMs / 1000),
      per('gate_clock_skew_seconds', "A gate's clock less ours.", g => ms(g.skewMs)),
      per('gate_exits_uncounted', 'People a gate let out and did not write down.', g => g.said?.exitsUncounted),
      {
        name: 'gatemesh_gate_sensor_drift_ratio',
        help: 'How far turnstile and optical counter were apart in the newest hour that is over.',
        type: 'gauge',
        samples: o.drifts.map(({ gate, perMille }) => ({ labels: { mall: this.#mall, gate }, value: perMille / 1000 })),
      },
    ]
  }

  #one(type: 'counter' | 'gauge', name: string, help: string, value: number): Family {
    return { name: `gatemesh_${name}`, help, type, samples: [{ labels: { mall: this.#mall }, value }] }
  }

  #histogram(name: string, help: string, histogram: Histogram): Family {
    return { name: `gatemesh_${name}`, help, type: 'histogram', samples: histogram.samples({ mall: this.#mall }) }
  }
}

function overOf({ compliance: { figure }, legalMax }: Observation): number {
  return Math.max(0, figure - legalMax)
}
