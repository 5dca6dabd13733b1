// Drills: what somebody at the demo panel may do to a running mall, and what was done.
//
// Laws: one thing after the other, each bounded and safe to repeat; each says in words what it did, or why not. All of it
// happens to real members from outside, by the ways anyone could go: signals, requests, notes that are signed. Nothing
// here makes a gate admit anybody.

import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../ledger/account.ts'
import type { Mode } from '../../ledger/entry.ts'
import { moreSevere } from '../../ledger/mode.ts'
import type { Clock } from '../../mesh/clock.ts'
import { Refusal } from '../../mesh/window/route.ts'
import { Arms } from './arms.ts'
import { Client } from './client.ts'
import { CROWDS, type Crowd, type Doors } from './crowd.ts'
import { Cuts } from './cuts.ts'
import type { DemoState, MemberState } from './demo-state.ts'
import type { Home } from './home.ts'
import { Operators } from './operators.ts'
import { PEOPLE_MAX, Rush } from './rush.ts'

/** A member's process, as a drill handles it. */
export interface Member {
  readonly name: string
  readonly pid: number
  readonly url: string | undefined
  readonly isRunning: boolean
  start(): void
  kill(): Promise<void>
}

export interface DrillsOptions {
  readonly home: Home
  readonly anchor: Member
  readonly gates: readonly Member[]
  readonly doors: Doors
  readonly crowd: Crowd
  /** what the mall is set back to */
  readonly capacity: number
  readonly clock: Clock
  readonly seed: number
}

/** What a request says, before it is looked at. */
export type Wish = Readonly<Record<string, unknown>>

const PEOPLE = 40
const RUSHES_MAX = 5
/** A member that was started listens well within this. */
const START_MS_MAX = 15_000
const POLL_MS = 50
/** From listening to deciding, with the others in reach. */
const JOIN_MS_MAX = 5000
const NOT_YET = ['JOINING', 'FAULT']
/** After a calm: until every gate decides again. */
const CALM_MS_MAX = 20_000
/** How long a picture of everyone is shown to all who ask. */
const PICTURE_MS = 400
const WAITING_MAX = 8
const SHARES = { third: 3, half: 2, full: 1 } as const
const WHY = 'a drill of the demo panel'

export class Drills {
  readonly #o: DrillsOptions
  readonly #client = new Client()
  readonly #cuts: Cuts
  readonly #operators: Operators
  readonly #arms: Arms
  /** by gate: the process whose fire contact is closed */
  readonly #fires = new Map<string, number>()
  #rushes: Rush[] = []
  #rushCount = 0
  #isCapacityCut = false
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()
  #picture: { readonly at: number; readonly state: Promise<DemoState> } | undefined
  #isOver = false

  constructor(options: DrillsOptions) {
    this.#o = options
    const { home, anchor, gates, clock, doors } = options
    this.#cuts = new Cuts({ client: this.#client, anchor: anchor.name, gates })
    this.#operators = new Operators({ home, client: this.#client, clock, members: [anchor, ...gates] })
    this.#arms = new Arms({ client: this.#client, clock, doors })
  }

  /** What it did, in words. Throws a Refusal that says why not. */
  async act(wish: Wish): Promise<string> {
    if (this.#waiting >= WAITING_MAX) throw new Refusal(429, 'too much at once: wait for what is under way')
    this.#waiting++
    const done = this.#last.then(() => {
      if (this.#isOver) throw new Refusal(503, 'the mall is stopping')
      return this.#act(wish)
    })
    this.#last = done.catch(() => undefined)
    try {
      return await done
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      // a member that went away in the middle of it is the kind of thing that is tried out here
      if (error instanceof Refusal || code === undefined) throw error
      throw new Refusal(409, `it did not work: ${message}`, { cause: error })
    } finally {
      this.#waiting--
      this.#picture = undefined
    }
  }

  state(): Promise<DemoState> {
    const now = this.#o.clock.now()
    if (this.#picture === undefined || now - this.#picture.at > PICTURE_MS) {
      this.#picture = { at: now, state: this.#draw() }
    }
    return this.#picture.state
  }

  /** Nobody starts, comes or leaves by a drill any more; what is under way is waited for. */
  async close(): Promise<void> {
    this.#isOver = true
    for (const rush of this.#rushes) rush.stop()
    this.#arms.stop()
    await this.#last
    this.#client.close()
  }

  #act(wish: Wish): Promise<string> | string {
    switch (wish.do) {
      case 'rush':
        return this.#rush(this.#gate(wish), people(wish))
      case 'tailgate':
        return this.#arms.tailgate(this.#gate(wish), this.#o.gates.indexOf(this.#gate(wish)))
      case 'outage':
        return this.#arms.outage(this.#gate(wish))
      case 'kill':
        return this.#kill(this.#member(wish))
      case 'start':
        return this.#start(this.#member(wish))
      case 'cut':
        return this.#cut(this.#gate(wish))
      case 'halve':
        return this.#halve()
      case 'heal':
        return this.#heal(wish.gate === undefined ? undefined : this.#gate(wish))
      case 'trip':
        return this.#contact(this.#gate(wish), true)
      case 'release':
        return this.#contact(this.#gate(wish), false)
      case 'rearm':
        return this.#rearm()
      case 'capacity':
        return this.#capacity(wish.to)
      case 'crowd':
        return this.#crowd(wish.kind)
      case 'calm':
        return this.#calm()
      default:
        throw new Refusal(400, `do: there is no drill ${JSON.stringify(wish.do)?.slice(0, 40)}`)
    }
  }

