// Idempotency: a change that is asked for twice under one key happens once, and both get the same answer, also after a
// restart in between.
//
// Law: that a change was begun is on disk before it is begun, and its answer before it is told. One that a crash or a
// fault cut off is never begun again under its key: whoever asked is told that nobody knows, and looks.
//
// An answer that holds a secret is encrypted with the token of whoever asked, which is not on this disk.

import { createCipheriv, createDecipheriv, hash, hkdfSync } from 'node:crypto'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Answer } from './endpoint.ts'
import { ApiRefusal } from './refusal.ts'

export const KEEP_MS = 24 * 3_600_000

export interface Once {
  /** whose key it is: the same key of another caller is another key */
  readonly scope: string
  readonly key: string
  /** what is asked, in full */
  readonly request: string
  /** `begun` is left out where to do it again does no harm, and only what succeeded is kept */
  readonly isHarmless?: boolean
  /** the token of whoever asks: the answer is kept encrypted with it */
  readonly secret?: string
}

interface Kept {
  readonly at: number
  readonly request: string
  /** absent: begun, and not known to have ended */
  readonly answer?: string
}

const PREFIX = 'idem/'
const SWEEP_MS = 3_600_000
const SPAN = { from: PREFIX, to: 'idem0' }

export class Idempotency {
  readonly #cabinet: Cabinet
  readonly #clock: Clock
  readonly #log: Log
  readonly #random: (bytes: number) => Buffer
  readonly #underWay = new Map<string, string>()
  #forgetSweep: () => void

  constructor(a: {
    readonly cabinet: Cabinet
    readonly clock: Clock
    readonly log: Log
    readonly random: (bytes: number) => Buffer
  }) {
    this.#cabinet = a.cabinet
    this.#clock = a.clock
    this.#log = a.log
    this.#random = a.random
    this.#forgetSweep = this.#sweepLater()
  }

  /** Safe to repeat. */
  close(): void {
    this.#forgetSweep()
  }

  /** The answer of `act`, or the one it gave before. Answers that are our own fault are not kept. */
  async once(a: Once, act: () => Promise<Answer>): Promise<{ readonly answer: Answer; readonly isAgain: boolean }> {
    const place = `${PREFIX}${hash('sha256', JSON.stringify([a.scope, a.key]), 'hex')}`
    const request = hash('sha256', a.request, 'hex')
    const other = this.#underWay.get(place)
    if (other !== undefined && other !== request) throw otherRequest()
    if (other !== undefined)
      throw new ApiRefusal(409, 'under-way', 'the same request is under way: ask again in a moment')
    this.#underWay.set(place, request)
    try {
      const kept = await this.#kept(place)
      if (kept !== undefined && kept.request !== request) throw otherRequest()
      if (kept !== undefined) return { answer: this.#opened(kept, a), isAgain: true }
      if (!a.isHarmless) await this.#keep(place, { at: this.#clock.wall(), request })
      return { answer: await this.#act(place, request, a, act), isAgain: false }
    } finally {
      this.#underWay.delete(place)
    }
  }

  /** Forgets what is a day old. */
  async sweep(): Promise<void> {
    const wall = this.#clock.wall()
    for await (const items of this.#cabinet.read(SPAN)) {
      const old = items.filter(([, value]) => !isFresh(parse(value), wall))
      if (old.length > 0) await this.#cabinet.write(old.map(([key]) => [key, undefined]))
    }
  }

  #sweepLater(): () => void {
    return this.#clock.in(SWEEP_MS, () => {
      this.#forgetSweep = this.#sweepLater()
      this.sweep().catch(error => this.#log.error('idempotency-sweep', { error: String(error) }))
    })
  }

  async #act(place: string, request: string, a: Once, act: () => Promise<Answer>): Promise<Answer> {
    // should this throw, it stays begun: what failed through a fault of ours may have happened all the same
    const answer = await act()
    const isWorthKeeping = a.isHarmless ? answer.status < 300 : answer.status < 500
    if (isWorthKeeping) await this.#keep(place, { at: this.#clock.wall(), request, answer: this.#closed(answer, a) })
    else if (!a.isHarmless) await this.#cabinet.write([[place, undefined]])
    return answer
  }

  async #kept(place: string): Promise<Kept | undefined> {
    const value = await this.#cabinet.get(place)
    const kept = value === undefined ? undefined : parse(value)
    return isFresh(kept, this.#clock.wall()) ? kept : undefined
  }

  async #keep(place: string, kept: Kept): Promise<void> {
    await this.#cabinet.write([[place, JSON.stringify(kept)]])
  }

  #closed(answer: Answer, { secret }: Once): string {
    const text = JSON.stringify(answer)
    if (secret === undefined) return text
    const nonce = this.#random(12)
    const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce)
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
  }

  #opened({ answer }: Kept, { secret }: Once): Answer {
    if (answer === undefined) {
      const message = 'this was begun and cut off: look whether it happened, then ask with a new key'
      throw new ApiRefusal(409, 'unknown-outcome', message)
    }
    if (secret === undefined) return JSON.parse(answer)
    const bytes = Buffer.from(answer, 'base64')
    const cipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12))
    cipher.setAuthTag(bytes.subarray(12, 28))
    return JSON.parse(Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8'))
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'gatemesh idempotency', 32))
}

function otherRequest(): ApiRefusal {
  const message = 'this idempotency key was used for another request'
  return new ApiRefusal(422, 'key-reused', message, { where: 'header/idempotency-key' })
}

function parse(value: string): Kept | undefined {
  try {
    const kept = JSON.parse(value)
    return Number.isSafeInteger(kept?.at) && typeof kept.request === 'string' ? kept : undefined
  } catch {
    return undefined
  }
}

function isFresh(kept: Kept | undefined, wall: number): boolean {
  return kept !== undefined && wall - kept.at < KEEP_MS
}
