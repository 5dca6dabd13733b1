// Rig: one real gate behind its real window, on a disk in the test's hand. Of the anchor there are only its papers: a
// signed policy and a signed row that brings tokens.

import assert from 'node:assert/strict'
import { type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANCHOR } from '../../ledger/account.ts'
import { Books } from '../../ledger/books.ts'
import { Chain } from '../../ledger/chain.ts'
import type { Charter } from '../../ledger/charter.ts'
import { openCharter, signCharter } from '../../ledger/charter-note.ts'
import { Charters } from '../../ledger/charters.ts'
import { noCounters } from '../../ledger/counters.ts'
import { SignerKey } from '../../ledger/key.ts'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
import type { ModeText } from '../../ledger/mode-note.ts'
import { signMode } from '../../ledger/mode-note.ts'
import { originOf } from '../../ledger/origin.ts'
import { openPolicy, signPolicy } from '../../ledger/policy-note.ts'
import { signRow } from '../../ledger/row-note.ts'
import type { Store, StoreOptions } from '../../ledger/store.ts'
import { Keyring } from '../../mesh/keyring.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { newId, REAL_CLOCK } from '../../mesh/real-clock.ts'
import { Shell } from '../../mesh/shell.ts'
import { command } from '../../mesh/window/command.ts'
import { reportOf } from '../../mesh/window/report.ts'
import { Server } from '../../mesh/window/server.ts'
import { Vitals } from '../../mesh/window/vitals.ts'
import { Door } from '../../node/door.ts'
import { Gate } from '../../node/gate.ts'
import type { GateEvent } from '../../node/gate-event.ts'
import { type GateRoutes, gateRoutes } from '../../node/http.ts'
import { GateMetrics } from '../../node/metrics.ts'
import { mayLook } from '../../node/pass.ts'
import { statusOf } from '../../node/status.ts'

const MALL = 'test'
const NAME = 'gate-01'
const PEOPLE = [ANCHOR, 'owner', 'ann', 'bob', NAME, 'gate-02', 'stranger']
const KEYS = new Map(PEOPLE.map(name => [name, SignerKey.generate(originOf(MALL, name))]))
const key = (name: string) => KEYS.get(name) as SignerKey
const vkey = (name: string) => key(name).verifier.toString()

const CHARTER: Charter = {
  mall: MALL,
  legalMax: 100,
  anchor: vkey(ANCHOR),
  operators: [
    { name: 'ann', role: 'marshal', key: vkey('ann') },
    { name: 'bob', role: 'operator', key: vkey('bob') },
  ],
  gates: [
    { name: NAME, key: vkey(NAME) },
    { name: 'gate-02', key: vkey('gate-02') },
  ],
  exitsPerMinuteMax: 12_000,
  aloneMovePerMille: 200,
}
const { hash: CHARTER_HASH } = openCharter(signCharter(CHARTER, key('owner')), key('owner').verifier)
const CAPACITY = 50

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked at field by field
  readonly json: any
}

export class Rig {
  readonly disk = new MemoryDisk()
  readonly metrics = new GateMetrics(REAL_CLOCK)
  readonly door: Door
  readonly server: Server
  readonly faults: unknown[] = []
  readonly #vitals = new Vitals()
  readonly #openStore: (options: StoreOptions) => Promise<Store>
  #shell: Shell<GateEvent> | undefined

