// Link: gates in one process, their anchor in another, so that each one's CPU and memory are its own. One TCP
// connection on loopback carries all malls; a line of JSON is one message. (A Unix socket runs out of buffers at 500 malls.)
//
//     gates → anchor    ["s", mall, from, text]      a gate says something
//                       ["l", id, lines, isLast]     lines that were asked for
//                       ["f", id, why]               they cannot be had
//     anchor → gates    ["a", mall]                  the anchor of a mall is there
//                       ["t", mall, to, text]        it says something
//                       ["r", id, mall, peer, question]

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { LanOptions } from '../../../mesh/lan/lan.ts'
import type { Question } from '../../../mesh/lan/ledger-window.ts'
import type { Fleet } from './fleet.ts'
import { SimLan } from './sim-lan.ts'
import type { Said } from './sim-mall.ts'

/** An anchor that is so far behind is not told more: a real one would not read from its sockets either. */
const BEHIND_BYTES_MAX = 8 << 20
const BATCH_LINES = 500

type Frame = readonly [string, ...unknown[]]

function send(socket: Socket, frame: Frame): void {
  socket.write(`${JSON.stringify(frame)}\n`)
}

function listen(socket: Socket, hear: (frame: Frame) => void): void {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', line => hear(JSON.parse(line)))
  // the other process is ended when all is measured; anything else spoils the measure
  const broke = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') console.error(`link: ${error.stack}`)
  }
  lines.on('error', broke)
  socket.on('error', broke)
}

/** The gates' end. */
export class GateEnd {
  readonly #fleet: Fleet
  #server: Server | undefined
  #socket: Socket | undefined

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  /** On any free port, which it says. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      const server = createServer(socket => {
        this.#socket = socket
        listen(socket, frame => this.#hear(socket, frame))
      })
      this.#server = server
      server.once('error', reject).listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#server?.close()
  }

  #hear(socket: Socket, [kind, ...rest]: Frame): void {
    if (kind === 'a') {
      const [mall] = rest as [string]
      this.#fleet.attach(mall, said => this.#say(socket, mall, said))
    } else if (kind === 't') {
      const [mall, to, text] = rest as [string, string, string]
      this.#fleet.hear(mall, to, text)
    } else if (kind === 'r') {
      const [id, mall, peer, question] = rest as [number, string, string, Question]
      this.#pour(socket, id, this.#fleet.mall(mall).range(peer, question)).catch((error: Error) => {
        send(socket, ['f', id, error.message])
      })
    }
  }

  #say(socket: Socket, mall: string, said: readonly Said[]): boolean {
    socket.cork()
    for (const { from, text } of said) send(socket, ['s', mall, from, text])
    socket.uncork()
    return socket.writableLength < BEHIND_BYTES_MAX
  }

  async #pour(socket: Socket, id: number, lines: AsyncIterable<string>): Promise<void> {
    let batch: string[] = []
    for await (const line of lines) {
      batch.push(line)
      if (batch.length < BATCH_LINES) continue
      send(socket, ['l', id, batch, false])
      batch = []
    }
    send(socket, ['l', id, batch, true])
  }
}

interface Asked {
  readonly lines: string[]
  isOver: boolean
  failure?: Error
  wake: () => void
}

/** The anchor's end. */
export class AnchorEnd {
  readonly lans = new Map<string, SimLan>()
  readonly #socket: Socket
  readonly #asked = new Map<number, Asked>()
  #ids = 0

  static connect(port: number): Promise<AnchorEnd> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new AnchorEnd(socket))).once('error', reject)
    })
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    listen(socket, frame => this.#hear(frame))
  }

  /** For a host's `startLan`. */
  readonly startLan = async (options: LanOptions): Promise<SimLan> => {
    const { mall, gates } = options.charter
    const lan = new SimLan(options, {
      names: gates.map(({ name }) => name),
      hear: (to, text) => send(this.#socket, ['t', mall, to, text]),
      range: (peer, question) => this.#range(mall, peer, question),
    })
    this.lans.set(mall, lan)
    send(this.#socket, ['a', mall])
    return lan
  }

  close(): void {
    this.#socket.destroy()
  }

  #hear([kind, ...rest]: Frame): void {
    if (kind === 's') {
      const [mall, from, text] = rest as [string, string, string]
      this.lans.get(mall)?.hear({ from, text })
      return
    }
    const [id] = rest as [number]
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    if (kind === 'l') {
      const [, lines, isLast] = rest as [number, string[], boolean]
      asked.lines.push(...lines)
      asked.isOver = isLast
    } else {
      asked.isOver = true
      asked.failure = new Error(String(rest[1]))
    }
    asked.wake()
  }

  async *#range(mall: string, peer: string, question: Question): AsyncGenerator<string> {
    const id = ++this.#ids
    const asked: Asked = { lines: [], isOver: false, wake: () => undefined }
    this.#asked.set(id, asked)
    try {
      send(this.#socket, ['r', id, mall, peer, question])
      for (;;) {
        yield* asked.lines.splice(0)
        if (asked.failure !== undefined) throw asked.failure
        if (asked.isOver && asked.lines.length === 0) return
        await new Promise<void>(resolve => {
          asked.wake = resolve
        })
      }
    } finally {
      this.#asked.delete(id)
    }
  }
}
