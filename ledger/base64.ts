// Base64, one spelling only. Node's decoder skips what it does not know and accepts missing or wrong padding and
// stray bits; a signed text that may be spelled two ways is two texts.

export function toBase64(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('base64')
}

/** The bytes, or undefined where `text` is not the one spelling of any bytes. */
export function fromBase64(text: string, length?: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  if (length !== undefined && bytes.length !== length) return undefined
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Is this the one spelling of 32 bytes? */
export function isHash64(text: string): boolean {
  return text.length === 44 && fromBase64(text, 32) !== undefined
}
