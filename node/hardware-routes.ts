// Hardware routes: what the hardware at this door looks like, for those who install and mend it, and what came of their
// checks, which is kept as an entry.
//
// Law: looking changes nothing. A check is written down as it was said, and counts nobody.

import type { TurnstileState } from '../hardware/turnstile.ts'
import { CHECKS, type Checked } from '../ledger/entry.ts'
import { isText } from '../ledger/line.ts'
import { type Asked, json, Refusal, type Reply, type Route } from '../mesh/window/route.ts'
import type { Door } from './door.ts'
import { shows } from './pass.ts'

export interface Hardware {
  readonly door: Door
  readonly state: () => TurnstileState & { readonly optical?: object }
  readonly pass?: string
}

const COUNT_MAX = 1_000_000
const WORDS_MAX = 60

export function hardwareRoutes(a: Hardware): readonly Route[] {
  return [
    { method: 'GET', path: '/turnstile/state', isPrivate: true, answer: () => json(200, a.state()) },
    { method: 'POST', path: '/turnstile/check', answer: asked => check(a, asked) },
  ]
}

async function check({ door, pass }: Hardware, asked: Asked): Promise<Reply> {
  if (!shows(asked.authorization, pass)) {
    return json(401, { error: 'this gate has a pass: send it as "Authorization: Bearer PASS"' })
  }
  const note = checkIn(await asked.body())
  if (door.gate?.me.books === undefined) throw new Refusal(503, 'this gate has no ledger yet to write it to')
  door.note(note)
  await door.kept()
  return json(200, note)
}

function checkIn(body: string): Omit<Checked, 'id' | 'at'> {
  let said: Record<string, unknown>
  try {
    said = Object(JSON.parse(body))
  } catch (error) {
    throw new Refusal(400, 'the body is not JSON', { cause: error })
  }
  const what = CHECKS.find(one => one === said.what)
  if (what === undefined) throw new Refusal(400, `what: one of ${CHECKS.join(', ')}`)
  if (typeof said.ok !== 'boolean') throw new Refusal(400, 'ok: true or false')
  const count = (key: string): number => {
    const value = said[key]
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= COUNT_MAX) return value as number
    throw new Refusal(400, `${key}: a whole number from 0 to ${COUNT_MAX}`)
  }
  const words = (key: string): string => {
    const value = said[key]
    if (typeof value === 'string' && value !== '' && value.length <= WORDS_MAX && isText(value)) return value
    throw new Refusal(400, `${key}: 1 to ${WORDS_MAX} characters, none of them a control character`)
  }
  return {
    type: 'check',
    what,
    lane: words('lane'),
    by: words('by'),
    truthIn: count('truthIn'),
    truthOut: count('truthOut'),
    seenIn: count('seenIn'),
    seenOut: count('seenOut'),
    ok: said.ok,
  }
}
