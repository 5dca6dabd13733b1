// RTU: frames on a wire: address, function, data, checksum.
//
// Laws: user space cannot measure the silence between frames, so an answer is found by its address, function, expected
// length and checksum, wherever it begins: what noise left before it is skipped. A frame split anywhere is the same frame.

import { crc16 } from './crc.ts'
import type { Framing, Heard } from './link.ts'
import { answerBytes, decode, encode, isRefusal, type Question, REFUSAL_BYTES } from './pdu.ts'

const ADDRESS_BYTES = 1
const CRC_BYTES = 2

export function rtuFrame(unit: number, pdu: Buffer): Buffer {
  const frame = Buffer.alloc(ADDRESS_BYTES + pdu.length + CRC_BYTES)
  frame.writeUInt8(unit, 0)
  pdu.copy(frame, ADDRESS_BYTES)
  frame.writeUInt16LE(crc16(frame.subarray(0, -CRC_BYTES)), frame.length - CRC_BYTES)
  return frame
}

export class RtuFraming implements Framing {
  #open: { readonly unit: number; readonly question: Question } | undefined
  #heard = Buffer.alloc(0)
  #strayBytes = 0

  get strayBytes(): number {
    return this.#strayBytes
  }

  ask(unit: number, question: Question): Buffer {
    this.#strayBytes += this.#heard.length
    this.#heard = Buffer.alloc(0)
    this.#open = { unit, question }
    return rtuFrame(unit, encode(question))
  }

  hear(chunk: Buffer): Heard {
    this.#heard = Buffer.concat([this.#heard, chunk])
    const open = this.#open
    if (!open) return { kind: 'nothing', hasBegun: false }
    let hasBegun = false
    for (let start = 0; start < this.#heard.length - 1; start++) {
      const fn = this.#heard[start + ADDRESS_BYTES] as number
      if (this.#heard[start] !== open.unit || (fn & 0x7f) !== open.question.fn) continue
      hasBegun = true
      const pdu = this.#pduAt(start, isRefusal(fn) ? REFUSAL_BYTES : answerBytes(open.question))
      if (!pdu || decode(open.question, pdu).kind === 'foreign') continue
      this.#strayBytes += start
      this.#heard = this.#heard.subarray(start + ADDRESS_BYTES + pdu.length + CRC_BYTES)
      this.#open = undefined
      return { kind: 'answer', pdu }
    }
    return { kind: 'nothing', hasBegun }
  }

  #pduAt(start: number, bytes: number): Buffer | undefined {
    const end = start + ADDRESS_BYTES + bytes + CRC_BYTES
    if (end > this.#heard.length) return undefined
    const crc = this.#heard.readUInt16LE(end - CRC_BYTES)
    if (crc !== crc16(this.#heard.subarray(start, end - CRC_BYTES))) return undefined
    return this.#heard.subarray(start + ADDRESS_BYTES, end - CRC_BYTES)
  }
}
