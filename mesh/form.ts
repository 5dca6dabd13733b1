// Form: a config file, read field by field. It is for the person who wrote it: every fault says which field, what is
// allowed there and what stands there now, and all of them are said at once.
//
// Law: what is not known is wrong. A field that is misspelt and ignored would be found out on the worst day.

import { isAbsolute, join } from 'node:path'
import { Fault } from '../ledger/fault.ts'
import { isName } from '../ledger/origin.ts'
import { type Place, parsePlace } from './lan/place.ts'

type Values = Readonly<Record<string, unknown>>

export class Form {
  /** as people know the file; it opens every complaint */
  readonly #file: string
  readonly #dir: string
  readonly #at: string
  readonly #values: Values
  readonly #known = new Set<string>()
  readonly #complaints: string[]

  private constructor(a: { file: string; dir: string; at: string; complaints: string[] }, values: Values) {
    this.#file = a.file
    this.#dir = a.dir
    this.#at = a.at
    this.#complaints = a.complaints
    this.#values = values
  }

  /** `dir` is where relative paths start: the folder of the file. */
  static read(text: string, a: { readonly file: string; readonly dir: string }): Form {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw new Fault('CONFIG', `${a.file}: not JSON: ${(error as Error).message}`)
    }
    if (!isObject(value)) throw new Fault('CONFIG', `${a.file}: a JSON object, not ${shown(value)}`)
    return new Form({ ...a, at: '', complaints: [] }, value)
  }

  get isFine(): boolean {
    return this.#complaints.length === 0
  }

  complain(field: string, what: string): void {
    this.#complaints.push(`${this.#file}: ${this.#at}${field}: ${what}`)
  }

  /** The end of an object: what was not asked for by now does not belong there. */
  close(): void {
    for (const key of Object.keys(this.#values)) {
      if (this.#known.has(key)) continue
      const meant = nearest(key, this.#known)
      const hint = meant === undefined ? `there are ${[...this.#known].join(', ')}` : `did you mean ${meant}?`
      this.complain(key.slice(0, 40), `there is no such field; ${hint}`)
    }
  }

  /** All that was found wrong, or nothing. */
  check(): void {
    const { length } = this.#complaints
    if (length === 0) return
    const all = this.#complaints.join('\n  ')
    throw new Fault('CONFIG', length === 1 ? all : `${length} things to mend\n  ${all}`)
  }

  name(key: string): string {
    const value = this.#take(key)
    if (typeof value === 'string' && isName(value)) return value
    this.#refuse(key, 'a name: a small letter, then up to 30 small letters, digits or dashes', value)
    return ''
  }

  path(key: string): string {
    const value = this.#take(key)
    if (typeof value === 'string' && value !== '' && !value.includes('\0')) {
      return isAbsolute(value) ? value : join(this.#dir, value)
    }
    this.#refuse(key, 'a path, absolute or from the folder of this file', value)
    return ''
  }

  /** Words that pass; `allowed` says which those are. */
  text(key: string, allowed: string, passes: (text: string) => boolean): string {
    const value = this.#take(key)
    if (typeof value === 'string' && passes(value)) return value
    this.#refuse(key, allowed, value)
    return ''
  }

  /** Words that are for nobody's eyes, or none: what is wrong with them is said without them. */
  secret(key: string, allowed: string, passes: (text: string) => boolean): string | undefined {
    const value = this.#take(key)
    if (value === undefined || (typeof value === 'string' && passes(value))) return value
    this.complain(key, allowed)
    return undefined
  }

  whole(key: string, a: { readonly min: number; readonly max: number; readonly otherwise?: number }): number {
    const value = this.#take(key) ?? a.otherwise
    if (Number.isSafeInteger(value) && (value as number) >= a.min && (value as number) <= a.max) return value as number
    this.#refuse(key, `a whole number from ${a.min} to ${a.max}`, value)
    return a.min
  }

  flag(key: string, otherwise: boolean): boolean {
    const value = this.#take(key) ?? otherwise
    if (typeof value === 'boolean') return value
    this.#refuse(key, 'true or false', value)
    return otherwise
  }

  oneOf<T extends string>(key: string, words: readonly T[], otherwise: T): T {
    const value = this.#take(key) ?? otherwise
    const word = words.find(w => w === value)
    if (word !== undefined) return word
    this.#refuse(key, words.length === 1 ? `"${words[0]}"` : `one of ${words.join(', ')}`, value)
    return otherwise
  }

  /** An IPv4 address. */
  address(key: string, otherwise?: string): string {
    const value = this.#take(key) ?? otherwise
    if (typeof value === 'string' && placeOf(`${value}:0`) !== undefined) return value
    this.#refuse(key, 'an IPv4 address, as in 10.0.0.11', value)
    return ''
  }

  places(key: string): readonly Place[] {
    const value = this.#take(key)
    const places = Array.isArray(value) ? value.map(placeOf) : []
    if (places.length > 0 && !places.includes(undefined)) return places as Place[]
    const wrong = Array.isArray(value) && value.length > 0 ? value[places.indexOf(undefined)] : value
    this.#refuse(key, 'a list of one or more addresses with ports, as in ["10.0.0.11:4501"]', wrong)
    return []
  }

  /** A form within this one, where there is such an object; close it when it is read. */
  form(key: string): Form | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (isObject(value)) {
      const a = { file: this.#file, dir: this.#dir, at: `${this.#at}${key}.`, complaints: this.#complaints }
      return new Form(a, value)
    }
    this.#refuse(key, 'an object in braces', value)
    return undefined
  }

  /** A list of forms, none where there is no such field; each is closed when it was read. */
  forms<T>(key: string, read: (form: Form) => T): readonly T[] {
    const value = this.#take(key)
    if (value === undefined) return []
    if (!Array.isArray(value) || !value.every(isObject)) {
      this.#refuse(key, 'a list of objects in braces', value)
      return []
    }
    return value.map((values, i) => {
      const at = `${this.#at}${key}[${i}].`
      const form = new Form({ file: this.#file, dir: this.#dir, at, complaints: this.#complaints }, values)
      const found = read(form)
      form.close()
      return found
    })
  }

  /** A form whose fields are names of the writer's choice. */
  named<T>(key: string, read: (form: Form, name: string) => T): ReadonlyMap<string, T> {
    const form = this.form(key)
    const found = new Map<string, T>()
    if (form === undefined) return found
    for (const name of Object.keys(form.#values)) {
      if (isName(name)) found.set(name, read(form, name))
      else form.complain(name.slice(0, 40), 'not a name: small letters, digits and dashes')
    }
    return found
  }

  /** What stands there, for fields of more than one kind. */
  kind(key: string): 'none' | 'flag' | 'object' | 'other' {
    this.#known.add(key)
    const value = this.#values[key]
    if (value === undefined) return 'none'
    if (typeof value === 'boolean') return 'flag'
    return isObject(value) ? 'object' : 'other'
  }

  refuse(key: string, allowed: string): void {
    this.#refuse(key, allowed, this.#take(key))
  }

  #take(key: string): unknown {
    this.#known.add(key)
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined
  }

  #refuse(key: string, allowed: string, value: unknown): void {
    this.complain(key, value === undefined ? `is missing: ${allowed}` : `${allowed}, not ${shown(value)}`)
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function placeOf(value: unknown): Place | undefined {
  try {
    return typeof value === 'string' ? parsePlace(value) : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** The known word that is at most two slips of the finger away. */
function nearest(word: string, known: ReadonlySet<string>): string | undefined {
  let best: { readonly word: string; readonly slips: number } | undefined
  for (const other of known) {
    const slips = slipsBetween(word.toLowerCase(), other.toLowerCase())
    if (slips <= 2 && slips < other.length && slips < (best?.slips ?? 3)) best = { word: other, slips }
  }
  return best?.word
}

function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, swap))
    }
    row = next
  }
  return row[b.length] as number
}
