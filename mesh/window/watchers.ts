// Watchers: those who hear a member's events as they come (server-sent events).
//
// Law: nobody who watches costs more than one event in memory and a seat, and a seat only while they read.

import type { ServerResponse } from 'node:http'
import type { WatchRoute } from './route.ts'

const WATCHERS_MAX = 200
/** Unread so far: a slow line gets every second or third event, and none twice. */
const UNREAD_BYTES_MAX = 64 * 1024
/** Whoever has not read for so long is gone, or might as well be. */
const UNREAD_MS_MAX = 15_000

export class Watchers {
  readonly #route: WatchRoute
  readonly #onFault: (error: unknown) => void
  /** when each was last seen to read */
  readonly #seats = new Map<ServerResponse, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(route: WatchRoute, onFault: (error: unknown) => void) {
    this.#route = route
    this.#onFault = onFault
  }

  /** False when every seat is taken. */
  add(response: ServerResponse): boolean {
    if (this.#seats.size >= WATCHERS_MAX) return false
    const event = this.#event()
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    this.#seats.set(response, performance.now())
    response.on('close', () => this.#leave(response))
    response.write(`retry: 1000\n${event}`)
    // nobody watches most of the time, and then there is nothing to wake for
    this.#timer ??= setInterval(() => this.#tell(), this.#route.everyMs)
    return true
  }

  close(): void {
    clearInterval(this.#timer)
    for (const response of this.#seats.keys()) response.end()
  }

  #leave(response: ServerResponse): void {
    this.#seats.delete(response)
    if (this.#seats.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tell(): void {
    let event: string
    try {
      event = this.#event()
    } catch (error) {
      this.#onFault(error)
      return
    }
    const now = performance.now()
    for (const [response, readAt] of this.#seats) {
      if (response.writableLength <= UNREAD_BYTES_MAX) {
        this.#seats.set(response, now)
        response.write(event)
      } else if (now - readAt > UNREAD_MS_MAX) response.destroy()
    }
  }

  #event(): string {
    return `data: ${JSON.stringify(this.#route.tell())}\n\n`
  }
}
