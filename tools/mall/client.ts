// Client: questions to members over HTTP, on connections that are kept.
//
// Law: an answer that did not come is one of two things, and whoever asked must know which. `Unreached`: nobody heard the
// question, ask elsewhere. Anything else: somebody may have acted on it, and only the same question with the same id at
// the same door is safe.

import { Agent, request } from 'node:http'

const ANSWER_MS_MAX = 5000

export interface Reply {
  readonly status: number
  /** what was said: an object where it was JSON, else the text */
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked at field by field
  readonly json: any
}

export class Unreached extends Error {}

/** A kept connection that the far end was closing as we spoke: most often nobody heard it, but nobody knows. */
class Stale extends Error {}

export class Client {
  readonly #agent: Agent
  readonly #answerMsMax: number

  constructor(connectionsPerDoor = 64, answerMsMax = ANSWER_MS_MAX) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionsPerDoor })
    this.#answerMsMax = answerMsMax
  }

  get(url: string): Promise<Reply> {
    return this.ask('GET', url)
  }

  /** A body with an id may be said twice: it counts once. */
  async post(url: string, body: object | string): Promise<Reply> {
    if (typeof body === 'string') return this.ask('POST', url, body)
    const text = JSON.stringify(body)
    try {
      return await this.ask('POST', url, text)
    } catch (error) {
      if (!(error instanceof Stale) || !('id' in body)) throw error
      return this.ask('POST', url, text).catch(again => {
        // nobody there any more does not mean that nobody heard it the first time
        throw again instanceof Unreached ? error : again
      })
    }
  }

  ask(method: string, url: string, body?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timeout = this.#answerMsMax
      const sent = request(url, { method, agent: this.#agent, timeout }, response => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', part => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, json: parsed(text) }))
      })
      sent.on('timeout', () => sent.destroy(new Error(`no answer from ${url} in ${timeout} ms`)))
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') reject(new Unreached(error.message, { cause: error }))
        else if (error.code === 'ECONNRESET' && sent.reusedSocket) reject(new Stale(error.message, { cause: error }))
        else reject(error)
      })
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
