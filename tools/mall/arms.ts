// Arms: what somebody at the demo panel may do to the played turnstile of one gate. The gate hears of it by its sensors.

import type { Clock } from '../../mesh/clock.ts'
import { Refusal } from '../../mesh/window/route.ts'
import type { Client, Reply } from './client.ts'
import type { Doors } from './crowd.ts'

interface Gate {
  readonly name: string
  readonly url: string | undefined
}

/** Who was followed in stays a little, and so does who followed. */
const STAY_MS = 15_000
/** Longer than anybody holds an arm, so that the gate can tell that it is the power. */
const OUTAGE_MS = 8000

export class Arms {
  readonly #client: Client
  readonly #clock: Clock
  readonly #doors: Doors
  readonly #planned = new Set<() => void>()

  constructor(a: { client: Client; clock: Clock; doors: Doors }) {
    this.#client = a.client
    this.#clock = a.clock
    this.#doors = a.doors
  }

  /** The fire loop; by hand where the gate plays no arms. */
  async fire(gate: Gate, isRaised: boolean): Promise<void> {
    const reply = await this.#ask(gate, { do: 'fire', active: isRaised })
    if (reply.status !== 404) return this.#check(gate, reply)
    const byHand = { contact: 'fire', closed: isRaised }
    this.#check(gate, await this.#client.post(`${gate.url}/turnstile/contact`, byHand))
  }

  async tailgate(gate: Gate, door: number): Promise<string> {
    const reply = await this.#ask(gate, { do: 'tailgate' })
    this.#check(gate, reply)
    const { passed, decision, followers } = reply.json
    if (!passed) return `${gate.name} let nobody in (${decision}), so there was nobody to follow`
    for (let i = 0; i <= followers; i++) this.#in(STAY_MS, () => void this.#doors.leave(door, 0))
    return `two came in at ${gate.name}, and one was let in: its arm turned twice, and the second costs a token too`
  }

  async outage(gate: Gate): Promise<string> {
    this.#check(gate, await this.#ask(gate, { do: 'power', on: false }))
    this.#in(OUTAGE_MS, () => void this.#ask(gate, { do: 'power', on: true }).catch(() => undefined))
    const what = `the arms of ${gate.name} are without power for ${OUTAGE_MS / 1000} s`
    return `${what}: free both ways, and the gate says that it is blind`
  }

  stop(): void {
    for (const cancel of this.#planned) cancel()
    this.#planned.clear()
  }

  #ask(gate: Gate, wish: object): Promise<Reply> {
    if (gate.url === undefined) throw new Refusal(409, `${gate.name} is down: it has no contact to read`)
    return this.#client.post(`${gate.url}/turnstile/sim`, wish)
  }

  #check({ name }: Gate, { status, json }: Reply): void {
    if (status !== 200) throw new Refusal(409, `${name} refuses: ${json?.error ?? status}`)
  }

  #in(ms: number, act: () => void): void {
    const cancel = this.#clock.in(ms, () => {
      this.#planned.delete(cancel)
      act()
    })
    this.#planned.add(cancel)
  }
}
