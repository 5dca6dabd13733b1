// Link: what carries bytes between a master and its boards, and the framing that suits it.

import type { Question } from './pdu.ts'

export interface LinkEvents {
  bytes(chunk: Buffer): void
  /** the port is gone, or the other side hung up; told once, and not after `close` */
  closed(why: string): void
}

export interface Link {
  /** for people: the port, or host and port */
  readonly name: string
  /** RTU with a checksum on a wire, or the header of Modbus TCP */
  readonly framing: 'rtu' | 'mbap'
  /** time that so many bytes take on the wire */
  wireMs(bytes: number): number
  /** silence that has to lie between two frames */
  readonly gapMs: number
  /** Rejects with a HardwareFault. May be called again after it was closed. */
  open(events: LinkEvents): Promise<void>
  send(bytes: Buffer): void
  /** Safe to repeat. */
  close(): Promise<void>
}

/** What is there of an answer. */
export type Heard =
  | { readonly kind: 'answer'; readonly pdu: Buffer }
  /** `hasBegun`: something of it came, so that it will not come once more */
  | { readonly kind: 'nothing'; readonly hasBegun: boolean }
  /** the bytes make no sense any more: only a new connection helps */
  | { readonly kind: 'lost'; readonly why: string }

/** Frames of one link. One question is open at a time. */
export interface Framing {
  /** Takes back what was heard so far, and makes the bytes of a new question. */
  ask(unit: number, question: Question): Buffer
  hear(chunk: Buffer): Heard
  /** bytes that belonged to no answer, so far */
  readonly strayBytes: number
}
