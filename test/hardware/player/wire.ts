// The board's side of the wire, written for itself: what the driver gets wrong, this must not get wrong the same way.

/** Bit by bit, as the standard prints it. */
export function checksum(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let k = 0; k < 8; k++) {
      const isOdd = crc & 1
      crc >>= 1
      if (isOdd) crc ^= 0xa001
    }
  }
  return crc
}

export function sealed(bytes: readonly number[]): Buffer {
  const crc = checksum(Uint8Array.from(bytes))
  return Buffer.from([...bytes, crc & 0xff, crc >> 8])
}

export interface Asked {
  readonly unit: number
  readonly fn: number
  readonly at: number
  /** count or value */
  readonly word: number
  readonly data: Buffer
  readonly bytes: number
}

/** Questions out of the bytes that came; what is none is dropped byte by byte. */
export class Ear {
  #heard = Buffer.alloc(0)
  droppedBytes = 0

  hear(chunk: Buffer): Asked[] {
    this.#heard = Buffer.concat([this.#heard, chunk])
    const asked: Asked[] = []
    while (this.#heard.length >= 8) {
      const fn = this.#heard[1] as number
      const length = fn === 15 || fn === 16 ? 9 + (this.#heard[6] as number) : 8
      const isKnown = (fn >= 1 && fn <= 6) || fn === 15 || fn === 16
      if (isKnown && this.#heard.length < length) break
      const frame = this.#heard.subarray(0, length)
      if (!isKnown || checksum(frame.subarray(0, -2)) !== frame.readUInt16LE(length - 2)) {
        this.#heard = this.#heard.subarray(1)
        this.droppedBytes++
        continue
      }
      this.#heard = this.#heard.subarray(length)
      asked.push({
        unit: frame[0] as number,
        fn,
        at: frame.readUInt16BE(2),
        word: frame.readUInt16BE(4),
        data: Buffer.from(frame.subarray(7, -2)),
        bytes: length,
      })
    }
    return asked
  }
}

export function refused(asked: Asked, exception: number): Buffer {
  return sealed([asked.unit, asked.fn | 0x80, exception])
}

/** Writes are answered with their own first six bytes. */
export function echoed({ unit, fn, at, word }: Asked): Buffer {
  return sealed([unit, fn, at >> 8, at & 0xff, word >> 8, word & 0xff])
}

export function bits({ unit, fn }: Asked, levels: readonly number[]): Buffer {
  const bytes: number[] = []
  levels.forEach((level, k) => {
    bytes[k >> 3] = (bytes[k >> 3] ?? 0) | (level << (k & 7))
  })
  return sealed([unit, fn, bytes.length, ...bytes])
}

export function registers({ unit, fn }: Asked, values: readonly number[]): Buffer {
  return sealed([unit, fn, 2 * values.length, ...values.flatMap(value => [value >> 8, value & 0xff])])
}
