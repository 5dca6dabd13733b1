// BMS: signals of the building (air, parking, ventilation) come in, and ask for fewer people.
//
// Laws: signals come in and never go out. A rule lowers and never raises: it puts a limit in force that operators signed in
// advance, or proposes one that they may sign. What it asked for is remembered over a restart and stays while its source
// is silent; it is over when the signal is well again.

import type { Charter } from '../../ledger/charter.ts'
import { asText } from '../../ledger/line.ts'
import { capacityAt, type Policy, standbys } from '../../ledger/policy.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Family } from '../../mesh/window/prometheus.ts'
import type { Approvals } from '../approvals/approvals.ts'
import type { BmsConfig, SourceConfig } from './config.ts'
import { familiesOf } from './families.ts'
import { Petition } from './petition.ts'
import { conditionWords, Rule } from './rule.ts'
import { Source, type Wire } from './source.ts'
import { type Asked, type Stand, standOf } from './stand.ts'
import type { BmsState, Demand, RuleState } from './state.ts'

/** What the anchor's core is told: at most so many, or, with none, what the schedule says. */
export interface Restraint {
  readonly atMost?: number
  readonly why: string
}

export interface BmsOptions {
  readonly config: BmsConfig
  readonly charter: Charter
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  /** oldest first */
  readonly policies: () => readonly Policy[]
  readonly approvals: Pick<Approvals, 'propose' | 'retract' | 'get'>
  /** safe to repeat */
  readonly restrain: (restraint: Restraint) => void
  readonly wire: (config: SourceConfig) => Wire
}

const KEY = 'bms/demands'
const LOOK_MS = 1000

export class Bms {
  readonly #o: BmsOptions
  readonly #sources: readonly Source[]
  readonly #rules: readonly Rule[]
  readonly #petition: Petition
  readonly #silent = new Set<string>()
  /** what ended last, for whoever asks why the limit rose */
  #over = 'no signal of the building asks for fewer people'
  #isSaved = true
  #trouble = ''
  #looking: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #isStopped = false

