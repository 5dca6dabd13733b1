// Mall: everything an anchor does for one mall. A bulkhead: its own core, store, network, office and timers.
//
// Order: the core starts at once, because the mall needs its budget; the office, where people and programs are served,
// opens when its cabinet can be read. That is tried for as long as it takes, and keeps nothing else from anything.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Charter } from '../ledger/charter.ts'
import { Host, type Surroundings } from '../mesh/host.ts'
import type { Message } from '../mesh/message.ts'
import type { Meter } from '../mesh/meter.ts'
import type { ProcessLog } from '../mesh/pino-log.ts'
import { newId } from '../mesh/real-clock.ts'
import { NO_NOTIFY } from '../mesh/sd-notify.ts'
import type { Shell, Witness } from '../mesh/shell.ts'
import type { Alarm } from '../mesh/siren.ts'
import { limitsOf } from '../mesh/station.ts'
import type { MallReport, Trend } from '../mesh/window/mall-report.ts'
import type { Family } from '../mesh/window/prometheus.ts'
import { reportOf } from '../mesh/window/report.ts'
import { WireMetrics } from '../mesh/window/wire-metrics.ts'
import { Anchor, type AnchorEvent } from './anchor.ts'
import { Born } from './born.ts'
import type { MallConfig } from './config.ts'
import { labelled } from './families.ts'
import { Mint } from './mint.ts'
import { Office } from './office.ts'
import { Skews } from './skews.ts'
import { type AnchorStatus, statusFamilies, statusOf } from './status.ts'

export interface MallSurroundings extends Surroundings {
  /** somebody says that this mall opens for the first time */
  readonly isBirth: boolean
}

export interface Health {
  readonly ok: boolean
  readonly state: string
  readonly fault?: string
  /** people and programs are served */
  readonly isOpen: boolean
}

const NOT_BORN = 'no ledger and none was born here: the very first start of a mall needs --birth'
const RETRY_MS = 2000
const WELL_MS = 8000

export class Mall {
  readonly mall: string
  readonly charter: Charter
  readonly #config: MallConfig
  readonly #s: MallSurroundings
  readonly #log: ProcessLog
  readonly #wire: WireMetrics
  readonly #skews = new Skews()
  readonly #stopped = new AbortController()
  #host: Host<AnchorEvent> | undefined
  #office: Office | undefined
  #starting: Promise<void> | undefined
  #opening: Promise<void> | undefined
  /** what was sounded before there was anyone to take it down */
  #alarms: Alarm[] = []

  constructor(config: MallConfig, surroundings: MallSurroundings) {
    this.#config = config
    this.charter = surroundings.papers.charter
    this.mall = this.charter.mall
    this.#log = tagged(surroundings.log, this.mall)
    this.#s = { ...surroundings, log: this.#log, notify: NO_NOTIFY }
    this.#wire = new WireMetrics(surroundings.clock)
  }

  /** Where people and programs are served; undefined until it can be opened. */
  get office(): Office | undefined {
    return this.#office
  }

  get isWell(): boolean {
    return this.#host?.station.isWell(WELL_MS) ?? true
  }

