// Ledger window: ranges of entries, for whoever collects or checks them. A stream per question: the question in one frame,
// then the lines in frames, then an empty frame, without which the answer was cut short.
//
// Law: a reader gets the very bytes on disk, in order; an answer that breaks off is an error at the reader's end.

import type { Connection, Stream } from '@libp2p/interface'
import { type Account, isAccount } from '../../ledger/account.ts'
import { Fault } from '../../ledger/fault.ts'
import { FrameReader, frame } from './frame.ts'

export const LEDGER_PROTOCOL = '/gatemesh/ledger/1'

export interface LedgerShelf {
  accounts(): Promise<readonly Account[]>
  /** how many entries of it may be read; undefined where there is no such ledger */
  size(account: Account): Promise<number | undefined>
  range(account: Account, from: number, to: number): AsyncIterable<string>
  /** the signed row that vouches for what is kept of somebody else's ledger */
  vouch?(account: Account): string | undefined
}

export interface Question {
  readonly account: Account
  readonly from: number
  readonly to: number
  /** no entries: one line, the row that vouches for what is kept here, as a JSON string */
  readonly vouch?: true
}

const QUESTION_BYTES_MAX = 1024
const ANSWER_BYTES_MAX = 1 << 20
const BATCH_BYTES = 64 << 10
export const LINES_MAX = 20_000
/** One reader that asks for everything at once must not keep the disk from the gate. */
const AT_ONCE_MAX = 2
const ASK_MS_MAX = 10_000
/** A peer that reads a spoilt disk may take seconds for a frame; one that hangs never ends. */
const FRAME_MS_MAX = 10_000

export class LedgerWindow {
  readonly #shelf: LedgerShelf
  readonly #busy = new Map<string, number>()

  constructor(shelf: LedgerShelf) {
    this.#shelf = shelf
  }

  /** Answers one question of a peer; never throws. */
  async answer(stream: Stream, peer: string): Promise<void> {
    const busy = this.#busy.get(peer) ?? 0
    if (busy >= AT_ONCE_MAX) return stream.abort(new Error(`${AT_ONCE_MAX} ranges are being read already`))
    this.#busy.set(peer, busy + 1)
    try {
      const question = parseQuestion(await firstFrame(stream))
      await this.#pour(question, stream)
      await stream.close()
    } catch (error) {
      stream.abort(error as Error)
    } finally {
      this.#busy.set(peer, (this.#busy.get(peer) ?? 1) - 1)
    }
  }

  async #pour({ account, from, to, vouch }: Question, stream: Stream): Promise<void> {
    if (vouch) {
      const note = this.#shelf.vouch?.(account)
      if (note !== undefined) stream.send(frame(Buffer.from(`${JSON.stringify(note)}\n`)))
      stream.send(frame(new Uint8Array(0)))
      return
    }
    const size = await this.#shelf.size(account)
    if (size === undefined) throw new Fault('LEDGER', `there is no ledger of ${account} here`)
    const end = Math.min(to, size, from + LINES_MAX)
    let batch = ''
    const flush = async () => {
      if (!stream.send(frame(Buffer.from(batch)))) await stream.onDrain()
      batch = ''
    }
    if (from < end) {
      for await (const line of this.#shelf.range(account, from, end)) {
        batch += `${line}\n`
        if (batch.length >= BATCH_BYTES) await flush()
      }
    }
    if (batch !== '') await flush()
    stream.send(frame(new Uint8Array(0)))
  }
}

/** The lines of [from, to) as far as the peer has them; at most LINES_MAX of them. */
export async function* askRange(
  connection: Connection,
  question: Question,
  frameMsMax = FRAME_MS_MAX,
): AsyncGenerator<string> {
  const signal = AbortSignal.timeout(ASK_MS_MAX)
  const stream = await connection.newStream([LEDGER_PROTOCOL], { signal })
  const reader = new FrameReader(ANSWER_BYTES_MAX)
  try {
    stream.send(frame(Buffer.from(JSON.stringify(question))))
    for await (const chunk of patiently(stream, frameMsMax)) {
      for (const payload of reader.push(chunk.subarray())) {
        if (payload.length === 0) return
        for (const line of Buffer.from(payload).toString('utf8').split('\n').slice(0, -1)) yield line
      }
    }
    throw new Fault('LEDGER', `the answer about ${question.account} broke off`)
  } finally {
    stream.abort(new Error('done'))
  }
}

/** What comes of a stream, which is broken off where nothing comes for so long; a reader that is slow itself is not meant. */
async function* patiently(stream: Stream, msMax: number): AsyncGenerator<{ subarray(): Uint8Array }> {
  const chunks = stream[Symbol.asyncIterator]()
  for (;;) {
    const silent = new Fault('LEDGER', `nothing came for ${msMax} ms`)
    const timer = setTimeout(() => stream.abort(silent), msMax)
    const step = await chunks.next().finally(() => clearTimeout(timer))
    if (step.done) return
    yield step.value
  }
}

function parseQuestion(payload: Uint8Array): Question {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(payload).toString('utf8'))
  } catch (cause) {
    throw new Fault('LEDGER', 'a question that is not JSON', { cause })
  }
  const { account, from, to, vouch } = (value ?? {}) as Record<string, unknown>
  if (typeof account !== 'string' || !isAccount(account)) throw new Fault('LEDGER', 'account: not an account')
  if (!isCount(from) || !isCount(to)) throw new Fault('LEDGER', 'from and to: whole numbers')
  return { account, from, to, ...(vouch === true ? { vouch } : {}) }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

async function firstFrame(stream: Stream): Promise<Uint8Array> {
  const reader = new FrameReader(QUESTION_BYTES_MAX)
  for await (const chunk of stream) {
    const [first] = reader.push(chunk.subarray())
    if (first !== undefined) return first
  }
  throw new Fault('LEDGER', 'no question came')
}
