// Anchor: what the pages ask of the API that they come from. The token stays in this page's memory.

import { signNote } from './signing.js'

export class Refused extends Error {
  constructor(status, code, message) {
    super(message)
    this.status = status
    this.code = code
  }
}

export class Anchor {
  #mall
  #token

  constructor(mall) {
    this.#mall = mall
  }

  get mall() {
    return this.#mall
  }

  /** Signs nothing but a login of this very person. */
  async login(person) {
    const name = person.name.split('/')[2]
    const { text } = await this.#ask('POST', 'login/challenges', { name })
    const [head, at = '', nonce = '', who, end] = text.split('\n')
    const isLogin = head === `gatemesh/${this.#mall}/login` && at.startsWith('at ') && nonce.startsWith('nonce ')
    if (!isLogin || who !== `name ${name}` || end !== '')
      throw new Error('asked to sign what is no login: nothing was signed')
    const { token, role } = await this.#ask('POST', 'login', { note: await signNote(text, person) })
    this.#token = token
    return role
  }

  async waiting() {
    return (await this.#ask('GET', 'approvals?state=pending&limit=1000')).approvals
  }

  /** Text of the policy in force; undefined before the first. */
  async inForce() {
    try {
      return (await this.#ask('GET', 'policy?limit=1')).inForce.note
    } catch (error) {
      if (error instanceof Refused && error.code === 'no-policy') return undefined
      throw error
    }
  }

  sign(id, note) {
    return this.#ask('POST', `approvals/${id}/signatures`, { note })
  }

  withdraw(id) {
    return this.#ask('DELETE', `approvals/${id}`)
  }

  async #ask(method, path, body) {
    const headers = { accept: 'application/json' }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`
    if (method !== 'GET' && !path.startsWith('login')) headers['idempotency-key'] = crypto.randomUUID()
    const options = { method, headers, credentials: 'same-origin', redirect: 'error' }
    if (body !== undefined) options.body = JSON.stringify(body)
    const response = await fetch(`/api/v1/malls/${this.#mall}/${path}`, options)
    const said = await response.json().catch(() => ({}))
    if (response.ok) return said
    throw new Refused(
      response.status,
      said.error?.code ?? '',
      said.error?.message ?? `the anchor answered ${response.status}`,
    )
  }
}
