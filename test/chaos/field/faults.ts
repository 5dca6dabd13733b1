// Faults: each is begun and ended here, alone or on top of others.
//
// Law: what is done to processes and disks is done one thing after the other; what lasts is a claim with a name of its own,
// so that the end of one fault takes away nothing that another one still wants.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../../ledger/account.ts'
import { LoopDisk } from '../../store/mount.ts'
import type { Fault, Lost } from '../fault.ts'
import type { Deeds } from './deeds.ts'
import type { Member } from './member.ts'
import { isOfNetwork, type NetworkFault, rulesOf } from './rules.ts'
import type { Switch } from './switch.ts'

const FLAP_MS = 1500
/** How long operators try before they leave it at that. */
const DEED_MS_MAX = 8000

export interface FaultsOptions {
  /** the anchor first */
  readonly members: readonly Member[]
  readonly switch: Switch
  readonly deeds: Deeds
  /** what it goes back to */
  readonly capacity: number
  /** folder for stores that were taken away */
  readonly lostAt: string
  readonly lost: Lost[]
  readonly say: (line: string) => void
}

type End = () => Promise<void>

export class Faults {
  readonly #o: FaultsOptions
  readonly #network = new Map<symbol, NetworkFault>()
  readonly #capacities = new Map<symbol, number>()
  readonly #ends = new Set<End>()
  readonly #repeating = new Set<AbortController>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: FaultsOptions) {
    this.#o = options
  }

  async begin(fault: Fault): Promise<End> {
    const why = Symbol(fault.kind)
    const undo = isOfNetwork(fault) ? await this.#beginOnNetwork(fault, why) : await this.#begin(fault, why)
    let ending: Promise<void> | undefined
    const end = () => {
      this.#ends.delete(end)
      ending ??= undo()
      return ending
    }
    this.#ends.add(end)
    return end
  }

  async endAll(): Promise<void> {
    for (const end of [...this.#ends]) await end()
  }

  /** What repeats itself stops; what was done stays as it is. */
  async rest(): Promise<void> {
    for (const one of this.#repeating) one.abort()
    await this.#last
  }

  #begin(fault: Exclude<Fault, NetworkFault>, why: symbol): Promise<End> {
    switch (fault.kind) {
      case 'kill':
        return this.#hold([this.#member(fault.member)], why)
      case 'anchor-gone':
        return this.#hold([this.#member(ANCHOR)], why)
      case 'wipe':
        return this.#wipe(this.#member(fault.member), why)
      case 'power':
        return this.#cutPower(why)
      case 'stop':
        return this.#freeze(this.#member(fault.member))
      case 'restart-storm':
        return this.#storm(
          fault.members.map(name => this.#member(name)),
          fault.everyMs,
          why,
        )
      case 'disk-full':
        return this.#fill(this.#member(fault.member), why)
      case 'io-error':
        return this.#fail(this.#member(fault.member), why)
      case 'clock':
        return this.#jump(this.#member(fault.member), fault.byMs, why)
      case 'capacity':
        return this.#setCapacity(fault.to, why)
      case 'mode':
        return this.#raise(fault)
    }
  }

  async #beginOnNetwork(fault: NetworkFault, why: symbol): Promise<End> {
    this.#network.set(why, fault)
    await this.#rule()
    const flapping = fault.kind === 'flapping' ? this.#flap(fault, why) : undefined
    return async () => {
      flapping?.abort()
      this.#network.delete(why)
      await this.#rule()
    }
  }

  #rule(): Promise<void> {
    return this.#o.switch.rule(rulesOf(this.#network.values()))
  }

  #flap(fault: NetworkFault & { readonly everyMs?: number }, why: symbol): AbortController {
    return this.#repeat(fault.everyMs ?? FLAP_MS, async () => {
      if (!this.#network.delete(why)) this.#network.set(why, fault)
      await this.#rule()
    })
  }

  async #hold(members: readonly Member[], why: symbol): Promise<End> {
    await this.#turn(() => Promise.all(members.map(member => member.holdFor(why))))
    return () => this.#turn(() => Promise.all(members.map(member => member.releaseFor(why))))
  }

  async #wipe(member: Member, why: symbol): Promise<End> {
    const { lost, lostAt } = this.#o
    await this.#turn(async () => {
      await member.holdFor(why)
      const folder = join(lostAt, `${member.name}-${lost.length + 1}`)
      await member.disk.wipe(folder)
      lost.push({ member: member.name, store: join(folder, 'store') })
    })
    return () => this.#turn(() => member.releaseFor(why))
  }

  /** In this order: nobody writes any more, nothing more reaches a disk, nobody runs. */
  async #cutPower(why: symbol): Promise<End> {
    const { members } = this.#o
    await this.#turn(async () => {
      await Promise.all(members.map(member => member.freeze()))
      await LoopDisk.cutPower(members.map(({ disk }) => disk.loop))
      await Promise.all(members.map(member => member.holdFor(why)))
      await Promise.all(members.map(({ disk }) => disk.remount()))
    })
    return () => this.#turn(() => Promise.all(members.map(member => member.releaseFor(why))))
  }

  async #freeze(member: Member): Promise<End> {
    await this.#turn(() => member.freeze())
    return () => this.#turn(async () => member.signal('SIGCONT'))
  }

  async #storm(members: readonly Member[], everyMs: number, why: symbol): Promise<End> {
    const again = () =>
      this.#turn(async () => {
        await Promise.all(members.map(member => member.holdFor(why)))
        await Promise.all(members.map(member => member.releaseFor(why)))
      })
    await again()
    const storm = this.#repeat(everyMs, again)
    return async () => storm.abort()
  }

  async #fill({ disk }: Member, why: symbol): Promise<End> {
    await this.#turn(async () => disk.fillFor(why))
    return () => this.#turn(() => disk.emptyFor(why))
  }

  async #fail({ disk }: Member, why: symbol): Promise<End> {
    disk.failFor(why)
    return async () => disk.workFor(why)
  }

  async #jump(member: Member, byMs: number, why: symbol): Promise<End> {
    member.jumpFor(why, byMs)
    return async () => member.jumpBackFor(why)
  }

  async #setCapacity(to: number, why: symbol): Promise<End> {
    this.#capacities.set(why, to)
    await this.#applyCapacity()
    return async () => {
      this.#capacities.delete(why)
      await this.#applyCapacity()
    }
  }

  async #applyCapacity(): Promise<void> {
    const { deeds, say, capacity } = this.#o
    const to = [...this.#capacities.values()].at(-1) ?? capacity
    if (!this.#member(ANCHOR).isRunning) return say(`a capacity of ${to} waits: the anchor is down`)
    if (!(await deeds.setCapacity(to, DEED_MS_MAX))) say(`a capacity of ${to} waits: the anchor cannot be reached`)
  }

  async #raise({ mode, at }: Extract<Fault, { kind: 'mode' }>): Promise<End> {
    const { deeds, say } = this.#o
    const why = await deeds.raise(mode, at)
    if (why !== undefined) {
      say(`${mode} was not raised at ${at}: ${why}`)
      return async () => undefined
    }
    return async () => {
      if (!(await deeds.calm(DEED_MS_MAX))) say(`not every gate in reach has heard yet that ${mode} is over`)
    }
  }

  /** Until it is aborted: `act`, after a pause each time. */
  #repeat(everyMs: number, act: () => Promise<void>): AbortController {
    const cut = new AbortController()
    const { signal } = cut
    const run = async () => {
      while (!signal.aborted) {
        await sleep(everyMs, undefined, { signal }).catch(() => undefined)
        if (!signal.aborted) await act()
      }
    }
    this.#repeating.add(cut)
    run()
      .catch(error => this.#o.say(`a fault that repeats itself ended: ${(error as Error).message}`))
      .finally(() => this.#repeating.delete(cut))
    return cut
  }

  async #turn(act: () => Promise<unknown>): Promise<void> {
    const done = this.#last.then(act)
    this.#last = done.catch(() => undefined)
    await done
  }

  #member(name: string): Member {
    const found = this.#o.members.find(member => member.name === name)
    if (found === undefined) throw new Error(`a fault at ${name}, who is no member`)
    return found
  }
}
