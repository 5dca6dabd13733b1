// Counting: a lane's cumulative counters, from what is read to who is told of, over restarts (memory.ts says the laws).
//
// Laws: nobody waits for the file: whoever it is about is out already, and telling of it waits for a moment only. Room
// is given back (a lapse) only once the file knows of it.

import type { Clock, FaultCode } from '../turnstile.ts'
import { exitId } from './exit-id.ts'
import type { CountedExit, CounterMemory, MemoryPort } from './memory.ts'
import { type Counted, type Reading, type Start, Tally } from './tally.ts'

export interface CountingOptions {
  readonly lane: string
  readonly device: string
  readonly perMinuteMax: number
  readonly memory: MemoryPort
  readonly clock: Clock
  /** resolves once all that was told is in the gate's ledger */
  readonly settled: () => Promise<void>
  /** true once the gate goes on with the ledger that it had before; false where that was lost */
  readonly isSameLife: () => Promise<boolean>
  /** of the lane's judgement: grants that nobody walked through yet */
  readonly grants: () => readonly string[]
  /** the memory was read: grants from before the restart */
  readonly recall: (grants: readonly string[]) => void
  /** people whom the counter showed */
  readonly count: (entries: number, exits: readonly CountedExit[]) => void
  readonly lapse: (grant: string) => void
  readonly fault: (code: FaultCode, detail: string, isOver: boolean) => void
}

/** An exit waits for the file no longer than this before it is told. */
const SAVE_MS_MAX = 500
/** A file that is not read by then is taken for lost. */
const LOAD_MS_MAX = 2000
/** A ledger that could not be written is asked again. */
const AGAIN_MS = 1000
/** So that the time in which nobody looked is known after a restart. */
const REFRESH_MS = 60_000
/** A reset or a gap is a fault for so long; then it is history. */
const ODD_MS = 60_000
/** Of a ledger that takes nothing for days. Older ones would be lost by a crash: too many inside, the safe side. */
const PENDING_MAX = 2000

export class Counting {
  readonly #o: CountingOptions
  #tally: Tally | undefined
  /** there is something to remember */
  #hasBegun = false
  #loading: Promise<void> | undefined
  #isOver = false
  /** read before the memory was */
  #early: Start | undefined
  #since = 0
  #readAt = 0
  /** the last reading that was believed */
  #last: Reading = { in: 0, out: 0 }
  /** entries told, perhaps not in the ledger yet */
  #entries = 0
  /** exits not told yet, and those told that are perhaps not in the ledger yet */
  readonly #untold: CountedExit[] = []
  readonly #told = new Set<CountedExit>()
  /** what was told before may be in a ledger that is lost: told again, it would give room back twice */
  #isDoubtful = false
  /** told before a restart, to be told again */
  #recalled: readonly CountedExit[] = []
  /** all of them, as far as they were given to the file */
  #pending: readonly CountedExit[] = []
  readonly #lapses: string[] = []
  /** grants walked through, perhaps not in the ledger yet */
  readonly #gone: string[] = []
  #savedAt = Number.NEGATIVE_INFINITY
  #oddUntil: { readonly code: FaultCode; readonly at: number } | undefined
  #isWriting = false
  #isDirty = false
  #isSettling = false

  constructor(options: CountingOptions) {
    this.#o = options
  }

  /** Safe to repeat. */
  start(): Promise<void> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  stop(): void {
    this.#isOver = true
  }

