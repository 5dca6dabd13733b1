// Flips: the same bytes with one bit turned over, every bit in its turn.

export function* flips(bytes: Uint8Array): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    yield flipped
  }
}

/** Which bit it was, for the failure message. */
export function place(bytes: Uint8Array, flipped: Uint8Array): string {
  const at = bytes.findIndex((byte, i) => byte !== flipped[i])
  return `byte ${at}: ${bytes[at]} became ${flipped[at]}`
}
