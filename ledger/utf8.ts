// UTF-8, one spelling only. Node's default decoder puts U+FFFD in the place of bytes that are none, and drops a byte
// order mark: two files would read as one text.

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text, or undefined where the bytes are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes)
  } catch {
    return undefined
  }
}
