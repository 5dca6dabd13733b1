// Attendant: stands between the hardware at a door and the gate that decides. It asks for those who stand before the arm,
// moves the arm once an admission is on disk, and tells the gate what the hardware saw.
//
// Laws: an arm moves for an admission that is on disk, once. Whoever leaves is told to the door first and unconditionally;
// nothing in here can throw or wait on that way. The entry is held by a lease that this process renews while it is alive,
// and never in FIRE. Hardware that is missing or broken stops nobody from leaving, and is tried again.

import type { Happening, Lane, Turnstile, TurnstileState } from '../hardware/turnstile.ts'
import type { Mode } from '../ledger/entry.ts'
import { asText } from '../ledger/line.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Door } from './door.ts'
import type { Visitors } from './visitors.ts'

export interface AttendantOptions {
  readonly door: Door
  readonly turnstile: Turnstile
  readonly clock: Clock
  readonly newId: () => string
  readonly holdMs: number
  /** where somebody knows who the people are */
  readonly visitors?: Visitors
  /** from 0 to 1000: how many of the exits that the arm tells of a second sensor confirms */
  readonly exitConfidence?: () => number
}

/** Often enough that a renewal may get lost and the lease is renewed all the same. */
const HOLDS_PER_LEASE = 4
/** A core that says nothing of the mode for so long has a broken store; the entry is held without its word. */
const WORDLESS_MS = 5000
const AGAIN_MS = 5000
/** A fault that comes and goes is one entry a minute. */
const FAULT_EVERY_MS = 60_000
const DETAIL_MAX = 300

export class Attendant {
  readonly #o: AttendantOptions
  readonly #lanes: ReadonlyMap<string, Lane>
  /** who stands before which arm: asked, and not answered yet */
  readonly #asking = new Map<string, Lane>()
  readonly #faults = new Map<string, number>()
  #mode: Mode | undefined
  /** people re-armed while the loop could not be read: it is told again until the latch is open */
  #isRearming = false
  #startedAt = Number.POSITIVE_INFINITY
  #isUp = false
  #stopped = false
  #forgetRetry: (() => void) | undefined
  #forgetRenewal: (() => void) | undefined

  constructor(options: AttendantOptions) {
    this.#o = options
    this.#lanes = new Map(options.turnstile.lanes.map(lane => [lane.name, lane]))
    options.door.arm = this
  }

  get laneNames(): readonly string[] {
    return [...this.#lanes.keys()]
  }

  state(): TurnstileState {
    return this.#o.turnstile.state()
  }

  /** Returns at once: a door does not wait for its hardware. */
  start(): void {
    this.#startedAt = this.#o.clock.now()
    void this.#open()
    this.#renew()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#forgetRetry?.()
    this.#forgetRenewal?.()
    await this.#o.turnstile.stop()
  }

  /** Somebody with this id asks elsewhere (a reader, a guard) and is to be let in by this arm. */
  expect(id: string, lane: string): boolean {
    const found = this.#lanes.get(lane)
    if (found !== undefined) this.#asking.set(id, found)
    return found !== undefined
  }

  /** It was answered: no arm moves for this id any more. */
  answered(id: string, isAdmitted: boolean): void {
    const lane = this.#asking.get(id)
    this.#asking.delete(id)
    if (!isAdmitted) lane?.entry.refuse(id)
  }

  /** Of the core, once the admission is durable. */
  open(id: string): void {
    const lane = this.#asking.get(id)
    this.#asking.delete(id)
    lane?.entry.grant(id)
  }

  mode(mode: Mode): void {
    const before = this.#mode
    this.#mode = mode
    if (mode === 'FIRE') {
      this.#isRearming = false
      for (const { entry } of this.#lanes.values()) entry.release()
    }
    // only two people can say that a fire is over, and they just have
    else if (before === 'FIRE') this.#isRearming = !this.#o.turnstile.rearm()
  }

  async #open(): Promise<void> {
    const { turnstile, clock, door } = this.#o
    try {
      await turnstile.start(happening => this.#hear(happening))
      this.#isUp = true
      for (const { exit } of this.#lanes.values()) exit.free()
    } catch (error) {
      if (this.#stopped) return
      this.#wrong('START', `${door.name}: ${(error as Error).message}`)
      this.#forgetRetry = clock.in(AGAIN_MS, () => void this.#open())
    }
  }

  #renew(): void {
    if (this.#stopped) return
    const { clock, holdMs, turnstile } = this.#o
    if (this.#isRearming) this.#isRearming = !turnstile.rearm()
    const hasWord = this.#mode !== undefined || clock.now() - this.#startedAt > WORDLESS_MS
    if (this.#isUp && hasWord && this.#mode !== 'FIRE') {
      for (const { entry } of this.#lanes.values()) entry.hold(holdMs)
    }
    this.#forgetRenewal = clock.in(holdMs / HOLDS_PER_LEASE, () => this.#renew())
  }

  #hear(happening: Happening): void {
    const { door } = this.#o
    switch (happening.kind) {
      case 'left':
        return this.#leave(happening)
      case 'asked':
        return this.#ask(happening.lane, happening.confidence)
      case 'entered':
        return door.passed(happening.grant)
      case 'intruded':
        return door.intruded(happening.count, happening.why)
      case 'lapsed':
        door.lapse(happening.grant)
        return
      case 'contact':
        // what two people said of the fire before says nothing of this one
        if (happening.contact === 'fire' && happening.isRaised) this.#isRearming = false
        return door.contact(happening.contact, happening.isRaised)
      case 'fault':
        return this.#fault(happening)
    }
  }

  #leave({ lane, id, confidence }: Extract<Happening, { kind: 'left' }>): void {
    const { door, visitors, exitConfidence } = this.#o
    const left = door.leave(id ?? visitors?.leaver(lane), Math.min(confidence, exitConfidence?.() ?? 1000))
    visitors?.left(lane, left)
  }

  #ask(lane: string, confidence: number): void {
    const { door, newId, visitors } = this.#o
    const id = visitors?.asker(lane) ?? newId()
    if (!this.expect(id, lane)) return
    door.enter(id, confidence).then(entered => {
      this.answered(id, entered.decision === 'ADMIT')
      visitors?.answered(lane, entered)
    })
  }

  #fault({ code, lane, detail, isOver }: Extract<Happening, { kind: 'fault' }>): void {
    const where = lane === undefined ? this.#o.door.name : `${this.#o.door.name}/${lane}`
    this.#wrong(code, `${where}: ${isOver ? 'well again: ' : ''}${detail}`, isOver)
  }

  /** For people at once, for the ledger once a minute of each kind. */
  #wrong(code: string, said: string, isOver = false): void {
    const { door, clock } = this.#o
    const detail = said.slice(0, DETAIL_MAX)
    if (!isOver) door.alarm(code === 'INTERLOCK_BLIND' ? 'INTERLOCK' : 'TURNSTILE', `${detail} (${code})`)
    const key = `${code} ${said.slice(0, said.indexOf(':'))} ${isOver}`
    const last = this.#faults.get(key) ?? Number.NEGATIVE_INFINITY
    if (clock.now() - last < FAULT_EVERY_MS) return
    this.#faults.set(key, clock.now())
    door.note({ type: 'fault', code, detail: asText(detail), count: 0 })
  }
}