  read(reading: Reading, at: number): void {
    if (this.#tally === undefined) {
      this.#early = { ...reading, at }
      return
    }
    const counted = this.#tally.read(reading, at)
    this.#judge(counted, reading, at)
    if (counted.story === 'odd') return
    this.#hasBegun = true
    this.#readAt = this.#o.clock.wall()
    this.#last = { in: reading.in, out: reading.out }
    // never the same count twice, also where the clock was set back
    if (counted.story === 'first' || counted.story === 'reset') this.#since = Math.max(this.#readAt, this.#since + 1)
    for (let n = counted.out - 1; n >= 0; n--) {
      this.#untold.push({ id: this.#idOf(reading.out - n), confidence: this.#isDoubtful ? 0 : counted.confidence })
    }
    this.#isDoubtful = false
    this.#entries += counted.in
    // also where nobody came: the judgement wants to know that somebody looked
    this.#o.count(counted.in, [])
    const isNews = counted.in + counted.out + this.#recalled.length > 0 || counted.story !== 'plain'
    // after the entries: those of grants from before the restart go first
    this.#tell(this.#recalled)
    this.#recalled = []
    if (!isNews && at - this.#savedAt < REFRESH_MS) return
    this.#savedAt = at
    this.#write()
  }

  /** A grant was made, so that a restart knows whose passage the counter shows. */
  granted(): void {
    if (this.#hasBegun) this.#write()
  }

  walked(grant: string): void {
    this.#gone.push(grant)
  }

  /** Told of once it is written down that this grant is no more. */
  lapsed(grant: string): void {
    if (!this.#hasBegun) return this.#o.lapse(grant)
    this.#lapses.push(grant)
    this.#write()
  }

  async #load(): Promise<void> {
    const { memory, lane, device, perMinuteMax, fault, recall, clock } = this.#o
    let found: CounterMemory | undefined
    try {
      found = await new Promise((resolve, reject) => {
        const late = clock.in(LOAD_MS_MAX, () => reject(new Error(`not read after ${LOAD_MS_MAX} ms`)))
        memory.load(lane).then(resolve, reject).finally(late)
      })
    } catch (error) {
      fault('MEMORY', `counting begins anew, passages of meanwhile are not known: ${(error as Error).message}`, false)
    }
    const same = found?.device === device ? found : undefined
    // what happened meanwhile waits until it is known which ledger it goes to; the device remembers it as long
    const isSameLife = same === undefined || (await this.#o.isSameLife())
    recall(isSameLife ? (same?.grants ?? []) : [])
    if (same !== undefined) this.#recall(same, isSameLife)
    else this.#tally = new Tally({ perMinuteMax })
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) this.read(early, early.at)
  }

  #recall(found: CounterMemory, isSameLife: boolean): void {
    const { clock, perMinuteMax } = this.#o
    const pending = isSameLife ? found.pending : found.pending.map(({ id }) => ({ id, confidence: 0 }))
    this.#isDoubtful = !isSameLife
    const at = clock.now() - Math.max(0, clock.wall() - found.at)
    this.#tally = new Tally({ perMinuteMax, from: { in: found.in, out: found.out, at } })
    this.#hasBegun = true
    this.#since = found.since
    this.#last = { in: found.in, out: found.out }
    this.#readAt = found.at
    this.#pending = pending
    this.#recalled = pending
  }

  #judge({ story, in: entries, out, gapMs }: Counted, now: Reading, at: number): void {
    const before = this.#last
    const { fault } = this.#o
    const odd = this.#oddUntil
    if (story === 'gap' || story === 'reset') {
      const code = story === 'gap' ? 'COUNTER_GAP' : 'COUNTER_RESET'
      const moved = `${before.in}/${before.out} to ${now.in}/${now.out} after ${Math.round(gapMs / 1000)} s`
      const taken = `taken for ${entries} in, and ${out} out who give no room back`
      if (odd !== undefined && odd.code !== code) fault(odd.code, 'another story now', true)
      this.#oddUntil = { code, at: at + ODD_MS }
      fault(code, `in/out went from ${moved}: ${taken}`, false)
    } else if (odd !== undefined && at >= odd.at) {
      this.#oddUntil = undefined
      fault(odd.code, 'the counter goes on as people walk', true)
    }
  }

  #idOf(value: number): string {
    return exitId({ device: this.#o.device, since: this.#since, value })
  }

  /** One write at a time; what comes meanwhile goes with the next. */
  async #write(): Promise<void> {
    this.#isDirty = true
    if (this.#isWriting) return
    this.#isWriting = true
    while (this.#isDirty) {
      this.#isDirty = false
      const exits = this.#untold.splice(0)
      const lapses = this.#lapses.splice(0)
      this.#pending = [...this.#pending, ...exits].slice(-PENDING_MAX)
      const isSaved = await this.#save()
      this.#tell(exits)
      for (const grant of isSaved ? lapses : []) this.#o.lapse(grant)
      if (!isSaved) this.#lapses.unshift(...lapses)
      this.#settle()
    }
    this.#isWriting = false
  }

  /** True once it is durable; false where that failed, or takes too long. */
  #save(): Promise<boolean> {
    const { memory, lane, device, clock, fault } = this.#o
    const kept: CounterMemory = {
      device,
      since: this.#since,
      in: this.#last.in - this.#entries,
      out: this.#last.out,
      at: this.#readAt,
      pending: this.#pending,
      grants: [...new Set([...this.#gone, ...this.#o.grants()])],
    }
    return new Promise(resolve => {
      const late = clock.in(SAVE_MS_MAX, () => {
        fault('MEMORY', `the counters of ${lane} are not written down after ${SAVE_MS_MAX} ms`, false)
        resolve(false)
      })
      memory.save(lane, kept).then(
        () => {
          late()
          fault('MEMORY', `the counters of ${lane} are written down`, true)
          resolve(true)
        },
        (error: unknown) => {
          late()
          fault('MEMORY', `the counters of ${lane} cannot be written down: ${(error as Error).message}`, false)
          resolve(false)
        },
      )
    })
  }

  #tell(exits: readonly CountedExit[]): void {
    for (const exit of exits) this.#told.add(exit)
    if (exits.length > 0) this.#o.count(0, exits)
  }

  /** Once the ledger has it, the memory moves past it. */
  async #settle(): Promise<void> {
    const [entries, exits, gone] = [this.#entries, [...this.#told], this.#gone.length]
    if (this.#isSettling || this.#isOver || entries + exits.length + gone === 0) return
    this.#isSettling = true
    const isSettled = await this.#o.settled().then(
      () => true,
      () => false,
    )
    this.#isSettling = false
    if (!isSettled) {
      this.#o.clock.in(AGAIN_MS, () => this.#settle())
      return
    }
    this.#entries -= entries
    for (const exit of exits) this.#told.delete(exit)
    const settled = new Set(exits)
    this.#pending = this.#pending.filter(exit => !settled.has(exit))
    this.#gone.splice(0, gone)
    this.#write()
  }
}
