// Segment file: a stretch of a ledger as compressed JSON lines with its proof beside it.
//
//     DIR/<mall>/<name>-<epoch>/<day>.jsonl.gz       the very lines
//     DIR/<mall>/<name>-<epoch>/<day>.proof.json     what must be in it
//     DIR/<mall>/<name>-<epoch>/<day>.removed.json   instead of the lines, once they were kept for long enough
//
// Law: a file has its name only once it was read back and found to be what the owner signed, and its proof comes last:
// without one there is no segment.

import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip, createGzip } from 'node:zlib'
import type { Counters } from '../../ledger/counters.ts'
import { Fault } from '../../ledger/fault.ts'
import { LINE_BYTES_MAX } from '../../ledger/line.ts'
import type { Row } from '../../ledger/row.ts'
import { writeWhole } from '../../mesh/whole-file.ts'
import { formatProof, type Joint, jointBefore, type Proof, parseProof } from './proof.ts'
import { Reading } from './reading.ts'

export interface Draft {
  /** path without its ending */
  readonly path: string
  readonly lines: AsyncIterable<string>
  readonly joint: Joint
  /** at the joint, where they are known */
  readonly counters?: Counters | undefined
  readonly row: Row
  readonly proof: Pick<Proof, 'mall' | 'account' | 'day' | 'part' | 'closedAt' | 'row'>
}

export interface Segment {
  readonly proof: Proof
  /** where its last line leaves the ledger */
  readonly joint: Joint
  readonly counters: Counters
}

/** Lines handed to the compressor at once: few enough that others get their turn. */
const PORTION_LINES = 200
const PROOF_BYTES_MAX = 1 << 20

export const LINES = '.jsonl.gz'
export const PROOF = '.proof.json'
export const REMOVED = '.removed.json'

export async function writeSegment(draft: Draft): Promise<Segment> {
  const { path, row, joint, counters, proof } = draft
  const target = `${path}${LINES}`
  const temporary = `${target}.draft`
  await mkdir(dirname(path), { recursive: true })
  try {
    const poured = await pour(draft, temporary)
    const whole: Proof = {
      ...proof,
      from: joint.size,
      to: row.size,
      before: { peaks: joint.peaks, last: joint.last },
      ...poured,
    }
    // from the file and not from what we think we wrote
    const end = await readBack(temporary, { proof: whole, row, counters })
    await rename(temporary, target)
    await writeWhole(`${path}${PROOF}`, formatProof(whole), 0o644)
    return { proof: whole, joint: end, counters: row.counters }
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw named(target, error)
  }
}

/** Reads a segment from its first byte to its last; throws where anything is not as its proof and its row say. */
export async function checkSegment(
  path: string,
  a: { readonly open: (note: string) => Row; readonly counters?: Counters | undefined },
): Promise<Segment> {
  const proof = await readProof(path)
  try {
    const row = a.open(proof.row)
    if (row.account !== proof.account) throw new Fault('SEGMENT', `the row is of ${row.account}`)
    const joint = await readBack(`${path}${LINES}`, { proof, row, counters: a.counters })
    return { proof, joint, counters: row.counters }
  } catch (error) {
    throw named(`${path}${LINES}`, error)
  }
}

/** The lines of a segment as they are; throws after the last where they are not the ones that its proof speaks of. */
export async function* segmentLines(path: string): AsyncGenerator<string> {
  const proof = await readProof(path)
  const file = `${path}${LINES}`
  const plain = createHash('sha256')
  try {
    yield* linesOf(file, { packed: createHash('sha256'), plain })
    if (plain.digest('hex') !== proof.sha256) throw new Fault('SEGMENT', 'the lines do not have the hash of the proof')
  } catch (error) {
    throw named(file, error)
  }
}

export async function readProof(path: string): Promise<Proof> {
  const file = `${path}${PROOF}`
  try {
    const text = await readFile(file, 'utf8')
    if (text.length > PROOF_BYTES_MAX) throw new Fault('PROOF', `longer than ${PROOF_BYTES_MAX} bytes`)
    return parseProof(text)
  } catch (error) {
    throw named(file, error)
  }
}

