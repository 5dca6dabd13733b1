// Pull: asks one optical counter again and again, and hands on what it says.
//
// Laws: one question at a time, each with an end; an answer that is too long is no answer. Whoever does not answer is
// asked less often. Name and password go to the device and into no message of ours; redirects are not followed, or
// somebody else would get them.

import { randomBytes } from 'node:crypto'
import { type Clock, HardwareFault } from '../turnstile.ts'
import type { OpticalConfig } from './config.ts'
import { basicOf, digestOf, type Login } from './digest.ts'

export interface PullOptions {
  readonly pull: NonNullable<OpticalConfig['pull']>
  readonly clock: Clock
  readonly hear: (text: string) => void
  /** it did not answer, or said no; in words for people */
  readonly fail: (why: string) => void
}

/** A day of minutes, as exported, is 150 kB. */
const ANSWER_BYTES_MAX = 1024 * 1024
const BACK_OFF_MS_MAX = 60_000

export class Pull {
  readonly #o: PullOptions
  readonly #url: URL
  readonly #login: Login | undefined
  readonly #stopping = new AbortController()
  #forget: (() => void) | undefined
  #failures = 0
  /** wants a digest; found out once */
  #challenge: string | undefined

  constructor(options: PullOptions) {
    this.#o = options
    const url = new URL(options.pull.url)
    const [user, password] = [plain(url.username), plain(url.password)]
    this.#login = user === '' && password === '' ? undefined : { user, password }
    url.username = ''
    url.password = ''
    this.#url = url
  }

  start(): void {
    void this.#turn()
  }

  /** Safe to repeat. */
  stop(): void {
    this.#forget?.()
    this.#stopping.abort()
  }

  async #turn(): Promise<void> {
    const { pull, clock, hear, fail } = this.#o
    let text: string | undefined
    try {
      text = await this.#ask()
      this.#failures = 0
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      this.#failures++
      fail(wordsOf(error, pull.timeoutMs))
    }
    if (this.#stopping.signal.aborted) return
    const patience = this.#failures === 0 ? 1 : 2 ** Math.min(10, this.#failures - 1)
    const waitMs = Math.max(pull.everyMs, Math.min(BACK_OFF_MS_MAX, pull.everyMs * patience))
    this.#forget = clock.in(waitMs, () => void this.#turn())
    if (text !== undefined) hear(text)
  }

  async #ask(): Promise<string> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#o.pull.timeoutMs)])
    const first = await this.#get(signal)
    if (first.status !== 401 || this.#login === undefined) return textOf(first)
    await first.body?.cancel()
    this.#challenge = first.headers.get('www-authenticate') ?? undefined
    return textOf(await this.#get(signal))
  }

  #get(signal: AbortSignal): Promise<Response> {
    const authorization = this.#authorization()
    const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) }
    return fetch(this.#url, { signal, headers, redirect: 'manual' })
  }

  #authorization(): string | undefined {
    if (this.#login === undefined) return undefined
    const uri = `${this.#url.pathname}${this.#url.search}`
    const question = { method: 'GET', uri, cnonce: randomBytes(8).toString('hex') } as const
    const digest = this.#challenge === undefined ? undefined : digestOf(this.#challenge, this.#login, question)
    if (digest !== undefined) return digest
    // a password is shown when it was asked for, and not to whoever wants a digest
    return this.#challenge !== undefined && /(^|,)\s*basic\b/i.test(this.#challenge) ? basicOf(this.#login) : undefined
  }
}

/** A percent sign that stands for itself is one. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

async function textOf(response: Response): Promise<string> {
  const { status } = response
  if (status !== 200) {
    await response.body?.cancel()
    const why =
      status === 401 ? ': name or password is wrong' : status >= 300 && status < 400 ? ': it points elsewhere' : ''
    throw new HardwareFault('LINK', `it answered ${status}${why}`)
  }
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    // leaving the loop ends the answer
    if (bytes > ANSWER_BYTES_MAX) throw new HardwareFault('LINK', `its answer is longer than ${ANSWER_BYTES_MAX} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Without the address, which may carry a password. */
function wordsOf(error: unknown, timeoutMs: number): string {
  if (error instanceof HardwareFault) return error.message
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: unknown } }
  if (name === 'TimeoutError') return `no answer within ${timeoutMs} ms`
  return typeof cause?.code === 'string' ? `no connection: ${cause.code}` : 'no connection'
}
