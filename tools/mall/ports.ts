// Ports: free ones on this machine, for members that keep theirs over restarts.
//
// They are taken from below the range that outgoing connections use (32768 and up on Linux), or a connection made while
// a member is down could sit on its port when it comes back.
//
// Law: two malls on one machine never give out the same port, also while neither has started a member on it. Ports come in
// blocks, and whoever gives out those of a block listens on its first one for as long as it lives.

import { createServer, type Server } from 'node:net'
import { Fault } from '../../ledger/fault.ts'

export const HOST = '127.0.0.1'
const LOW = 10_000
const HIGH = 32_000
/** A mall of sixty gates fits into one. */
const BLOCK = 200
/** So many taken ports in a row mean that a block is full. */
const DRAWS_MAX = 100
/** And so many taken blocks that all are. */
const CLAIMS_MAX = 1000
/** How many ports after a taken one are tried. */
const PORTS_TRIED = 50

export class Ports {
  readonly #given = new Set<number>()
  /** By first port; the newest is drawn from. Never let go: whoever has these ports may still be on its way to them. */
  readonly #blocks = new Map<number, Server>()

  /** One that nobody uses and that was not given out before. */
  async any(): Promise<number> {
    for (let claims = 0; claims < CLAIMS_MAX; claims++) {
      const block = [...this.#blocks.keys()].at(-1)
      for (let draws = 0; block !== undefined && draws < DRAWS_MAX; draws++) {
        const port = block + 1 + Math.floor(Math.random() * (BLOCK - 1))
        if (await this.#take(port)) return port
      }
      await this.#claim(LOW + BLOCK * Math.floor(Math.random() * ((HIGH - LOW) / BLOCK)))
    }
    throw new Fault('PORT', `no free port from ${LOW} to ${HIGH} on ${HOST}`)
  }

  /** `wanted` if it is free, or any other. */
  async keep(wanted: number | undefined): Promise<number> {
    if (wanted === undefined) return this.any()
    const isOurs = wanted < LOW || wanted >= HIGH || (await this.#claim(wanted - ((wanted - LOW) % BLOCK)))
    return isOurs && (await this.#take(wanted)) ? wanted : this.any()
  }

  /** `port`; where it `mayMove`, the next free one after it. */
  async from(port: number, mayMove: boolean): Promise<number> {
    if (port === 0) return this.any()
    const last = mayMove ? Math.min(65_535, port + PORTS_TRIED) : port
    for (let tried = port; tried <= last; tried++) if (await this.#take(tried)) return tried
    throw new Fault('PORT', `cannot listen on ${HOST}:${port}${last > port ? ` … ${last}` : ''}: the port is taken`)
  }

  async #claim(first: number): Promise<boolean> {
    if (this.#blocks.has(first)) return true
    const server = await listen(first)
    if (server === undefined) return false
    // a stranger who calls here is not kept, and nor is this process
    server.on('connection', socket => socket.destroy())
    server.unref()
    this.#blocks.set(first, server)
    return true
  }

  async #take(port: number): Promise<boolean> {
    if (this.#given.has(port) || !(await isFree(port))) return false
    this.#given.add(port)
    return true
  }
}

function isFree(port: number): Promise<boolean> {
  return listen(port).then(server =>
    server === undefined ? false : new Promise(resolve => server.close(() => resolve(true))),
  )
}

/** Undefined where somebody else does. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(new Fault('PORT', `cannot listen on ${HOST}:${port}: ${error.message}`, { cause: error }))
    })
    server.listen(port, HOST, () => resolve(server))
  })
}
