// UUIDv7 (RFC 9562): 48 bits of time, then chance. Ids sort by when they were made, and nobody has to hand them out.

export const CHANCE_BYTES = 10

export function uuid7(wallMs: number, chance: Uint8Array): string {
  return uuid7Of(wallMs, Buffer.from(chance.subarray(0, CHANCE_BYTES)).toString('hex'))
}

/** `hex`: two digits for each byte of chance. */
export function uuid7Of(wallMs: number, hex: string): string {
  const time = Math.max(0, wallMs).toString(16).padStart(12, '0').slice(-12)
  const variant = (8 + (Number.parseInt(hex.charAt(3), 16) & 3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`
}
