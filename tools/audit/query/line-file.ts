// Line file: the lines of a ledger's file, plain or compressed, a portion at a time.
//
// Law: no more than a portion is in memory, whatever is in the file: a line that is longer than any entry can be ends the
// reading, and the error says in which file.

import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { Fault } from '../../../ledger/fault.ts'
import { LINE_BYTES_MAX } from '../../../ledger/line.ts'
import { placeOf } from '../../../ledger/scan.ts'

const CHUNK_BYTES = 1 << 17
const NEWLINE = 0x0a

/** Lines without their newlines; a last one that has none is a line too. */
export async function* portionsOf(path: string, chunkBytes = CHUNK_BYTES): AsyncGenerator<Buffer[]> {
  const file = createReadStream(path, { highWaterMark: chunkBytes })
  const source = path.endsWith('.gz') ? file.pipe(createGunzip({ chunkSize: chunkBytes })) : file
  if (source !== file) file.on('error', error => source.destroy(error))
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const lines: Buffer[] = []
      let from = 0
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
        lines.push(bytes.subarray(from, end))
        from = end + 1
      }
      rest = bytes.subarray(from)
      if (rest.length > LINE_BYTES_MAX) throw new Fault('LEDGER', `a line of more than ${LINE_BYTES_MAX} bytes`)
      if (lines.length > 0) yield lines
    }
    if (rest.length > 0) yield [rest]
  } catch (error) {
    throw named(path, error)
  } finally {
    file.destroy()
    source.destroy()
  }
}

/** The size of the ledger after the last whole line of a plain file; undefined where that is no line of a ledger. */
export async function sizeAfter(path: string): Promise<number | undefined> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const { size } = await file.stat()
    const bytes = Buffer.alloc(Math.min(size, 2 * LINE_BYTES_MAX + 2))
    await file.read(bytes, 0, bytes.length, size - bytes.length)
    const end = bytes.lastIndexOf(NEWLINE)
    const line = end < 0 ? '' : bytes.toString('utf8', bytes.lastIndexOf(NEWLINE, end - 1) + 1, end)
    const place = placeOf(line)
    return place === undefined ? undefined : place.seq + 1
  } catch (error) {
    throw named(path, error)
  } finally {
    await file?.close()
  }
}

function named(path: string, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException
  if (error instanceof Fault) return new Fault(error.code, `${path}: ${message}`, { cause: error })
  if (code === undefined) return error as Error
  const what = code.startsWith('Z_') ? `not what was compressed (${message})` : message
  return new Fault('LEDGER', `${path}: cannot be read: ${what}`, { cause: error })
}
