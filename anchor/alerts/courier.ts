// Courier: an outbox on disk for every receiver, emptied in order.
//
// Laws: what was put in is delivered at least once within a day, across crashes and outages, or its loss is counted and
// said. A receiver that is slow or dead delays nobody but itself.

import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Family } from '../../mesh/window/prometheus.ts'
import type { Notice } from './alert.ts'
import { type Delivery, type Receiver, Unwanted } from './receiver.ts'
import type { Tray } from './tray.ts'

export interface CourierOptions {
  readonly mall: string
  readonly tray: Tray
  readonly clock: Clock
  readonly log: Log
  readonly receivers: readonly Receiver[]
  /** from 0 to 1 */
  readonly chance: () => number
}

interface Waiting {
  readonly delivery: Delivery
  tries: number
  /** mono ms */
  from: number
}

interface Outbox {
  readonly receiver: Receiver
  readonly waiting: Map<string, Waiting>
  isBusy: boolean
  failures: number
  /** mono ms */
  restsUntil: number
  delivered: number
  lost: number
}

const PREFIX = 'delivery/'
const END = '~'
const FIRST_REST_MS = 1000
const REST_MS_MAX = 300_000
const GIVE_UP_MS = 24 * 3_600_000
/** A day of the alert book's limit is more; nobody reads these any more. */
const WAITING_MAX = 5000

export class Courier {
  readonly #o: CourierOptions
  readonly #outboxes: readonly Outbox[]
  #isStopped = false

  constructor(options: CourierOptions) {
    this.#o = options
    this.#outboxes = options.receivers.map(receiver => ({
      receiver,
      waiting: new Map(),
      isBusy: false,
      failures: 0,
      restsUntil: Number.NEGATIVE_INFINITY,
      delivered: 0,
      lost: 0,
    }))
  }

  /** Reads back what was not delivered. */
  async start(): Promise<void> {
    const { tray, clock, log } = this.#o
    const byId = new Map(this.#outboxes.map(outbox => [outbox.receiver.id, outbox]))
    let orphans = 0
    for await (const items of tray.cabinet.read({ from: PREFIX, to: PREFIX + END })) {
      for (const [key, value] of items) {
        const outbox = byId.get(key.split('/')[1] as string)
        const delivery = JSON.parse(value) as Delivery
        if (outbox !== undefined) outbox.waiting.set(delivery.id, { delivery, tries: 0, from: clock.now() })
        else {
          orphans++
          tray.put(key, undefined)
        }
      }
    }
    if (orphans > 0) log.warn('delivery', { what: `${orphans} for receivers that are not in the config any more` })
  }

  /** Into every outbox; the tray writes it down. */
  enqueue(notice: Notice): void {
    const { id, at, alert } = notice
    const delivery: Delivery = { id, at, code: alert.code, body: JSON.stringify(notice) }
    for (const outbox of this.#outboxes) {
      outbox.waiting.set(id, { delivery, tries: 0, from: Number.NEGATIVE_INFINITY })
      this.#o.tray.put(keyOf(outbox, delivery), JSON.stringify(delivery))
      const oldest = outbox.waiting.values().next().value
      if (outbox.waiting.size > WAITING_MAX && oldest !== undefined)
        this.#lose(outbox, oldest.delivery, 'too many wait')
    }
  }

  /** Sends what is due; never waits for it. */
  pump(): void {
    for (const outbox of this.#outboxes) this.#pumpOne(outbox)
  }

  get waiting(): number {
    return this.#outboxes.reduce((sum, { waiting }) => sum + waiting.size, 0)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#o.receivers.map(receiver => receiver.stop()))
  }

  families(): Family[] {
    const of = (type: 'counter' | 'gauge', name: string, help: string, value: (outbox: Outbox) => number): Family => ({
      name,
      help,
      type,
      samples: this.#outboxes.map(outbox => ({
        labels: { mall: this.#o.mall, receiver: outbox.receiver.label },
        value: value(outbox),
      })),
    })
    return [
      of('counter', 'gatemesh_notices_delivered_total', 'Notices a receiver took.', o => o.delivered),
      of('counter', 'gatemesh_notices_lost_total', 'Notices given up after a day.', o => o.lost),
      of('gauge', 'gatemesh_notices_waiting', 'Notices not delivered yet.', o => o.waiting.size),
    ]
  }

  #pumpOne(outbox: Outbox): void {
    const now = this.#o.clock.now()
    if (this.#isStopped || outbox.isBusy || now < outbox.restsUntil || !outbox.receiver.isReady) return
    const wall = this.#o.clock.wall()
    for (const { delivery } of outbox.waiting.values()) {
      if (wall - delivery.at <= GIVE_UP_MS) break
      this.#lose(outbox, delivery, 'nobody took it for a day')
    }
    const next = [...outbox.waiting.values()].find(waiting => waiting.from <= now)
    if (next === undefined) return
    outbox.isBusy = true
    next.tries++
    this.#send(outbox, next).finally(() => {
      outbox.isBusy = false
      this.#pumpOne(outbox)
    })
  }

  async #send(outbox: Outbox, next: Waiting): Promise<void> {
    const { receiver } = outbox
    try {
      await receiver.send(next.delivery)
      if (this.#isStopped) return
      outbox.failures = 0
      outbox.delivered++
      outbox.waiting.delete(next.delivery.id)
      this.#o.tray.put(keyOf(outbox, next.delivery), undefined)
    } catch (error) {
      if (this.#isStopped) return
      const what = (error as Error).message
      const now = this.#o.clock.now()
      if (error instanceof Unwanted) next.from = now + this.#rest(next.tries)
      else outbox.restsUntil = now + this.#rest(++outbox.failures)
      if (next.tries === 1) this.#o.log.warn('delivery', { to: receiver.label, what, id: next.delivery.id })
    }
  }

  /** Twice as long each time, and never quite the same: receivers come back to a queue, not to a crowd. */
  #rest(tries: number): number {
    const rest = Math.min(REST_MS_MAX, FIRST_REST_MS * 2 ** Math.min(20, tries - 1))
    return rest * (0.75 + this.#o.chance() / 4)
  }

  #lose(outbox: Outbox, delivery: Delivery, why: string): void {
    outbox.waiting.delete(delivery.id)
    outbox.lost++
    this.#o.tray.put(keyOf(outbox, delivery), undefined)
    this.#o.log.error('delivery', { to: outbox.receiver.label, what: `given up: ${why}`, id: delivery.id })
  }
}

function keyOf({ receiver }: Outbox, { id }: Delivery): string {
  return `${PREFIX}${receiver.id}/${id}`
}
