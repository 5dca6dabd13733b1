// Match: one contender with all its gates, ready for people.
//
// Law: every contender gets a fresh count, as many processes for its gates, the same people and the same line to its
// centre; nothing of one runs while another is measured.

import { setTimeout as sleep } from 'node:timers/promises'
import { Child } from './child.ts'
import type { Centre, Contender, Plan } from './contender.ts'
import { type Crowd, type CrowdReport, merged } from './crowd.ts'
import type { Standing, Told } from './gates.ts'
import type { Load, Report } from './load.ts'
import { joined } from './spread.ts'
import { Wan } from './wan.ts'

export interface MatchPlan extends Plan {
  readonly processes: number
  /** between gates and centre, there and back; 0 without any proxy */
  readonly roundTripMs: number
  /** a line that can be cut, though it takes no time */
  readonly isCuttable?: boolean
}

const READY_MS_MAX = 60_000

export class Match {
  readonly #centre: Centre
  readonly #wans: readonly Wan[]
  readonly #children: readonly Child[]
  readonly #gates: readonly (readonly number[])[]
  readonly #isOwnCrew: boolean

  /** `crew`: processes that may have played before, as many as planned; without it they are started, and end with it. */
  static async open(contender: Contender, plan: MatchPlan, crew?: readonly Child[]): Promise<Match> {
    const centre = await contender.centre(plan)
    const { roundTripMs, isCuttable = false } = plan
    const wan = roundTripMs > 0 || isCuttable ? new Wan(centre.port, roundTripMs) : undefined
    const port = wan === undefined ? centre.port : await wan.open()
    const gates = split(plan.gates, plan.processes)
    const children = crew ?? crewOf(plan.processes)
    const wans = wan === undefined ? [] : [wan]
    const match = new Match(centre, wans, children, gates, crew === undefined)
    try {
      const others: number[] = []
      for (const [i, child] of children.entries()) {
        const wish = centre.wish(port, gates[i] ?? [], others)
        others.push((await child.order({ do: 'open', wish })).port)
      }
      await match.#ready(plan.places)
      return match
    } catch (error) {
      await match.end()
      throw error
    }
  }

  private constructor(
    centre: Centre,
    wans: readonly Wan[],
    children: readonly Child[],
    gates: readonly (readonly number[])[],
    isOwnCrew: boolean,
  ) {
    this.#isOwnCrew = isOwnCrew
    this.#centre = centre
    this.#wans = wans
    this.#children = children
    this.#gates = gates
  }

  set isCut(isCut: boolean) {
    for (const wan of this.#wans) wan.isCut = isCut
  }

  /** People at the first so many gates. */
  async closed(a: { readonly gates: number; readonly perGate: number; readonly ms: number }): Promise<Report> {
    return this.#play((gates, _share) => ({ kind: 'closed', ...a, gates: gates.filter(gate => gate < a.gates) }))
  }

  async open(a: { readonly perSecond: number; readonly ms: number; readonly drainMs: number }): Promise<Report> {
    return this.#play((gates, share) => {
      return { kind: 'open', ...a, gates, perSecond: a.perSecond * share, seed: `people of ${gates[0]}` }
    })
  }

  /** As many people in all, whoever has the doors; they leave by a door of the process whose door they came in by. */
  async crowd(crowd: Omit<Crowd, 'gates'>): Promise<CrowdReport> {
    const share = 1 / this.#children.length
    const words = await Promise.all(
      this.#children.map((child, i) => {
        const { busyPerSecond, calmPerSecond, seed } = crowd
        const rates = { busyPerSecond: busyPerSecond * share, calmPerSecond: calmPerSecond * share }
        const own = { ...crowd, ...rates, gates: this.#gates[i] ?? [], seed: `${seed} ${i}` }
        return child.order({ do: 'crowd', crowd: own })
      }),
    )
    return merged(words.map(({ report }) => report))
  }

  /** Of all gates together. A rival has one centre, which every process sees whole. */
  async standing(): Promise<Standing> {
    const all = await Promise.all(this.#children.map(child => child.order({ do: 'stand' })))
    const [first, ...rest] = all.map(({ standing }) => standing) as [Standing, ...Standing[]]
    if (this.#centre.isWholeEverywhere) return first
    return rest.reduce((sum, one) => {
      const { inside, audited, alarms } = sum
      return { inside: inside + one.inside, audited: audited + one.audited, alarms: [...alarms, ...one.alarms] }
    }, first)
  }

  async end(): Promise<void> {
    await Promise.all(this.#children.map(child => (this.#isOwnCrew ? child.end() : child.order({ do: 'close' }))))
    await this.#centre.end()
    for (const wan of this.#wans) wan.close()
  }

  async #ready(places: number): Promise<void> {
    const until = performance.now() + READY_MS_MAX
    for (;;) {
      const words = await Promise.all(this.#children.map(child => child.order({ do: 'ready' })))
      const tokens = words.reduce((sum, word) => sum + word.tokens, 0)
      if (words.every(({ isReady }) => isReady) && tokens >= places) return
      if (performance.now() > until) throw new Error(`gates are not ready: they hold ${tokens} of ${places} tokens`)
      await sleep(100)
    }
  }

  async #play(loadOf: (gates: readonly number[], share: number) => Load): Promise<Report> {
    const share = 1 / this.#children.length
    const words = await Promise.all(
      this.#children.map((child, i) => child.order({ do: 'play', load: loadOf(this.#gates[i] ?? [], share) })),
    )
    return together(words.map(({ report }) => report))
  }
}

export function crewOf(processes: number): Child[] {
  return Array.from({ length: processes }, () => new Child('gates-process.ts'))
}

function split(gates: number, processes: number): number[][] {
  const all = Array.from({ length: gates }, (_, gate) => gate)
  const each = Math.ceil(gates / processes)
  return Array.from({ length: processes }, (_, i) => all.slice(i * each, (i + 1) * each))
}

function together(reports: readonly Report[]): Report {
  const sum = (of: (report: Report) => number) => reports.reduce((total, report) => total + of(report), 0)
  const told = (what: Told) => sum(report => report.told[what])
  return {
    asked: sum(({ asked }) => asked),
    told: { in: told('in'), full: told('full'), none: told('none') },
    admitMs: joined(reports.map(({ admitMs }) => admitMs)),
    rejectMs: joined(reports.map(({ rejectMs }) => rejectMs)),
    unanswered: sum(({ unanswered }) => unanswered),
    tookMs: Math.max(...reports.map(({ tookMs }) => tookMs)),
  }
}
