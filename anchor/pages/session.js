// @ts-check
// Session: who is logged in on this page, and what is asked of the anchor in their name.
//
// Laws: whoever logged in on this page acts under their own token, whatever other pages of this browser do; after a
// reload the cookie says who it was. Neither signs anything: every act is signed anew with the key that WebCrypto keeps.

import { may } from './permits.js'
import { allPersons, signNote } from './signing.js'

/** @typedef {import('./signing.js').Person} Person */
/** @typedef {import('./permits.js').Role} Role */
/** @typedef {import('./permits.js').Permit} Permit */

export class Refused extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message)
    this.status = status
    this.code = code
  }
}

export class Session {
  /** @type {string | undefined} */
  #token
  /** @type {Set<() => void>} */
  #listeners = new Set()

  /** @param {string} mall */
  constructor(mall) {
    this.mall = mall
    /** nobody where undefined @type {string | undefined} */
    this.name = undefined
    /** also of nobody, where reading is open @type {Role | undefined} */
    this.role = undefined
    /** whose key this browser holds @type {Person | undefined} */
    this.person = undefined
  }

  /** @param {() => void} listener @returns {() => void} */
  onChange(listener) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @param {Permit} permit */
  may(permit) {
    return may(permit, this.role)
  }

  /** Who the anchor says that this is: by the cookie of an earlier login, or nobody. */
  async resume() {
    try {
      const { name, role } = await this.#sent('GET', 'login')
      await this.#is(name, role)
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) throw error
      await this.#is(undefined, undefined)
    }
  }

  /** The same once more where another page of this browser may have logged somebody else in. */
  async look() {
    if (this.#token === undefined) await this.resume()
  }

  /** Signs nothing but a login of this very person. @param {Person} person */
  async login(person) {
    const [, mall, name = ''] = person.name.split('/')
    if (mall !== this.mall) throw new Error(`this is a key of ${mall}, and this is ${this.mall}`)
    const { text } = await this.#sent('POST', 'login/challenges', { name })
    const [head, at = '', nonce = '', who, end] = text.split('\n')
    const isLogin = head === `gatemesh/${this.mall}/login` && at.startsWith('at ') && nonce.startsWith('nonce ')
    if (!isLogin || who !== `name ${name}` || end !== '')
      throw new Error('asked to sign what is no login: nothing was signed')
    const { token, role } = await this.#sent('POST', 'login', { note: await signNote(text, person) })
    this.#token = token
    await this.#is(name, role)
  }

  async logout() {
    await this.#sent('DELETE', 'login')
    this.#token = undefined
    await this.resume()
  }

  /** The text as a note with this person's signature. @param {string} text */
  async signed(text) {
    if (this.person === undefined)
      throw new Error(`the key of ${this.name ?? 'nobody'} is not in this browser: put it in under “Keys” to sign`)
    return signNote(text, this.person)
  }

  /**
   * What the anchor answers; throws a Refused with its words. Each call is a change of its own, told once.
   * @param {'GET' | 'POST' | 'PUT' | 'DELETE'} method
   * @param {string} path below the mall
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  async ask(method, path, body) {
    try {
      return await this.#sent(method, path, body)
    } catch (error) {
      if (error instanceof Refused && error.status === 401 && this.name !== undefined) {
        this.#token = undefined
        await this.#is(undefined, undefined)
      }
      throw error
    }
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  #sent(method, path, body) {
    return fetched(method, `malls/${this.mall}/${path}`, body, this.#token)
  }

  /** @param {string | undefined} name @param {Role | undefined} role */
  async #is(name, role) {
    const mine = `gatemesh/${this.mall}/${name}`
    const people = name === undefined ? [] : await allPersons()
    const person = people.find(one => one.name === mine)
    const isSame = this.name === name && this.role === role && this.person?.vkey === person?.vkey
    this.person = person
    this.name = name
    this.role = role
    if (!isSame) for (const listener of this.#listeners) listener()
  }
}

/** The malls that whoever looks may see; none where nobody is logged in. @returns {Promise<string[] | undefined>} */
export async function mallsSeen() {
  try {
    const { malls } = await fetched('GET', 'malls')
    return malls.map((/** @type {{ mall: string }} */ { mall }) => mall)
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return undefined
    throw error
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [token]
 */
async function fetched(method, path, body, token) {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (method !== 'GET') headers['idempotency-key'] = crypto.randomUUID()
  const response = await fetch(`/api/v1/${path}`, {
    method,
    headers,
    credentials: 'same-origin',
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('the anchor does not answer: is it running, and is there a network?')
  })
  const said = await response.json().catch(() => ({}))
  if (response.ok) return said
  const { code = '', message = `the anchor answered ${response.status}` } = said.error ?? {}
  throw new Refused(response.status, code, message)
}
