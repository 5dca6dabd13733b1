// Vitals: what the process takes of its machine, and how long it keeps everyone waiting.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Family, single } from './prometheus.ts'

/** Ten wakes a second see what a person would notice, and an idle gate stays idle. */
const SAMPLE_MS = 100

export class Vitals {
  readonly #delay = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  readonly #startedAt = Date.now() - process.uptime() * 1000

  constructor() {
    this.#delay.enable()
  }

  /** Delays are those since the last call. */
  families(): Family[] {
    const { user, system } = process.cpuUsage()
    // a sample is the time between two wakes; what is beyond the time asked for is the delay
    const late = (ns: number) => Math.max(0, (Number.isFinite(ns) ? ns : 0) / 1e9 - SAMPLE_MS / 1000)
    const delays: [string, number][] = [
      ['0.5', late(this.#delay.percentile(50))],
      ['0.99', late(this.#delay.percentile(99))],
      ['1', late(this.#delay.max)],
    ]
    if (this.#delay.count === 0) for (const delay of delays) delay[1] = 0
    this.#delay.reset()
    return [
      single('gauge', 'process_resident_memory_bytes', 'Memory that is really taken.', process.memoryUsage.rss()),
      single(
        'counter',
        'process_cpu_seconds_total',
        'Seconds of processor time since the start.',
        (user + system) / 1e6,
      ),
      single('gauge', 'process_start_time_seconds', 'When the process started, since 1970.', this.#startedAt / 1000),
      {
        name: 'gatemesh_event_loop_delay_seconds',
        help: 'How late the loop woke, since the last scrape.',
        type: 'gauge',
        samples: delays.map(([quantile, value]) => ({ value, labels: { quantile } })),
      },
    ]
  }

  stop(): void {
    this.#delay.disable()
  }
}
