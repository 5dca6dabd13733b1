// Payload: somebody's JSON, looked at field by field.
//
// Law: what is not as expected is said with the place where it stands. A picture of people is not looked at and not kept.

import { HardwareFault } from '../turnstile.ts'
import type { JsonPath } from './config.ts'

/** More people than any device counts in its life. */
const COUNT_MAX = 10 ** 9
const TEXT_MAX = 80
const LIST_MAX = 5000
/** Base64 has no quotes and needs no escapes but that of the slash. */
const PICTURES = /"(snapshot|image|picture|photo)"\s*:\s*"[^"]*"/gi

export class Payload {
  readonly #value: unknown
  readonly #at: string

  private constructor(value: unknown, at: string) {
    this.#value = value
    this.#at = at
  }

  static read(text: string): Payload {
    try {
      return new Payload(JSON.parse(text.replace(PICTURES, '"$1":""')), '')
    } catch (error) {
      throw new HardwareFault('NOISE', `not JSON: ${(error as Error).message.slice(0, 120)}`)
    }
  }

  get isThere(): boolean {
    return this.#value !== undefined && this.#value !== null
  }

  /** What stands under this name, which may be nothing. */
  get(key: string | number): Payload {
    const at = this.#at === '' ? String(key) : `${this.#at}.${key}`
    const value = this.#value
    if (Array.isArray(value)) return new Payload(typeof key === 'number' ? value[key] : undefined, at)
    const isObject = typeof value === 'object' && value !== null
    return new Payload(isObject && Object.hasOwn(value, key) ? value[key as keyof typeof value] : undefined, at)
  }

  /** All the way down. */
  find(path: JsonPath): Payload {
    return path.reduce<Payload>((payload, key) => payload.get(key), this)
  }

  list(): readonly Payload[] {
    const value = this.#value
    if (!Array.isArray(value) || value.length > LIST_MAX) throw this.#wrong(`a list of up to ${LIST_MAX}`)
    return value.map((item, k) => new Payload(item, `${this.#at}.${k}`))
  }

  /** A list, or nothing, which is an empty one. */
  listIfAny(): readonly Payload[] {
    return this.isThere ? this.list() : []
  }

  /** Some devices put numbers into quotes. */
  count(): number {
    const value = typeof this.#value === 'string' && /^\d{1,10}$/.test(this.#value) ? Number(this.#value) : this.#value
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= COUNT_MAX) return value as number
    throw this.#wrong(`a whole number from 0 to ${COUNT_MAX}`)
  }

  text(): string {
    const value = typeof this.#value === 'number' ? String(this.#value) : this.#value
    if (typeof value === 'string' && value !== '' && value.length <= TEXT_MAX) return value
    throw this.#wrong(`a text of 1 to ${TEXT_MAX} characters`)
  }

  textOr(otherwise: string): string {
    return this.isThere && this.#value !== '' ? this.text() : otherwise
  }

  /**
   * A time of the device's clock, in any of the spellings they use, as ms. Without a zone it is read as if it were UTC:
   * it is only ever held against other times of the same device.
   */
  time(): number {
    const text = this.text()
    const [, spelled = '', zone = 'Z'] =
      /^(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) *(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? []
    const ms = Date.parse(`${spelled.replaceAll('/', '-').replace(' ', 'T')}${zone}`)
    if (Number.isFinite(ms)) return ms
    throw this.#wrong('a time, as in 2026-11-16T09:30:00')
  }

  timeIfAny(): number | undefined {
    return this.isThere && this.#value !== '' ? this.time() : undefined
  }

  #wrong(allowed: string): HardwareFault {
    const shown = JSON.stringify(this.#value) ?? 'nothing'
    const found = shown.length > 40 ? `${shown.slice(0, 39)}…` : shown
    return new HardwareFault('NOISE', `${this.#at || 'the message'}: ${allowed}, not ${found}`)
  }
}
