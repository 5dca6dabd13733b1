// Ports: free ones on this machine, for members that keep theirs over restarts.
//
// They are taken from below the range that outgoing connections use (32768 and up on Linux), or a connection made while
// a member is down could sit on its port when it comes back.

import { createServer } from 'node:net'
import { Fault } from '../../ledger/fault.ts'

export const HOST = '127.0.0.1'
const LOW = 10_000
const HIGH = 32_000
/** How many ports after a taken one are tried. */
const PORTS_TRIED = 50

export class Ports {
  readonly #given = new Set<number>()

  /** One that nobody uses and that was not given out before. */
  async any(): Promise<number> {
    for (;;) {
      const port = LOW + Math.floor(Math.random() * (HIGH - LOW))
      if (await this.#take(port)) return port
    }
  }

  /** `wanted` if it is free, or any other. */
  async keep(wanted: number | undefined): Promise<number> {
    return wanted !== undefined && (await this.#take(wanted)) ? wanted : this.any()
  }

  /** `port`; where it `mayMove`, the next free one after it. */
  async from(port: number, mayMove: boolean): Promise<number> {
    if (port === 0) return this.any()
    const last = mayMove ? Math.min(65_535, port + PORTS_TRIED) : port
    for (let tried = port; tried <= last; tried++) if (await this.#take(tried)) return tried
    throw new Fault('PORT', `cannot listen on ${HOST}:${port}${last > port ? ` … ${last}` : ''}: the port is taken`)
  }

  async #take(port: number): Promise<boolean> {
    if (this.#given.has(port) || !(await isFree(port))) return false
    this.#given.add(port)
    return true
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(new Fault('PORT', `cannot listen on ${HOST}:${port}: ${error.message}`, { cause: error }))
    })
    server.listen(port, HOST, () => server.close(() => resolve(true)))
  })
}
