// Frame: one message on a stream: four bytes of length, big-endian, then so many bytes. A frame split anywhere is the same
// frame; one of no bytes is a sign of life.
//
// Law: a length above the limit is refused before a byte of it is kept.

import { Fault } from '../../ledger/fault.ts'

const HEAD = 4

export const BEAT = frame(new Uint8Array(0))

export function frame(payload: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(HEAD + payload.length)
  bytes.writeUInt32BE(payload.length, 0)
  bytes.set(payload, HEAD)
  return bytes
}

export class FrameReader {
  readonly #bytesMax: number
  #parts: Uint8Array[] = []
  #held = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The frames that are complete with this chunk, in order. */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#parts.push(chunk)
    this.#held += chunk.length
    const frames: Uint8Array[] = []
    for (let next = this.#take(); next !== undefined; next = this.#take()) frames.push(next)
    return frames
  }

  #take(): Uint8Array | undefined {
    if (this.#held < HEAD) return undefined
    const first = this.#parts[0] as Uint8Array
    const head = first.length >= HEAD ? first : this.#join()
    const length = Buffer.from(head.buffer, head.byteOffset, HEAD).readUInt32BE(0)
    if (length > this.#bytesMax) throw new Fault('FRAME', `a frame of ${length} bytes, at most ${this.#bytesMax} here`)
    if (this.#held < HEAD + length) return undefined
    const all = this.#join()
    this.#held -= HEAD + length
    this.#parts = this.#held > 0 ? [all.subarray(HEAD + length)] : []
    return all.subarray(HEAD, HEAD + length)
  }

  #join(): Uint8Array {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)]
    return this.#parts[0] as Uint8Array
  }
}
