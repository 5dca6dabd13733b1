// Rig: the whole API over a mall with real keys, real approvals, archive, alerts, reconciler and holds, all in memory.
// What a mall's network and core would do is not here: its anchor says what it knows of gates that were never heard.

import { randomBytes, randomUUID } from 'node:crypto'
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Access } from '../../anchor/access/access.ts'
import { AlertBook } from '../../anchor/alerts/alert-book.ts'
import { observe } from '../../anchor/alerts/observation.ts'
import { Tray } from '../../anchor/alerts/tray.ts'
import { Anchor } from '../../anchor/anchor.ts'
import { type AppOptions, buildApp, urlOf } from '../../anchor/api/app.ts'
import type { ApiConfig } from '../../anchor/api/config.ts'
import type { Desk } from '../../anchor/api/ports.ts'
import { Reconciler } from '../../anchor/reconcile/reconciler.ts'
import { Retention } from '../../anchor/retention/retention.ts'
import { statusOf } from '../../anchor/status.ts'
import { nameOf } from '../../ledger/account.ts'
import { toBase64 } from '../../ledger/base64.ts'
import { Chain } from '../../ledger/chain.ts'
import type { Role } from '../../ledger/charter.ts'
import { formatCharter, signCharter } from '../../ledger/charter-note.ts'
import { Charters } from '../../ledger/charters.ts'
import { noCounters } from '../../ledger/counters.ts'
import type { Body, Entry } from '../../ledger/entry.ts'
import { signNote } from '../../ledger/note.ts'
import { signRow } from '../../ledger/row-note.ts'
import { textHash } from '../../ledger/text-hash.ts'
import { leafHash } from '../../ledger/tree.ts'
import { CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { Board } from '../../mesh/board/board.ts'
import type { Clock } from '../../mesh/clock.ts'
import { LIMITS } from '../../mesh/limits.ts'
import type { Log } from '../../mesh/log.ts'
import type { Member } from '../../mesh/member.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { Minutes } from '../../mesh/window/minutes.ts'
import { reportOf } from '../../mesh/window/report.ts'
import { CHARTER, keyOf, MALL, Office } from '../approvals/office.ts'

/** Somebody of each role. */
export const PEOPLE = { viewer: 'vic', operator: 'bob', marshal: 'ann', auditor: 'aud' } as const satisfies Record<
  Role,
  string
>

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked at field by field
  readonly json: any
}

export interface Line {
  readonly event: string
  readonly fields: Record<string, unknown>
}

const CHARTER_HASH = textHash(formatCharter(CHARTER))
const QUIET: ApiConfig = {
  host: '127.0.0.1',
  port: 0,
  access: 'tokens',
  limits: { requests: 1e6, logins: 1e6, notes: 1e6 },
}

export class Rig {
  readonly office: Office
  readonly archive: CabinetArchive
  readonly alerts: AlertBook
  readonly board: Board
  readonly reconciler: Reconciler
  readonly retention: Retention
  readonly faults: Line[] = []
  readonly lines: Line[] = []
  readonly config: ApiConfig
  readonly #more: Partial<AppOptions>
  readonly #chains = new Map<string, Chain>()
  readonly #anchor: Anchor
  cabinet: MemoryCabinet
  access!: Access
  app!: FastifyInstance
  desk: Desk
  /** what the process has; a test may take it away */
  desks: () => ReadonlyMap<string, Desk> = () => new Map([[MALL, this.desk]])
  checkpoint: string | undefined
  isStarting = false
  /** timers run so many times faster */
  speed = 1
  #skippedMs = 0

  private constructor(parts: {
    office: Office
    archive: CabinetArchive
    reconciler: Reconciler
    retention: Retention
    cabinet: MemoryCabinet
    config: Partial<ApiConfig>
    more: Partial<AppOptions>
  }) {
    this.office = parts.office
    this.archive = parts.archive
    this.reconciler = parts.reconciler
    this.retention = parts.retention
    this.cabinet = new MemoryCabinet()
    this.config = { ...QUIET, ...parts.config }
    this.#more = parts.more
    const key = keyOf('anchor').verifier.toString()
    this.#anchor = new Anchor({ name: 'anchor', charter: CHARTER, limits: LIMITS, key, newId })
    this.alerts = new AlertBook({
      mall: MALL,
      tray: new Tray(parts.cabinet),
      clock: this.clock,
      log: this.log,
      newId,
      tell: () => undefined,
      levels: { warn: 800, high: 950 },
      repeatMs: 60_000,
    })
    this.board = new Board({ name: 'anchor', clock: this.clock, alarm: () => undefined })
    this.desk = this.#desk()
  }

