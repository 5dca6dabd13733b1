// Flows: what each account has sent to and received from each other by a moment of the replay.
//
// While anyone has received more than was sent, the ledgers stand at different moments, and their sum means nothing.

import type { Account } from '../account.ts'

interface Flow {
  sent: number
  received: number
}

export class Flows {
  readonly #pairs = new Map<Account, Map<Account, Flow>>()
  #uneven = 0

  /** Has anyone received what was not sent yet? */
  get isUneven(): boolean {
    return this.#uneven > 0
  }

  sent(from: Account, to: Account): number {
    return this.#pairs.get(from)?.get(to)?.sent ?? 0
  }

  received(from: Account, to: Account): number {
    return this.#pairs.get(from)?.get(to)?.received ?? 0
  }

  inFlight(from: Account, to: Account): number {
    return this.sent(from, to) - this.received(from, to)
  }

  setSent(from: Account, to: Account, sum: number): void {
    const flow = this.#flow(from, to)
    const before = isUneven(flow)
    flow.sent = sum
    this.#count(before, flow)
  }

  setReceived(from: Account, to: Account, sum: number): void {
    const flow = this.#flow(from, to)
    const before = isUneven(flow)
    flow.received = sum
    this.#count(before, flow)
  }

  #count(before: boolean, flow: Flow): void {
    this.#uneven += Number(isUneven(flow)) - Number(before)
  }

  #flow(from: Account, to: Account): Flow {
    let takers = this.#pairs.get(from)
    if (takers === undefined) {
      takers = new Map()
      this.#pairs.set(from, takers)
    }
    let flow = takers.get(to)
    if (flow === undefined) {
      flow = { sent: 0, received: 0 }
      takers.set(to, flow)
    }
    return flow
  }
}

function isUneven({ sent, received }: Flow): boolean {
  return received > sent
}
