// Wire: messages as they cross it. Rows, policies and mode statements travel as signed notes and nothing else, so
// whoever receives them has to open them, and can hand them on.
//
// Law: whatever arrives, reading it either gives a message whose every field is of its kind and whose every signature
// was checked, or throws a Fault. What is signed wrongly is left out and counted; the rest of the message stands.

import { type Account, ANCHOR, isAccount } from '../ledger/account.ts'
import { MODES, type Mode } from '../ledger/entry.ts'
import { Fault, never } from '../ledger/fault.ts'
import { isUuid7 } from '../ledger/line.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import { isName } from '../ledger/origin.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import type { Keyring } from './keyring.ts'
import type { Ask, Hint, Message, Rows } from './message.ts'

/** Thirty rows of the largest size, with room for what stands around them. */
export const MESSAGE_BYTES_MAX = 2 * 1024 * 1024
const LIST_MAX = 2000

/** How a member signs what it says itself; undefined where it has nothing to stand behind. */
export interface Signing {
  row(row: Row): string | undefined
  mode(statement: ModeStatement): string | undefined
}

/** The text of a message, or undefined when nothing of it can be told. */
export function toWire(message: Message, sign: Signing): string | undefined {
  const json = outgoing(message, sign)
  return json === undefined ? undefined : JSON.stringify(json)
}

function outgoing(message: Message, sign: Signing): object | undefined {
  const noted = (rows: readonly Row[]) => rows.map(row => row.note ?? sign.row(row)).filter(note => note !== undefined)
  switch (message.kind) {
    case 'rows':
    case 'known':
      return { ...message, rows: noted(message.rows) }
    case 'fork': {
      const rows = noted(message.rows)
      return rows.length === 2 ? { ...message, rows } : undefined
    }
    case 'policies': {
      const notes = message.policies.map(policy => policy.note).filter(note => note !== undefined)
      return { ...message, policies: notes }
    }
    case 'mode': {
      const statement = message.statement.note ?? sign.mode(message.statement)
      const clear = message.clear && (message.clear.note ?? sign.mode(message.clear))
      return statement === undefined ? undefined : { kind: 'mode', statement, clear }
    }
    case 'ask':
    case 'none':
    case 'late':
    case 'want':
    case 'want-policies':
    case 'whois':
    case 'enrol':
    case 'enrolled':
      return message
    case 'extend':
      return undefined // has no signed form yet, and without one nobody may believe it
    default:
      return never(message)
  }
}

export interface Read {
  readonly message: Message
  /** notes left out because their signatures, or their texts, are not what they should be */
  readonly refused: readonly string[]
}

/** `from` is who sent it, where the connection has proved that. */
export function fromWire(text: string, ring: Keyring, from?: string): Read {
  if (text.length > MESSAGE_BYTES_MAX) throw new Fault('MESSAGE', `longer than ${MESSAGE_BYTES_MAX} bytes`)
  const refused: string[] = []
  const open = <T>(what: (note: string) => T, note: string): T | undefined => {
    try {
      return what(note)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      refused.push(`${error.code}: ${error.message}`)
      return undefined
    }
  }
  const opener: Opener = {
    rows: notes =>
      notes
        .map(note => (from && ring.repeated(note, from)) || open(n => ring.row(n), note))
        .filter(row => row !== undefined),
    policies: notes => notes.map(note => open(n => ring.policy(n), note)).filter(policy => policy !== undefined),
    mode: note => open(n => ring.mode(n, from === ANCHOR), note),
    isOurFault: () => refused.length > 0 && refused.every(what => what.startsWith('ROSTER')),
  }
  return { message: incoming(new Fields(parse(text)), opener), refused }
}

interface Opener {
  rows(notes: readonly string[]): Row[]
  policies(notes: readonly string[]): Policy[]
  mode(note: string): ModeStatement | undefined
  /** what did not open is signed with keys that we have not heard of yet */
  isOurFault(): boolean
}