  private constructor(o: BmsOptions, demands: Readonly<Record<string, Demand>>) {
    this.#o = o
    const { config, clock } = o
    this.#rules = config.rules.map(rule => new Rule(rule, demands[rule.name]))
    this.#petition = new Petition(o)
    this.#sources = config.sources.map(
      source =>
        new Source({
          ...config,
          config: source,
          wire: o.wire(source),
          clock,
          heard: value => this.#heard(source.name, value),
        }),
    )
  }

  static async open(o: BmsOptions): Promise<Bms> {
    return new Bms(o, await remembered(o))
  }

  get state(): BmsState {
    const stand = this.#stand()
    return {
      sources: this.#sources.map(source => source.state),
      rules: this.#rules.map(rule => this.#ruleState(rule, stand)),
      reserve: standbys(this.#policy ?? { capacities: [] }),
    }
  }

  families(): Family[] {
    return this.#o.config.sources.length === 0 ? [] : familiesOf(this.state, this.#o.charter.mall)
  }

  /** Safe to repeat. */
  start(): void {
    if (this.#cancel !== undefined || this.#isStopped || this.#sources.length === 0) return
    for (const source of this.#sources) source.start()
    this.#again()
  }

  /** What is under way is finished. Safe to repeat. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await Promise.all(this.#sources.map(source => source.stop()))
    await this.#looking
  }

  /** One look, for whoever does not want to wait a second for it. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .then(() => this.#troubled(''))
      .catch(error => this.#troubled(String(error)))
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  /** Every source is asked once, now. */
  async read(): Promise<void> {
    await Promise.all(this.#sources.map(source => source.read()))
  }

  #again(): void {
    if (this.#isStopped) return
    this.#cancel = this.#o.clock.in(LOOK_MS, () => {
      this.look().finally(() => this.#again())
    })
  }

  /** The limit first, for it is what protects people; what is written down and proposed comes after. */
  async #look(): Promise<void> {
    this.#listen()
    const stand = this.#stand()
    if (stand === undefined) return
    this.#restrain(stand)
    if (!this.#isSaved) await this.#save()
    await this.#petition.follow(stand, this.#over)
  }

  #heard(name: string, value: number): void {
    const { clock, log } = this.#o
    const policy = this.#policy
    const wall = clock.wall()
    const look = { now: clock.now(), wall, scheduled: policy && capacityAt(policy, wall) }
    for (const rule of this.#rules.filter(({ config }) => config.source === name)) {
      const news = rule.hear(value, look)
      if (news === undefined) continue
      const words = `${this.#words(rule)}; now ${value}`
      log.info(news === 'begun' ? 'signal' : 'signal-over', { rule: rule.config.name, words })
      if (news === 'over') this.#over = asText(`over: ${words}`)
      this.#isSaved = false
      const stand = this.#stand()
      if (stand !== undefined) this.#restrain(stand)
      void this.look()
    }
  }

  /** A source that fell silent, or speaks again. */
  #listen(): void {
    for (const source of this.#sources) {
      const { name, isSilent } = source
      if (isSilent === this.#silent.has(name)) continue
      if (isSilent) this.#silent.add(name)
      else this.#silent.delete(name)
      this.#o.log[isSilent ? 'warn' : 'info'](isSilent ? 'signal-silent' : 'signal-heard', { source: name })
      if (!isSilent) continue
      for (const rule of this.#rules) if (rule.config.source === name) rule.lost()
    }
  }

  #restrain({ reserve }: Stand): void {
    this.#o.restrain(reserve === undefined ? { why: this.#over } : { atMost: reserve.atMost, why: reserve.words })
  }

  get #policy(): Policy | undefined {
    return this.#o.policies().at(-1)
  }

  #stand(): Stand | undefined {
    const policy = this.#policy
    if (policy === undefined) return undefined
    const asked = this.#rules.flatMap(rule => {
      const { config, demand } = rule
      if (demand === undefined) return []
      const words = asText(`${this.#words(rule)}: at most ${demand.atMost} people`)
      return [{ rule: config.name, atMost: demand.atMost, enact: config.enact, words } satisfies Asked]
    })
    return standOf(asked, policy, this.#o.clock.wall())
  }

  #words({ config }: Rule): string {
    const source = this.#o.config.sources.find(one => one.name === config.source)
    return `signal of the building, rule ${config.name}: ${conditionWords(config, source?.in ?? '')}`
  }

  #ruleState({ config, demand }: Rule, stand: Stand | undefined): RuleState {
    const { name, source, enact } = config
    const unit = this.#o.config.sources.find(one => one.name === source)?.in ?? ''
    const rule = { name, source, condition: conditionWords(config, unit), enact }
    if (demand === undefined) return rule
    if (stand !== undefined && stand.capacity <= demand.atMost) {
      return { ...rule, demand: { ...demand, standing: 'in-force' } }
    }
    // one proposal stands for all: the lowest
    return { ...rule, demand: { ...demand, ...this.#petition.state } }
  }

  async #save(): Promise<void> {
    this.#isSaved = true
    const demands = Object.fromEntries(this.#rules.map(({ config, demand }) => [config.name, demand]))
    try {
      await this.#o.cabinet.write([[KEY, JSON.stringify(demands)]])
    } catch (error) {
      this.#isSaved = false
      throw error
    }
  }

  /** Said once, not every second. */
  #troubled(error: string): void {
    if (error !== '' && error !== this.#trouble) this.#o.log.error('bms', { error })
    this.#trouble = error
  }
}

async function remembered({ cabinet, log }: BmsOptions): Promise<Readonly<Record<string, Demand>>> {
  const text = await cabinet.get(KEY)
  if (text === undefined) return {}
  try {
    return JSON.parse(text) as Readonly<Record<string, Demand>>
  } catch (error) {
    log.error('bms-flawed', { key: KEY, error: String(error) })
    return {}
  }
}