  static async open(config: Partial<ApiConfig> = {}, more: Partial<AppOptions> = {}): Promise<Rig> {
    const office = await Office.open()
    // as in a process: what belongs to the mall lies apart from tokens and answers
    const cabinet = new MemoryCabinet()
    const quiet = { clock: REAL_CLOCK, log: { info: () => undefined, warn: () => undefined, error: () => undefined } }
    const archive = await CabinetArchive.open({ cabinet, wall: () => office.wall })
    const reconciler = new Reconciler({
      archive,
      cabinet,
      ...quiet,
      legalMax: CHARTER.legalMax,
      rowOf: () => undefined,
      accounts: () => [],
    })
    const retention = await Retention.open({
      config: { hotDays: 35, keepDays: 2557, minDays: 365 },
      charters: Charters.unrevised(CHARTER),
      policies: () => office.book.after(0),
      archive,
      alarm: () => undefined,
      cabinet,
      ...quiet,
      newId,
    })
    const rig = new Rig({ office, archive, reconciler, retention, cabinet, config, more })
    await rig.alerts.start()
    await rig.reconciler.start()
    try {
      await rig.start()
    } catch (error) {
      rig.access.close()
      await rig.board.close()
      throw error
    }
    return rig
  }

  get clock(): Clock {
    return {
      now: () => REAL_CLOCK.now() + this.#skippedMs,
      wall: () => this.office.wall,
      in: (ms, act) => REAL_CLOCK.in(ms / this.speed, act),
    }
  }

  get log(): Log {
    const say =
      (lines: Line[]) =>
      (event: string, fields: object = {}) => {
        lines.push({ event, fields: fields as Line['fields'] })
      }
    return { info: say(this.lines), warn: say(this.lines), error: say(this.faults) }
  }

  get url(): string {
    return urlOf(this.app, this.config)
  }

  /** Opens the API anew over what is on disk. */
  async start(): Promise<void> {
    const { clock, log } = this
    this.access = await Access.open({ cabinet: this.cabinet, clock, log, random: randomBytes })
    this.app = await buildApp({
      desks: () => this.desks(),
      malls: () => new Map([[MALL, this.desk], ...this.desks()]),
      access: this.access,
      clock,
      log,
      cabinet: this.cabinet,
      metrics: mall => `# all quiet in ${mall ?? 'all malls'}\n`,
      health: () => ({ ok: true, malls: { [MALL]: { ok: true } } }),
      config: this.config,
      ...this.#more,
    })
    await this.app.listen({ host: '127.0.0.1', port: 0 })
  }

  async stop(): Promise<void> {
    await this.app.close()
    this.access.close()
  }

  async restart(): Promise<void> {
    await this.stop()
    this.cabinet = this.cabinet.reopened()
    await this.start()
  }

  async close(): Promise<void> {
    await this.stop()
    await this.reconciler.stop()
    await this.retention.stop()
    await this.board.close()
  }

  skip(ms: number): void {
    this.#skippedMs += ms
    this.office.wall += ms
  }

  /** Entries of one account, as they would have been collected. */
  async collect(account: string, bodies: readonly Body[]): Promise<void> {
    const chain = this.#chains.get(account) ?? new Chain(CHARTER_HASH)
    this.#chains.set(account, chain)
    const arrivals = bodies.map(body => {
      const { line } = chain.write(body)
      return { entry: JSON.parse(line) as Entry, line, arrivedAt: this.office.wall, flags: [] }
    })
    const last = toBase64(leafHash(arrivals.at(-1)?.line ?? ''))
    const { signed = 0, row } = this.archive.head(account) ?? {}
    const head = { account, size: chain.size, signed, kept: 0, last, peaks: [], counters: noCounters() }
    await this.archive.commit(row === undefined ? head : { ...head, row }, arrivals)
  }

  /** Its owner signs for all of an account that was collected. */
  async vouch(account: string, key = keyOf(nameOf(account))): Promise<void> {
    const chain = this.#chains.get(account)
    const head = this.archive.head(account)
    if (chain === undefined || head === undefined) throw new Error(`nothing of ${account} was collected`)
    const row = { account, ...chain.head(), at: this.office.wall, counters: noCounters() }
    await this.archive.commit({ ...head, signed: chain.size, row: signRow(row, MALL, key) }, [])
  }

