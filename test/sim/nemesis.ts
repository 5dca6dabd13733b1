// Nemesis: carries out the script of a profile. Whatever it breaks it also mends, at the latest when the storm is over.

import { isAnchor, nameOf } from '../../ledger/account.ts'
import { CALM, type ModeStatement, severity } from '../../ledger/mode.ts'
import type { Policy } from '../../ledger/policy.ts'
import { reclaimedTotal } from '../../ledger/policy.ts'
import type { Contact } from '../../mesh/modekeeper.ts'
import type { Agenda } from './agenda.ts'
import type { Crowd } from './crowd.ts'
import type { Host } from './host.ts'
import type { Lie } from './liar.ts'
import type { Network } from './network.ts'
import type { Oracle } from './oracle.ts'
import type { Blow, Profile } from './profile.ts'

/** Where it strikes. */
export interface Stage {
  readonly agenda: Agenda
  readonly profile: Profile
  readonly network: Network
  readonly oracle: Oracle
  readonly crowd: Crowd
  readonly hosts: ReadonlyMap<string, Host>
  readonly anchor: Host
  gateAt(who: number): Host
  fault(kind: string): void
  note(line: string): void
  /** operators bring a policy to the anchor */
  enact(policy: Policy): void
  /** people carry a statement to every machine */
  announce(statement: ModeStatement): void
  lie(lie: Lie, much: number): boolean
}

export class Nemesis {
  readonly #world: Stage
  readonly #undo: (() => void)[] = []
  readonly #closed = new Map<Host, Set<Contact>>()

  constructor(world: Stage) {
    this.#world = world
  }

