// Lane guard: one lane of a guarded turnstile: its judgement, its outputs, and what it remembers.
//
// Laws: whoever walks is told of, whatever the outputs do. An arm that was let go stays so until somebody may hold it
// again, and no pulse or hold that was on its way before can take that back. What a board did not confirm is a fault,
// and is done again only where doing it twice lets nobody in.

import type { LaneConfig } from './config.ts'
import { Counting } from './counting/counting.ts'
import type { MemoryPort } from './counting/memory.ts'
import type { Reading } from './counting/tally.ts'
import type { LaneOutputs, Signal } from './io.ts'
import { laneJudge } from './passage/lane-judge.ts'
import type { LaneInput, LaneJudge, LaneOutput } from './passage/lane-step.ts'
import { Timeline } from './timeline.ts'
import type { Clock, Entry, Exit, FaultCode, Happening, Lane, LaneState } from './turnstile.ts'

export interface LaneGuardOptions {
  readonly config: LaneConfig
  readonly outputs: LaneOutputs
  readonly clock: Clock
  readonly memory: MemoryPort
  readonly settled: () => Promise<void>
  /** true once the gate goes on with the ledger that it had before it started */
  readonly isSameLife: () => Promise<boolean>
  /** of the interlock */
  readonly mayHold: () => boolean
  readonly tell: (happening: Happening) => void
}

const NOTHING_SEEN: LaneJudge['figures'] = { in: 0, out: 0, doubles: 0, noises: 0, confidence: 1000, faults: [] }
/** A tick that is as late was held up, and so was what the contacts did meanwhile: that comes first. */
const LATE_MS = 20
const AFTER_YOU_MS = 5
/** An arm that did not confirm that it is free is told again after this. */
const FREE_AGAIN_MS = 250
/** Two pulses that touch are one to the arm, and the second person stands before it: boards round theirs up, too. */
const BETWEEN_PULSES_MS = 200

export class LaneGuard implements Lane {
  readonly name: string
  readonly entry: Entry
  readonly exit: Exit
  readonly #o: LaneGuardOptions
  readonly #counting: Counting | undefined
  readonly #inputs = new Map<Signal, boolean>()
  /** faults that are not over, with what was said of them */
  readonly #faults = new Map<FaultCode, string>()
  readonly #timeline = new Timeline()
  /** there once the memory was read, where there is one; what comes before waits */
  #judge: LaneJudge | undefined
  readonly #early: (() => void)[] = []
  #isUp = false
  /** what was ordered last; the hardware may not have heard of it yet */
  #isFree = false
  #isReleased = false
  #heldUntil = Number.NEGATIVE_INFINITY
  #isHolding = false
  #isStopped = false
  #unwake: (() => void) | undefined
  #unretry: (() => void) | undefined
  /** the contact of the last pulse is surely open again from here on */
  #pulseFrom = Number.NEGATIVE_INFINITY
  #unrest: (() => void) | undefined

