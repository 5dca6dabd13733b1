// Indoor mall: an anchor and its gates in one process. Real cores, shells, clock and signatures; the wire is a hall, and
// the disks are those of the test, which fail when told to.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Anchor, type AnchorEvent } from '../../anchor/anchor.ts'
import { ANCHOR } from '../../ledger/account.ts'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
import { openPolicy } from '../../ledger/policy-note.ts'
import type { Store, StoreOptions } from '../../ledger/store.ts'
import type { Identity } from '../../mesh/identity.ts'
import { checkLimits, LIMITS, type Limits } from '../../mesh/limits.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { Shell, type ShellOptions, type Witness } from '../../mesh/shell.ts'
import { Door } from '../../node/door.ts'
import { Gate } from '../../node/gate.ts'
import type { GateEvent } from '../../node/gate-event.ts'
import { policyPath } from '../../tools/founding.ts'
import type { Home } from '../../tools/mall/home.ts'
import { Hall } from './hall.ts'

const READY_MS_MAX = 30_000
const DRAIN_MS_MAX = 3000
const POLL_MS = 10
/** Quiet for longer than the pause between two rows: nobody has anything to tell any more. */
const QUIET_POLLS = Math.ceil((1.5 * LIMITS.rowEveryMs) / POLL_MS)

export class IndoorMall {
  readonly alarms: string[] = []
  readonly #home: Home
  readonly #disks = new Map<string, MemoryDisk>()
  readonly #limits: Limits
  readonly #openStore: (name: string, options: StoreOptions) => Promise<Store>
  #hall = new Hall()
  #gates: Shell<GateEvent>[] = []
  #anchor: Shell<AnchorEvent> | undefined
  #doors: Door[] = []

  /** `openStore` puts stores elsewhere than on the disks of the test. */
  constructor(home: Home, openStore?: (name: string, options: StoreOptions) => Promise<Store>) {
    this.#home = home
    this.#openStore = openStore ?? ((name, options) => openMemoryStore(this.disk(name), options))
    const { exitsPerMinuteMax } = home.charter
    const exitBurst = Math.max(LIMITS.exitBurst, exitsPerMinuteMax)
    this.#limits = checkLimits({ ...LIMITS, exitsPerMinuteMax, exitBurst })
  }

  get doors(): [Door, Door, Door] {
    return this.#doors as [Door, Door, Door]
  }

  disk(name: string): MemoryDisk {
    const disk = this.#disks.get(name) ?? new MemoryDisk()
    this.#disks.set(name, disk)
    return disk
  }

  /** On the disks of the last time, if there was one. */
  async start(): Promise<void> {
    const isNew = this.#disks.size === 0
    this.#hall = new Hall()
    const alarm = (code: string, detail: string) => this.alarms.push(`${code}: ${detail}`)
    const anchor = await Shell.open<AnchorEvent>({
      ...this.#common(ANCHOR),
      witness: { ...NOBODY, alarm },
      make: () => new Anchor(this.#identity(ANCHOR), { birth: isNew }),
    })
    this.#anchor = anchor.shell
    const opened: { readonly shell: Shell<GateEvent>; readonly boot: () => void }[] = []
    this.#doors = []
    for (const { name } of this.#home.charter.gates) {
      const door = new Door({ name, clock: REAL_CLOCK, newId, alarm })
      const make = () => new Gate(this.#identity(name))
      const gate = await Shell.open<GateEvent>({ ...this.#common(name), witness: door, make })
      door.shell = gate.shell
      opened.push(gate)
      this.#doors.push(door)
    }
    this.#gates = opened.map(gate => gate.shell)
    // all are in the hall before anyone speaks: a first question that nobody hears costs half a second
    for (const shell of [anchor.shell, ...this.#gates]) this.#hall.enter(shell)
    for (const { boot } of [anchor, ...opened]) boot()
    this.#hall.introduce()
    await until(() => (anchor.shell.core as Anchor | undefined)?.isJoined === true, 'the anchor joins')
    if (isNew) {
      const note = await readFile(policyPath(this.#home.dir, 1), 'utf8')
      anchor.shell.step({ kind: 'decreed', policy: openPolicy(note, this.#home.charter) })
    }
    await until(() => this.#doors.every(isAble), 'every gate can decide')
    if (isNew) await until(() => this.#doors.some(door => (door.gate?.me.books?.balance ?? 0) > 0), 'the first tokens')
  }

  async stop(): Promise<void> {
    for (const disk of this.#disks.values()) {
      disk.release()
      disk.heal()
    }
    for (const shell of this.#gates) shell.step({ kind: 'stopping' })
    const shells = [...this.#gates, ...(this.#anchor ? [this.#anchor] : [])]
    const last = performance.now() + DRAIN_MS_MAX
    const isQuiet = () => this.#hall.isQuiet && shells.every(shell => shell.isQuiet)
    for (let quiet = 0; quiet < QUIET_POLLS && performance.now() < last; quiet = isQuiet() ? quiet + 1 : 0)
      await sleep(POLL_MS)
    for (const shell of shells) this.#hall.leave(shell.name)
    await Promise.all(shells.map(shell => shell.close()))
    for (const door of this.#doors) door.dismiss()
    this.#gates = []
    this.#anchor = undefined
  }

  #common(name: string): Omit<ShellOptions<never>, 'witness' | 'make'> {
    return {
      name,
      charters: this.#home.charters,
      signer: this.#home.key(name),
      rememberMs: this.#limits.rememberMs,
      clock: REAL_CLOCK,
      transport: this.#hall.wireOf(name),
      openStore: options => this.#openStore(name, options),
    }
  }

  #identity(name: string): Identity {
    const key = this.#home.key(name).verifier.toString()
    return { name, charter: this.#home.charter, limits: this.#limits, key, newId }
  }
}

const NOBODY: Witness = {
  wrote: () => undefined,
  opened: () => undefined,
  answered: () => undefined,
  letOut: () => undefined,
  mode: () => undefined,
  alarm: () => undefined,
  restarted: () => undefined,
}

function isAble({ gate }: Door): boolean {
  return gate?.fault === undefined && gate?.me.view.anchor()?.row.policy?.version === gate?.me.policy?.version
}

export async function until(holds: () => boolean, what: string): Promise<void> {
  const last = performance.now() + READY_MS_MAX
  while (!holds() && performance.now() < last) await sleep(POLL_MS)
  assert.ok(holds(), what)
}
