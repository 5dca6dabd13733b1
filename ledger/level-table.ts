// Level table: are all blocks of a LevelDB table file as they were written?
//
// LevelDB checks the records of its logs but reads the blocks of its tables on trust, and a spoilt index does not make it
// report damage: it ends the process, at this start and at every one after it. So tables are checked before it sees them.
//
//     data blocks …, filter block, meta index block, index block, footer
//     block    contents, a byte for the compression, masked CRC-32C of both
//     footer   two handles (offset and size as varints, of the meta index and of the index), padding, a magic number

const FOOTER_BYTES = 48
const TRAILER_BYTES = 5
const MAGIC = Buffer.from('57fb808b247547db', 'hex')
const MASK_DELTA = 0xa282ead8

interface Handle {
  readonly offset: number
  readonly size: number
}

/** What is wrong with the file, or undefined. */
export function tableFlaw(file: Buffer): string | undefined {
  if (file.length < FOOTER_BYTES || !file.subarray(-MAGIC.length).equals(MAGIC)) return 'no footer'
  const footer = new Reader(file.subarray(-FOOTER_BYTES))
  const meta = footer.handle()
  const index = footer.handle()
  for (const handle of [meta, index]) {
    if (!isWhole(file, handle)) return 'a spoilt index'
  }
  // The meta index names the filter, which can make a key that is there look as if it were not.
  for (const { offset, size } of [meta, index]) {
    const spoilt = [...handlesIn(file.subarray(offset, offset + size))].find(handle => !isWhole(file, handle))
    if (spoilt) return `a spoilt block at ${spoilt.offset}`
  }
  return undefined
}

function isWhole(file: Buffer, { offset, size }: Handle): boolean {
  const end = offset + size + 1
  if (!Number.isSafeInteger(end) || end + 4 > file.length - FOOTER_BYTES) return false
  const crc = crc32c(file, offset, end)
  const masked = (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0
  return masked === file.readUInt32LE(offset + size + TRAILER_BYTES - 4)
}

/** The values of an index block: entries with shared key prefixes, then the places of whole keys, then their number. */
function* handlesIn(block: Buffer): Generator<Handle> {
  const restarts = block.readUInt32LE(block.length - 4)
  const reader = new Reader(block.subarray(0, block.length - 4 - 4 * restarts))
  while (!reader.done) {
    reader.varint()
    const keyBytes = reader.varint()
    reader.varint()
    reader.skip(keyBytes)
    yield reader.handle()
  }
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  skip(count: number): void {
    this.#at += count
  }

  handle(): Handle {
    return { offset: this.varint(), size: this.varint() }
  }

  /** NaN where it runs past the end, which no check of a block survives. */
  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) return Number.NaN
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  return crc
})

export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = 0xffffffff
  for (let at = from; at < to; at++) {
    crc = (CRC_TABLE[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}
