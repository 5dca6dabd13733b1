// Route: one address of a member's window, and what is said there.
//
// Law: whoever asks wrongly is told what was wrong, in words and with a status; a fault of ours is told as ours.

export type Method = 'GET' | 'POST'

export type Route = AnswerRoute | WatchRoute

export interface AnswerRoute {
  readonly method: Method
  /** the whole path; what follows a `?` is not part of it */
  readonly path: string
  /** longer bodies are refused; `BODY_BYTES_MAX` unless said otherwise */
  readonly bodyBytesMax?: number
  /** only for whoever may look, where not everybody may */
  readonly isPrivate?: boolean
  /** a page of another origin may post here too; without it a visitor's browser cannot be made to push our buttons */
  readonly isOpen?: boolean
  readonly answer: (asked: Asked) => Reply | Promise<Reply>
}

/** Server-sent events: `tell` again and again to everyone who watches. */
export interface WatchRoute {
  readonly method: 'GET'
  readonly path: string
  readonly isPrivate?: boolean
  readonly everyMs: number
  readonly tell: () => object
}

export interface Asked {
  readonly query: URLSearchParams
  /** the header by which somebody shows who they are */
  readonly authorization: string | undefined
  /** The body, read only when asked for. Rejects with a Refusal: too long, broken off, or not there `withinMs`. */
  body(withinMs?: number): Promise<string>
}

export interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
  /** the text as gzip, for whoever takes it so */
  readonly packed?: () => Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** What was wrong with a request, in words for whoever sent it. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Refusal'
    this.status = status
  }
}

export const BODY_BYTES_MAX = 4096
/** A policy note with a roster of a thousand gates fits. */
export const NOTE_BYTES_MAX = 256 * 1024

export function json(status: number, value: object): Reply {
  return { status, type: 'application/json', text: `${JSON.stringify(value)}\n` }
}

export function plain(text: string): Reply {
  return { status: 200, type: 'text/plain; charset=utf-8', text }
}
