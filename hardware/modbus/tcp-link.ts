// TCP link: a gateway, or a device that speaks Modbus TCP itself.

import { connect, type Socket } from 'node:net'
import { HardwareFault } from '../turnstile.ts'
import type { Link, LinkEvents } from './link.ts'

const CONNECT_MS_MAX = 3_000

export class TcpLink implements Link {
  readonly name: string
  readonly framing = 'mbap'
  readonly gapMs = 0
  readonly #host: string
  readonly #port: number
  readonly #connectMs: number
  #socket: Socket | undefined

  constructor(a: { readonly host: string; readonly port: number; readonly connectMs?: number }) {
    this.name = `${a.host}:${a.port}`
    this.#host = a.host
    this.#port = a.port
    this.#connectMs = a.connectMs ?? CONNECT_MS_MAX
  }

  wireMs(): number {
    return 0
  }

  async open(events: LinkEvents): Promise<void> {
    await this.close()
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true, keepAlive: true })
    this.#socket = socket
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string, cause?: Error) => {
        socket.destroy()
        reject(new HardwareFault('LINK', `${this.name}: ${why}`, { cause }))
      }
      const timer = setTimeout(() => fail(`no connection within ${this.#connectMs} ms`), this.#connectMs)
      socket.once('connect', resolve)
      socket.once('error', error => fail(`no connection: ${error.message}`, error))
      socket.once('close', () => fail('no connection: closed meanwhile'))
      socket.once('connect', () => clearTimeout(timer))
      socket.once('close', () => clearTimeout(timer))
    })
    let why = 'the other side hung up'
    socket.removeAllListeners('close').removeAllListeners('error')
    socket.on('data', chunk => events.bytes(chunk))
    socket.on('error', error => {
      why = error.message
    })
    socket.on('close', () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      events.closed(`${this.name}: ${why}`)
    })
  }

  send(bytes: Buffer): void {
    this.#socket?.write(bytes)
  }

  async close(): Promise<void> {
    const socket = this.#socket
    this.#socket = undefined
    if (!socket || socket.destroyed) return
    await new Promise<void>(resolve => {
      socket.once('close', () => resolve())
      socket.destroy()
    })
  }
}
