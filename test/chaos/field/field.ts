// Field: a mall of real processes, each on a network host and a disk of its own, and everything that can be done to it.
//
// Two networks: members hear each other through the switch alone, which does what the rules say; people, operators and the
// checker come in by a second one that nothing happens to.
//
// Laws: what one fault does, its end undoes, whatever else is going on; a member runs while nobody holds it down. Nothing is
// done to processes, hosts or disks that were not made here, and all of them are gone with us.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../../ledger/account.ts'
import { Home } from '../../../tools/mall/home.ts'
import type { Reachable } from '../../../tools/mall/operators.ts'
import { writeMemberFile } from '../../../tools/member-file.ts'
import { Lab } from '../../lab/lab.ts'
import type { Death, Fault, Field, FieldOptions, Lost } from '../fault.ts'
import { Deeds } from './deeds.ts'
import { Disk } from './disk.ts'
import { Faults } from './faults.ts'
import { Member } from './member.ts'
import { type Carried, Switch } from './switch.ts'
import { buildTools, whyNoTools } from './workshop.ts'

const LAN = '10.200.0'
const HTTP_PORT = 8080
const START_MS_MAX = 120_000
const WHOLE_MS_MAX = 120_000
const GATES_END_MS_MAX = 12_000
const PAUSE_MS = 200
/** States of a gate that decides, and has everyone it needs. */
const WELL = ['NORMAL', 'EXHAUSTED']

