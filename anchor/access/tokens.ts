// Tokens: what people and programs show instead of a signature on every request. (Bearer tokens: not those that admit.)
//
// Law: only the SHA-256 of a token is kept, so that whoever reads the disk cannot act as anybody. A token is of one
// mall, has one role, and ends: by its time, or because somebody took it back.

import { hash } from 'node:crypto'
import { ROLES, type Role } from '../../ledger/charter.ts'
import type { Cabinet, Edit } from '../../mesh/archive/cabinet.ts'

export interface TokenRecord {
  readonly id: string
  readonly mall: string
  /** a person of the charter, or what a marshal calls the program */
  readonly name: string
  readonly role: Role
  readonly kind: 'person' | 'program'
  /** key id of the key that a person logged in with: with another key in the charter the token ends */
  readonly key?: string
  readonly at: number
  /** who made it: a program's marshal, a person themselves */
  readonly by: string
  readonly expiresAt?: number
}

export interface TokenWish {
  readonly mall: string
  readonly name: string
  readonly role: Role
  readonly kind: 'person' | 'program'
  readonly key?: string
  readonly by: string
  readonly expiresAt?: number
}

/** A person's oldest login ends when there are more: forgotten ones must not gather. */
export const LOGINS_PER_PERSON_MAX = 20
export const PROGRAMS_PER_MALL_MAX = 200

const HEAD = 'gm_'
const SECRET = /^gm_[A-Za-z0-9_-]{43}$/
const PREFIX = 'token/'
const SPAN = { from: PREFIX, to: 'token0' }

export class Tokens {
  readonly #cabinet: Cabinet
  readonly #random: (bytes: number) => Buffer
  /** by hash */
  readonly #records = new Map<string, TokenRecord>()

  private constructor(cabinet: Cabinet, random: (bytes: number) => Buffer) {
    this.#cabinet = cabinet
    this.#random = random
  }

  /** Reads back what was given out; `onFlawed` is told of records that cannot be read, which then count for nothing. */
  static async open(a: {
    readonly cabinet: Cabinet
    readonly random: (bytes: number) => Buffer
    readonly onFlawed?: (key: string) => void
  }): Promise<Tokens> {
    const tokens = new Tokens(a.cabinet, a.random)
    for await (const items of a.cabinet.read(SPAN)) {
      for (const [key, value] of items) {
        const record = parseRecord(value)
        if (record === undefined) a.onFlawed?.(key)
        else tokens.#records.set(key.slice(PREFIX.length), record)
      }
    }
    return tokens
  }

  /** Resolves once the hash is on disk; the secret is told this once. */
  async issue(wish: TokenWish, wall: number): Promise<{ readonly secret: string; readonly record: TokenRecord }> {
    const secret = `${HEAD}${this.#random(32).toString('base64url')}`
    const record: TokenRecord = { id: this.#random(9).toString('base64url'), at: wall, ...wish }
    const edits: Edit[] = this.#surplus(wish).map(old => [`${PREFIX}${old}`, undefined])
    await this.#cabinet.write([...edits, [`${PREFIX}${hashOf(secret)}`, JSON.stringify(record)]])
    for (const [key] of edits) this.#records.delete(key.slice(PREFIX.length))
    this.#records.set(hashOf(secret), record)
    return { secret, record }
  }

  /** Whose token this is, unless it ended. */
  find(secret: string, wall: number): TokenRecord | undefined {
    if (!SECRET.test(secret)) return undefined
    const record = this.#records.get(hashOf(secret))
    return record === undefined || isOver(record, wall) ? undefined : record
  }

  /** Of one mall, oldest first. */
  list(mall: string, wall: number): readonly TokenRecord[] {
    const live = [...this.#records.values()].filter(record => record.mall === mall && !isOver(record, wall))
    return live.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  }

  /** What it was, or undefined where there is none of this id. */
  async revoke(mall: string, id: string): Promise<TokenRecord | undefined> {
    for (const [key, record] of this.#records) {
      if (record.mall !== mall || record.id !== id) continue
      await this.#cabinet.write([[`${PREFIX}${key}`, undefined]])
      this.#records.delete(key)
      return record
    }
    return undefined
  }

  /** Forgets what ended by its time. */
  async sweep(wall: number): Promise<void> {
    const over = [...this.#records].filter(([, record]) => isOver(record, wall)).map(([key]) => key)
    if (over.length === 0) return
    await this.#cabinet.write(over.map(key => [`${PREFIX}${key}`, undefined]))
    for (const key of over) this.#records.delete(key)
  }

  #surplus({ mall, name, kind }: TokenWish): string[] {
    if (kind === 'program') return []
    const own = [...this.#records].filter(([, r]) => r.mall === mall && r.name === name && r.kind === kind)
    own.sort(([, a], [, b]) => a.at - b.at)
    return own.slice(0, Math.max(0, own.length + 1 - LOGINS_PER_PERSON_MAX)).map(([key]) => key)
  }
}

export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

function isOver({ expiresAt }: TokenRecord, wall: number): boolean {
  return expiresAt !== undefined && wall >= expiresAt
}

function parseRecord(text: string): TokenRecord | undefined {
  let value: Partial<TokenRecord>
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const strings = [value?.id, value?.mall, value?.name, value?.by]
  const isWhole = strings.every(part => typeof part === 'string') && Number.isSafeInteger(value.at)
  const isKnown = ROLES.some(role => role === value.role) && (value.kind === 'person' || value.kind === 'program')
  return isWhole && isKnown ? (value as TokenRecord) : undefined
}
