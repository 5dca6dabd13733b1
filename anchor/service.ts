// Service: the anchor's process. One API, and behind it a bulkhead for every mall.
//
// Order: the API first, so that whoever looks sees what is starting; then all malls at once, each for itself. It stops
// the other way round. What goes wrong in one mall is that mall's: nobody here waits for it.

import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Cabinet } from '../mesh/archive/cabinet.ts'
import { openLevelCabinet } from '../mesh/archive/level-cabinet.ts'
import type { Surroundings } from '../mesh/host.ts'
import type { Papers } from '../mesh/papers.ts'
import { prometheusText } from '../mesh/window/prometheus.ts'
import { Vitals } from '../mesh/window/vitals.ts'
import { Access } from './access/access.ts'
import { buildApp, urlOf } from './api/app.ts'
import type { Desk } from './api/ports.ts'
import type { MallConfig, ServiceConfig } from './config.ts'
import { joined } from './families.ts'
import { Mall } from './mall.ts'

export interface Tenant {
  readonly config: MallConfig
  readonly papers: Papers
}

export interface ServiceSurroundings extends Omit<Surroundings, 'papers'> {
  readonly tenants: readonly Tenant[]
  /** somebody says that these malls open for the first time */
  readonly isBirth: boolean
}

/** libuv's own number: with so few, one mall whose disk hangs would take the disk from all others. */
const THREADS_USUAL = 4

export async function startService(config: ServiceConfig, surroundings: ServiceSurroundings): Promise<Service> {
  const service = new Service(config, surroundings)
  await service.start()
  return service
}

export class Service {
  readonly malls: ReadonlyMap<string, Mall>
  readonly #config: ServiceConfig
  readonly #s: ServiceSurroundings
  readonly #vitals = new Vitals()
  #cabinet: Cabinet | undefined
  #access: Access | undefined
  #app: FastifyInstance | undefined
  #stopping: Promise<void> | undefined

  constructor(config: ServiceConfig, surroundings: ServiceSurroundings) {
    this.#config = config
    this.#s = surroundings
    const malls = surroundings.tenants.map(({ config, papers }) => new Mall(config, { ...surroundings, papers }))
    this.malls = new Map(malls.map(mall => [mall.mall, mall]))
  }

  /** Empty until it listens. */
  get url(): string {
    return this.#app?.server.listening ? urlOf(this.#app, this.#config.http) : ''
  }

  async start(): Promise<void> {
    const { log, clock, notify } = this.#s
    const { http, store } = this.#config
    const onFault = (fault: Error) => log.error('service store', { error: fault.message })
    this.#cabinet = await openLevelCabinet({ dir: store, onFault })
    this.#access = await Access.open({ cabinet: this.#cabinet, clock, log, random: randomBytes })
    this.#app = await buildApp({
      desks: () => this.#desks(),
      malls: () => this.malls,
      access: this.#access,
      clock,
      log,
      cabinet: this.#cabinet,
      metrics: mall => this.#metrics(mall),
      health: () => this.#health(),
      config: http,
    })
    await this.#app.listen({ host: http.host, port: http.port })
    const lan = this.#s.tenants.flatMap(({ config }) => config.listen.map(({ host, port }) => `${host}:${port}`))
    log.info('listening', { http: this.url, lan, malls: [...this.malls.keys()] })
    const threads = Number(process.env.UV_THREADPOOL_SIZE ?? THREADS_USUAL)
    if (this.malls.size > 1 && threads < THREADS_USUAL * this.malls.size) {
      log.warn('doubt', {
        doubt: `${this.malls.size} malls share ${threads} threads for their disks: see UV_THREADPOOL_SIZE`,
      })
    }
    notify.ready()
    notify.watch(() => [...this.malls.values()].some(mall => mall.isWell))
    for (const mall of this.malls.values()) void mall.start()
  }

  /** Safe to repeat. */
  stop(why: string): Promise<void> {
    this.#stopping ??= this.#stop(why)
    return this.#stopping
  }

  async #stop(why: string): Promise<void> {
    await Promise.all([...this.malls.values()].map(mall => mall.stop(why)))
    await this.#app?.close()
    this.#access?.close()
    await this.#cabinet?.close()
    await this.#s.notify.stopping()
  }

  #desks(): ReadonlyMap<string, Desk> {
    const desks = new Map<string, Desk>()
    for (const [name, { office }] of this.malls) if (office !== undefined) desks.set(name, office)
    return desks
  }

  #metrics(only: string | undefined): string {
    const own = [...this.malls.values()].flatMap(mall =>
      only === undefined || mall.mall === only ? mall.families() : [],
    )
    return prometheusText(joined([...own, ...this.#vitals.families()]))
  }

  #health() {
    const malls = Object.fromEntries([...this.malls].map(([name, mall]) => [name, mall.health()]))
    return { ok: Object.values(malls).every(({ ok }) => ok), malls }
  }
}
