// Board: what people of a mall share over its gates. Alerts and who acknowledged them, labels and positions of gates,
// and notes lie in a Yjs document; beside it, as y-protocols awareness, what gates say about themselves.
//
// Law: nothing on it is trusted and no decision reads it. Forging it misleads a display's extras. It stays small: the
// document lives for one UTC day, what is still of use is carried into the next one, and saying again what is
// there writes nothing (an overwritten key leaves bytes behind until the day is over).
//
// On the wire (`/gatemesh/board/1`, length-prefixed frames; frame.ts has the head: version, day, kind):
//
//     meet       each side sends sync step 1 (kind 0), and its telemetry (kind 1) if it has told any
//     kind 0     varuint 0 + state vector = sync step 1, answered by varuint 1 + what is missing = step 2;
//                varuint 2 + update = a change, passed on once by everyone to whom it was new. An update that builds
//                on unseen ones is not kept: the receiver sends step 1 instead, and the answer has both.
//     kind 1     an awareness update with exactly one client, whose state is `{"name": <sender>, ...telemetry}` or
//                null. Never passed on. Sent when it changed, at most once a second, and every 10 s. Any day's will do.
//     days       frames of kind 0 count only on the same day. A frame of the next day begins it here too, from five
//                minutes before our own midnight on; anything later or older is ignored. Who begins a day sends
//                sync step 1 to all.

import { createDecoder, hasContent, readVarUint, readVarUint8Array } from 'lib0/decoding'
import { messageYjsSyncStep1, messageYjsSyncStep2, messageYjsUpdate } from 'y-protocols/sync'
import { Fault } from '../../ledger/fault.ts'
import type { Clock } from '../clock.ts'
import { Carry } from './carry.ts'
import { Catalog } from './catalog.ts'
import { dayOf, formatDay, mayFollow, settledDay } from './day.ts'
import { fold } from './fold.ts'
import { formatFrame, parseFrame } from './frame.ts'
import { Hearsay } from './hearsay.ts'
import type { Alert, Label, Note, Position } from './item.ts'
import { BOARD_LIMITS, type BoardLimits, checkBoardLimits } from './limits.ts'
import { Line } from './line.ts'
import { Saver } from './saver.ts'
import { Seen } from './seen.ts'
import { Sheet, updateMessage } from './sheet.ts'
import type { Saved } from './shelf.ts'
import { differs, readTelemetry, type Telemetry } from './telemetry.ts'

export interface BoardOptions {
  /** the gate's name, or `anchor` */
  readonly name: string
  readonly clock: Clock
  /** what the shelf held */
  readonly saved?: Saved | undefined
  readonly shelf?: { save(saved: Saved): Promise<void> } | undefined
  /** for tests; otherwise the saved one, or one at random */
  readonly clientId?: number
  readonly limits?: BoardLimits
  alarm(code: string, detail: string): void
}

export type Changed = 'document' | 'telemetry'

/** how often the day is looked at: a clock that was set is noticed within this */
const LOOK_MS = 60_000

export class Board {
  readonly name: string
  readonly #clock: Clock
  readonly #limits: BoardLimits
  readonly #alarm: (code: string, detail: string) => void
  readonly #carry: Carry
  readonly #saver: Saver
  readonly #hearsay: Hearsay
  readonly #lines = new Map<string, Line>()
  readonly #listeners = new Set<(what: Changed) => void>()
  readonly #seen = new Seen()
  #sheet: Sheet
  #catalog: Catalog
  #isFullSaid = false
  #said: { telemetry: Telemetry; at: number } | undefined
  #forgetLook: () => void
  #closing: Promise<void> | undefined

