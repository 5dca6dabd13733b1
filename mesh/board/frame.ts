// Frame: what goes over a line between two boards.
//
//     byte 0       version, 1
//     bytes 1–4    day of the sender's document, UTC days since 1970, big-endian
//     byte 5       kind: 0 document, 1 telemetry
//     bytes 6–     0: a y-protocols sync message, 1: a y-protocols awareness update

export const FRAME_VERSION = 1
const HEAD_BYTES = 6
const KINDS = ['document', 'telemetry'] as const

export interface Frame {
  readonly day: number
  readonly kind: (typeof KINDS)[number]
  readonly body: Uint8Array
}

export function formatFrame({ day, kind, body }: Frame): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + body.length)
  bytes[0] = FRAME_VERSION
  new DataView(bytes.buffer).setUint32(1, day)
  bytes[5] = KINDS.indexOf(kind)
  bytes.set(body, HEAD_BYTES)
  return bytes
}

/** The frame, or what is wrong with it. */
export function parseFrame(bytes: Uint8Array): Frame | string {
  if (bytes.length < HEAD_BYTES) return `${bytes.length} bytes, shorter than a frame's head`
  if (bytes[0] !== FRAME_VERSION) return `version ${bytes[0]}, we speak ${FRAME_VERSION}`
  const kind = KINDS[bytes[5] as number]
  if (kind === undefined) return `kind ${bytes[5]} is not known`
  const day = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(1)
  return { day, kind, body: bytes.subarray(HEAD_BYTES) }
}
