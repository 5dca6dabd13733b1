// Wan: a line to the centre that takes its time, and that can be cut. A TCP proxy on loopback, the same for every contender.
//
// Laws: every byte is under way for half of the round trip, in each direction, and stays in order. A cut loses nothing
// and says nothing: bytes wait, as they do behind a router that is gone while TCP goes on trying, and new callers are let
// wait as well.

import { connect, createServer, type Server, type Socket } from 'node:net'

interface Parcel {
  readonly dueAt: number
  readonly chunk: Buffer | 'end'
}

export class Wan {
  readonly #delayMs: number
  readonly #to: number
  readonly #ways = new Set<Way>()
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #isCut = false
  #waiting: Socket[] = []

  constructor(to: number, roundTripMs: number) {
    this.#to = to
    this.#delayMs = roundTripMs / 2
  }

  /** On any free port, which it says. */
  open(): Promise<number> {
    return new Promise((resolve, reject) => {
      const server = createServer(socket => {
        this.#keep(socket)
        if (this.#isCut) this.#waiting.push(socket)
        else this.#join(socket)
      })
      this.#server = server
      server.once('error', reject).listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  }

  set isCut(isCut: boolean) {
    this.#isCut = isCut
    for (const way of this.#ways) way.isCut = isCut
    if (isCut) return
    for (const socket of this.#waiting.splice(0)) if (!socket.destroyed) this.#join(socket)
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server?.close()
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  #join(near: Socket): void {
    const far = connect(this.#to, '127.0.0.1')
    this.#keep(far)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      const way = new Way(to, this.#delayMs, this.#isCut)
      this.#ways.add(way)
      from.on('data', chunk => way.take(chunk))
      from.on('close', () => {
        way.take('end')
        this.#ways.delete(way)
      })
    }
  }
}

/** One direction of one connection. */
class Way {
  readonly #to: Socket
  readonly #delayMs: number
  #parcels: Parcel[] = []
  #isWaking = false
  #isCut: boolean

  constructor(to: Socket, delayMs: number, isCut: boolean) {
    this.#to = to
    this.#delayMs = delayMs
    this.#isCut = isCut
  }

  set isCut(isCut: boolean) {
    this.#isCut = isCut
    if (!isCut) this.#pass()
  }

  take(chunk: Buffer | 'end'): void {
    this.#parcels.push({ dueAt: performance.now() + this.#delayMs, chunk })
    this.#wake()
  }

  #wake(): void {
    if (this.#isWaking || this.#isCut || this.#parcels.length === 0) return
    this.#isWaking = true
    const waitMs = (this.#parcels[0] as Parcel).dueAt - performance.now()
    // timers are late by up to a millisecond: the last one is waited for in turns of the loop
    if (waitMs > 1.5) setTimeout(() => this.#pass(), Math.floor(waitMs - 1))
    else setImmediate(() => this.#pass())
  }

  #pass(): void {
    this.#isWaking = false
    while (!this.#isCut && (this.#parcels[0]?.dueAt ?? Number.POSITIVE_INFINITY) <= performance.now()) {
      const { chunk } = this.#parcels.shift() as Parcel
      if (chunk === 'end') this.#to.end()
      else this.#to.write(chunk)
    }
    this.#wake()
  }
}
