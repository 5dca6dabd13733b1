// Master: the one who asks on a bus, one question at a time.
//
// Laws: what is urgent goes first, then what is written, then what is read. A late answer is never taken for another
// question's. A question that nobody answered is a fault of its own (TIME_OUT) and never an answer; an answer that came
// broken is another (NOISE). Nothing that was written is ever sent twice by itself: a pulse twice is two pulses.

import { type Clock, HardwareFault } from '../turnstile.ts'
import { Doubt } from './doubt.ts'
import type { Framing, Link } from './link.ts'
import { MbapFraming } from './mbap.ts'
import { answerBytes, decode, flawOf, nameOf, type Question, refusal } from './pdu.ts'
import { RtuFraming } from './rtu.ts'

/** USB adapters hold bytes back for 16 ms: less than that between two bytes says nothing. */
const INTER_BYTE_MS = 25

export interface AskOptions {
  /** ahead of all that waits, and without a marker first */
  readonly urgent?: boolean
  /** asked right before it would be sent: false drops it */
  readonly still?: () => boolean
}

interface Job {
  readonly unit: number
  readonly question: Question
  readonly options: AskOptions
  readonly rank: number
  resolve(values: readonly number[]): void
  reject(fault: HardwareFault): void
}

type Outcome =
  | { readonly kind: 'answer'; readonly pdu: Buffer }
  | { readonly kind: 'silent' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'closed'; readonly why: string }

export interface MasterFigures {
  asked: number
  answered: number
  refused: number
  timeOuts: number
  broken: number
  /** asked to find out where the answers stand, after a time-out */
  markers: number
  closed: number
  slowestMs: number
}

