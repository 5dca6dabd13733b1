// Turned: bytes of a file turned over, one at a time. Every byte of a small file; of a larger one a sample, drawn evenly from
// each kind of place in it, always the same. With EVERY_BYTE in the environment every byte of all of them, which takes minutes.

import type { Copy } from './copy.ts'
import type { Forger, Mangling } from './mangling.ts'

export interface TurnOptions {
  readonly forgers: readonly Forger[]
  /** how many bytes at most; all of them if left out */
  readonly most?: number
  /** only bytes before this one */
  readonly before?: number
  /** with this byte turned over, is there nothing that signatures, chains or laws could speak of? */
  readonly isOpen?: (text: string) => boolean
}

export function* turned(copy: Copy, file: string, options: TurnOptions): Generator<Mangling> {
  const bytes = copy.bytes(file)
  const end = Math.min(options.before ?? bytes.length, bytes.length)
  const most = process.env.EVERY_BYTE === undefined ? (options.most ?? end) : end
  for (const at of places(bytes.subarray(0, end), most)) {
    const spoilt = Buffer.from(bytes)
    // another mask at each place, so that all bits have their turn
    spoilt.writeUInt8(spoilt.readUInt8(at) ^ (((at * 37) % 255) + 1), at)
    const mangle = (it: Copy) => it.write(file, spoilt)
    const open = options.isOpen?.(spoilt.toString('utf8')) ?? false
    yield {
      name: `${file} byte ${at} ${shown(bytes, at)} to ${shown(spoilt, at)}`,
      forgers: options.forgers,
      mangle,
      open,
    }
  }
}

/** At most so many of all bytes, as many of each class as there are to share out: digits, letters, spaces, the rest. */
function places(bytes: Uint8Array, most: number): number[] {
  const all = [...bytes.keys()]
  if (all.length <= most) return all
  const classes = Map.groupBy(all, at => classOf(bytes[at] as number))
  const share = Math.max(1, Math.floor(most / classes.size))
  return [...classes.values()].flatMap(some => {
    const step = Math.max(1, some.length / share)
    return Array.from({ length: Math.min(share, some.length) }, (_, i) => some[Math.floor(i * step)] as number)
  })
}

function classOf(byte: number): string {
  const char = String.fromCharCode(byte)
  if (byte >= 0x80) return 'beyond ASCII'
  if (/[0-9]/.test(char)) return 'digit'
  if (/[a-z]/i.test(char)) return 'letter'
  return /\s/.test(char) ? char : 'mark'
}

function shown(bytes: Uint8Array, at: number): string {
  return JSON.stringify(String.fromCharCode(bytes[at] as number))
}
