// Gate talk: what the doctor asks a running gate, over its own port and with its pass where it has one.
//
// Law: nothing here changes how the gate behaves. What it writes is the one entry that says how a check went.

import type { TurnstileState } from '../../hardware/turnstile.ts'
import type { CheckOf } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Inventory } from '../../mesh/archive/inventory.ts'
import type { LanPeer } from '../../mesh/lan/lan.ts'
import type { MallReport } from '../../mesh/window/mall-report.ts'
import type { GateStatus } from '../../node/status.ts'
import { ask, errorOf, SaysNo } from '../operator/anchor-client.ts'

export interface Status extends GateStatus {
  readonly lan?: {
    readonly places: readonly { readonly host: string; readonly port: number }[]
    readonly peers: readonly LanPeer[]
    readonly findsByMulticast: boolean
  }
  /** its clock less that of others, ms, by name */
  readonly clocks?: Readonly<Record<string, number>>
}

export interface Who {
  readonly mall: string
  readonly gate: string
  readonly mayCount: boolean
}

export interface Check {
  readonly what: CheckOf
  readonly lane: string
  readonly by: string
  readonly truthIn: number
  readonly truthOut: number
  readonly seenIn: number
  readonly seenOut: number
  readonly ok: boolean
}

export class GateTalk {
  readonly url: URL
  readonly #pass: string | undefined

  constructor(url: URL, pass: string | undefined) {
    this.url = url
    this.#pass = pass
  }

  who(): Promise<Who> {
    return this.#get('/turnstile')
  }

  status(): Promise<Status> {
    return this.#get('/status')
  }

  mall(): Promise<MallReport> {
    return this.#get('/mall')
  }

  turnstile(): Promise<TurnstileState> {
    return this.#get('/turnstile/state')
  }

  evidence(): Promise<Inventory> {
    return this.#get('/evidence')
  }

  /** The id of the entry, once it is on disk. */
  async check(check: Check): Promise<string> {
    const { id } = await this.#ask<{ id: string }>('POST', '/turnstile/check', JSON.stringify(check))
    return id
  }

  #get<T>(path: string): Promise<T> {
    return this.#ask<T>('GET', path, undefined)
  }

  async #ask<T>(method: string, path: string, text: string | undefined): Promise<T> {
    const headers: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' }
    if (this.#pass !== undefined) headers.authorization = `Bearer ${this.#pass}`
    const { origin } = this.url
    const reply = await ask({ url: new URL(path, this.url).href, method, headers, text }).catch(error => {
      throw new Fault('UNREACHED', `no answer from ${origin}: ${(error as Error).message}`, { cause: error })
    })
    if (reply.status !== 200) {
      const { message } = errorOf(reply.text)
      const hint = reply.status === 401 ? '; --token takes the pass of the gate' : ''
      throw new SaysNo(reply.status, 'refused', `${origin}${path}: ${message}${hint}`)
    }
    try {
      return JSON.parse(reply.text) as T
    } catch (error) {
      throw new Fault('GATE', `${origin}${path} answered what is no JSON: is this a gate?`, { cause: error })
    }
  }
}