  schedule(): void {
    const { agenda, profile } = this.#world
    for (const blow of profile.script) agenda.at(blow.at, () => this.#strike(blow))
  }

  /** Is one of this host's own contacts closed? Then it must stay in that mode whatever anyone says. */
  closedAt(host: Host): ReadonlySet<Contact> | undefined {
    return this.#closed.get(host)
  }

  /** The storm is over: everything that was broken is mended, and people re-arm what was raised. */
  mendAll(): void {
    for (const undo of this.#undo.splice(0)) undo()
    this.#world.note('everything is mended')
    for (const host of this.#world.hosts.values()) {
      host.fuse = 0
      host.disk.full = false
      host.fsyncMs = Math.min(host.fsyncMs, 5)
      host.boot()
    }
  }

  /** Marshals walk round and re-arm; repeated, because a contact may have raised again in between. */
  rearm(by: readonly string[] = ['ann', 'bob']): void {
    let newest: ModeStatement = CALM
    for (const host of this.#world.hosts.values()) {
      const heard = host.core?.me.modes.statement ?? CALM
      if (
        heard.epoch > newest.epoch ||
        (heard.epoch === newest.epoch && severity(heard.mode) > severity(newest.mode))
      ) {
        newest = heard
      }
    }
    if (newest.mode === 'NORMAL') return
    const statement: ModeStatement = {
      epoch: newest.epoch + 1,
      mode: 'NORMAL',
      by,
      at: Math.floor(this.#world.agenda.now),
      reason: 're-armed',
      clears: { epoch: newest.epoch, mode: newest.mode },
    }
    this.#world.announce(statement)
  }

  #strike(blow: Blow): void {
    const done = this.#carryOut(blow)
    if (!done) return
    this.#world.fault(blow.strike)
    this.#world.note(`⚡ ${blow.strike} ${typeof done === 'string' ? done : ''}`)
  }

  /** False when there was nothing to strike; else what it hit. */
  #carryOut(blow: Blow): string | boolean {
    const world = this.#world
    const { agenda, network } = world
    const gate = world.gateAt(blow.who)
    const longMs = 100 + blow.long * 6000
    switch (blow.strike) {
      case 'crash':
        return this.#pull(gate, 'power', blow.long * 4000)
      case 'crash-point':
        gate.fuse = 1 + Math.floor(blow.much * 40)
        return gate.name
      case 'anchor-crash':
        return this.#pull(world.anchor, 'power', blow.long * 8000)
      case 'anchor-loss': {
        if (!world.anchor.up || !this.#isWellKnown(world.anchor)) return false
        if ([...world.hosts.values()].some(host => !host.core?.isJoined)) return false
        world.anchor.crash('its disk is gone')
        world.anchor.disk.wipe()
        agenda.in(200 + blow.long * 3000, () => world.anchor.boot())
        return true
      }
      case 'blackout':
        for (const host of world.hosts.values()) this.#pull(host, 'blackout', 100 + blow.long * 1000)
        return true
      case 'partition':
      case 'one-way': {
        const sides = [...world.hosts.keys()].map((name, i) => [name, (i * 7919 + blow.much * 1000) % 10 < 5] as const)
        const ways: [string, string][] = []
        for (const [a, left] of sides) {
          for (const [b, right] of sides) {
            if (!left || right) continue
            ways.push([a, b])
            if (blow.strike === 'partition') ways.push([b, a])
          }
        }
        this.#until(longMs, network.cut(ways))
        return sides
          .filter(([, left]) => left)
          .map(([name]) => name)
          .join(' ')
      }
      case 'flap':
        for (let i = 0; i < 4; i++) {
          agenda.in(i * 300, () => {
            const ways = [...world.hosts.keys()]
              .filter(name => name !== gate.name)
              .flatMap(name => both(gate.name, name))
            this.#until(150, network.cut(ways))
          })
        }
        return gate.name
      case 'slow-peer':
        network.slow(gate.name, 20 + blow.much * 400)
        this.#until(longMs, () => network.slow(gate.name, 0))
        return gate.name
      case 'disk-full':
        gate.disk.full = true
        this.#until(longMs / 2, () => {
          gate.disk.full = false
        })
        return gate.name
      case 'io-error':
        gate.disk.errorNext = true
        return gate.name
      case 'slow-fsync': {
        const usual = gate.fsyncMs
        gate.fsyncMs = 50 + blow.much * 800
        this.#until(longMs / 2, () => {
          gate.fsyncMs = usual
        })
        return gate.name
      }
      case 'rollback':
      case 'damage':
      case 'wipe':
      case 'restore':
        return this.#harmDisk(gate, blow)
      case 'clock-jump':
        gate.skewMs += (blow.much - 0.5) * 10 ** (3 + blow.long * 5)
        return `${gate.name} by ${Math.round(gate.skewMs)} ms`
      case 'cut':
        return this.#decree({ capacity: Math.floor(world.profile.capacity * blow.much) })
      case 'scheduled-cut':
        return this.#decree({ capacity: Math.floor(world.profile.capacity * blow.much), inMs: blow.long * 4000 })
      case 'raise':
        return this.#decree({ capacity: Math.floor(world.profile.capacity * (1 + blow.much)) })
      case 'recount':
        return this.#holdAndCount()
      case 'mode':
        return this.#raise(gate, blow)
      case 'contact':
        return this.#closeContact(gate, blow, longMs)
      case 'rearm':
        this.rearm()
        return true
      case 'lone-rearm':
        this.rearm([blow.much < 0.5 ? 'ann' : 'bob'])
        return true
      case 'stop':
        if (!gate.up) return false
        gate.step({ kind: 'stopping' })
        agenda.in(300, () => this.#pull(gate, 'stopped', 1000 + blow.long * 2000))
        return gate.name
      default:
        return world.lie(blow.strike as Lie, blow.much)
    }
  }

  #pull(host: Host, why: string, ms: number): string | boolean {
    if (!host.up) return false
    host.crash(why)
    this.#world.agenda.in(50 + ms, () => host.boot())
    return host.name
  }

  #harmDisk(gate: Host, blow: Blow): string | boolean {
    const size = gate.disk.open?.synced ?? 0
    if (!gate.up || size < 3) return false
    // at most one memory is lost at a time: whoever remembers for the others must not lose it meanwhile
    for (const host of this.#world.hosts.values()) if (!host.core?.isJoined && host !== gate) return false
    // mostly by a few entries, which nobody has heard of yet; at times by many
    const most = Math.min(size - 2, blow.long < 0.6 ? 4 : 300)
    const back = Math.max(1, Math.floor(blow.much * most))
    // both copies taken back is noticed only by those who saw later rows (the hole DESIGN 7 owns up to)
    if (blow.strike === 'restore' && !this.#isWellKnown(gate, size - back)) return false
    gate.crash(blow.strike)
    if (blow.strike === 'damage') (gate.disk.open as { damaged: boolean }).damaged = true
    else if (blow.strike === 'wipe') gate.disk.wipe()
    else gate.disk.rollback(Math.max(1, (gate.disk.open?.synced ?? 1) - back - 1), blow.strike === 'restore')
    if (blow.strike === 'restore' && (gate.disk.mark?.size ?? 0) >= size - back)
      gate.disk.rollback(size - back - 1, true)
    this.#world.agenda.in(50 + blow.long * 3000, () => gate.boot())
    return `${gate.name} back by ${back}`
  }

  /** Will everyone else remember a row of it, later than `size`? */
  #isWellKnown(host: Host, size = 0): boolean {
    const account = host.core?.me.books?.account
    if (account === undefined) return false
    for (const other of this.#world.hosts.values()) {
      if (other === host) continue
      // on disk, so that they still know it after a blackout
      const row = other.disk.rows.get(account)
      if (row === undefined || row.size <= size) return false
      if (isAnchor(account) && row.budget === undefined) return false
    }
    return true
  }

  #raise(gate: Host, blow: Blow): string | boolean {
    const mode = (['LOCKDOWN', 'EVACUATE', 'FIRE'] as const)[Math.floor(blow.much * 3)] ?? 'FIRE'
    const { anchor, agenda } = this.#world
    const host = blow.long < 0.5 && anchor.up ? anchor : gate
    if (!host.up) return false
    const epoch = host.core?.me.modes.statement.epoch ?? 0
    const statement: ModeStatement = { epoch, mode, by: ['ann'], at: Math.floor(agenda.now), reason: 'drill' }
    if (host.anchor !== undefined) host.step({ kind: 'commanded', statement })
    else host.step({ kind: 'heard', from: 'console', message: { kind: 'mode', statement } })
    agenda.in(500 + blow.long * 3000, () => this.rearm())
    return `${mode} at ${host.name}`
  }

  #closeContact(gate: Host, blow: Blow, longMs: number): string | boolean {
    if (!gate.up) return false
    const contact: Contact = blow.much < 0.5 ? 'fire' : 'key'
    const closed = this.#closed.get(gate) ?? new Set()
    this.#closed.set(gate, closed.add(contact))
    gate.step({ kind: 'contact', contact, closed: true })
    this.#until(longMs / 2, () => {
      this.#closed.get(gate)?.delete(contact)
      gate.step({ kind: 'contact', contact, closed: false })
      this.#world.agenda.in(200, () => this.rearm())
    })
    return `${contact} at ${gate.name}`
  }

  /** Contacts are wires: a gate that comes up reads them again. */
  readContacts(host: Host): void {
    for (const contact of this.#closed.get(host) ?? []) host.step({ kind: 'contact', contact, closed: true })
  }

  #decree(a: { capacity: number; inMs?: number }): string | boolean {
    const { anchor } = this.#world
    const before = anchor.core?.me.policy
    if (before === undefined || anchor.anchor?.isJoined !== true) return false
    const now = anchor.wall
    const current = before.capacities.findLast(step => step.from <= now)?.capacity ?? 0
    const capacities =
      a.inMs === undefined
        ? [{ from: 0, capacity: a.capacity }]
        : [
            { from: 0, capacity: current },
            { from: Math.floor(now + a.inMs), capacity: a.capacity },
          ]
    const { recount: _recount, ...standing } = before
    // some keep a little back for what sensors miss
    const marginPerMille = (before.version % 3) * 20
    this.#enact({ ...standing, version: before.version + 1, capacities, marginPerMille })
    return `to ${a.capacity}${a.inMs === undefined ? '' : ' later'}`
  }

  /** Everybody stands still for a few seconds; as soon as all rows have arrived, heads are counted. */
  #holdAndCount(): boolean {
    const { agenda, crowd } = this.#world
    if (crowd.held) return false
    crowd.held = true
    for (let i = 1; i <= 8; i++) {
      agenda.in(i * 400, () => {
        const counted = crowd.held && this.#recount()
        if (typeof counted === 'string') {
          this.#world.fault('recount')
          this.#world.note(`⚡ recount ${counted}`)
        }
        if (counted !== false || i === 8) crowd.held = false
      })
    }
    return false
  }

  /**
   * People count heads, and frozen accounts go back into use. Done while nobody moves and all rows have arrived, as the
   * runbook demands; here: the oracle's own count, and only if all disks are in step and the anchor holds every row.
   */
  #recount(): string | boolean {
    const { anchor, oracle } = this.#world
    const me = anchor.core?.me
    const before = me?.policy
    if (me === undefined || before === undefined || anchor.anchor?.isJoined !== true) return false
    for (const host of this.#world.hosts.values()) {
      if (host.core?.isJoined !== true || host.disk.size !== host.durableSize) return false
    }
    let counted = 0
    for (const t of oracle.accounts.values()) {
      const own = me.books?.account === t.account
      if (oracle.liars.has(nameOf(t.account))) return false
      if (!own && me.view.get(t.account)?.row.size !== t.size) return false
      counted += t.admitted + t.forced - t.lapsed - t.exited
    }
    const reclaimed = [...before.reclaimed]
    for (const t of oracle.accounts.values()) {
      if (isAnchor(t.account) || oracle.current(nameOf(t.account)) === t) continue
      const held = t.inSum + t.exited + t.lapsed - t.admitted - t.forced - t.outSum + oracle.inFlightTo(t.account)
      const already = reclaimed.filter(r => r.account === t.account).reduce((sum, r) => sum + r.amount, 0)
      if (held > already) reclaimed.push({ account: t.account, amount: held - already })
    }
    const correction = oracle.inside - counted
    const recount = {
      at: Math.floor(anchor.wall),
      actual: oracle.inside,
      counted: oracle.inside - correction + before.correction,
    }
    const next = { ...before, version: before.version + 1, correction, reclaimed, recount }
    if (correction === before.correction && reclaimedTotal(next) === reclaimedTotal(before)) return true
    this.#enact(next)
    return `correction ${correction}, reclaimed ${reclaimedTotal(next)}`
  }

  #enact(policy: Policy): void {
    const previous = this.#world.anchor.core?.me.policy?.hash ?? ''
    this.#world.enact({ ...policy, previous, signers: ['ann', 'bob'], reason: 'drill' })
  }

  #until(ms: number, undo: () => void): void {
    let done = false
    const once = () => {
      if (!done) undo()
      done = true
    }
    this.#undo.push(once)
    this.#world.agenda.in(ms, once)
  }
}

function both(a: string, b: string): [string, string][] {
  return [
    [a, b],
    [b, a],
  ]
}