  constructor({ name, clock, saved, shelf, clientId, limits = BOARD_LIMITS, alarm }: BoardOptions) {
    this.name = name
    this.#clock = clock
    this.#limits = checkBoardLimits(limits)
    this.#alarm = alarm
    this.#carry = new Carry({ name, clock, limits, alarm, names: () => [name, ...this.#lines.keys()] })
    this.#saver = new Saver({
      clock,
      everyMs: limits.saveEveryMs,
      shelf,
      alarm,
      // until yesterday is carried over, yesterday's file holds more
      saved: () => (this.#carry.pending ? undefined : { day: this.#sheet.day, update: this.#sheet.bytes() }),
    })
    this.#hearsay = new Hearsay({
      name,
      expiresMs: limits.tellExpiresMs,
      changed: () => this.#changed('telemetry'),
    })
    const day = dayOf(clock.wall())
    this.#sheet = this.#newSheet({
      day: saved?.day ?? day,
      clientId: clientId ?? saved?.clientId,
      update: saved?.update,
    })
    this.#catalog = this.#newCatalog()
    this.#look()
    this.#forgetLook = clock.in(LOOK_MS, () => this.#lookAgain())
  }

  get day(): number {
    return this.#sheet.day
  }

  /** A stream to the peer is open. What it returns ends this meeting, and not a later one with the same peer. */
  meet(peer: string, send: (frame: Uint8Array) => void): () => void {
    if (this.#closing) return () => undefined
    this.#look()
    this.part(peer)
    const line = new Line({ peer, send, now: this.#clock.now(), limits: this.#limits, alarm: this.#alarm })
    this.#lines.set(peer, line)
    this.#hearsay.meet(peer, this.#clock.now())
    this.#sendDocument(line, this.#sheet.question())
    if (!this.#hearsay.isSilent) this.#sendTelemetry(line, this.#hearsay.told())
    return () => {
      if (this.#lines.get(peer) === line) this.part(peer)
    }
  }

  /** The stream is gone, and with it what the peer said about itself. */
  part(peer: string): void {
    this.#lines.delete(peer)
    this.#hearsay.part(peer)
  }

  /** Never throws. What cannot be used is reported once per meeting and code. */
  hear(peer: string, frame: Uint8Array): void {
    const line = this.#lines.get(peer)
    if (!line || this.#closing) return
    try {
      this.#hear(line, frame)
    } catch (error) {
      line.strike('BOARD_GARBAGE', (error as Error).message)
    }
  }

  /** Own telemetry. Cheap: call it every second. It expires at the others when this is not called any more. */
  tell(telemetry: Telemetry): void {
    if (this.#closing) return
    const read = readTelemetry(telemetry)
    if (!read) throw new Fault('BOARD_TELEMETRY', 'telemetry needs a state')
    const now = this.#clock.now()
    if (this.#said) {
      const age = now - this.#said.at
      if (age < (differs(read, this.#said.telemetry) ? this.#limits.tellMinMs : this.#limits.tellEveryMs)) return
    }
    this.#said = { telemetry: read, at: now }
    const body = this.#hearsay.say(read)
    for (const line of this.#lines.values()) this.#sendTelemetry(line, body)
  }

  /** By name, others and own. */
  telemetry(): ReadonlyMap<string, Telemetry> {
    return this.#hearsay.read(this.#clock.now())
  }

  /** The alert's id. An open alert of the same gate and code is not raised again: its id comes back. */
  raise({ gate, code, text }: { gate: string; code: string; text: string }): string {
    return this.#writing().raise({ gate, code, text, by: this.name })
  }

  /** The first one counts; a second one changes nothing. */
  acknowledge(id: string, by: string): void {
    this.#writing().acknowledge(id, by)
  }

  /** An empty text takes the label away. */
  label(gate: string, text: string): void {
    this.#writing().label(gate, text)
  }

  place(gate: string, x: number, y: number): void {
    this.#writing().place(gate, x, y)
  }

  /** The note's id. */
  note(by: string, text: string): string {
    return this.#writing().note(by, text)
  }

  /** Newest first. */
  alerts(): readonly Alert[] {
    return this.#reading().alerts()
  }

  labels(): ReadonlyMap<string, Label> {
    return new Map([...this.#reading().labels()].filter(([, { text }]) => text !== ''))
  }

  positions(): ReadonlyMap<string, Position> {
    return this.#reading().positions()
  }

  /** Newest first. */
  notes(): readonly Note[] {
    return this.#reading().notes()
  }

  /** The document as one update: for measuring and comparing. */
  bytes(): Uint8Array {
    return this.#sheet.bytes()
  }

  onChange(listener: (what: Changed) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes leave of the peers and saves; only now may the client id be used again. Safe to repeat. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#forgetLook()
    this.#carry.finish()
    this.#carry.stop()
    const leave = this.#hearsay.isSilent ? undefined : this.#hearsay.say(null)
    for (const line of this.#lines.values()) if (leave) this.#sendTelemetry(line, leave)
    this.#lines.clear()
    this.#listeners.clear()
    this.#hearsay.close()
    const saved = { day: this.#sheet.day, clientId: this.#sheet.clientId, update: this.#sheet.bytes() }
    this.#sheet.close()
    await this.#saver.close(saved)
  }

  #hear(line: Line, bytes: Uint8Array): void {
    if (bytes.length > this.#limits.frameBytesMax)
      return line.strike('BOARD_GARBAGE', `a frame of ${bytes.length} bytes`)
    const frame = parseFrame(bytes)
    if (typeof frame === 'string') return line.strike('BOARD_GARBAGE', frame)
    this.#look()
    if (frame.kind === 'telemetry') return this.#hearTelemetry(line, frame.body)
    if (frame.day !== this.#sheet.day && !this.#isNow(line, frame.day)) return
    if (!line.isMuted) this.#hearDocument(line, frame.body)
  }

  #hearTelemetry(line: Line, body: Uint8Array): void {
    if (body.length > this.#limits.telemetryBytesMax)
      return line.strike('BOARD_GARBAGE', `telemetry of ${body.length} bytes`)
    const said = this.#hearsay.hear(line.peer, body, this.#clock.now())
    if (said === 'forged') line.say('BOARD_FORGED', 'telemetry under a name that is not its own')
    if (said === 'garbage') line.strike('BOARD_GARBAGE', 'telemetry that is none')
  }

  /** Is this the day that we are on, or may begin? */
  #isNow(line: Line, day: number): boolean {
    const wall = this.#clock.wall()
    const { earlyMs } = this.#limits
    if (day > this.#sheet.day && mayFollow({ day, wall, earlyMs })) {
      this.#turn(day)
      return true
    }
    // within the margin it is the turn of the day; beyond it, somebody's clock
    if (!mayFollow({ day, wall: wall - earlyMs, earlyMs: 2 * earlyMs })) {
      line.say('BOARD_DAY', `its board is of ${formatDay(day)}, by our clock it is ${formatDay(dayOf(wall))}`)
    }
    return false
  }

  #hearDocument(line: Line, body: Uint8Array): void {
    const decoder = createDecoder(body)
    const type = readVarUint(decoder)
    const bytes = readVarUint8Array(decoder)
    if (hasContent(decoder)) return line.strike('BOARD_GARBAGE', 'bytes after the end of a message')
    switch (type) {
      case messageYjsSyncStep1:
        if (!line.mayAnswer(this.#clock.now())) return line.say('BOARD_FLOOD', 'asks for the document too often')
        return this.#sendDocument(line, this.#sheet.answer(bytes))
      case messageYjsSyncStep2:
        line.answered()
        return this.#hearUpdate(line, bytes, true)
      case messageYjsUpdate:
        return this.#hearUpdate(line, bytes, false)
      default:
        return line.strike('BOARD_GARBAGE', `sync message ${type}`)
    }
  }

  #hearUpdate(line: Line, update: Uint8Array, isAnswer: boolean): void {
    if (this.#seen.has(update)) return
    const heard = this.#sheet.hear(update, line.peer)
    switch (heard) {
      case 'taken':
        this.#seen.add(update)
        return this.#carry.mendSoon()
      case 'known':
        return this.#seen.add(update)
      case 'gap':
        if (isAnswer) return line.strike('BOARD_GARBAGE', 'an answer that is not complete')
        line.countGap()
        if (line.mayAsk(this.#clock.now())) this.#sendDocument(line, this.#sheet.question())
        return
      case 'full':
        if (!this.#isFullSaid)
          this.#alarm('BOARD_FULL', `an update of ${line.peer} would grow the board beyond its limit`)
        this.#isFullSaid = true
        return line.strike()
      case 'garbage':
        return line.strike('BOARD_GARBAGE', `${update.length} bytes that are no update`)
    }
  }

  #newSheet(options: { day: number; clientId?: number | undefined; update?: Uint8Array | undefined }): Sheet {
    return new Sheet({
      ...options,
      bytesMax: this.#limits.documentBytesMax,
      changed: (update, from) => this.#tellUpdate(update, from),
    })
  }

  #newCatalog(): Catalog {
    return new Catalog({ sheet: this.#sheet, past: () => this.#carry.pending, limits: this.#limits })
  }

  #tellUpdate(update: Uint8Array, from: string | undefined): void {
    this.#seen.add(update)
    if (this.#lines.size > 0) {
      const frame = formatFrame({ day: this.#sheet.day, kind: 'document', body: updateMessage(update) })
      for (const line of this.#lines.values()) if (line.peer !== from) line.send(frame)
    }
    this.#saver.soon()
    this.#changed('document')
  }

  #lookAgain(): void {
    this.#look()
    this.#forgetLook = this.#clock.in(LOOK_MS, () => this.#lookAgain())
  }

  #look(): void {
    const day = settledDay({ day: this.#sheet.day, wall: this.#clock.wall(), earlyMs: this.#limits.earlyMs })
    if (day !== this.#sheet.day) this.#turn(day)
  }

  /** Begins another day with an empty document. */
  #turn(day: number): void {
    const old = this.#sheet
    const now = this.#clock.wall()
    const past = fold({ day: old.day, ...this.#catalog.all(now) }, { now, limits: this.#limits })
    // a day that we come back to may hold writes of this id
    this.#sheet = this.#newSheet({ day, clientId: day > old.day ? old.clientId : undefined })
    this.#catalog = this.#newCatalog()
    old.close()
    this.#seen.clear()
    this.#isFullSaid = false
    this.#carry.begin(past, this.#sheet)
    this.#saver.soon()
    for (const line of this.#lines.values()) {
      line.forgive(this.#clock.now())
      this.#sendDocument(line, this.#sheet.question())
    }
    this.#changed('document')
  }

  #writing(): Catalog {
    if (this.#closing) throw new Fault('BOARD_CLOSED', 'the board is closed')
    this.#look()
    this.#catalog.now = this.#clock.wall()
    return this.#catalog
  }

  #reading(): Catalog {
    if (!this.#closing) this.#look()
    this.#catalog.now = this.#clock.wall()
    return this.#catalog
  }

  #sendDocument(line: Line, body: Uint8Array): void {
    line.send(formatFrame({ day: this.#sheet.day, kind: 'document', body }))
  }

  #sendTelemetry(line: Line, body: Uint8Array): void {
    line.send(formatFrame({ day: this.#sheet.day, kind: 'telemetry', body }))
  }

  #changed(what: Changed): void {
    for (const listener of this.#listeners) {
      try {
        listener(what)
      } catch (error) {
        this.#alarm('BOARD_LISTENER', (error as Error).message)
      }
    }
  }
}
