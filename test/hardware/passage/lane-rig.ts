// A lane for tests: the real judgement on a time line that is played as fast as it goes.
//
// Law: the judge is stepped exactly when something happens and when it asked to be woken, as the guard does it.

import type { Signal } from '../../../hardware/io.ts'
import { laneJudge } from '../../../hardware/passage/lane-judge.ts'
import type { LaneInput, LaneJudge, LaneOutput } from '../../../hardware/passage/lane-step.ts'
import { PASSAGE_RULES, type PassageRules } from '../../../hardware/passage/rules.ts'
import type { FaultCode } from '../../../hardware/turnstile.ts'

export interface Played {
  readonly at: number
  readonly output: LaneOutput
}

export interface RigOptions {
  readonly rules?: Partial<PassageRules>
  readonly signals?: readonly Signal[]
  readonly hasCounters?: boolean
  readonly pending?: readonly string[]
  /** what the hardware says of each pulse; `none`: nothing */
  readonly confirms?: 'yes' | 'no' | 'none'
  /** the gate answers every question with a grant at once */
  readonly grants?: boolean
}

/** Wakes without end would hang a gate: far more than any test needs. */
const WAKES_MAX = 1_000_000

export class LaneRig {
  readonly judge: LaneJudge
  readonly played: Played[] = []
  readonly rules: PassageRules
  now = 0
  #confirms: 'yes' | 'no' | 'none'
  readonly #grants: boolean
  #granted = 0
  readonly #later: { at: number; input: LaneInput }[] = []

  constructor(options: RigOptions = {}) {
    this.rules = { ...PASSAGE_RULES, ...options.rules }
    this.#confirms = options.confirms ?? 'yes'
    this.#grants = options.grants ?? false
    const signals = options.signals ?? ['ask', 'in', 'out']
    const { pending } = options
    this.judge = laneJudge({
      rules: this.rules,
      signals,
      hasCounters: options.hasCounters ?? false,
      ...(pending ? { pending } : {}),
    })
    // Levels are told at the start.
    for (const signal of signals) this.step({ kind: 'signal', signal, active: false })
  }

  /** Plays until then, waking the judge as it asks for it. */
  until(at: number): this {
    for (let wakes = 0; ; wakes++) {
      if (wakes > WAKES_MAX) throw new Error(`woken without end at ${this.now}`)
      const later = this.#later[0]
      const next = Math.min(this.judge.wakeAt, later?.at ?? Number.POSITIVE_INFINITY)
      if (next > at) break
      this.now = Math.max(this.now, next)
      if (later && later.at <= this.now) {
        this.#later.shift()
        this.step(later.input)
      } else this.step({ kind: 'ticked' })
    }
    this.now = Math.max(this.now, at)
    return this
  }

  wait(ms: number): this {
    return this.until(this.now + ms)
  }

  step(input: LaneInput): readonly LaneOutput[] {
    const outputs = this.judge.step(input, this.now)
    for (const output of outputs) {
      this.played.push({ at: this.now, output })
      if (output.kind === 'open' && this.#confirms !== 'none') {
        const isConfirmed = this.#confirms === 'yes'
        this.#soon(5, { kind: 'opened', id: output.id, isConfirmed })
      }
      if (output.kind === 'asked' && this.#grants) this.#soon(3, { kind: 'grant', id: `auto-${++this.#granted}` })
    }
    return outputs
  }

  level(signal: Signal, active: boolean, leadMs = 0): this {
    this.step({ kind: 'signal', signal, active, leadMs })
    return this
  }

  /** Flips of a contact that settles, then the level. */
  edge(signal: Signal, active: boolean, bounces: readonly number[] = []): this {
    let level = active
    for (const ms of bounces) {
      this.level(signal, level).wait(ms)
      level = !level
    }
    return this.level(signal, active)
  }

  pulse(signal: Signal, ms: number, bounces: readonly number[] = []): this {
    return this.edge(signal, true, bounces).wait(ms).edge(signal, false, bounces)
  }

  grant(id: string): this {
    this.step({ kind: 'grant', id })
    return this
  }

  counted(ins: number, ids: readonly string[] = [], confidence = 1000): this {
    this.step({ kind: 'counted', in: ins, ids, confidence })
    return this
  }

  confirms(how: 'yes' | 'no' | 'none'): this {
    this.#confirms = how
    return this
  }

  /** In words, without faults: `entered a`, `intruded 1 manual`, `left 1000`, `lapsed a`, `open a`, `asked`. */
  get said(): string[] {
    return this.played.flatMap(({ output }) => (output.kind === 'fault' ? [] : [words(output)]))
  }

  /** Those of `said` that tell of people. */
  get people(): string[] {
    return this.said.filter(line => !/^(open|asked)/.test(line))
  }

  get faults(): string[] {
    return this.played.flatMap(({ output }) =>
      output.kind === 'fault' ? [`${output.code}${output.isOver ? ' over' : ''}`] : [],
    )
  }

  hasFault(code: FaultCode): boolean {
    return this.judge.figures.faults.includes(code)
  }

  /** How many more are inside, as a gate that trusts this lane would say: credited exits and lapses give tokens back. */
  inside(confidenceMin = 600): number {
    let inside = 0
    for (const { output } of this.played) {
      if (output.kind === 'open') inside++
      if (output.kind === 'intruded') inside += output.count
      if (output.kind === 'lapsed') inside--
      if (output.kind === 'left' && output.confidence >= confidenceMin) inside--
    }
    return inside
  }

  get entries(): number {
    return this.played.reduce(
      (sum, { output }) => sum + (output.kind === 'entered' ? 1 : 0) + (output.kind === 'intruded' ? output.count : 0),
      0,
    )
  }

  get exits(): number {
    return this.played.filter(({ output }) => output.kind === 'left').length
  }

  #soon(ms: number, input: LaneInput): void {
    this.#later.push({ at: this.now + ms, input })
    this.#later.sort((a, b) => a.at - b.at)
  }
}

function words(output: Exclude<LaneOutput, { kind: 'fault' }>): string {
  switch (output.kind) {
    case 'open':
      return `open ${output.id}`
    case 'asked':
      return 'asked'
    case 'entered':
    case 'lapsed':
      return `${output.kind} ${output.grant}`
    case 'intruded':
      return `intruded ${output.count} ${output.why}`
    case 'left':
      return `left ${output.confidence}${output.id === undefined ? '' : ` ${output.id}`}`
    default:
      return output satisfies never
  }
}