type Poured = Pick<Proof, 'oldest' | 'newest' | 'bytes' | 'sha256' | 'gzSha256'>

async function pour({ lines, joint, counters, row }: Draft, to: string): Promise<Poured> {
  const reading = new Reading(joint, counters)
  const plain = createHash('sha256')
  const packed = createHash('sha256')
  let bytes = 0
  async function* portions(): AsyncGenerator<Buffer> {
    let portion: string[] = []
    const flush = () => {
      const buffer = Buffer.from(portion.map(line => `${line}\n`).join(''), 'utf8')
      portion = []
      plain.update(buffer)
      bytes += buffer.length
      return buffer
    }
    for await (const line of lines) {
      reading.take(line)
      portion.push(line)
      if (portion.length >= PORTION_LINES) yield flush()
    }
    if (portion.length > 0) yield flush()
    reading.end(row)
  }
  const file = await open(to, 'w', 0o644)
  try {
    await pipeline(Readable.from(portions(), { objectMode: true, highWaterMark: 2 }), createGzip(), async source => {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        packed.update(chunk)
        await file.writeFile(chunk)
      }
    })
    await file.sync()
  } finally {
    await file.close()
  }
  const { oldest, newest } = reading
  return { oldest, newest, bytes, sha256: plain.digest('hex'), gzSha256: packed.digest('hex') }
}

interface Claim {
  readonly proof: Proof
  readonly row: Row
  readonly counters?: Counters | undefined
}

async function readBack(file: string, { proof, row, counters }: Claim): Promise<Joint> {
  const reading = new Reading(jointBefore(proof), counters)
  const plain = createHash('sha256')
  const packed = createHash('sha256')
  for await (const line of linesOf(file, { packed, plain })) {
    // what comes after the end would be read for nothing, however much of it there is
    if (reading.size >= proof.to)
      throw new Fault('SEGMENT', `more lines than the ${proof.to - proof.from} it should have`)
    reading.take(line)
  }
  if (proof.to !== row.size) throw new Fault('SEGMENT', `its row is of size ${row.size}, not ${proof.to}`)
  const joint = reading.end(row)
  if (reading.oldest !== proof.oldest || reading.newest !== proof.newest) {
    throw new Fault('SEGMENT', 'the proof gives other times than the entries')
  }
  if (plain.digest('hex') !== proof.sha256) throw new Fault('SEGMENT', 'the lines do not have the hash of the proof')
  if (packed.digest('hex') !== proof.gzSha256)
    throw new Fault('SEGMENT', 'the file does not have the hash of the proof')
  return joint
}

async function* linesOf(file: string, hashes: { packed: Hash; plain: Hash }): AsyncGenerator<string> {
  const source = createReadStream(file)
  const gunzip = createGunzip()
  source.on('data', chunk => hashes.packed.update(chunk))
  const flow = pipeline(source, gunzip).catch(() => undefined) // the reader below is told
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      hashes.plain.update(chunk)
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop() as string
      yield* lines
      if (rest.length > LINE_BYTES_MAX) throw new Fault('SEGMENT', `a line longer than ${LINE_BYTES_MAX} bytes`)
    }
  } finally {
    source.destroy()
    await flow
  }
  if (rest + decoder.end() !== '') throw new Fault('SEGMENT', 'the last line does not end in a newline')
}

/** The same error with the file it is about. */
function named(file: string, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException
  if (error instanceof Fault) return new Fault(error.code, `${file}: ${message}`, { cause: error })
  if (code === 'ENOENT') return new Fault('SEGMENT', `${file}: there is no such file`, { cause: error })
  if (code?.startsWith('Z_'))
    return new Fault('SEGMENT', `${file}: not what was compressed: ${message}`, { cause: error })
  if (code !== undefined) return new Fault('SEGMENT_IO', `${file}: ${message}`, { cause: error })
  return error as Error
}
