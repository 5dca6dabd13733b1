// Mall: an anchor and its gates in one process. Real cores, stores, clock and signatures; only the wire is a hall.
//
// Order: stores are opened, cores booted, all meet; the operators' policy is brought to the anchor; then it is ready.
// It stops the other way round: gates hand over their tokens and say so, disks catch up, stores are closed.

import { setTimeout as sleep } from 'node:timers/promises'
import { Anchor, type AnchorEvent } from '../../anchor/anchor.ts'
import { ANCHOR } from '../../ledger/account.ts'
import { Fault } from '../../ledger/fault.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import { type Policy, scheduled } from '../../ledger/policy.ts'
import { openPolicy, type PolicyText, signPolicy } from '../../ledger/policy-note.ts'
import type { Store, StoreOptions } from '../../ledger/store.ts'
import { checkLimits, LIMITS, type Limits } from '../../mesh/limits.ts'
import type { Identity } from '../../mesh/member.ts'
import { type Occupancy, occupancyOf } from '../../mesh/occupancy.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { Shell, type ShellOptions, type Witness } from '../../mesh/shell.ts'
import { Door } from '../../node/door.ts'
import { Gate, type GateEvent } from '../../node/gate.ts'
import { Hall, type Listener } from './hall.ts'
import { type Home, OPERATORS } from './home.ts'

const READY_MS_MAX = 60_000
const POLL_MS = 20
/** The anchor hands out every 100 ms; after this long it will not get better. */
const FIRST_TOKENS_MS_MAX = 3000
const DRAIN_MS_MAX = 3000
/** Quiet for longer than the pause between two rows: nobody has anything to tell any more. */
const QUIET_POLLS = Math.ceil((1.5 * LIMITS.rowEveryMs) / POLL_MS)
const ALARM_AGAIN_MS = 60_000

export interface MallOptions {
  readonly home: Home
  /** to be in force; undefined goes on with what is */
  readonly capacity: number | undefined
  readonly say: (line: string) => void
  readonly alarm: (line: string) => void
  /** false once nobody wants it any more: starting then ends with a fault called STOPPED */
  readonly isWanted?: () => boolean
  /** where members keep their ledgers; on disk below the home unless said otherwise */
  readonly openStore?: (name: string, options: StoreOptions) => Promise<Store>
}

interface Ready {
  readonly shell: Listener
  readonly boot: () => void
}

export class Mall {
  readonly home: Home
  readonly doors: readonly Door[]
  readonly clock = REAL_CLOCK
  readonly #o: MallOptions
  readonly #hall = new Hall()
  readonly #limits: Limits
  readonly #gates: Shell<GateEvent>[] = []
  readonly #alarmedAt = new Map<string, number>()
  #anchor: Shell<AnchorEvent> | undefined
  #stopping: Promise<Occupancy | undefined> | undefined