/** One line why there can be no field here; undefined where there can. */
export async function whyNoField(): Promise<string | undefined> {
  const scratch = mkdtempSync(join(tmpdir(), 'field-'))
  try {
    return await whyNoTools(scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

export async function openField(options: FieldOptions): Promise<OpenField> {
  const field = new OpenField(options)
  try {
    await field.build()
  } catch (error) {
    await field.close(true)
    throw error
  }
  return field
}

export class OpenField implements Field {
  readonly members: readonly string[]
  readonly dir: string
  readonly deaths: Death[] = []
  readonly lost: Lost[] = []
  readonly #o: FieldOptions
  readonly #byName = new Map<string, Member>()
  readonly #onExit = () => this.#endNow()
  readonly #onTerm = () => process.exit(143)
  readonly #onInt = () => process.exit(130)
  #lab: Lab | undefined
  #disks: Disk[] = []
  #switch: Switch | undefined
  #deeds: Deeds | undefined
  #faults: Faults | undefined
  #closing: Promise<void> | undefined

  constructor(options: FieldOptions) {
    this.#o = options
    this.dir = options.dir
    this.members = [
      ANCHOR,
      ...Array.from({ length: options.gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`),
    ]
  }

  /** Everything but the processes of members. */
  async build(): Promise<void> {
    const { dir, gates, legalMax, seed } = this.#o
    process.on('exit', this.#onExit)
    // with nobody who listens, these would end us with all of it left behind
    if (process.listenerCount('SIGTERM') === 0) process.on('SIGTERM', this.#onTerm)
    if (process.listenerCount('SIGINT') === 0) process.on('SIGINT', this.#onInt)
    const [disks, knobs] = ['disks', 'knobs'].map(name => join(dir, name)) as [string, string]
    for (const folder of [disks, knobs]) mkdirSync(folder, { recursive: true })
    await Home.found(dir, { gates, legalMax })
    const home = await Home.open(dir)
    const tools = await buildTools(join(dir, 'tools'))
    for (const name of this.members) this.#disks.push(await Disk.make({ disks, knobs, name }))
    const lab = await Lab.open(this.members.length)
    this.#lab = lab
    const prefix = `${lab.tag}t`
    this.#switch = await Switch.open({ command: tools.switch, seed, prefix, names: this.members })
    for (const [i, name] of this.members.entries()) {
      await this.#connect(lab, i, `${prefix}${i}`)
      const { ip } = lab.host(i)
      await writeMemberFile(dir, name, {
        store: `disks/${name}/store`,
        listen: `${lanOf(i)}:4500`,
        mdns: { interface: lanOf(i) },
        http: { host: ip, port: HTTP_PORT },
      })
      const member = new Member({
        dir,
        name,
        build: this.#o.build,
        disk: this.#disks[i] as Disk,
        url: `http://${ip}:${HTTP_PORT}`,
        through: lab.through(i),
        preload: tools.preload,
        knobs,
        logs: home.logs,
        say: line => this.#say(line),
        died: (how, lastWords) => this.deaths.push({ member: name, at: Date.now(), how, lastWords }),
      })
      this.#byName.set(name, member)
    }
    this.#deeds = new Deeds(home, [...this.#byName.values()])
    this.#faults = new Faults({
      members: [...this.#byName.values()],
      switch: this.#switch,
      deeds: this.#deeds,
      capacity: this.#o.capacity,
      lostAt: join(dir, 'lost'),
      lost: this.lost,
      say: line => this.#say(line),
    })
  }

  urlOf(member: string): string {
    return this.member(member).address
  }

  folderOf(member: string): string {
    return this.member(member).disk.at
  }

  storeOf(member: string): string {
    return this.member(member).disk.store
  }

  member(name: string): Member {
    const found = this.#byName.get(name)
    if (found === undefined) throw new Error(`no member is called ${name}: ${this.members.join(', ')}`)
    return found
  }

  /** A member's address on the network that faults happen to. */
  lanOf(member: string): string {
    this.member(member)
    return lanOf(this.members.indexOf(member))
  }

  carried(): Promise<Carried> {
    return this.#built(this.#switch).carried()
  }

  async start(): Promise<void> {
    const deeds = this.#built(this.#deeds)
    for (const member of this.#byName.values()) await member.start()
    await this.#until('the anchor runs', START_MS_MAX, () => this.#wrongAtAnchor())
    if (!(await deeds.setCapacity(this.#o.capacity, START_MS_MAX))) throw new Error('the anchor took no policy')
    await this.#untilWhole(START_MS_MAX)
  }

  begin(fault: Fault): Promise<() => Promise<void>> {
    return this.#built(this.#faults).begin(fault)
  }

  async heal(): Promise<void> {
    await this.#built(this.#faults).endAll()
    const deeds = this.#built(this.#deeds)
    for (const member of this.#byName.values()) {
      member.signal('SIGCONT')
      await member.start()
    }
    const until = performance.now() + WHOLE_MS_MAX
    if (!(await deeds.setCapacity(this.#o.capacity, WHOLE_MS_MAX))) {
      throw new Error(`the anchor takes no policy after ${WHOLE_MS_MAX / 1000} s: ${await deeds.anchorState()}`)
    }
    await deeds.calm(until - performance.now())
    await this.#untilWhole(until - performance.now())
  }

  async stop(): Promise<void> {
    await this.#faults?.rest()
    const all = [...this.#byName.values()]
    for (const member of all) member.signal('SIGCONT')
    const [anchor, ...gates] = all
    await Promise.all(gates.map(ended))
    if (anchor !== undefined) await ended(anchor)
  }

  close(keep = false): Promise<void> {
    this.#closing ??= this.#close(keep)
    return this.#closing
  }

  async #close(keep: boolean): Promise<void> {
    await this.#faults?.rest()
    await Promise.all([...this.#byName.values()].map(member => member.kill()))
    for (const member of this.#byName.values()) member.close()
    this.#deeds?.close()
    await this.#switch?.close()
    await this.#lab?.close()
    for (const disk of this.#disks) await disk.remove(keep)
    process.off('exit', this.#onExit)
    process.off('SIGTERM', this.#onTerm)
    process.off('SIGINT', this.#onInt)
    if (!keep) await rm(this.dir, { recursive: true, force: true, maxRetries: 3 })
  }

  /** A cable from a host to the switch; multicast goes there, and the ones people use lead to us alone. */
  async #connect(lab: Lab, i: number, tap: string): Promise<void> {
    const { name } = lab.host(i)
    await lab.configure([`link set ${lab.port(i)} type bridge_slave isolated on`, `link set ${tap} netns ${name}`])
    await lab.configure(
      [
        `link set ${tap} name lan`,
        `addr add ${lanOf(i)}/24 dev lan`,
        'link set lan up',
        'route replace 224.0.0.0/4 dev lan',
      ],
      name,
    )
  }

  async #untilWhole(msMax: number): Promise<void> {
    const gates = this.#built(this.#deeds).gates
    await this.#until('the mall is whole', msMax, async () => {
      const wrong = await Promise.all([this.#wrongAtAnchor(), ...gates.map(gate => this.#wrongAt(gate))])
      return wrong.flat()
    })
  }

  async #wrongAtAnchor(): Promise<string[]> {
    const state = await this.#built(this.#deeds).anchorState()
    return WELL.includes(state) ? [] : [`anchor: ${state}`]
  }

  async #wrongAt(gate: Reachable): Promise<string[]> {
    const { name, url } = gate
    const deeds = this.#built(this.#deeds)
    const status = await deeds.status(gate)
    if (status === undefined) return [`${name}: ${url === undefined ? 'down' : 'no answer'}`]
    const { state, peers, policyVersion, fault = '' } = status
    const others = this.members.length - 1
    if (!WELL.includes(state)) return [`${name}: ${state} ${fault}`]
    if (peers < others) return [`${name}: hears ${peers} of ${others}`]
    return policyVersion < deeds.version ? [`${name}: policy ${policyVersion} of ${deeds.version}`] : []
  }

  async #until(what: string, msMax: number, wrong: () => Promise<readonly string[]>): Promise<void> {
    let last: readonly string[] = []
    for (const until = performance.now() + Math.max(msMax, 1); performance.now() < until; await sleep(PAUSE_MS)) {
      last = await wrong()
      if (last.length === 0) return
    }
    const words = last.map(line => `  ${line}`)
    throw new Error(
      `waited ${Math.round(msMax / 1000)} s until ${what}; logs are in ${this.dir}/logs\n${words.join('\n')}`,
    )
  }

  #built<T>(part: T | undefined): T {
    if (part === undefined) throw new Error('this field is not built')
    return part
  }

  #say(line: string): void {
    this.#o.say?.(line)
  }

  /** In the last moment of this process: hosts and mounts go by themselves then, the switch when its input ends. */
  #endNow(): void {
    for (const member of this.#byName.values()) {
      member.signal('SIGKILL')
      member.sweep()
    }
  }
}

function lanOf(i: number): string {
  return `${LAN}.${i + 1}`
}

/** Asked to, and if it takes too long, made to. */
async function ended(member: Member): Promise<void> {
  const cut = setTimeout(() => member.signal('SIGKILL'), GATES_END_MS_MAX)
  await member.end()
  clearTimeout(cut)
}