  #gate({ gate }: Wish): Member {
    const found = this.#o.gates.find(({ name }) => name === gate)
    if (found !== undefined) return found
    throw new Refusal(400, `gate: one of ${this.#o.gates.map(({ name }) => name).join(', ')}`)
  }

  #member(wish: Wish): Member {
    return wish.gate === ANCHOR ? this.#o.anchor : this.#gate(wish)
  }

  #rush(gate: Member, count: number): string {
    const { clock, doors, seed, gates } = this.#o
    const busy = this.#rushes.filter(({ report }) => !report.isAnswered)
    if (busy.length >= RUSHES_MAX) throw new Refusal(409, `${busy.length} rushes are under way: wait for one to end`)
    const door = gates.indexOf(gate)
    const id = ++this.#rushCount
    const next = new Rush({ id, clock, doors, gate: gate.name, door, people: count, seed: seed + id })
    this.#rushes = [next, ...this.#rushes.filter(({ report }) => report.inside > 0 || !report.isAnswered)]
    next.start()
    const many = count === 1 ? 'one person is' : `${count} people are`
    return `${many} on the way to ${gate.name}${gate.url === undefined ? ', and will try the next door: it is down' : ''}`
  }

  async #kill(member: Member): Promise<string> {
    if (!member.isRunning) return `${member.name} is down already`
    const { pid } = member
    await member.kill()
    if (member.name === ANCHOR) return `the anchor (process ${pid}) is killed: nobody mints or audits, the gates go on`
    return `${member.name} (process ${pid}) is killed: what it held waits on its disk, and nobody else may use it`
  }

  async #start(member: Member): Promise<string> {
    if (member.isRunning && member.url !== undefined) return `${member.name} runs already`
    member.start()
    await this.#until(() => member.url !== undefined, START_MS_MAX, `${member.name} does not listen`)
    const isJoined = await this.#joins(member)
    const runs = `${member.name} runs again (process ${member.pid}), with the ledger it had`
    return isJoined ? runs : `${runs}; it has not heard from the others yet`
  }

  /** For a moment only: one that is cut off does not. */
  async #joins(member: Member): Promise<boolean> {
    const until = this.#o.clock.now() + JOIN_MS_MAX
    while (this.#o.clock.now() < until && !this.#isOver) {
      const { isJoined, state = 'FAULT' } = (await this.#said(member)) ?? {}
      if (isJoined ?? !NOT_YET.includes(state)) return true
      await sleep(POLL_MS)
    }
    return false
  }

  async #cut(gate: Member): Promise<string> {
    await this.#cuts.split([gate.name])
    return `${gate.name} is cut off from everyone: it goes on with the tokens it holds`
  }

  async #halve(): Promise<string> {
    const { gates } = this.#o
    const up = gates.filter(({ url }) => url !== undefined)
    if (up.length < 2) throw new Refusal(409, 'it takes two gates that run to cut the mall in half')
    const far = up.slice(Math.ceil(up.length / 2)).map(({ name }) => name)
    await this.#cuts.split(far)
    const verb = far.length === 1 ? 'is' : 'are'
    return `${far.join(', ')} ${verb} cut off from the rest and the anchor: each half goes on with what it holds`
  }

  async #heal(gate: Member | undefined): Promise<string> {
    if (!this.#cuts.isAny) return 'nobody is cut off'
    if (gate === undefined) await this.#cuts.healAll()
    else await this.#cuts.heal(gate.name)
    return gate === undefined ? 'all cuts are healed: they meet again' : `${gate.name} may meet the others again`
  }

  async #contact(gate: Member, closed: boolean): Promise<string> {
    const { pid } = gate
    await this.#arms.fire(gate, closed)
    if (closed) {
      this.#fires.set(gate.name, pid)
      return `the fire contact at ${gate.name} is closed: exits are free everywhere, nobody is let in`
    }
    this.#fires.delete(gate.name)
    return `the fire contact at ${gate.name} is open again: the mall stays in FIRE until two people re-arm it`
  }

  async #rearm(): Promise<string> {
    const closed = this.#o.gates.filter(gate => this.#isFireClosed(gate)).map(({ name }) => name)
    if (closed.length > 0) {
      throw new Refusal(409, `the fire contact at ${closed.join(', ')} is still closed: release it first`)
    }
    return this.#operators.rearm(WHY)
  }

  async #capacity(to: unknown): Promise<string> {
    const part = SHARES[to as keyof typeof SHARES]
    if (part === undefined) throw new Refusal(400, `to: one of ${Object.keys(SHARES).join(', ')}`)
    const said = await this.#operators.setCapacity(Math.max(1, Math.floor(this.#o.capacity / part)), WHY)
    this.#isCapacityCut = part > 1
    return said
  }

  async #crowd(kind: unknown): Promise<string> {
    const { crowd } = this.#o
    const wanted = CROWDS.find(one => one === kind)
    if (wanted === undefined) throw new Refusal(400, `kind: one of ${CROWDS.join(', ')}`)
    const { inside } = await this.#draw()
    const ours = this.#rushes.reduce((sum, { report }) => sum + report.inside, 0)
    crowd.turn(wanted, Math.max(0, inside - ours))
    return wanted === 'off' ? 'nobody comes any more; those inside go home' : `the crowd is ${wanted} now`
  }

  /** Everything as before the first drill, and everyone able to decide. What could not be done is told, the rest is. */
  async #calm(): Promise<string> {
    const { anchor, gates } = this.#o
    const all = [anchor, ...gates]
    const down = all.filter(({ url }) => url === undefined)
    for (const member of down) member.start()
    await this.#until(() => all.every(({ url }) => url !== undefined), START_MS_MAX, 'not everyone listens')
    await this.#cuts.healAll()
    for (const gate of gates) if (this.#isFireClosed(gate)) await this.#contact(gate, false)
    const mode = await this.#operators.mode()
    if (mode !== undefined && mode.mode !== 'NORMAL') await this.#operators.rearm(WHY)
    if (this.#isCapacityCut) await this.#capacityBack()
    await this.#until(async () => (await this.#draw()).isCalm, CALM_MS_MAX, 'not every gate decides again')
    return 'all is calm: everyone runs and meets everyone, exits and entries are as usual'
  }

  /** The anchor may be only just back. */
  async #capacityBack(): Promise<void> {
    const tried = async () => {
      try {
        await this.#capacity('full')
        return true
      } catch (error) {
        if (error instanceof Refusal) return false
        throw error
      }
    }
    await this.#until(tried, CALM_MS_MAX, 'the anchor does not take the usual capacity')
  }

  #isFireClosed(gate: Member): boolean {
    return gate.url !== undefined && this.#fires.get(gate.name) === gate.pid
  }

  async #until(holds: () => boolean | Promise<boolean>, msMax: number, not: string): Promise<void> {
    const until = this.#o.clock.now() + msMax
    while (!(await holds())) {
      if (this.#isOver) throw new Refusal(503, 'the mall is stopping')
      if (this.#o.clock.now() > until) throw new Refusal(409, `${not} after ${msMax / 1000} s: see the logs`)
      await sleep(POLL_MS)
    }
  }

  async #draw(): Promise<DemoState> {
    const { anchor, gates, crowd, capacity: usual } = this.#o
    const all = await Promise.all([anchor, ...gates].map(async member => ({ member, said: await this.#said(member) })))
    const [first, ...rest] = all.map(({ member, said }) => this.#memberState(member, said)) as [
      MemberState,
      MemberState,
    ]
    const occupancy = all.find(({ said }) => said !== undefined)?.said.occupancy ?? { count: 0, capacity: 0 }
    const mode = [first, ...rest].reduce<Mode>((worst, { says }) => moreSevere(worst, says?.mode ?? 'NORMAL'), 'NORMAL')
    const isWhole = (one: MemberState) => one.cutFrom.length === 0 && !one.isFireClosed && one.state === 'up'
    const isDeciding = ({ says }: MemberState) => says?.peers === gates.length && !NOT_YET.includes(says.state)
    return {
      anchor: first,
      gates: rest,
      mode,
      inside: occupancy.count,
      capacity: { now: occupancy.capacity, usual },
      crowd: { kind: crowd.kind, kinds: CROWDS },
      rushes: this.#rushes.map(({ report }) => report),
      isCalm: [first, ...rest].every(isWhole) && mode === 'NORMAL' && rest.every(isDeciding),
    }
  }

  /** What it says of itself; undefined while it does not answer. */
  async #said({ url }: Member) {
    const reply = url === undefined ? undefined : await this.#client.get(`${url}/status`).catch(() => undefined)
    return reply?.status === 200 ? reply.json : undefined
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a member says is looked at field by field
  #memberState(member: Member, said: any): MemberState {
    const { name, url, isRunning } = member
    const { state, mode, balance, peers } = said ?? {}
    return {
      name,
      url,
      state: url !== undefined ? 'up' : isRunning ? 'starting' : 'down',
      ...(said === undefined ? {} : { says: { state, mode, balance, peers } }),
      cutFrom: this.#cuts.from(name),
      isFireClosed: this.#isFireClosed(member),
    }
  }
}

function people({ people: said = PEOPLE }: Wish): number {
  if (Number.isInteger(said) && (said as number) >= 1 && (said as number) <= PEOPLE_MAX) return said as number
  throw new Refusal(400, `people: a whole number from 1 to ${PEOPLE_MAX}`)
}
