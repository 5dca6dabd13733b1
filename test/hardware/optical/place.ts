// A gate with optical counters, as far as they need one: a ledger that outlives the process, a window, a memory file.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpticalConfig } from '../../../hardware/optical/config.ts'
import { Server } from '../../../mesh/window/server.ts'
import { Desk } from '../../../node/optical/desk.ts'
import { MemoryFile } from '../../../node/optical/memory-file.ts'
import type { Note } from '../../../node/uncontrolled.ts'
import { HandClock } from './clock.ts'

export const PUSHED: OpticalConfig = {
  ...{ name: 'north', format: 'json', isSwapped: false },
  map: { in: ['in'], out: ['out'], counts: 'cumulative' },
}

export class Place {
  /** people by the arm, in the ledger */
  in = 0
  out = 0
  readonly clock = new HandClock()
  readonly dir = mkdtempSync(join(tmpdir(), 'optical-'))
  readonly notes: Note[] = []
  readonly alarms: string[] = []
  /** the ledger, which a crash does not touch */
  account = 'gate-01/1'
  forced = 0
  hasLedger = true
  /** the disk takes no memory any more */
  isFull = false
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #desk: Desk | undefined
  #server: Server | undefined

  get path(): string {
    return join(this.dir, 'store.optical')
  }

  get desk(): Desk {
    if (this.#desk === undefined) throw new Error('not started')
    return this.#desk
  }

  async start(configs: readonly OpticalConfig[], pass?: string): Promise<void> {
    const file = new MemoryFile(this.path)
    this.#desk = new Desk({
      ...{ gate: 'gate-01', configs, clock: this.clock, ...(pass === undefined ? {} : { pass }) },
      memory: {
        load: () => file.load(),
        save: memory => (this.isFull ? Promise.reject(new Error('no space left')) : file.save(memory)),
      },
      passed: () => (this.hasLedger ? { account: this.account, in: this.in + this.forced, out: this.out } : undefined),
      intruded: count => {
        this.forced += count
      },
      tell: note => this.notes.push(note),
      alarm: (code, detail) => this.alarms.push(`${code} ${detail}`),
    })
    const onFault = (error: unknown) => this.alarms.push(`FAULT ${error}`)
    this.#server = new Server({ routes: this.#desk.routes, onFault })
    await this.#server.listen({ host: '127.0.0.1', port: 0 }, false)
    await this.#desk.start()
  }

  async stop(): Promise<void> {
    await this.#server?.close()
    await this.#desk?.stop()
  }

  /** Gone without a word: what was not saved is lost. */
  async crash(): Promise<void> {
    this.isFull = true
    await this.stop()
    this.isFull = false
  }

  async end(): Promise<void> {
    await this.stop()
    this.#agent.destroy()
    rmSync(this.dir, { recursive: true, force: true })
  }

  get opticals(): readonly string[] {
    return this.notes.flatMap(note => (note.type === 'optical' ? [`${note.in} ${note.out}`] : []))
  }

  get faults(): readonly string[] {
    return this.notes.flatMap(note => (note.type === 'fault' ? [note.code] : []))
  }

  /** Pushes to a counter; the status, and what was said. */
  push(
    name: string,
    body: unknown,
    authorization?: string,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const url = `${this.#server?.url}/optical/${name}`
    const headers = authorization === undefined ? {} : { authorization }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers, agent: this.#agent }, response => {
        let text = ''
        response.setEncoding('utf8').on('data', part => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      sent.on('error', reject)
      sent.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  }
}

export async function at(act: (place: Place) => Promise<void>): Promise<void> {
  const place = new Place()
  try {
    await act(place)
  } finally {
    await place.end()
  }
}

/** A lens that pushes its totals once a second. */
export class Lens {
  in = 1000
  out = 500
  readonly #place: Place
  readonly #name: string

  constructor(place: Place, name = 'north') {
    this.#place = place
    this.#name = name
  }

  async push(): Promise<void> {
    const { status, text } = await this.#place.push(this.#name, { in: this.in, out: this.out })
    assert.equal(status, 200, text)
  }

  async watch(seconds: number, each: (second: number) => void = () => undefined): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      each(second)
      await this.push()
      this.#place.clock.pass(1000)
    }
  }
}

export async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let k = 0; k < 1000; k++) {
    if (isSo()) return
    await sleep(10)
  }
  throw new Error(`not within 10 s: ${what}`)
}
