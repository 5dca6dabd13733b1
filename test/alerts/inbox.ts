// Inbox: a receiver of webhooks that a test can make slow, rude or dead. It checks signatures by itself.

import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export const SECRET = 'a secret of thirty-two characters'

export interface Letter {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: looked at field by field
  readonly json: any
  readonly body: string
  readonly isSigned: boolean
  readonly at: number
}

export class Inbox {
  readonly letters: Letter[] = []
  /** what is answered; undefined: nothing, ever */
  answer: (letter: Letter) => { readonly status: number; readonly location?: string } | undefined = () => ({
    status: 204,
  })
  attempts = 0
  #server: Server | undefined
  #port = 0

  async open(): Promise<this> {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      const { 'gatemesh-id': id = '', 'gatemesh-at': at = '', 'gatemesh-signature': signature } = request.headers
      const hmac = createHmac('sha256', SECRET).update(`${id}.${at}.${body}`).digest('hex')
      const json = JSON.parse(body)
      const letter = { id: String(id), json, body, isSigned: signature === `v1=${hmac}`, at: Number(at) }
      this.attempts++
      const answer = this.answer(letter)
      if (answer === undefined) return
      if (answer.status < 300) this.letters.push(letter)
      response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location })
      response.end('thank you')
    })
    await new Promise<void>(resolve => this.#server?.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook?key=private`
  }

  async close(): Promise<void> {
    const server = this.#server
    server?.closeAllConnections()
    await new Promise<void>(resolve => (server === undefined ? resolve() : server.close(() => resolve())))
  }

  get codes(): string[] {
    return this.letters.map(({ json }) => json.alert.code)
  }
}
