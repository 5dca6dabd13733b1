// Wire: a way to a place that can be cut as a switch without power cuts it: nothing arrives, and neither end is told.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Place } from '../../mesh/lan/place.ts'

export class Wire {
  readonly place: Place
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  static async to(far: Place): Promise<Wire> {
    const server = createServer()
    server.listen(0, far.host)
    await once(server, 'listening')
    return new Wire(server, far)
  }

  private constructor(server: Server, far: Place) {
    const { address, port } = server.address() as AddressInfo
    this.place = { host: address, port }
    this.#server = server
    server.on('connection', near => this.#join(near, connect(far.port, far.host)))
  }

  /** For those who are on it; newcomers get no further than the listening socket. */
  cut(): void {
    this.#isCut = true
  }

  end(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(near: Socket, far: Socket): void {
    const ends: readonly (readonly [Socket, Socket])[] = [
      [near, far],
      [far, near],
    ]
    for (const [from, to] of ends) {
      this.#sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', bytes => {
        if (!this.#isCut) to.write(bytes)
      })
      from.on('close', () => {
        if (!this.#isCut) to.destroy()
      })
    }
  }
}
