// Sim routes: people at a played turnstile, sent by HTTP. Only a gate whose driver is `sim` has them, and such a gate is
// reached from its own machine only.
//
// Laws: whoever is sent walks through the model, and the gate hears of them by its sensors alone. The same id sent twice
// is one person. Nothing here opens an arm.

import type { Outcome, Way } from '../hardware/sim/person.ts'
import type { SimIo } from '../hardware/sim/sim-io.ts'
import { isUuid7 } from '../ledger/line.ts'
import type { Clock } from '../mesh/clock.ts'
import { type Asked, json, Refusal, type Reply, type Route } from '../mesh/window/route.ts'
import type { Door, Entered } from './door.ts'
import type { Left } from './exits.ts'
import { shows } from './pass.ts'
import { standing } from './turnstile.ts'
import type { Visitors } from './visitors.ts'

export interface SimDeskOptions {
  readonly door: Door
  readonly clock: Clock
  readonly newId: () => string
  readonly pass?: string
}

/** Whoever walked out is counted a moment later, once the contact is still; if not by then, no sensor saw them. */
const COUNTED_MS_MAX = 1500
/** People whose visit is remembered, so that the same one again gets the same answer. */
const VISITS_MAX = 2000

export class SimDesk implements Visitors {
  readonly #o: SimDeskOptions
  readonly #visits = new Map<string, Promise<Reply>>()
  /** people before an arm, with the answer they got */
  readonly #coming = new Map<string, Entered | undefined>()
  readonly #leaving = new Map<string, (left: Left) => void>()

  #sim: SimIo | undefined

  constructor(options: SimDeskOptions) {
    this.#o = options
  }

  /** The model, once the driver has opened it; a new one after every start. */
  play(sim: SimIo): void {
    this.#sim = sim
  }

