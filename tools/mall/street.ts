// Street: what stands before the doors of a running mall. Somebody at a door that does not answer goes to another one, or
// waits for this one to come back, whichever is honest.
//
// Laws: people walk through the door's turnstile, which is played, and what the gate knows of them its sensors told it.
// Nobody is counted twice. A question that nobody heard may be asked at the next door; one that somebody may have heard is
// asked again at the same door with the same id, where it counts once: by hand, as a guard does where the arm went dark
// in front of somebody.

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
/** Before a busy arm one waits for one's turn. */
const TURN_MS_MAX = 20_000
const CONNECTIONS = 64
/** There are no played arms at this door, or not yet: people are counted by hand. */
const NO_ARMS = [404, 503]

type Way = 'in' | 'out'
const BY_HAND = { in: 'entry', out: 'exit' } as const satisfies Record<Way, string>

export class Street {
  /** whoever leaves does not stand behind those who come */
  readonly #clients = { in: new Client(CONNECTIONS, TURN_MS_MAX), out: new Client(CONNECTIONS, TURN_MS_MAX) }
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
    const { decision, passed = decision === 'ADMIT' } = (await this.#anywhere('in', first, confidence, 2))?.json ?? {}
    return passed
  }

  /** Out through this door or any other: with every door down people still leave, only nobody counts them. */
  async leave(first: number, confidence: number): Promise<boolean> {
    const until = this.#now() + PATIENCE_MS
    while (this.#now() < until && !this.#closed) {
      const reply = await this.#anywhere('out', first, confidence, this.#doors.length)
      // an arm that was taken down with somebody in it has let nobody out: there is another door
      if (reply !== undefined && reply.json?.passed !== false) return reply.status === 200
      await this.#pause(AGAIN_MS)
    }
    return false
  }

  close(): void {
    this.#closed = true
    for (const client of Object.values(this.#clients)) client.close()
  }

  /** Undefined: none of the doors tried has heard of it. */
  async #anywhere(way: Way, first: number, confidence: number, tries: number): Promise<Reply | undefined> {
    for (let i = 0; i < Math.min(tries, this.#doors.length); i++) {
      const door = this.#doors[(first + i) % this.#doors.length] as StreetDoor
      if (door.url === undefined) continue
      const body = { id: newId(), confidence }
      try {
        const reply = await this.#clients[way].post(`${door.url}/turnstile/sim`, { ...body, do: way })
        return NO_ARMS.includes(reply.status) ? await this.#byHand(door, way, body) : reply
      } catch (error) {
        if (!(error instanceof Unreached)) return this.#untilAnswered(door, way, body)
      }
    }
    return undefined
  }

  async #byHand(door: StreetDoor, way: Way, body: object): Promise<Reply> {
    return this.#clients[way].post(`${door.url}/turnstile/${BY_HAND[way]}`, body)
  }

  async #untilAnswered(door: StreetDoor, way: Way, body: object): Promise<Reply> {
    const until = this.#now() + PATIENCE_MS
    while (this.#now() < until && !this.#closed) {
      await this.#pause(AGAIN_MS)
      if (door.url === undefined) continue
      try {
        const reply = await this.#byHand(door, way, body)
        // a gate that is only just back and joining has not said no to anybody
        if (reply.json?.decision !== 'REJECT_FAULT') return reply
      } catch {
        // still away
      }
    }
    return { status: 0, json: undefined }
  }
}
