// Line: an entry as one line of JSON, without its newline.
//
// Law: an entry has one spelling. The reader checks every field, writes the entry again and refuses a line that
// differs in any byte; the writer refuses what the reader would.

import { type Account, isAccount } from './account.ts'
import { type Body, type Entry, FIELDS, type Field, type Kind } from './entry.ts'
import { BrokenLaw, Fault } from './fault.ts'

/** Counts stay small enough that nine million of the largest add up exactly. */
export const COUNT_MAX = 1_000_000_000
export const TEXT_CHARACTERS_MAX = 400
/** A checkpoint of every account that ever was, some 30 gates with dozens of epochs each; more take two entries. */
export const HEADS_MAX = 1000
/** Holds a checkpoint of `HEADS_MAX` heads with the longest names and sizes. */
export const LINE_BYTES_MAX = 128 * 1024

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
// base64 of 32 bytes: the last digit has only four bits to say
const HASH = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/
// the separators U+2028 and U+2029 end a line for some tools, and an entry is one line for all
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const ODD = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

export function isUuid7(text: string): boolean {
  return UUID7.test(text)
}

/** May this stand in a text field of an entry, or as a reason in a note? */
export function isText(text: string): boolean {
  if (text.length > TEXT_CHARACTERS_MAX && [...text].length > TEXT_CHARACTERS_MAX) return false
  return !ODD.test(text) && text.isWellFormed()
}

/** The nearest thing that may: for messages of other programs. */
export function asText(text: string): string {
  const plain = text.toWellFormed().replaceAll(new RegExp(ODD, 'g'), ' ')
  return [...plain.slice(0, 2 * TEXT_CHARACTERS_MAX)].slice(0, TEXT_CHARACTERS_MAX).join('').toWellFormed()
}

/** The one spelling of a value, or undefined where it is not of its kind. */
type Spell = (value: unknown) => string | undefined

const whole =
  (min: number, max: number): Spell =>
  value =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max ? String(value) : undefined

const quoted =
  (is: (text: string) => boolean): Spell =>
  value =>
    typeof value === 'string' && is(value) ? `"${value}"` : undefined

const SPELL = {
  account: quoted(isAccount),
  bool: value => (typeof value === 'boolean' ? String(value) : undefined),
  count: whole(0, COUNT_MAX),
  amount: whole(1, COUNT_MAX),
  signed: whole(-COUNT_MAX, COUNT_MAX),
  size: whole(1, Number.MAX_SAFE_INTEGER),
  perMille: whole(0, 1000),
  hash: quoted(text => HASH.test(text)),
  text: value => (typeof value === 'string' && isText(value) ? JSON.stringify(value) : undefined),
  id: quoted(isUuid7),
  heads: spellHeads,
} as const satisfies Record<Exclude<Kind, readonly string[]>, Spell>

function spellHeads(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length > HEADS_MAX) return undefined
  const spelled: string[] = []
  let before: Account = ''
  for (const head of value as unknown[]) {
    if (!Array.isArray(head) || head.length !== 3) return undefined
    const [account, size, root] = head.map((part, i) => SPELL[HEAD[i] as 'account'](part))
    if (account === undefined || size === undefined || root === undefined || account <= before) return undefined
    spelled.push(`[${account},${size},${root}]`)
    before = account
  }
  return `[${spelled.join(',')}]`
}
const HEAD = ['account', 'size', 'hash'] as const

interface Plan {
  readonly name: string
  readonly lead: string
  readonly optional: boolean
  readonly spell: Spell
}

function plan(field: Field): Plan {
  const { name, kind } = field
  const spell = typeof kind === 'string' ? SPELL[kind] : quoted(text => kind.includes(text))
  return { name, lead: `,"${name}":`, optional: field.optional === true, spell }
}

const COMMON = ['seq', 'prev', 'id', 'at', 'type']
const ordinal = whole(0, Number.MAX_SAFE_INTEGER)

const PLANS: Readonly<Record<string, readonly Plan[]>> = Object.fromEntries(
  Object.entries(FIELDS).map(([type, fields]) => [type, fields.map(plan)]),
)

/** The line of an entry. What the reader would refuse is a bug of the writer. */
export function encodeEntry(body: Body, seq: number, prev: string): string {
  return spell(body, seq, prev, name => {
    throw new BrokenLaw(`every field of an entry is of its kind: ${body.type}.${name}`)
  })
}

export function parseLine(line: string): Entry {
  if (line.length > LINE_BYTES_MAX) throw new Fault('ENTRY', `longer than ${LINE_BYTES_MAX} bytes`)
  const value = parseJson(line)
  if (typeof value !== 'object' || value === null) throw new Fault('ENTRY', 'not a JSON object')
  const type = 'type' in value ? value.type : undefined
  if (typeof type !== 'string' || !Object.hasOwn(PLANS, type)) throw new Fault('ENTRY', 'type: no type of entry')
  const entry = value as Entry
  const again = spell(entry, entry.seq, entry.prev, name => {
    throw new Fault('ENTRY', `${type}.${name}: missing, or not of its kind`)
  })
  if (again !== line) throw new Fault('ENTRY', `${type}: ${stranger(entry) ?? 'not in its one spelling'}`)
  return entry
}

function spell(body: Body, seq: number, prev: string, refuse: (name: string) => never): string {
  if (ordinal(seq) === undefined) refuse('seq')
  if (typeof prev !== 'string' || !HASH.test(prev)) refuse('prev')
  if (typeof body.id !== 'string' || !UUID7.test(body.id)) refuse('id')
  if (ordinal(body.at) === undefined) refuse('at')
  let line = `{"seq":${seq},"prev":"${prev}","id":"${body.id}","at":${body.at},"type":"${body.type}"`
  const fields = body as unknown as Readonly<Record<string, unknown>>
  for (const { name, lead, optional, spell } of PLANS[body.type] ?? refuse('type')) {
    const value = fields[name]
    if (value === undefined && optional) continue
    line += lead + (spell(value) ?? refuse(name))
  }
  return `${line}}`
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new Fault('ENTRY', 'not JSON', { cause })
  }
}

function stranger(entry: Entry): string | undefined {
  const known = [...COMMON, ...(PLANS[entry.type] ?? []).map(p => p.name)]
  const name = Object.keys(entry).find(key => !known.includes(key))
  return name === undefined ? undefined : `a field that does not belong: ${JSON.stringify(name.slice(0, 40))}`
}
