// Webhook: a receiver that takes alerts by HTTP POST.
//
// Every message is signed: `gatemesh-signature: v1=<hex HMAC-SHA256 of "<id>.<at>.<body>">` with the secret that both
// sides know. `gatemesh-id` is the same at every attempt, `gatemesh-at` (ms) is the time of this one, so that a receiver
// can refuse what is old and skip what it has. Redirects are not followed: nobody else is to get it.

import { createHash, createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Fault } from '../../ledger/fault.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { WebhookConfig } from './config.ts'
import { type Delivery, type Receiver, Unwanted } from './receiver.ts'

export const SECRET_BYTES_MIN = 16
const TIMEOUT_MS = 10_000
/** They say that this one is wrong; anything else says that now is not a good time. */
const LATER = [408, 425, 429]

export class Webhook implements Receiver {
  readonly id: string
  readonly label: string
  readonly isReady = true
  readonly #config: WebhookConfig
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #stopping = new AbortController()

  constructor(config: WebhookConfig, clock: Clock, timeoutMs = TIMEOUT_MS) {
    this.#config = config
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.id = `webhook-${createHash('sha256').update(config.url).digest('hex').slice(0, 12)}`
    const { host, pathname } = new URL(config.url)
    // what follows in the address may be a secret
    this.label = `${host}${pathname.length > 24 ? `${pathname.slice(0, 24)}…` : pathname}`
  }

  async send({ id, body }: Delivery): Promise<void> {
    const { secretFile, caFile } = this.#config
    const secret = await secretIn(secretFile)
    const ca = caFile === undefined ? undefined : await readFile(caFile)
    const at = String(this.#clock.wall())
    const status = await this.#post(body, ca, {
      'gatemesh-id': id,
      'gatemesh-at': at,
      'gatemesh-signature': signatureOf(secret, { id, at, body }),
    })
    if (status >= 200 && status < 300) return
    if (status >= 300 && status < 400) throw new Unwanted(`answered ${status}: redirects are refused`)
    if (status >= 400 && status < 500 && !LATER.includes(status)) throw new Unwanted(`answered ${status}`)
    throw new Fault('WEBHOOK', `answered ${status}`)
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Fault('WEBHOOK', 'stopped'))
  }

  #post(body: string, ca: Buffer | undefined, signed: Readonly<Record<string, string>>): Promise<number> {
    const url = new URL(this.#config.url)
    const bytes = Buffer.from(body)
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length, ...signed }
    return new Promise((resolve, reject) => {
      // one limit for all of it: an answer that trickles is no answer
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#timeoutMs)])
      const options = { method: 'POST', headers, signal, agent: false as const, ...(ca === undefined ? {} : { ca }) }
      const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, response => {
        // only the status counts; what else is said is not read
        response.on('error', () => undefined)
        resolve(response.statusCode ?? 0)
        response.destroy()
      })
      request.on('error', reject)
      request.end(bytes)
    })
  }
}

export function signatureOf(
  secret: Buffer,
  { id, at, body }: { readonly id: string; readonly at: string; readonly body: string },
): string {
  return `v1=${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('hex')}`
}

/** The file's bytes, without the newline that editors leave. */
async function secretIn(path: string): Promise<Buffer> {
  const text = await readFile(path)
  const secret = Buffer.from(text.toString('latin1').replace(/[\r\n]+$/, ''), 'latin1')
  if (secret.length >= SECRET_BYTES_MIN) return secret
  throw new Fault('WEBHOOK', `${path}: ${secret.length} bytes, a secret has at least ${SECRET_BYTES_MIN}`)
}