  constructor(options: LaneGuardOptions) {
    const { config } = options
    this.#o = options
    this.name = config.name
    if (config.counter === undefined) this.#begin([])
    else this.#counting = this.#countingOf(config.counter)
    this.entry = {
      grant: id => this.#grant(id),
      refuse: id => this.#refuse(id),
      hold: forMs => this.#hold(forMs),
      release: () => this.release(),
    }
    this.exit = { free: () => void this.#order(() => options.outputs.freeExit()) }
  }

  /** What is remembered is read beside everything else: nothing waits for it. */
  start(): void {
    this.#isStopped = false
    this.#counting?.start()
  }

  /** Resolves once the hardware confirmed that the entry is free, or had its chance to. */
  stop(): Promise<boolean> {
    this.#isStopped = true
    this.#counting?.stop()
    this.#unwake?.()
    this.#unretry?.()
    this.#unrest?.()
    this.#heldUntil = Number.NEGATIVE_INFINITY
    this.#isFree = true
    return this.#order(() => this.#o.outputs.free())
  }

  input(signal: Signal, active: boolean, at: number, leadMs = 0): void {
    this.#inputs.set(signal, active)
    this.#soon(() => this.#step({ kind: 'signal', signal, active, leadMs }, this.#timeline.moved(at)))
  }

  counters(reading: Reading, at: number): void {
    this.#counting?.read(reading, at)
  }

  link(isUp: boolean, detail: string): void {
    const isNews = this.#isUp !== isUp
    this.#isUp = isUp
    if (!isUp) this.#inputs.clear()
    this.fault('LINK', detail, isUp)
    this.#tellJudge({ kind: 'link', isUp })
    if (!isUp || !isNews) return
    // a board that was away may have forgotten what it was told
    this.exit.free()
    if (this.#isFree) this.#free()
  }

  /** The output first; then everybody may know. */
  release(): void {
    this.#isFree = true
    this.#heldUntil = Number.NEGATIVE_INFINITY
    this.#free()
    this.#shows(true)
  }

  fault(code: FaultCode, detail: string, isOver: boolean): void {
    if (isOver ? !this.#faults.delete(code) : this.#faults.get(code) === detail) return
    if (!isOver) this.#faults.set(code, detail)
    this.#o.tell({ kind: 'fault', lane: this.name, at: this.#o.clock.now(), code, detail, isOver })
  }

  state(): LaneState {
    const { in: entries, out, doubles, noises, confidence, faults } = this.#judge?.figures ?? NOTHING_SEEN
    const signals = Object.keys(this.#o.config.inputs) as Signal[]
    return {
      name: this.name,
      isUp: this.#isUp,
      isHeld: this.#o.clock.now() < this.#heldUntil,
      isReleased: this.#isReleased,
      in: entries,
      out,
      doubles,
      noises,
      confidence,
      inputs: Object.fromEntries(signals.map(signal => [signal, this.#inputs.get(signal) ?? 'unknown'])),
      faults: [...new Set([...faults, ...this.#faults.keys()])],
    }
  }

  #grant(id: string): void {
    this.#tellJudge({ kind: 'grant', id })
    this.#counting?.granted()
  }

  #refuse(id: string): void {
    void this.#order(() => this.#o.outputs.refuse?.() ?? Promise.resolve(true))
    this.#tellJudge({ kind: 'refuse', id })
  }

  #hold(forMs: number): void {
    if (this.#isStopped || this.#isHolding || !this.#o.mayHold()) return
    this.#isFree = false
    this.#isHolding = true
    const until = this.#o.clock.now() + forMs
    void this.#order(() => this.#o.outputs.hold(forMs)).then(isConfirmed => {
      this.#isHolding = false
      // let go meanwhile: that it is not held is no fault of the hardware
      if (this.#isFree) return
      this.#confirmed('hold', isConfirmed)
      if (!isConfirmed) return
      this.#heldUntil = until
      this.#shows(false)
    })
  }

  #open(id: string): void {
    const { clock, config, outputs } = this.#o
    const restMs = this.#pulseFrom - clock.now()
    if (restMs > 0) {
      this.#unrest = clock.in(restMs, () => this.#open(id))
      return
    }
    // an arm that is free needs no pulse, and at some devices one would lock it again
    const isPulsed = !this.#isFree
    const pulse = isPulsed ? this.#order(() => outputs.open()) : Promise.resolve(false)
    void pulse.then(isConfirmed => {
      if (isPulsed && config.grant) this.#pulseFrom = clock.now() + config.grant.pulseMs + BETWEEN_PULSES_MS
      if (isPulsed && !this.#isFree) this.#confirmed('pulse', isConfirmed)
      this.#tellJudge({ kind: 'opened', id, isConfirmed })
    })
  }

  #free(): void {
    this.#unretry?.()
    void this.#order(() => this.#o.outputs.free()).then(isConfirmed => {
      this.#confirmed('release', isConfirmed)
      if (isConfirmed || !this.#isFree || this.#isStopped) return
      this.#unretry?.()
      this.#unretry = this.#o.clock.in(FREE_AGAIN_MS, () => this.#isFree && this.#free())
    })
  }

  /** What was on its way when the arm was let go must not be the last word. */
  async #order(act: () => Promise<boolean>): Promise<boolean> {
    const wasFree = this.#isFree
    let isConfirmed = false
    try {
      isConfirmed = await act()
    } catch {
      // a driver that throws has not confirmed
    }
    if (this.#isFree && !wasFree && !this.#isStopped) this.#free()
    return isConfirmed
  }

  #confirmed(what: string, isConfirmed: boolean): void {
    const detail = isConfirmed ? 'outputs are confirmed again' : `the hardware did not confirm a ${what}`
    this.fault('OUTPUT', detail, isConfirmed)
  }

  #shows(isReleased: boolean): void {
    if (this.#isReleased === isReleased) return
    this.#isReleased = isReleased
    this.#tellJudge({ kind: 'released', isReleased })
  }

  /** Something that happens now. */
  #tellJudge(input: LaneInput): void {
    this.#soon(() => this.#step(input, this.#timeline.at(this.#o.clock.now())))
  }

  #soon(act: () => void): void {
    if (this.#judge === undefined) this.#early.push(act)
    else act()
  }

  #step(input: LaneInput, at: number): void {
    for (const output of this.#judge?.step(input, at) ?? []) this.#act(output, at)
    this.#wake()
  }

  #act(output: LaneOutput, at: number): void {
    const { name: lane } = this
    const { tell } = this.#o
    switch (output.kind) {
      case 'open':
        return this.#open(output.id)
      case 'fault':
        return tell({ ...output, lane, at })
      case 'entered':
        this.#counting?.walked(output.grant)
        return tell({ ...output, lane, at })
      case 'lapsed':
        return this.#counting === undefined ? tell({ ...output, lane, at }) : this.#counting.lapsed(output.grant)
      case 'asked':
      case 'intruded':
      case 'left':
        return tell({ ...output, lane, at })
    }
  }

  #wake(): void {
    this.#unwake?.()
    this.#unwake = undefined
    const wakeAt = this.#judge?.wakeAt ?? Number.POSITIVE_INFINITY
    if (this.#isStopped || wakeAt === Number.POSITIVE_INFINITY) return
    const { clock } = this.#o
    const tick = () => this.#tellJudge({ kind: 'ticked' })
    this.#unwake = clock.in(Math.max(0, wakeAt - clock.now()), () => {
      if (clock.now() - wakeAt < LATE_MS) tick()
      else this.#unwake = clock.in(AFTER_YOU_MS, tick)
    })
  }