  constructor(openStore?: (options: StoreOptions) => Promise<Store>, over: Partial<GateRoutes> = {}) {
    this.#openStore = openStore ?? (options => openMemoryStore(this.disk, options))
    const { metrics } = this
    this.door = new Door({ name: NAME, clock: REAL_CLOCK, newId, alarm: () => undefined, metrics })
    const status = () => statusOf(this.door, REAL_CLOCK.now())
    const ring = new Keyring(Charters.unrevised(CHARTER), () => CHARTER.gates)
    const routes = gateRoutes({
      door: this.door,
      clock: REAL_CLOCK,
      mall: MALL,
      newId,
      ...over,
      status,
      report: () => {
        const now = REAL_CLOCK.now()
        const extras = new Map([['gate-02', { state: 'NORMAL', waiting: 3 }]])
        return reportOf(this.door.gate?.me, { name: NAME, charter: CHARTER, now, wall: REAL_CLOCK.wall(), extras })
      },
      metrics: () => metrics.toPrometheus(status(), { bytesIn: 5 }, this.#vitals.families()),
      command: note =>
        command(note, {
          me: this.door.gate?.me,
          ring,
          hear: statement =>
            this.#shell?.step({ kind: 'heard', from: NAME, message: { kind: 'mode', statement } } as GateEvent),
        }),
    })
    const onFault = (error: unknown) => this.faults.push(error)
    this.server = new Server({ routes, onFault, mayLook: headers => mayLook(headers, over.pass) })
  }

  /** Opens the store and starts the core, as the process does while its window is open already. */
  async boot(tokens = 10): Promise<void> {
    const { shell, boot } = await Shell.open<GateEvent>({
      name: NAME,
      charters: Charters.unrevised(CHARTER),
      signer: key(NAME),
      rememberMs: 60_000,
      clock: REAL_CLOCK,
      transport: { send: (_to, text) => setImmediate(() => this.#answer(JSON.parse(text))) },
      witness: this.door,
      meter: this.metrics,
      make: () => new Gate({ name: NAME, charter: CHARTER, limits: LIMITS, key: vkey(NAME), newId }, { alone: true }),
      openStore: options => this.#openStore({ ...options, onWrite: (ms, lines) => this.metrics.fsynced(ms, lines) }),
    })
    this.#shell = shell
    this.door.shell = shell
    boot()
    await until(() => this.door.gate?.isJoined === true, 'the gate has a ledger')
    this.#bring(tokens)
    await until(() => this.door.gate?.fault === undefined, 'the gate decides')
  }

  hear(from: string, text: string): void {
    this.#shell?.hear(from, text)
  }

  get store(): Store {
    return (this.#shell as Shell<GateEvent>).store
  }

  async close(): Promise<void> {
    this.#vitals.stop()
    await this.server.close()
    this.disk.release()
    this.disk.heal()
    await this.#shell?.close()
  }

  get entries(): Promise<{ type: string; id: string; credited?: boolean; confidence?: number }[]> {
    return (async () => {
      await this.store.sync()
      const lines: string[] = []
      for await (const line of this.store.range(0, this.store.durable.size)) lines.push(line)
      return lines.map(line => JSON.parse(line))
    })()
  }

  ask(method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<Reply> {
    return this.begin(method, path, headers, asked => asked.end(body))
  }

  /** `act` writes the body as it likes. */
  begin(
    method: string,
    path: string,
    headers: Record<string, string>,
    act: (asked: ClientRequest) => void,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const asked = request(`${this.server.url}${path}`, { method, headers, agent: false }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', part => {
          text += part
        })
        response.on('end', () => {
          const isJson = text !== '' && response.headers['content-type'] === 'application/json'
          const { statusCode = 0, headers: said } = response
          resolve({ status: statusCode, headers: said, text, json: isJson ? JSON.parse(text) : undefined })
        })
        response.on('error', reject)
      })
      asked.on('error', reject)
      act(asked)
    })
  }

  /** The others remember nothing of this gate, and the anchor gives it its first account. */
  #answer(asked: { kind: string; id?: string; epoch?: number }): void {
    if (asked.kind === 'whois') this.hear('gate-02', JSON.stringify({ kind: 'known', name: NAME, rows: [] }))
    if (asked.kind !== 'enrol') return
    this.hear(ANCHOR, JSON.stringify({ kind: 'enrolled', id: asked.id, account: `${NAME}/${asked.epoch}` }))
  }

  #bring(tokens: number): void {
    const at = REAL_CLOCK.wall()
    const text = {
      version: 1,
      capacities: [{ from: 0, capacity: CAPACITY }],
      correction: 0,
      reclaimed: [],
      gates: CHARTER.gates,
      maxSharePerMille: 1000,
      expireAfterMs: 86_400_000,
      confidenceMin: 700,
      marginPerMille: 0,
      reason: 'opening',
    }
    const note = signPolicy(text, MALL, [ANCHOR, 'ann', 'bob'].map(key))
    const { hash } = openPolicy(note, CHARTER)
    this.hear(ANCHOR, JSON.stringify({ kind: 'policies', policies: [note] }))
    const pen = new Chain(CHARTER_HASH)
    const books = new Books({ account: 'anchor/1', pen, counters: noCounters() }, () => undefined, newId)
    books.setBudget({ capacity: CAPACITY, correction: 0, reclaimed: 0, carried: 0 }, { version: 1, hash }, at)
    if (tokens > 0) books.send(`${NAME}/1`, tokens, at, 'grant')
    const row = signRow(books.row(at), MALL, key(ANCHOR))
    this.hear(ANCHOR, JSON.stringify({ kind: 'rows', rows: [row] }))
  }
}

/** A gate that decides, behind an open window. */
export async function inRig(
  act: (rig: Rig) => Promise<void>,
  a: {
    readonly tokens?: number
    readonly openStore?: (options: StoreOptions) => Promise<Store>
    readonly over?: Partial<GateRoutes>
  } = {},
): Promise<void> {
  const rig = new Rig(a.openStore, a.over)
  try {
    await rig.server.listen({ host: '127.0.0.1', port: 0 }, false)
    await rig.boot(a.tokens)
    await act(rig)
    assert.deepEqual(rig.faults, [])
  } finally {
    await rig.close()
  }
}

/** A window with no gate behind it yet. */
export async function inFront(act: (rig: Rig) => Promise<void>): Promise<void> {
  const rig = new Rig()
  try {
    await rig.server.listen({ host: '127.0.0.1', port: 0 }, false)
    await act(rig)
    assert.deepEqual(rig.faults, [])
  } finally {
    await rig.close()
  }
}

export function modeNote(over: Partial<ModeText>, signers: readonly string[]): string {
  const statement = { epoch: 0, mode: 'FIRE' as const, at: REAL_CLOCK.wall(), reason: 'test', ...over }
  return signMode(statement, MALL, signers.map(key))
}

export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i++) await sleep(10)
  assert.ok(holds(), what)
}