function incoming(f: Fields, open: Opener): Message {
  const kind = f.text('kind')
  switch (kind) {
    case 'rows':
      return rows(f, open)
    case 'known':
      return { kind, name: f.name('name'), rows: open.rows(f.texts('rows')) }
    case 'fork': {
      const [a, b] = open.rows(f.texts('rows'))
      // one history alone proves nothing, but is a row like any other
      return a !== undefined && b !== undefined ? { kind, rows: [a, b] } : { kind: 'rows', rows: a ? [a] : [] }
    }
    case 'policies':
      return { kind, policies: open.policies(f.texts('policies')) }
    case 'mode': {
      const statement = open.mode(f.text('statement'))
      const clear = f.has('clear') ? open.mode(f.text('clear')) : undefined
      if (statement === undefined && open.isOurFault()) return { kind: 'rows', rows: [] }
      if (statement === undefined) throw new Fault('MESSAGE', 'a mode that its signers did not sign')
      return clear === undefined ? { kind, statement } : { kind, statement, clear }
    }
    case 'ask':
      return { kind, ask: ask(f.inner('ask')) }
    case 'none':
      return {
        kind,
        re: f.count('re'),
        ...(f.has('broker') ? { broker: f.name('broker') } : {}),
        ...(f.has('isKept') ? { isKept: true } : {}),
      }
    case 'late':
      return { kind, tokens: f.count('tokens') }
    case 'want':
      return { kind, accounts: f.texts('accounts').map(asAccount) }
    case 'want-policies':
      return { kind, after: f.count('after') }
    case 'whois':
      return { kind, name: f.name('name') }
    case 'enrol':
      return { kind, id: f.id('id'), epoch: f.count('epoch') }
    case 'enrolled':
      return { kind, id: f.id('id'), account: asAccount(f.text('account')) }
    default:
      throw new Fault('MESSAGE', `no kind of message: ${JSON.stringify(kind.slice(0, 40))}`)
  }
}

function rows(f: Fields, open: Opener): Rows {
  return {
    kind: 'rows',
    rows: open.rows(f.texts('rows')),
    ...(f.has('re') ? { re: f.count('re') } : {}),
    ...(f.has('hint') ? { hint: hint(f.inner('hint')) } : {}),
    ...(f.has('mode') ? { mode: told(f.inner('mode')) } : {}),
  }
}

function hint(f: Fields): Hint {
  return {
    demand: f.rate('demand'),
    waiting: f.count('waiting'),
    ...(f.has('keeps') ? { keeps: f.count('keeps') } : {}),
    ...(f.has('leaving') ? { leaving: true } : {}),
  }
}

function told(f: Fields): { epoch: number; mode: Mode } {
  const mode = MODES.find(m => m === f.text('mode'))
  if (mode === undefined) throw new Fault('MESSAGE', 'mode: no mode')
  return { epoch: f.count('epoch'), mode }
}

function ask(f: Fields): Ask {
  const account = asAccount(f.text('account'))
  return { re: f.count('re'), account, want: f.count('want'), waiting: f.count('waiting'), forMs: f.rate('forMs') }
}

function asAccount(text: string): Account {
  if (!isAccount(text)) throw new Fault('MESSAGE', `no account: ${JSON.stringify(text.slice(0, 40))}`)
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Fault('MESSAGE', 'not JSON', { cause })
  }
}

/** The fields of an object that a stranger wrote. */
class Fields {
  readonly #of: Readonly<Record<string, unknown>>

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Fault('MESSAGE', 'no object')
    this.#of = value as Record<string, unknown>
  }

  has(field: string): boolean {
    return this.#get(field) !== undefined
  }

  text(field: string): string {
    const value = this.#get(field)
    if (typeof value !== 'string') throw wrong(field, 'a text')
    return value
  }

  texts(field: string): string[] {
    const value = this.#get(field)
    if (!Array.isArray(value) || value.length > LIST_MAX) throw wrong(field, 'a list')
    if (!value.every(item => typeof item === 'string')) throw wrong(field, 'a list of texts')
    return value
  }

  name(field: string): string {
    const value = this.text(field)
    if (!isName(value)) throw wrong(field, 'a name')
    return value
  }

  id(field: string): string {
    const value = this.text(field)
    if (!isUuid7(value)) throw wrong(field, 'a UUIDv7')
    return value
  }

  count(field: string): number {
    const value = this.#get(field)
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(field, 'a whole number')
    return value as number
  }

  rate(field: string): number {
    const value = this.#get(field)
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw wrong(field, 'a number')
    return value
  }

  inner(field: string): Fields {
    return new Fields(this.#get(field))
  }

  #get(field: string): unknown {
    return Object.hasOwn(this.#of, field) ? this.#of[field] : undefined
  }
}

function wrong(field: string, kind: string): Fault {
  return new Fault('MESSAGE', `${field}: not ${kind}`)
}