  #countingOf(counter: string): Counting {
    const { config, memory, clock, settled, isSameLife, tell } = this.#o
    return new Counting({
      lane: this.name,
      device: `${this.name}/${counter}`,
      perMinuteMax: config.rules.perMinuteMax,
      memory,
      clock,
      settled,
      isSameLife,
      grants: () => this.#judge?.pending ?? [],
      recall: grants => this.#begin(grants),
      count: (entries, exits) => {
        const groups = Map.groupBy(exits, exit => exit.confidence)
        if (entries > 0 || exits.length === 0)
          this.#tellJudge({ kind: 'counted', in: entries, ids: [], confidence: 1000 })
        for (const [confidence, group] of groups) {
          this.#tellJudge({ kind: 'counted', in: 0, ids: group.map(exit => exit.id), confidence })
        }
      },
      lapse: grant => tell({ kind: 'lapsed', lane: this.name, at: clock.now(), grant }),
      fault: (code, detail, isOver) => this.fault(code, detail, isOver),
    })
  }

  /** Grants from before a restart had their pulses then, and get none now. */
  #begin(pending: readonly string[]): void {
    const { rules, inputs, counter } = this.#o.config
    const signals = Object.keys(inputs) as Signal[]
    this.#judge = laneJudge({ rules, signals, hasCounters: counter !== undefined, pending })
    for (const act of this.#early.splice(0)) act()
  }
}
