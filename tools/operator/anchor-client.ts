// Anchor client: what the command line asks the anchor's API.
//
// Laws: a change is sent with an idempotency key and, where the answer was lost, sent again with the same one: it happens
// once. What the anchor refuses is an answer (`SaysNo`); that nobody answered is a fault.

import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Fault } from '../../ledger/fault.ts'
import type { SignerKey } from '../../ledger/key.ts'
import { asText, LINE_BYTES_MAX } from '../../ledger/line.ts'
import { signNote } from '../../ledger/note.ts'
import { originOf } from '../../ledger/origin.ts'
import { Usage } from '../command.ts'
import { nameOfPerson } from './person.ts'

const ANSWER_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
const TRIES = 3

/** The anchor understood and refused. */
export class SaysNo extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface ClientOptions {
  readonly url: URL
  readonly mall?: string
  readonly token?: string
  readonly ca?: string
  readonly key?: SignerKey
}

export interface Reply {
  readonly status: number
  readonly text: string
}

export class AnchorClient {
  readonly #o: ClientOptions
  #token: string | undefined
  #mall: string | undefined

  constructor(options: ClientOptions) {
    this.#o = options
    this.#token = options.token
    this.#mall = options.mall
  }

  get url(): string {
    return this.#o.url.href.replace(/\/$/, '')
  }

  /** The one that was named, or the only one that this token or this machine shows. */
  async mall(): Promise<string> {
    if (this.#mall !== undefined) return this.#mall
    const { malls } = (await this.#json('GET', '/malls')) as { malls: readonly { mall: string }[] }
    const [only, ...more] = malls
    if (only === undefined || more.length > 0) {
      throw new Usage(`--mall: one of ${malls.map(({ mall }) => mall).join(', ') || 'none there'}`)
    }
    this.#mall = only.mall
    return only.mall
  }

  /** What is at `malls/<mall>/<path>`. */
  async get<T>(path: string): Promise<T> {
    return (await this.#json('GET', await this.#path(path))) as T
  }

  async text(path: string): Promise<string> {
    return (await this.#ask('GET', await this.#path(path))).text
  }

  /** The lines at `malls/<mall>/<path>`, as they come; throws where they break off. */
  async *lines(path: string): AsyncGenerator<string> {
    const at = await this.#path(path)
    let begun = await this.#open(at)
    if (begun.statusCode === 401 && this.#o.key !== undefined && this.#o.token === undefined) {
      begun.destroy()
      await this.#login(this.#o.key)
      begun = await this.#open(at)
    }
    if (begun.statusCode !== 200) this.#judged({ status: begun.statusCode ?? 0, text: await textOf(begun) })
    try {
      yield* linesIn(begun)
    } catch (error) {
      throw this.#unreached(error)
    }
  }

  async post<T>(path: string, body: object): Promise<T> {
    return (await this.#json('POST', await this.#path(path), body)) as T
  }

  async delete<T>(path: string): Promise<T> {
    return (await this.#json('DELETE', await this.#path(path))) as T
  }

  async #path(path: string): Promise<string> {
    return `/malls/${await this.mall()}/${path}`
  }

  async #json(method: string, path: string, body?: object): Promise<unknown> {
    const { text } = await this.#ask(method, path, body)
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new Fault('ANCHOR', `${this.url} answered what is no JSON: is this an anchor?`, { cause: error })
    }
  }

  /** Logs in the first time that something needs it. */
  async #ask(method: string, path: string, body?: object): Promise<Reply> {
    const reply = await this.#send(method, path, body)
    if (reply.status === 401 && this.#o.key !== undefined && this.#o.token === undefined) {
      await this.#login(this.#o.key)
      return this.#judged(await this.#send(method, path, body))
    }
    return this.#judged(reply)
  }

  #judged(reply: Reply): Reply {
    const { status, text } = reply
    if (status >= 200 && status < 300) return reply
    const { code, message } = errorOf(text)
    if (status === 401) throw new SaysNo(status, code, `${message}; give --token, or --key to log in`)
    if (status >= 500 && status !== 503) throw new Fault('ANCHOR', `${this.url}: ${message}`)
    throw new SaysNo(status, code, message)
  }

  async #login(key: SignerKey): Promise<void> {
    const name = nameOfPerson(key)
    const mall = await this.mall()
    const login = `/malls/${mall}/login`
    const asked = this.#judged(await this.#send('POST', `${login}/challenges`, { name }))
    const { text = '' } = JSON.parse(asked.text) as { text?: string }
    // whoever asks for a signature under anything else than a login of this person gets none
    const [head, at = '', nonce = '', who, end] = text.split('\n')
    const isLogin = head === originOf(mall, 'login') && at.startsWith('at ') && nonce.startsWith('nonce ')
    if (!isLogin || who !== `name ${name}` || end !== '') {
      throw new Fault('ANCHOR', `${this.url} asked to sign what is no login: nothing was signed`)
    }
    const answer = this.#judged(await this.#send('POST', login, { note: signNote(text, [key]) }))
    this.#token = (JSON.parse(answer.text) as { token: string }).token
  }

