// History: a journal, read. Who visited, who left, what each member said when, which fault lasted from when to when.

import type { Fault, FaultKind } from './fault.ts'
import type { Line, Mall, Phase } from './journal.ts'
import { targetsOf } from './nemesis.ts'

export interface Visit {
  readonly id: string
  readonly gate: string
  readonly firstAsk: number
  readonly answers: (Line & { is: 'answer' })[]
  silences: number
  /** when ADMIT was first heard */
  admitted?: number
}

export interface Leaving {
  readonly exit: string
  readonly id: string
  readonly gate: string
  readonly left: number
  firstTell?: number
  told?: Line & { is: 'told' }
}

export type Poll = Line & { is: 'status' }
export type View = Line & { is: 'view' }

export interface Spell {
  readonly fault: Fault
  readonly begin: number
  begun: number
  end: number
  ended: number
}

export interface Decree {
  readonly to: number
  readonly asked: number
  accepted?: number
  version?: number
}

/** After these a member is away until it was seen again. */
const ENDS: readonly FaultKind[] = ['kill', 'stop', 'restart-storm', 'power', 'wipe', 'anchor-gone']
const BACK_MS_MAX = 45_000
const NEVER = Number.POSITIVE_INFINITY

export class History {
  readonly lines: readonly Line[]
  readonly mall: Mall
  readonly visits = new Map<string, Visit>()
  readonly leavings = new Map<string, Leaving>()
  readonly polls: Poll[] = []
  readonly views: View[] = []
  readonly spells: Spell[] = []
  readonly decrees: Decree[] = []
  readonly stalls: { readonly from: number; readonly to: number }[] = []
  readonly phases = new Map<Phase, Line & { is: 'phase' }>()
  readonly end: number

  constructor(lines: readonly Line[]) {
    this.lines = lines
    const run = lines.find(line => line.is === 'run')
    if (run === undefined) throw new Error('a journal begins with the line of its run')
    this.mall = run
    this.decrees.push({ to: run.capacity, asked: 0, accepted: 0, version: 1 })
    const open = new Map<number, Spell>()
    for (const line of lines) this.#take(line, open)
    this.end = lines.at(-1)?.t ?? 0
  }

  get members(): readonly string[] {
    return ['anchor', ...this.mall.gates]
  }

  spellsOf(...kinds: readonly FaultKind[]): Spell[] {
    return this.spells.filter(({ fault }) => kinds.includes(fault.kind))
  }

  /** When this member was away by somebody's doing, or on its way back. */
  awayTimes(member: string): { from: number; to: number }[] {
    const heal = this.phases.get('heal')?.t ?? NEVER
    const healed = this.phases.get('healed')?.t ?? NEVER
    const spells = this.spells.filter(({ fault }) => ENDS.includes(fault.kind) && targetsOf(fault, member))
    const away = spells.map(({ begin, ended }) => ({ from: begin, to: this.#seenAfter(member, ended) }))
    return heal === NEVER ? away : [...away, { from: heal, to: this.#seenAfter(member, healed) }]
  }

  #seenAfter(member: string, t: number): number {
    if (t === NEVER) return NEVER
    const seen = this.polls.find(poll => poll.member === member && poll.asked >= t)?.t ?? NEVER
    return Math.min(seen, t + BACK_MS_MAX)
  }

  /** Of a time between two moments, how much the harness was there. */
  attended(from: number, to: number): number {
    const missed = this.stalls.map(stall => Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from)))
    return to - from - missed.reduce((sum, ms) => sum + ms, 0)
  }

  /** The last moment up to `t` at which no fault was at work. */
  quietBefore(t: number): number {
    let quiet = t
    for (let moved = true; moved; ) {
      moved = false
      for (const { begin, ended } of this.spells) {
        if (begin >= quiet || ended < quiet || (begin === t && ended >= t)) continue
        quiet = begin
        moved = true
      }
    }
    return quiet
  }

  #take(line: Line, open: Map<number, Spell>): void {
    switch (line.is) {
      case 'ask': {
        const { id, gate, t } = line
        if (!this.visits.has(id)) this.visits.set(id, { id, gate, firstAsk: t, answers: [], silences: 0 })
        return
      }
      case 'answer': {
        const visit = this.visits.get(line.id)
        visit?.answers.push(line)
        if (visit !== undefined && line.decision === 'ADMIT') visit.admitted ??= line.t
        return
      }
      case 'silence': {
        const visit = line.way === 'in' && !line.refused ? this.visits.get(line.of) : undefined
        if (visit !== undefined) visit.silences++
        return
      }
      case 'left':
        this.leavings.set(line.exit, { exit: line.exit, id: line.id, gate: line.gate, left: line.t })
        return
      case 'tell': {
        const leaving = this.leavings.get(line.exit)
        if (leaving !== undefined) leaving.firstTell ??= line.t
        return
      }
      case 'told': {
        const leaving = this.leavings.get(line.exit)
        if (leaving !== undefined) leaving.told = line
        return
      }
      case 'status':
        this.polls.push(line)
        return
      case 'view':
        this.views.push(line)
        return
      case 'fault':
        return this.#fault(line, open)
      case 'capacity': {
        const last = this.decrees.at(-1)
        if (line.version === undefined) this.decrees.push({ to: line.to, asked: line.t })
        else if (last?.to === line.to) Object.assign(last, { accepted: line.t, version: line.version })
        return
      }
      case 'phase':
        if (!this.phases.has(line.name)) this.phases.set(line.name, line)
        return
      case 'stall':
        this.stalls.push({ from: line.t - line.ms, to: line.t })
        return
      case 'run':
      case 'unseen':
      case 'death':
        return
    }
  }

  #fault({ n, stage, fault, t }: Line & { is: 'fault' }, open: Map<number, Spell>): void {
    let spell = open.get(n)
    if (spell === undefined) {
      spell = { fault, begin: t, begun: NEVER, end: NEVER, ended: NEVER }
      open.set(n, spell)
      this.spells.push(spell)
    }
    if (stage === 'begun') spell.begun = t
    if (stage === 'end') spell.end = t
    if (stage === 'ended' || stage === 'failed') {
      spell.end = Math.min(spell.end, t)
      spell.ended = t
    }
  }
}