  get routes(): readonly Route[] {
    return [
      { method: 'GET', path: '/turnstile/sim', isPrivate: true, answer: () => json(200, this.#state()) },
      { method: 'POST', path: '/turnstile/sim', answer: asked => this.#act(asked) },
    ]
  }

  asker(lane: string): string | undefined {
    return this.#sim?.lane(lane).takeAsker()
  }

  answered(lane: string, entered: Entered): void {
    if (this.#coming.has(entered.id)) this.#coming.set(entered.id, entered)
    if (entered.decision !== 'ADMIT') this.#sim?.lane(lane).sendAway()
  }

  /** On the way of somebody who leaves: a lane that is not there must not be an error. */
  leaver(lane: string): string | undefined {
    return this.#sim?.outputs.has(lane) ? this.#sim.lane(lane).takeLeaver() : undefined
  }

  left(_lane: string, left: Left): void {
    this.#leaving.get(left.id)?.(left)
  }

  #state(): object {
    const { truth, waiting, figures } = this.#model()
    return { truth, waiting, figures }
  }

  #model(): SimIo {
    if (this.#sim === undefined) throw new Refusal(503, 'the turnstile is not there yet')
    return this.#sim
  }

  async #act(asked: Asked): Promise<Reply> {
    if (!shows(asked.authorization, this.#o.pass)) {
      throw new Refusal(401, 'this gate has a pass: send it as "Authorization: Bearer PASS"')
    }
    const sim = this.#model()
    const said = wordsIn(await asked.body())
    const lane = laneIn(said, sim)
    switch (said.do) {
      case 'in':
      case 'out':
        return this.#visit(said.do, said, {})
      case 'tailgate':
        return this.#visit('in', said, { isFollowed: true })
      case 'turn':
        return this.#visit('in', said, { turnsRound: true })
      case 'fire':
      case 'key':
        sim.contact(said.do, flagIn(said, 'active'))
        break
      case 'power':
        sim.power(flagIn(said, 'on'), lane)
        break
      case 'wire':
        sim.wire(flagIn(said, 'whole'), lane)
        break
      default:
        throw new Refusal(400, 'do: one of in, out, tailgate, turn, fire, key, power, wire')
    }
    return json(200, { do: said.do, ...this.#state() })
  }

  #visit(way: Way, said: Words, intent: object): Promise<Reply> {
    const { id = this.#o.newId(), lane } = said
    if (typeof id !== 'string' || !isUuid7(id)) throw new Refusal(400, 'id: a UUIDv7 in lower case, or none')
    const key = `${way} ${id}`
    const before = this.#visits.get(key)
    if (before !== undefined) return before
    const visit = way === 'in' ? this.#comes(id, { ...intent, ...laneOf(lane) }) : this.#goes(id, laneOf(lane))
    this.#visits.set(key, visit)
    if (this.#visits.size > VISITS_MAX) this.#visits.delete(this.#visits.keys().next().value as string)
    return visit
  }

  async #comes(id: string, intent: object): Promise<Reply> {
    const { door } = this.#o
    // nobody goes up to an arm that a fire has freed, and an arm that is free asks for nobody
    if (door.gate?.me.modes.effective === 'FIRE') return this.#entry(await door.enter(id, SURE), AWAY)
    this.#coming.set(id, undefined)
    const outcome = await this.#model().person('in', { id, ...intent })
    const entered = this.#coming.get(id)
    this.#coming.delete(id)
    return this.#entry(entered ?? { id, ...UNASKED }, outcome)
  }

  #entry(entered: Omit<Entered, 'decision'> & { readonly decision: string | null }, outcome: Outcome): Reply {
    const { id, decision, reason, source, latencyUs } = entered
    const answer = { id, decision, reason, source: source ?? null, latencyUs, ...standing(this.#o) }
    return json(200, { ...answer, ...passedOf(outcome) })
  }

  async #goes(id: string, intent: object): Promise<Reply> {
    const counted = this.#counted(id)
    const outcome = await this.#model().person('out', { id, ...intent })
    const left = outcome.walked ? await counted.within(COUNTED_MS_MAX) : undefined
    this.#leaving.delete(id)
    return json(200, { id, credited: left?.credited ?? false, isSeen: left !== undefined, ...passedOf(outcome) })
  }

  #counted(id: string): { readonly within: (ms: number) => Promise<Left | undefined> } {
    const { promise, resolve } = Promise.withResolvers<Left | undefined>()
    this.#leaving.set(id, resolve)
    return {
      within: ms => {
        const forget = this.#o.clock.in(ms, () => resolve(undefined))
        return promise.finally(forget)
      },
    }
  }
}

/** Nobody asked for them: the arm was open for somebody who had turned round, or nothing held it. */
const UNASKED = { decision: null, reason: 'nobody asked', latencyUs: 0 } as const
const AWAY: Outcome = { lane: '', walked: false, why: 'sent-away', followers: 0 }
const SURE = 1000

function passedOf({ walked, why, lane, followers }: Outcome): object {
  return { passed: walked, why, lane, followers }
}

type Words = Readonly<Record<string, unknown>>

function wordsIn(body: string): Words {
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch (error) {
    throw new Refusal(400, 'the body is not JSON', { cause: error })
  }
  if (typeof said === 'object' && said !== null && !Array.isArray(said)) return said as Words
  throw new Refusal(400, 'the body is no JSON object, as in {"do": "in"}')
}

function laneIn({ lane }: Words, sim: SimIo): string | undefined {
  const names = [...sim.outputs.keys()]
  if (lane === undefined) return undefined
  if (typeof lane === 'string' && names.includes(lane)) return lane
  throw new Refusal(400, `lane: one of ${names.join(', ')}, or none`)
}

function laneOf(lane: unknown): { readonly lane?: string } {
  return typeof lane === 'string' ? { lane } : {}
}

function flagIn(said: Words, key: string): boolean {
  const value = said[key]
  if (typeof value === 'boolean') return value
  throw new Refusal(400, `${key}: true or false`)
}
