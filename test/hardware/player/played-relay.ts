// A relay and input board of the Waveshare family, as its manual describes it. Its flashes end by its own time.

import type { BoardTime, Line } from './script.ts'
import { type Asked, bits, echoed, refused, registers } from './wire.ts'

const COUNT = 8
const MODES = 0x1000
const FLASHES = 0x0200

export class PlayedRelay {
  readonly unit: number
  readonly #tell: (line: Line) => void
  readonly #time: BoardTime
  /** PASS contacts and fire loops idle closed */
  readonly inputs: number[] = Array(COUNT).fill(1)
  readonly #relays: boolean[] = Array(COUNT).fill(false)
  /** the factory may leave relays tied to inputs */
  readonly #modes: number[] = Array(COUNT).fill(1)
  readonly #flashes = new Map<number, () => void>()

  constructor(unit: number, tell: (line: Line) => void, time: BoardTime) {
    this.unit = unit
    this.#tell = tell
    this.#time = time
  }

  answer(asked: Asked): Buffer {
    const { fn, at, word, data } = asked
    switch (fn) {
      case 1:
        return at + word > COUNT ? refused(asked, 2) : bits(asked, this.#relays.slice(at, at + word).map(Number))
      case 2:
        return at + word > COUNT ? refused(asked, 2) : bits(asked, this.inputs.slice(at, at + word))
      case 3:
        if (at < MODES || at + word > MODES + COUNT) return refused(asked, 2)
        return registers(asked, this.#modes.slice(at - MODES, at - MODES + word))
      case 5:
        return this.#coil(asked)
      case 16:
        if (at < MODES || at + word > MODES + COUNT) return refused(asked, 2)
        for (let k = 0; k < word; k++) this.#mode(at + k, data.readUInt16BE(2 * k))
        return echoed(asked)
      default:
        return refused(asked, 1)
    }
  }

  register(at: number, value: number): void {
    this.#modes[at - MODES] = value
  }

  power(isOn: boolean): void {
    if (isOn) return
    for (const cancel of this.#flashes.values()) cancel()
    this.#flashes.clear()
    for (let relay = 0; relay < COUNT; relay++) this.#switch(relay, false, 'power')
  }

  #coil(asked: Asked): Buffer {
    const { at, word } = asked
    const isFlash = at >= FLASHES && at < FLASHES + COUNT
    const relay = isFlash ? at - FLASHES : at
    if (relay >= COUNT) return refused(asked, 2)
    if (!isFlash && word !== 0xff00 && word !== 0) return refused(asked, 3)
    this.#flashes.get(relay)?.()
    this.#flashes.delete(relay)
    // a relay that is tied to its input does not do what it is told
    if (this.#modes[relay] !== 0) return echoed(asked)
    this.#switch(relay, isFlash || word === 0xff00, isFlash ? 'flash' : 'coil')
    if (isFlash)
      this.#flashes.set(
        relay,
        this.#time.in(word * 100, () => this.#switch(relay, false, 'end')),
      )
    return echoed(asked)
  }

  #mode(at: number, value: number): void {
    this.#modes[at - MODES] = value
    this.#tell({ what: 'wrote', at: this.#time.now(), unit: this.unit, register: at, value })
  }

  #switch(relay: number, isOn: boolean, by: 'flash' | 'coil' | 'end' | 'power'): void {
    if (this.#relays[relay] === isOn) return
    this.#relays[relay] = isOn
    this.#tell({ what: 'relay', at: this.#time.now(), unit: this.unit, relay, isOn, by })
  }
}
