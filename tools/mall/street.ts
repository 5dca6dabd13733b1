// Street: what stands before the doors of a running mall. Somebody at a door that does not answer goes to another one, or
// waits for this one to come back, whichever is honest.
//
// Law: nobody is counted twice. A question that nobody heard may be asked at the next door; one that somebody may have
// heard is asked again at the same door with the same id, where it counts once.

import { newId } from '../../mesh/real-clock.ts'
import { Client, type Reply, Unreached } from './client.ts'

export interface StreetDoor {
  readonly name: string
  /** where it answers; undefined while it is down */
  readonly url: string | undefined
}

/** How long somebody stands at a door that does not answer, and how often they try. */
const PATIENCE_MS = 20_000
const AGAIN_MS = 500

type Way = 'entry' | 'exit'

export class Street {
  readonly #client = new Client()
  readonly #doors: readonly StreetDoor[]
  readonly #pause: (ms: number) => Promise<void>
  readonly #now: () => number
  #closed = false

  constructor(a: { doors: readonly StreetDoor[]; pause: (ms: number) => Promise<void>; now: () => number }) {
    this.#doors = a.doors
    this.#pause = a.pause
    this.#now = a.now
  }

  get width(): number {
    return this.#doors.length
  }

  /** At this door, or the next one that answers. Nobody who got no answer goes in. */
  async enter(first: number, confidence: number): Promise<boolean> {
    const reply = await this.#anywhere('entry', first, confidence, 2)
    return reply?.json?.decision === 'ADMIT'
  }

  /** Out through this door or any other: with every door down people still leave, only nobody counts them. */
  async leave(first: number, confidence: number): Promise<boolean> {
    const until = this.#now() + PATIENCE_MS
    while (this.#now() < until && !this.#closed) {
      const reply = await this.#anywhere('exit', first, confidence, this.#doors.length)
      if (reply !== undefined) return reply.status === 200
      await this.#pause(AGAIN_MS)
    }
    return false
  }

  close(): void {
    this.#closed = true
    this.#client.close()
  }

  /** Undefined: none of the doors tried has heard of it. */
  async #anywhere(way: Way, first: number, confidence: number, tries: number): Promise<Reply | undefined> {
    for (let i = 0; i < Math.min(tries, this.#doors.length); i++) {
      const door = this.#doors[(first + i) % this.#doors.length] as StreetDoor
      if (door.url === undefined) continue
      const body = { id: newId(), confidence }
      try {
        return await this.#client.post(`${door.url}/turnstile/${way}`, body)
      } catch (error) {
        if (!(error instanceof Unreached)) return this.#untilAnswered(door, way, body)
      }
    }
    return undefined
  }

  async #untilAnswered(door: StreetDoor, way: Way, body: object): Promise<Reply> {
    const until = this.#now() + PATIENCE_MS
    while (this.#now() < until && !this.#closed) {
      await this.#pause(AGAIN_MS)
      if (door.url === undefined) continue
      try {
        const reply = await this.#client.post(`${door.url}/turnstile/${way}`, body)
        // a gate that is only just back and joining has not said no to anybody
        if (reply.json?.decision !== 'REJECT_FAULT') return reply
      } catch {
        // still away
      }
    }
    return { status: 0, json: undefined }
  }
}