  async #open(path: string): Promise<IncomingMessage> {
    const { ca } = this.#o
    const headers: Record<string, string> = { accept: 'application/x-ndjson' }
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`
    try {
      return await begin({ url: `${this.url}/api/v1${path}`, method: 'GET', headers, text: undefined, ca })
    } catch (error) {
      throw this.#unreached(error)
    }
  }

  #unreached(error: unknown): Fault {
    const { code = '', message } = error as NodeJS.ErrnoException
    return new Fault('UNREACHED', `no answer from ${this.url}: ${message || code}`, { cause: error })
  }

  /** The same request up to three times, where it can be heard twice without harm. */
  async #send(method: string, path: string, body?: object): Promise<Reply> {
    const once = randomUUID()
    for (let tries = 1; ; tries++) {
      try {
        return await this.#sendOnce(method, path, body, once)
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException
        if (tries < TRIES && LOST.includes(code) && !path.includes('/login')) continue
        throw this.#unreached(error)
      }
    }
  }

  #sendOnce(method: string, path: string, body: object | undefined, once: string): Promise<Reply> {
    const url = `${this.url}/api/v1${path}`
    const { ca } = this.#o
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers: Record<string, string> = { accept: 'application/json, text/plain' }
    if (text !== undefined) headers['content-type'] = 'application/json'
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`
    if (method !== 'GET' && !path.includes('/login')) headers['idempotency-key'] = once
    return ask({ url, method, headers, text, ca })
  }
}

/** The connection was cut: the other side may have heard it. */
const LOST = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT']

interface Question {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string | undefined
  readonly ca?: string | undefined
}

/** One question over HTTP. */
export async function ask(a: Question): Promise<Reply> {
  const response = await begin(a)
  return { status: response.statusCode ?? 0, text: await textOf(response) }
}

/** The beginning of an answer; where nothing more comes for a while, it breaks off. */
function begin(a: Question): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { method: a.method, headers: a.headers, timeout: ANSWER_MS_MAX, agent: false } as const
    const sent = a.url.startsWith('https:')
      ? httpsRequest(a.url, { ...options, ...(a.ca === undefined ? {} : { ca: a.ca }) }, resolve)
      : httpRequest(a.url, options, resolve)
    const late = Object.assign(new Error(`nothing within ${ANSWER_MS_MAX / 1000} s`), { code: 'ETIMEDOUT' })
    sent.on('timeout', () => sent.destroy(late))
    sent.on('error', reject)
    sent.end(a.text)
  })
}

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    response.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > ANSWER_BYTES_MAX) response.destroy(new Error(`an answer of more than ${ANSWER_BYTES_MAX} bytes`))
      else parts.push(part)
    })
    response.on('error', reject)
    response.on('end', () => resolve(Buffer.concat(parts).toString('utf8')))
  })
}

async function* linesIn(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const text of response as AsyncIterable<string>) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() as string
    if (rest.length > LINE_BYTES_MAX) throw new Error(`a line longer than ${LINE_BYTES_MAX} bytes`)
    yield* lines
  }
  if (rest !== '') throw new Error('the last line broke off')
}

export function errorOf(text: string): { readonly code: string; readonly message: string } {
  const unknown = { code: 'refused', message: printable(text) }
  try {
    const { error } = JSON.parse(text) as { error?: string | { code?: string; message?: string } }
    if (typeof error === 'string') return { code: 'refused', message: printable(error) }
    if (typeof error?.message !== 'string') return unknown
    return { code: String(error.code), message: printable(error.message) }
  } catch {
    return unknown
  }
}

/** Without what would move a terminal's cursor: another machine's words must not pass for ours. */
export function printable(text: string): string {
  return asText(text)
}
