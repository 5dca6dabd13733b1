// @ts-check
// Reading: a text that somebody is to sign, in words.
//
// Law: the words are read from the very text that is signed, held against the policy whose hash that text names. What the
// anchor says about it is not shown, and a text that is not what it is called is not put into words at all.

import { Refused } from './session.js'
import { fingerprint, textHash, textOf } from './signing.js'

/** @typedef {import('./session.js').Session} Session */
/** @typedef {{ flaw: string, words?: undefined } | { flaw?: undefined, words: string[] }} Read */

/** The text of the policy in force; undefined before the first. @param {Session} session */
export async function inForce(session) {
  try {
    const { inForce: policy } = await session.ask('GET', 'policy?limit=1')
    return policy.note === undefined ? undefined : textOf(policy.note)
  } catch (error) {
    if (error instanceof Refused && error.code === 'no-policy') return undefined
    throw error
  }
}

/**
 * @param {{ id: string, text: string }} asked as the anchor tells it
 * @param {string} mall
 * @param {string | undefined} before text of the policy in force
 * @returns {Promise<Read>}
 */
export async function readText({ id, text }, mall, before) {
  if ((await textHash(text)).hex !== id) return { flaw: 'The anchor shows another text than the one of this id.' }
  if (text.startsWith(`gatemesh/${mall}/mode\n`)) return { words: await wordsFor(text) }
  if (!text.startsWith(`gatemesh/${mall}/policy\n`)) return { flaw: 'This is no text of this mall.' }
  const previous = /^previous (.*)$/m.exec(text)?.[1]
  const isFirst = previous === undefined && /^version 1$/m.test(text)
  const isNext = before !== undefined && previous === (await textHash(before)).base64
  if (isFirst || isNext) return { words: await wordsFor(text, isFirst ? undefined : before) }
  return { flaw: 'It does not stand on the policy that the anchor shows as the one in force.' }
}

/** @param {string} text @param {string} [before] */
export async function wordsFor(text, before) {
  // only whoever has something to read needs it
  const { wordsOf } = await import('./wording.js')
  /** @type {Map<string, string>} */
  const prints = new Map()
  for (const line of `${text}${before ?? ''}`.match(/^gate .*$/gm) ?? [])
    prints.set(line.slice(5), await fingerprint(line.slice(5)))
  return wordsOf(text, before, { now: Date.now(), time, print: vkey => prints.get(vkey) ?? vkey })
}

/** A moment as the reader writes it; seconds only where there are any. @param {number} ms */
export function time(ms) {
  return new Date(ms).toLocaleString([], { dateStyle: 'medium', timeStyle: ms % 60_000 === 0 ? 'short' : 'medium' })
}
