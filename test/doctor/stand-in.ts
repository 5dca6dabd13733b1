// Stand-in: a gate as the doctor sees one: the answers of its HTTP port, and lanes that people walk through in a test.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LaneState, TurnstileState } from '../../hardware/turnstile.ts'
import type { Mode } from '../../ledger/entry.ts'
import { type Check, GateTalk } from '../../tools/doctor/gate-talk.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }
export type LaneMade = Writable<LaneState>

export const ID = '0190aaaa-0000-7000-8000-00000000000'

export class StandIn {
  readonly lanes: LaneMade[]
  readonly checks: Check[] = []
  readonly turnstile: Writable<Omit<TurnstileState, 'lanes'>> = {
    driver: 'modbus',
    isLatched: false,
    fire: false,
    key: false,
    link: {},
  }
  mode: Mode = 'NORMAL'
  state = 'NORMAL'
  startedAt = 1
  counters = { admitted: 0, forced: 0, exited: 0, lapsed: 0 }
  out = 0
  pass: string | undefined
  /** questions that get no answer */
  deaf = 0
  #server: Server | undefined

  constructor(...names: string[]) {
    this.lanes = names.map(name => ({
      name,
      isUp: true,
      isHeld: true,
      isReleased: false,
      in: 0,
      out: 0,
      doubles: 0,
      noises: 0,
      confidence: 1000,
      inputs: { ask: false, in: false, out: false },
      faults: [],
    }))
  }

  lane(name: string): LaneMade {
    return this.lanes.find(lane => lane.name === name) as LaneMade
  }

  async open(): Promise<GateTalk> {
    this.#server = createServer(async (request, response) => {
      if (this.deaf > 0) {
        this.deaf--
        request.socket.destroy()
        return
      }
      let body = ''
      for await (const part of request) body += part
      const { status, reply } = this.#answer(request.url ?? '', request.headers.authorization, body)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
    })
    await new Promise<void>(resolve => this.#server?.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as AddressInfo
    return new GateTalk(new URL(`http://127.0.0.1:${port}`), undefined)
  }

  async close(): Promise<void> {
    await new Promise(resolve => this.#server?.close(resolve))
  }

  #answer(path: string, authorization: string | undefined, body: string): { status: number; reply: object } {
    const mayCount = this.pass === undefined || authorization === `Bearer ${this.pass}`
    if (path === '/turnstile') return { status: 200, reply: { mall: 'm', gate: 'east', mayCount } }
    if (!mayCount) return { status: 401, reply: { error: 'only for whoever shows the pass' } }
    if (path === '/turnstile/state') return { status: 200, reply: { ...this.turnstile, lanes: this.lanes } }
    if (path === '/status') {
      const { mode, state, startedAt, counters } = this
      return { status: 200, reply: { mode, state, startedAt, counters, sinceStart: { out: this.out } } }
    }
    if (path === '/turnstile/check') {
      this.checks.push(JSON.parse(body) as Check)
      return { status: 200, reply: { id: `${ID}${this.checks.length}` } }
    }
    return { status: 404, reply: { error: `there is nothing at ${path}` } }
  }
}

/** With a gate that is closed again however the test ends. */
export async function withGate<T>(names: string[], act: (gate: StandIn, talk: GateTalk) => Promise<T>): Promise<T> {
  const gate = new StandIn(...names)
  const talk = await gate.open()
  try {
    return await act(gate, talk)
  } finally {
    await gate.close()
  }
}
