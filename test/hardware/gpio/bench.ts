// Bench: pins that a test can push and look at, be they a kernel's or played ones. The claims (claims.ts) run on any.

import type { GpioConfig, HardwareConfig } from '../../../hardware/config.ts'
import type { IoEvents, Signal } from '../../../hardware/io.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'

/** Offsets on the chip of a bench. */
export const LINES = { fire: 0, key: 1, in: 2, out: 3, ask: 4, grant: 5, hold: 6, red: 7 } as const
export const LANE = 'north'
/** a tool has to start within it, also on a slow and busy machine */
export const HOLD_MS = 1200
export const GRANT_MS = 200

export interface Bench {
  readonly label: string
  readonly backend: GpioConfig['backend']
  /** folder of the gpiod tools; undefined: those on the PATH */
  readonly tools: string | undefined
  /** a contact of the world: closed is low */
  set(line: number, isHigh: boolean): void
  /** Lines go high for so long by another process, and nothing of this one runs from `aroundMs` before until as long after. */
  pulseWhileStalled(lines: readonly number[], a: { readonly aroundMs: number; readonly forMs: number }): void
  /** as a meter on the line would show it, with a resistor to ground */
  isHigh(line: number): boolean
  /** Kills the process that has this line. */
  killUser(line: number): void
}

export function configOf(bench: Bench, changes: Partial<GpioConfig> = {}): HardwareConfig {
  const on = bench.label
  return {
    driver: {
      driver: 'gpio',
      backend: bench.backend,
      closed: 'low',
      pull: 'outside',
      energised: 'high',
      ...changes,
    },
    lanes: [
      {
        name: LANE,
        rules: PASSAGE_RULES,
        inputs: {
          in: { on, at: LINES.in, normally: 'closed' },
          out: { on, at: LINES.out, normally: 'closed' },
          ask: { on, at: LINES.ask, normally: 'open' },
        },
        grant: { coil: { on, at: LINES.grant }, pulseMs: GRANT_MS },
        hold: { coil: { on, at: LINES.hold }, ...(bench.backend === 'sysfs' ? { beatMs: 20 } : {}) },
        red: { coil: { on, at: LINES.red }, pulseMs: 100 },
      },
    ],
    fire: { on, at: LINES.fire, normally: 'closed' },
    key: { on, at: LINES.key, normally: 'open' },
    holdMs: HOLD_MS,
    memory: '',
    optical: [],
  }
}

export interface Heard {
  readonly what: 'input' | 'contact' | 'link' | 'fault'
  readonly name: string
  readonly isActive: boolean
  readonly at: number
  readonly detail: string
}

/** Writes down what an Io tells. */
export class Hearer implements IoEvents {
  readonly heard: Heard[] = []
  #waiting: (() => void)[] = []

  input(_lane: string, signal: Signal, active: boolean, at: number): void {
    this.#add({ what: 'input', name: signal, isActive: active, at, detail: '' })
  }

  contact(contact: 'fire' | 'key', active: boolean, at: number): void {
    this.#add({ what: 'contact', name: contact, isActive: active, at, detail: '' })
  }

  counters(): void {
    throw new Error('pins have no counters')
  }

  link(lane: string | undefined, isUp: boolean, detail: string, at: number): void {
    this.#add({ what: 'link', name: lane ?? 'interlock', isActive: isUp, at, detail })
  }

  fault(code: string, detail: string, isOver: boolean, at: number): void {
    this.#add({ what: 'fault', name: code, isActive: !isOver, at, detail })
  }

  of(name: string, since = 0): readonly Heard[] {
    return this.heard.slice(since).filter(one => one.name === name)
  }

  /** Waits for what was not heard yet, and says what was if it does not come. */
  async until(what: string, isSo: () => boolean, limitMs = 20_000): Promise<void> {
    const until = performance.now() + limitMs
    while (!isSo()) {
      if (performance.now() > until)
        throw new Error(`${what}: never heard; heard ${JSON.stringify(this.heard.slice(-20))}`)
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, 100)
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  #add(heard: Heard): void {
    this.heard.push(heard)
    for (const go of this.#waiting.splice(0)) go()
  }
}

/** Waits for a line to be high or low; the time it took. */
export async function untilLine(bench: Bench, line: number, isHigh: boolean, limitMs = 20_000): Promise<number> {
  const began = performance.now()
  while (bench.isHigh(line) !== isHigh) {
    if (performance.now() > began + limitMs) throw new Error(`line ${line} never went ${isHigh ? 'high' : 'low'}`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  return performance.now() - began
}