export class Master {
  readonly #link: Link
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #interByteMs: number
  readonly #closed: (why: string) => void
  readonly #doubt = new Doubt()
  readonly #jobs: Job[] = []
  #framing: Framing
  #isOpen = false
  #isPumping = false
  #quietFrom = 0
  #strayBytes = 0
  #hear: ((chunk: Buffer | undefined, why: string) => void) | undefined
  readonly #figures: MasterFigures = {
    asked: 0,
    answered: 0,
    refused: 0,
    timeOuts: 0,
    broken: 0,
    markers: 0,
    closed: 0,
    slowestMs: 0,
  }

  constructor(a: {
    readonly link: Link
    readonly clock: Clock
    /** from the end of a question to the end of its answer, on top of the time on the wire */
    readonly timeoutMs: number
    readonly interByteMs?: number
    /** the link closed by itself; `open` may be called again */
    readonly closed?: (why: string) => void
  }) {
    this.#link = a.link
    this.#clock = a.clock
    this.#timeoutMs = a.timeoutMs
    this.#interByteMs = a.interByteMs ?? INTER_BYTE_MS
    this.#closed = a.closed ?? (() => undefined)
    this.#framing = framingOf(a.link)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get figures(): Readonly<MasterFigures> & { readonly strayBytes: number } {
    return { ...this.#figures, strayBytes: this.#strayBytes + this.#framing.strayBytes }
  }

  /** Rejects with a HardwareFault. Safe to repeat. */
  async open(): Promise<void> {
    if (this.#isOpen) return
    this.#strayBytes += this.#framing.strayBytes
    this.#framing = framingOf(this.#link)
    this.#doubt.clearAll()
    await this.#link.open({
      bytes: chunk => this.#bytes(chunk),
      closed: why => this.#lost(why),
    })
    this.#isOpen = true
    this.#quietFrom = this.#clock.now()
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#hear?.(undefined, `${this.#link.name}: closed`)
    await this.#link.close()
  }

  read(unit: number, fn: 1 | 2 | 3 | 4, at: number, count: number, options?: AskOptions): Promise<readonly number[]> {
    return this.#ask(unit, { fn, at, count }, options)
  }

  /** `value` as it stands on the wire: 0xFF00, 0, or what the board makes of others. */
  async writeCoil(unit: number, at: number, value: number, options?: AskOptions): Promise<void> {
    await this.#ask(unit, { fn: 5, at, value }, options)
  }

  async writeRegisters(unit: number, at: number, values: readonly number[], options?: AskOptions): Promise<void> {
    await this.#ask(unit, { fn: 16, at, values }, options)
  }

  #ask(unit: number, question: Question, options: AskOptions = {}): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      const flaw = flawOf(question)
      if (flaw) return reject(new HardwareFault('LINK', `${this.#where(unit, question)}: ${flaw}`))
      const rank = options.urgent ? 0 : question.fn > 4 ? 1 : 2
      const job = { unit, question, options, rank, resolve, reject }
      const behind = this.#jobs.findIndex(other => other.rank > rank)
      this.#jobs.splice(behind === -1 ? this.#jobs.length : behind, 0, job)
      void this.#pump()
    })
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return
    this.#isPumping = true
    while (this.#jobs.length > 0) {
      // what is urgent may come in while the line has to be quiet
      await this.#gap()
      const job = this.#jobs.shift()
      if (job) await this.#serve(job)
    }
    this.#isPumping = false
  }

  async #serve({ unit, question, options, resolve, reject }: Job): Promise<void> {
    const say = (code: 'LINK' | 'TIME_OUT' | 'NOISE' | 'OUTPUT', what: string) =>
      reject(new HardwareFault(code, `${this.#where(unit, question)}: ${what}`))
    if (options.still?.() === false) return say('OUTPUT', 'not wanted any more')
    const isDoubted = options.urgent !== true && !(await this.#isPlain(unit, question))
    if (isDoubted) return say('TIME_OUT', 'no answer, and none to what was asked before')
    if (options.still?.() === false) return say('OUTPUT', 'not wanted any more')
    const hadDoubt = this.#doubt.before(unit, question, this.#clock.now()) !== 'nothing'
    const outcome = await this.#exchange(unit, question)
    switch (outcome.kind) {
      case 'silent':
        return say('TIME_OUT', `no answer within ${this.#timeoutMs} ms`)
      case 'broken':
        return say('NOISE', 'the answer came broken')
      case 'closed':
        return say('LINK', outcome.why)
      default: {
        if (!hadDoubt) this.#doubt.clear(unit)
        const answer = decode(question, outcome.pdu)
        if (answer.kind === 'values') return resolve(answer.values)
        this.#figures.refused++
        say(question.fn > 4 ? 'OUTPUT' : 'LINK', answer.kind === 'refused' ? refusal(answer.exception) : answer.kind)
      }
    }
  }

  /** True once an answer to this question cannot be another one's; asks a marker where that takes one. */
  async #isPlain(unit: number, question: Question): Promise<boolean> {
    const marker = this.#doubt.before(unit, question, this.#clock.now())
    if (marker === 'nothing') return true
    if (marker === 'wait') return false
    this.#figures.markers++
    const { kind } = await this.#exchange(unit, marker)
    if (kind !== 'answer') return false
    this.#doubt.clear(unit)
    await this.#gap()
    return true
  }

  #exchange(unit: number, question: Question): Promise<Outcome> {
    return new Promise(resolve => {
      if (!this.#isOpen) return resolve({ kind: 'closed', why: 'the port is not open' })
      const asked = this.#clock.now()
      const bytes = this.#framing.ask(unit, question)
      const waitMs = this.#link.wireMs(bytes.length + 3 + answerBytes(question)) + this.#timeoutMs
      let cancel = () => {}
      const end = (outcome: Outcome) => {
        cancel()
        this.#hear = undefined
        this.#quietFrom = this.#clock.now()
        this.#note(unit, question, outcome, asked)
        resolve(outcome)
      }
      const after = (ms: number, act: () => void) => {
        cancel()
        // Where this process was held up, the timer is due while the answer waits to be read: that is read first.
        cancel = this.#clock.in(ms, () => {
          cancel = this.#clock.in(1, act)
        })
      }
      this.#hear = (chunk, why) => {
        if (!chunk) return end({ kind: 'closed', why })
        const heard = this.#framing.hear(chunk)
        if (heard.kind === 'answer') return end(heard)
        if (heard.kind === 'lost') return this.#lost(`${this.#link.name}: ${heard.why}`)
        // bytes without end do not make it wait without end
        const restMs = asked + waitMs - this.#clock.now()
        if (heard.hasBegun) after(Math.min(restMs, this.#interByteMs), () => end({ kind: 'broken' }))
      }
      this.#figures.asked++
      after(waitMs, () => end({ kind: 'silent' }))
      this.#link.send(bytes)
    })
  }

  #note(unit: number, question: Question, outcome: Outcome, asked: number): void {
    const now = this.#clock.now()
    const figures = this.#figures
    switch (outcome.kind) {
      case 'answer':
        figures.answered++
        figures.slowestMs = Math.max(figures.slowestMs, Math.ceil(now - asked))
        return
      case 'closed':
        figures.closed++
        return
      default:
        if (outcome.kind === 'silent') figures.timeOuts++
        else figures.broken++
        // what came broken may have been noise, or a late one: the answer may still come
        if (this.#link.framing === 'rtu') this.#doubt.owe(unit, question, now)
    }
  }

  async #gap(): Promise<void> {
    // a timer of a few ms may come a part of one early
    for (;;) {
      const waitMs = this.#quietFrom + this.#link.gapMs - this.#clock.now()
      if (waitMs <= 0) return
      await new Promise<void>(resolve => this.#clock.in(waitMs, resolve))
    }
  }

  #bytes(chunk: Buffer): void {
    if (this.#hear) this.#hear(chunk, '')
    else if (this.#framing.hear(chunk).kind === 'lost') this.#lost(`${this.#link.name}: what came is no frame`)
    this.#quietFrom = this.#clock.now()
  }

  #lost(why: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#hear?.(undefined, why)
    void this.#link.close()
    this.#closed(why)
  }

  #where(unit: number, question: Question): string {
    return `${this.#link.name} unit ${unit}: ${nameOf(question)}`
  }
}

function framingOf(link: Link): Framing {
  return link.framing === 'rtu' ? new RtuFraming() : new MbapFraming()
}
