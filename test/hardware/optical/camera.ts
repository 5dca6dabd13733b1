// A camera as the network knows it: a real HTTP server that counts, and can be slow, silent, locked or out of its mind.

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface Lock {
  readonly kind: 'basic' | 'digest'
  readonly algorithm?: 'MD5' | 'SHA-256'
  readonly user: string
  readonly password: string
}

export class Camera {
  in = 0
  out = 0
  /** questions that came, answered or not */
  asked = 0
  /** of those, without a name or with a wrong one */
  refused = 0
  readonly headers: string[] = []
  answer: Answer = (_, response) => this.#sum(response)
  lock: Lock | undefined
  readonly #server: Server
  #nonce = 0

  constructor() {
    this.#server = createServer((request, response) => {
      this.asked++
      this.headers.push(JSON.stringify(request.headers))
      if (this.lock !== undefined && !this.#opens(this.lock, request)) {
        this.refused++
        response.writeHead(401, { 'www-authenticate': this.#challenge(this.lock) }).end('who are you?')
        return
      }
      this.answer(request, response)
    })
  }

  async open(): Promise<this> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }

  url(login = ''): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://${login === '' ? '' : `${login}@`}127.0.0.1:${port}/local/tvpc/.api?live-sum.json`
  }

  #sum(response: ServerResponse): void {
    const sum = { serial: '00408CAC512B', name: 'North', timestamp: '20300102090000', in: this.in, out: this.out }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(sum))
  }

  #challenge({ kind, algorithm }: Lock): string {
    if (kind === 'basic') return 'Basic realm="AXIS_ACCC8E000000"'
    this.#nonce++
    const spelled = algorithm === undefined ? '' : `, algorithm=${algorithm}`
    return `Digest realm="AXIS_ACCC8E000000", nonce="${this.#nonce}=="${spelled}, qop="auth, auth-int", opaque="x,y"`
  }

  /** As RFC 7616 says, and written without looking at the code that it checks. */
  #opens({ kind, algorithm, user, password }: Lock, { headers, url, method }: IncomingMessage): boolean {
    const shown = headers.authorization ?? ''
    if (kind === 'basic') return shown === `Basic ${btoa(`${user}:${password}`)}`
    const part = (name: string) => new RegExp(`${name}="?([^",]*)"?`).exec(shown)?.[1] ?? ''
    if (part('nonce') !== `${this.#nonce}==` || part('uri') !== url || part(' nc') !== '00000001') return false
    const h = (text: string) =>
      createHash(algorithm === 'SHA-256' ? 'sha256' : 'md5')
        .update(text)
        .digest('hex')
    const secret = h(`${user}:AXIS_ACCC8E000000:${password}`)
    return part('response') === h(`${secret}:${this.#nonce}==:00000001:${part('cnonce')}:auth:${h(`${method}:${url}`)}`)
  }
}