  status(): AnchorStatus {
    return statusOf(this.#host?.station.shell, this.#config.name, this.#s.clock.now())
  }

  report(): MallReport {
    const { clock } = this.#s
    const nobody = { name: this.#config.name, charter: this.charter, now: clock.now(), wall: clock.wall() }
    return this.#host?.report() ?? reportOf(undefined, nobody)
  }

  /** The last 24 hours; undefined before its core is on its way. */
  trend(): Trend | undefined {
    return this.#host?.trend()
  }

  health(): Health {
    const { state, fault } = this.status()
    const isOpen = this.#office !== undefined
    return { ok: state !== 'FAULT', state, ...(fault === undefined ? {} : { fault }), isOpen }
  }

  families(): Family[] {
    const own = [...statusFamilies(this.status()), ...this.#wire.families()]
    return [...labelled(own, this.mall), ...labelled(this.#office?.families() ?? [], this.mall)]
  }

  /** Resolves once its core is on its way. What keeps it from that is tried again, and keeps no other mall waiting. */
  start(): Promise<void> {
    this.#starting ??= this.#persist('START', async () => {
      this.#host = await this.#begin()
    })
    return this.#starting
  }

  /** Safe to repeat. */
  async stop(why: string): Promise<void> {
    this.#stopped.abort()
    await this.#starting
    await this.#opening
    await this.#office?.stop()
    await this.#host?.stop(why)
    await this.#office?.close()
  }

  #begin(): Promise<Host<AnchorEvent>> {
    const born = new Born(this.#config.store)
    const { charters, signer } = this.#s.papers
    return Host.start<AnchorEvent>(this.#config, this.#s, host => {
      const mint = new Mint({ charters, signer, host, born })
      this.#opening = this.#persist('OFFICE', () => this.#open(host, mint))
      return {
        make: () => this.#make(born),
        witness: witnessOf(host, () => mint.isBorn()),
        meter: this.#meter(),
        opened: shell => this.#remember(shell, born),
        alarmed: alarm => this.#alarmed(alarm),
        alerts: () => this.#office?.openAlerts(),
        state: () => this.status(),
        telemetry: () => {
          const { state, mode, balance, peers } = this.status()
          return { state, mode, balance, peers }
        },
      }
    })
  }

  #make(born: Born): Anchor {
    const { papers, isBirth } = this.#s
    const { charter, charters } = papers
    const key = papers.signer.verifier.toString()
    const identity = { name: this.#config.name, charter, charters, limits: limitsOf(charter), key, newId }
    const isRestrained = this.#config.bms.rules.some(({ enact }) => enact)
    return new Anchor(identity, { birth: isBirth && !born.is, isRestrained })
  }

  async #remember(shell: Shell<AnchorEvent>, born: Born): Promise<void> {
    await born.look()
    // a ledger that is there was born, though the power may have gone before that was written down
    if ((await shell.store.accounts()).length > 0) return born.note()
    const doubt = born.is ? 'born, and without a ledger: what it minted before is carried over' : NOT_BORN
    if (born.is || !this.#s.isBirth) this.#log.warn('doubt', { doubt })
  }

  async #open(host: Host<AnchorEvent>, mint: Mint): Promise<void> {
    const office = await Office.open({ config: this.#config, surroundings: this.#s, host, mint, skews: this.#skews })
    for (const alarm of this.#alarms.splice(0)) office.alarmed(alarm)
    this.#office = office
    try {
      await office.start()
    } catch (error) {
      this.#office = undefined
      await office.close()
      throw error
    }
    this.#log.info('office', { open: true })
  }

  /** Again and again until it works or nobody wants it any more. */
  async #persist(code: string, act: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopped
    for (let said = ''; !signal.aborted; await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)) {
      try {
        return await act()
      } catch (error) {
        const { message, stack } = error as Error
        if (message !== said) this.#log.error('failed', { code, error: stack, againMs: RETRY_MS })
        if (message !== said) this.#host?.alarm(code, `${this.mall}: ${message}`)
        said = message
      }
    }
  }

  #alarmed(alarm: Alarm): void {
    if (this.#office !== undefined) this.#office.alarmed(alarm)
    else this.#alarms.push(alarm)
  }

  #meter(): Meter {
    const wire = this.#wire
    const { clock } = this.#s
    return {
      told: (to, message, bytes) => wire.told(to, message, bytes),
      heard: (from: string, message: Message, bytes: number) => {
        this.#skews.heard(from, message, clock.wall())
        wire.heard(from, message, bytes)
      },
      refused: (from, notes) => wire.refused(from, notes),
      garbage: () => wire.garbage(),
    }
  }
}

function witnessOf(host: Host<AnchorEvent>, isBorn: () => void): Witness {
  return {
    wrote: body => {
      if (body.type === 'open') isBorn()
    },
    opened: () => undefined,
    answered: () => undefined,
    letOut: () => undefined,
    mode: () => undefined,
    alarm: (code, detail) => host.alarm(code, detail),
    restarted: why => host.alarm('RESTARTED', `anchor: ${why}`),
  }
}

/** Every line says whose mall it is about. */
function tagged(log: ProcessLog, mall: string): ProcessLog {
  return {
    info: (event, fields) => log.info(event, { mall, ...fields }),
    warn: (event, fields) => log.warn(event, { mall, ...fields }),
    error: (event, fields) => log.error(event, { mall, ...fields }),
    flush: () => log.flush(),
  }
}