  admits(count: number): Body[] {
    return Array.from({ length: count }, () => ({
      id: newId(),
      at: this.office.wall,
      type: 'admit',
      source: 'local',
      confidence: 1000,
    }))
  }

  /** An alert, raised by a member's siren. */
  async raise(): Promise<string> {
    this.alerts.alarmed('DISK', 'east', 'its disk is full')
    const { now, wall } = { now: this.clock.now(), wall: this.clock.wall() }
    this.alerts.observe(observe(this.desk, this.reconciler, { now, wall, since: now }), now, wall)
    const [alert] = this.alerts.list({ code: 'DISK' })
    return alert?.id ?? ''
  }

  /** Logs in as a person would. */
  async login(name: string): Promise<string> {
    const { json } = await this.post('/login/challenges', { name })
    const reply = await this.post('/login', { note: signNote(json.text, [keyOf(name)]) })
    if (reply.status !== 200) throw new Error(`no login: ${reply.text}`)
    return reply.json.token
  }

  /** Below the mall's part of the API. */
  get(path: string, token?: string): Promise<Reply> {
    return this.ask('GET', this.at(path), { token })
  }

  post(path: string, body: unknown, token?: string, key: string = randomUUID()): Promise<Reply> {
    return this.ask('POST', this.at(path), { token, body, headers: { 'idempotency-key': key } })
  }

  delete(path: string, token?: string, key: string = randomUUID()): Promise<Reply> {
    return this.ask('DELETE', this.at(path), { token, headers: { 'idempotency-key': key } })
  }

  at(path: string): string {
    return `/api/v1/malls/${MALL}${path}`
  }

  ask(
    method: string,
    path: string,
    a: { readonly token?: string | undefined; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const isJson = a.body !== undefined && typeof a.body !== 'string'
    const headers = {
      ...(a.token === undefined ? {} : { authorization: `Bearer ${a.token}` }),
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...a.headers,
    }
    const text = isJson ? JSON.stringify(a.body) : ((a.body as string | undefined) ?? '')
    return this.begin(method, path, headers, asked => asked.end(text)).then(read)
  }

  begin(
    method: string,
    path: string,
    headers: Record<string, string>,
    act: (asked: ClientRequest) => void,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asked = request(`${this.url}${path}`, { method, headers, agent: false }, resolve)
      asked.on('error', reject)
      act(asked)
    })
  }

  #desk(): Desk {
    const { office, alerts, archive, board, reconciler, retention } = this
    const me = { ...this.#anchor.me, modes: office.modes } as unknown as Member
    const shell = { core: this.#anchor, broken: undefined } as unknown as Parameters<typeof statusOf>[0]
    return {
      mall: MALL,
      charter: CHARTER,
      charterNotes: [signCharter(CHARTER, keyOf('owner'))],
      archive,
      counted: () => 0,
      get approvals() {
        return office.approvals
      },
      alerts,
      board,
      reconciler,
      retention,
      public: { places: false, answer: () => undefined },
      signals: { state: { sources: [], rules: [], reserve: [] } },
      status: () => ({ ...statusOf(shell, 'anchor', this.clock.now()), mode: office.modes.effective }),
      report: () => ({
        ...reportOf(this.#anchor.me, { name: 'anchor', charter: CHARTER, now: this.clock.now(), wall: office.wall }),
        mode: office.modes.effective,
      }),
      trend: () => new Minutes().trend(office.wall),
      me: () => (this.isStarting ? undefined : me),
      policies: () => office.book.after(0),
      checkpoint: () => this.checkpoint,
      peers: () => [{ name: 'east', isUp: true, silentMs: 10, places: [{ host: '10.0.0.7', port: 4501 }] }],
    }
  }
}

export async function inRig(
  act: (rig: Rig) => Promise<void>,
  config: Partial<ApiConfig> = {},
  more: Partial<AppOptions> = {},
): Promise<void> {
  const rig = await Rig.open(config, more)
  try {
    await act(rig)
  } finally {
    await rig.close()
  }
}

export function read(response: IncomingMessage): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', part => {
      text += part
    })
    response.on('error', reject)
    response.on('end', () => {
      const isJson = (response.headers['content-type'] ?? '').startsWith('application/json')
      const json = isJson && text !== '' ? JSON.parse(text) : undefined
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
    })
  })
}
