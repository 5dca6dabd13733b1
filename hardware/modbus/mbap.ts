// MBAP: frames of Modbus TCP: transaction, protocol 0, length, unit, then question or answer.
//
// Law: an answer belongs to the question whose number it carries, so one that comes late is known as such.

import type { Framing, Heard } from './link.ts'
import { decode, encode, type Question } from './pdu.ts'

const HEAD_BYTES = 7
/** of unit and the longest answer there is */
const LENGTH_MAX = 254

export function mbapFrame(transaction: number, unit: number, pdu: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt16BE(transaction, 0)
  head.writeUInt16BE(1 + pdu.length, 4)
  head.writeUInt8(unit, 6)
  return Buffer.concat([head, pdu])
}

export class MbapFraming implements Framing {
  #transaction = 0
  #open: { readonly unit: number; readonly question: Question } | undefined
  #heard = Buffer.alloc(0)
  #strayBytes = 0

  get strayBytes(): number {
    return this.#strayBytes
  }

  ask(unit: number, question: Question): Buffer {
    // part of a late answer may be here already: its rest comes, and is known by its number
    this.#transaction = (this.#transaction + 1) & 0xffff
    this.#open = { unit, question }
    return mbapFrame(this.#transaction, unit, encode(question))
  }

  hear(chunk: Buffer): Heard {
    this.#heard = Buffer.concat([this.#heard, chunk])
    while (this.#heard.length >= HEAD_BYTES) {
      const length = this.#heard.readUInt16BE(4)
      if (this.#heard.readUInt16BE(2) !== 0 || length < 2 || length > LENGTH_MAX)
        return { kind: 'lost', why: 'what came is no frame of Modbus TCP' }
      const end = HEAD_BYTES - 1 + length
      if (this.#heard.length < end) break
      const frame = this.#heard.subarray(0, end)
      this.#heard = this.#heard.subarray(end)
      const pdu = frame.subarray(HEAD_BYTES)
      const open = this.#open
      const isOurs = open && frame.readUInt16BE(0) === this.#transaction && frame[6] === open.unit
      if (open && isOurs && decode(open.question, pdu).kind !== 'foreign') {
        this.#open = undefined
        return { kind: 'answer', pdu }
      }
      this.#strayBytes += end
    }
    return { kind: 'nothing', hasBegun: false }
  }
}
