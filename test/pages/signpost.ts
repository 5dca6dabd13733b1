// Signpost: the door display's page over a state that the test sets, so that every state can be seen without a mall.

import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DisplayState } from '../../mesh/window/display-state.ts'
import { meshPages, PAGE_POLICY } from '../../mesh/window/page-files.ts'

export class Signpost {
  readonly #server: HttpServer
  readonly #watchers = new Set<ServerResponse>()
  #state: DisplayState | undefined
  #isMute = false
  #timer: NodeJS.Timeout | undefined

  constructor() {
    this.#server = createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?', 1)
      if (path.endsWith('/events')) return this.#watch(response)
      const file = meshPages().get(path.startsWith('/mesh/pages/') ? path.slice('/mesh/pages/'.length) : 'display.html')
      response.writeHead(file === undefined ? 404 : 200, {
        'content-type': file?.type ?? 'text/plain',
        'content-security-policy': PAGE_POLICY,
      })
      response.end(file?.text)
    })
  }

  async open(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    this.#timer = setInterval(() => this.#tell(), 100)
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/display/north/east`
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  say(state: DisplayState): void {
    this.#state = state
    this.#isMute = false
    this.#tell()
  }

  /** The line stays open, and nothing comes any more. */
  mute(): void {
    this.#isMute = true
  }

  #watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('retry: 100\n\n')
    this.#watchers.add(response)
    response.on('close', () => this.#watchers.delete(response))
    this.#tell()
  }

  #tell(): void {
    if (this.#state === undefined || this.#isMute) return
    for (const response of this.#watchers) response.write(`data: ${JSON.stringify(this.#state)}\n\n`)
  }
}
