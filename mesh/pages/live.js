// @ts-check
// Live: words from the server as they come, and how long there were none.
//
// Law: what is old is called old. The wall clock and the running clock are both asked: one may be set back, the other may
// have slept. And it listens again for ever, also where the browser gave up or a line went dead without a word.

/** Words come twice a second; people are told when six of them are missing. */
const STALE_MS = 3000
const LOOK_EVERY_MS = 500
/** A line that is open and says nothing is thrown away. */
const DEAD_MS = 8000
const AGAIN_MS = 2000

/** @typedef {{ heard: (word: any) => void, silent: (isStale: boolean, silentMs: number) => void }} Hearer */

export class Live {
  isStale = false
  #url
  #hearer
  /** @type {EventSource | undefined} */
  #source
  #openedAt = 0
  #wallAt = Date.now()
  #runAt = performance.now()

  /** @param {string} url @param {Hearer} hearer */
  constructor(url, hearer) {
    this.#url = url
    this.#hearer = hearer
  }

  start() {
    this.#open()
    setInterval(() => this.#look(), LOOK_EVERY_MS)
    const now = () => {
      if (document.visibilityState !== 'visible') return
      this.#look()
      if (this.isStale || this.#source?.readyState !== EventSource.OPEN) this.#open()
    }
    document.addEventListener('visibilitychange', now)
    window.addEventListener('pageshow', now)
    window.addEventListener('online', now)
  }

  get silentMs() {
    return Math.max(Date.now() - this.#wallAt, performance.now() - this.#runAt)
  }

  #open() {
    this.#source?.close()
    const source = new EventSource(this.#url)
    this.#source = source
    this.#openedAt = performance.now()
    source.onmessage = event => this.#hear(event.data)
  }

  /** @param {string} text */
  #hear(text) {
    const word = read(text)
    if (word === undefined) return
    // a word that cannot be shown was not heard
    this.#hearer.heard(word)
    this.#wallAt = Date.now()
    this.#runAt = performance.now()
    if (this.isStale) this.#tell(false)
  }

  #look() {
    if (this.silentMs > STALE_MS) this.#tell(true)
    const openMs = performance.now() - this.#openedAt
    // the browser tries again by itself, but not after the server refused it
    const isGivenUp = this.#source?.readyState === EventSource.CLOSED && openMs > AGAIN_MS
    if (isGivenUp || (this.silentMs > DEAD_MS && openMs > DEAD_MS)) this.#open()
  }

  /** @param {boolean} isStale */
  #tell(isStale) {
    this.isStale = isStale
    this.#hearer.silent(isStale, isStale ? this.silentMs : 0)
  }
}

/** Undefined: no word at all, whoever said it. @param {string} text */
function read(text) {
  try {
    const word = JSON.parse(text)
    return typeof word === 'object' && word !== null ? word : undefined
  } catch {
    return undefined
  }
}