  constructor(options: MallOptions) {
    this.home = options.home
    this.#o = options
    const { exitsPerMinuteMax, gates } = options.home.charter
    this.#limits = checkLimits({
      ...LIMITS,
      exitsPerMinuteMax,
      exitBurst: Math.max(LIMITS.exitBurst, exitsPerMinuteMax),
    })
    const alarm = (code: string, detail: string) => this.#alarm(code, detail)
    this.doors = gates.map(({ name }) => new Door({ name, clock: this.clock, newId, alarm }))
  }

  get anchor(): Anchor | undefined {
    return this.#anchor?.core as Anchor | undefined
  }

  door(name: string): Door | undefined {
    return this.doors.find(door => door.name === name)
  }

  async start(): Promise<void> {
    const { say } = this.#o
    say(`opening ${this.doors.length + 1} ledgers in ${this.home.dir}`)
    try {
      const opening: Promise<Ready>[] = [this.#openAnchor(), ...this.doors.map(door => this.#openGate(door))]
      const ready = await settleAll(opening)
      this.#checkWanted()
      // all are in the hall before anyone speaks: a first question that nobody hears costs half a second
      for (const { shell } of ready) this.#hall.enter(shell)
      for (const { boot } of ready) boot()
      this.#hall.introduce()
      say('everyone asks everyone what they remember')
      await this.#until('the anchor joins', () => this.anchor?.isJoined === true)
      await this.home.setBorn()
      this.#decree()
      await this.#until('every gate joins', () => this.doors.every(door => this.#canDecide(door)))
      await this.#firstTokens()
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Resolves with who was inside at the end, as the anchor last saw it. Safe to repeat. */
  stop(): Promise<Occupancy | undefined> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<Occupancy | undefined> {
    for (const shell of this.#gates) shell.step({ kind: 'stopping' })
    const shells = [...this.#gates, ...(this.#anchor ? [this.#anchor] : [])]
    const until = this.clock.now() + DRAIN_MS_MAX
    const isQuiet = () => this.#hall.isQuiet && shells.every(shell => shell.isQuiet)
    // rows of the hand-over go out once they are on disk, are taken in, and that is written down too
    for (let quiet = 0; quiet < QUIET_POLLS && this.clock.now() < until; quiet = isQuiet() ? quiet + 1 : 0)
      await sleep(POLL_MS)
    const me = this.anchor?.me
    const last = me && occupancyOf(me, this.clock.now())
    for (const shell of shells) this.#hall.leave(shell.name)
    await Promise.all(shells.map(shell => shell.close()))
    for (const door of this.doors) door.dismiss()
    return last
  }

  async #openAnchor(): Promise<{ shell: Shell<AnchorEvent>; boot: () => void }> {
    const witness: Witness = {
      wrote: () => undefined,
      opened: () => undefined,
      answered: () => undefined,
      letOut: () => undefined,
      mode: () => undefined,
      alarm: (code, detail) => this.#alarm(code, detail),
      restarted: why => this.#alarm('RESTARTED', `${ANCHOR}: ${why}`),
    }
    const make = () => new Anchor(this.#identity(ANCHOR), { birth: !this.home.isBorn })
    const opened = await Shell.open<AnchorEvent>({ ...this.#common(ANCHOR), witness, make })
    this.#anchor = opened.shell
    // a ledger that is there was born, though the power may have gone before that was written down
    if ((await opened.shell.store.accounts()).length > 0) await this.home.setBorn()
    return opened
  }

  async #openGate(door: Door): Promise<{ shell: Shell<GateEvent>; boot: () => void }> {
    const make = () => new Gate(this.#identity(door.name))
    const opened = await Shell.open<GateEvent>({ ...this.#common(door.name), witness: door, make })
    this.#gates.push(opened.shell)
    door.shell = opened.shell
    return opened
  }

  #common(name: string): Omit<ShellOptions<never>, 'witness' | 'make'> {
    const { home, clock } = this
    const onDisk = (of: string, options: StoreOptions) => openLevelStore({ ...options, dir: home.storeOf(of) })
    const openStore = this.#o.openStore ?? onDisk
    return {
      name,
      charter: home.charter,
      charterHash: home.charterHash,
      signer: home.key(name),
      rememberMs: this.#limits.rememberMs,
      clock,
      transport: this.#hall.wireOf(name),
      openStore: options => openStore(name, options),
    }
  }

  #identity(name: string): Identity {
    const key = this.home.key(name).verifier.toString()
    return { name, charter: this.home.charter, limits: this.#limits, key, newId }
  }

  /** What the operators want in force, unless it is already. */
  #decree(): void {
    const { charter } = this.home
    const before = this.anchor?.me.policy
    const capacity = this.#o.capacity ?? (before ? scheduled(before, this.clock.wall()) : charter.legalMax)
    if (before !== undefined && scheduled(before, this.clock.wall()) === capacity) return
    this.#o.say(`operators sign policy ${(before?.version ?? 0) + 1}: capacity ${capacity}`)
    this.#anchor?.step({ kind: 'decreed', policy: this.#signed(capacity, before) })
  }

  #signed(capacity: number, before: Policy | undefined): Policy {
    const { charter } = this.home
    const share = Math.ceil(3000 / charter.gates.length)
    const text: PolicyText = {
      version: (before?.version ?? 0) + 1,
      ...(before === undefined ? {} : { previous: before.hash }),
      capacities: [{ from: 0, capacity }],
      correction: before?.correction ?? 0,
      reclaimed: before?.reclaimed ?? [],
      gates: charter.gates,
      maxSharePerMille: Math.min(1000, Math.max(250, share)),
      expireAfterMs: 86_400_000,
      confidenceMin: 700,
      reason: before === undefined ? 'opening' : 'started with another capacity',
    }
    const signers = [ANCHOR, ...OPERATORS.map(o => o.name)].map(name => this.home.key(name))
    return openPolicy(signPolicy(text, charter.mall, signers), charter)
  }

  #canDecide(door: Door): boolean {
    const me = door.gate?.me
    const version = this.anchor?.me.books?.policy?.version
    return door.gate?.fault === undefined && me?.view.anchor()?.row.policy?.version === version && version !== undefined
  }

  /** Full malls have none to hand out, so this does not wait for long. */
  async #firstTokens(): Promise<void> {
    const until = this.clock.now() + FIRST_TOKENS_MS_MAX
    const held = () => this.doors.some(door => (door.gate?.me.books?.balance ?? 0) > 0)
    while (!held() && this.clock.now() < until) await sleep(POLL_MS)
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const since = this.clock.now()
    let saidAt = since
    while (!holds()) {
      const now = this.clock.now()
      if (now - since > READY_MS_MAX) throw new Fault('NOT_READY', `waited ${READY_MS_MAX / 1000} s until ${what}`)
      this.#checkWanted()
      if (now - saidAt > 2000) {
        saidAt = now
        this.#o.say(`waiting until ${what}`)
      }
      await sleep(POLL_MS)
    }
  }

  #checkWanted(): void {
    if (this.#o.isWanted?.() === false) throw new Fault('STOPPED', 'stopped while starting')
  }

  #alarm(code: string, detail: string): void {
    const line = `${code}: ${detail}`
    const now = this.clock.now()
    if (now - (this.#alarmedAt.get(line) ?? Number.NEGATIVE_INFINITY) < ALARM_AGAIN_MS) return
    if (this.#alarmedAt.size > 1000) this.#alarmedAt.clear()
    this.#alarmedAt.set(line, now)
    this.#o.alarm(line)
  }
}

/** All of them, or the first failure once none is still at work: a store half open could not be closed. */
async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(work)
  const failed = results.find(result => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map(result => (result as PromiseFulfilledResult<T>).value)
}
