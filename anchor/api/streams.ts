// Streams: everybody who listens at present.
//
// Law: there are only so many seats, and a seat is kept only while what gave it holds: a token that was revoked, or whose
// time is over, ends what was opened with it.

import type { ServerResponse } from 'node:http'
import type { Clock } from '../../mesh/clock.ts'
import { ApiRefusal } from './refusal.ts'

export const SEATS_PER_MALL = 200
const LOOK_EVERY_MS = 2000

interface Seat {
  readonly mall: string
  readonly isAllowed: () => boolean
}

export class Streams {
  readonly #clock: Clock
  readonly #seats = new Map<ServerResponse, Seat>()
  #forgetLook: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Refuses where every seat of this mall is taken. */
  seat(response: ServerResponse, seat: Seat): void {
    let taken = 0
    for (const { mall } of this.#seats.values()) if (mall === seat.mall) taken++
    if (taken >= SEATS_PER_MALL) throw new ApiRefusal(503, 'full', 'as many are listening as may: try again later')
    this.#seats.set(response, seat)
    response.on('close', () => this.#leave(response))
    this.#forgetLook ??= this.#clock.in(LOOK_EVERY_MS, () => this.#look())
  }

  /** Ends all of them. Safe to repeat. */
  close(): void {
    for (const response of this.#seats.keys()) response.end()
  }

  #leave(response: ServerResponse): void {
    this.#seats.delete(response)
    if (this.#seats.size > 0) return
    this.#forgetLook?.()
    this.#forgetLook = undefined
  }

  #look(): void {
    this.#forgetLook = this.#clock.in(LOOK_EVERY_MS, () => this.#look())
    for (const [response, { isAllowed }] of this.#seats) if (!isAllowed()) response.end()
  }
}
