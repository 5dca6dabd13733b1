// Seen: the updates of late, byte for byte. In a full mesh everyone passes a change on once, so it arrives from everyone;
// looking it up here is much cheaper than finding out from the document that it is known.

const BYTES_MAX = 1024
const COUNT_MAX = 512

export class Seen {
  readonly #keys = new Set<string>()

  has(update: Uint8Array): boolean {
    return update.length <= BYTES_MAX && this.#keys.has(keyOf(update))
  }

  add(update: Uint8Array): void {
    if (update.length > BYTES_MAX) return
    this.#keys.add(keyOf(update))
    const [oldest] = this.#keys
    if (this.#keys.size > COUNT_MAX && oldest !== undefined) this.#keys.delete(oldest)
  }

  clear(): void {
    this.#keys.clear()
  }
}

function keyOf(update: Uint8Array): string {
  return Buffer.from(update.buffer, update.byteOffset, update.byteLength).toString('latin1')
}
