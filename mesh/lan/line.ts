// Line: one long-lived stream to a peer, in frames. What does not fit is dropped, never queued without end: whoever
// stopped reading would fill our memory, and everything that crosses a line may be lost.

import type { Connection, Stream } from '@libp2p/interface'
import { Fault } from '../../ledger/fault.ts'
import { BEAT, FrameReader, frame } from './frame.ts'
import { Inbox } from './inbox.ts'

export const PROTOCOL = {
  steal: '/gatemesh/steal/1',
  rows: '/gatemesh/rows/1',
  board: '/gatemesh/board/1',
} as const

export type LineName = keyof typeof PROTOCOL
export const LINES = Object.keys(PROTOCOL) as LineName[]

/** A grant with the rows it stands on; thirty of the largest rows and policies; a day's board. */
const FRAME_BYTES_MAX = { steal: 256 << 10, rows: 2 << 20, board: 2 << 20 } as const satisfies Record<LineName, number>
const UNSENT_BYTES_MAX = 4 << 20

export interface LineEars {
  /** a whole frame; of no bytes where it was a mere sign of life */
  frame(payload: Uint8Array): void
  /** a frame was dropped: it says more than can be heard */
  overflowed(): void
  /** what came is no frame: the line is about to end */
  broke(why: string): void
  ended(): void
}

export class Line {
  readonly name: LineName
  readonly connection: Connection
  readonly #stream: Stream
  readonly #inbox: Inbox
  #open = true

  constructor(a: { name: LineName; stream: Stream; connection: Connection; ears: LineEars }) {
    this.name = a.name
    this.connection = a.connection
    this.#stream = a.stream
    this.#inbox = new Inbox(a.ears)
    const reader = new FrameReader(FRAME_BYTES_MAX[a.name])
    a.stream.addEventListener('message', event => {
      if (!this.#open) return
      try {
        for (const payload of reader.push(event.data.subarray())) this.#inbox.take(payload)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        a.ears.broke(error.message)
        this.end(error)
      }
    })
    const over = () => {
      if (!this.#open) return
      this.#open = false
      this.#inbox.end()
      a.ears.ended()
    }
    a.stream.addEventListener('close', over)
    a.stream.addEventListener('remoteCloseWrite', over)
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** False when it was dropped. */
  send(payload: Uint8Array): boolean {
    return this.#write(frame(payload))
  }

  beat(): boolean {
    return this.#write(BEAT)
  }

  end(why: Error): void {
    this.#open = false
    this.#inbox.end()
    this.#stream.abort(why)
  }

  #write(bytes: Uint8Array): boolean {
    if (!this.#open || this.#stream.writeBufferLength > UNSENT_BYTES_MAX) return false
    try {
      this.#stream.send(bytes)
      return true
    } catch {
      // the far end closed it since; its close event says so to everyone who needs to know
      return false
    }
  }
}
