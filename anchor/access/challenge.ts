// Challenge: what a person signs to show who they are.
//
//   gatemesh/<mall>/login
//   at 1763251200123
//   nonce <base64url(6 bytes: when, by our own clock ‖ 10 random bytes ‖ 16 bytes of HMAC)>
//   name ann
//
// Law: the head says that this is a login, so that no signature on it can pass for one on a policy or a mode. Nothing is
// kept for a challenge that was given out, only for one that was used: asking for many costs us no memory. How old it is
// says the clock that never goes back; `at` is for people.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCount } from '../../ledger/decimal.ts'
import { isName, originOf } from '../../ledger/origin.ts'

/** From the asking to the answer, people confirming on another screen included. */
export const CHALLENGE_MS = 60_000

const SALT_BYTES = 16
const CHANCE_BYTES = 10

export interface Challenge {
  readonly mall: string
  readonly name: string
  readonly at: number
  readonly nonce: string
}

/** `now` and `chance` make the nonce: ms of our own clock, and ten random bytes. */
export function writeChallenge(
  a: { readonly mall: string; readonly name: string; readonly at: number },
  secret: Buffer,
  { now, chance }: { readonly now: number; readonly chance: Buffer },
): string {
  const salt = Buffer.alloc(SALT_BYTES)
  salt.writeUIntBE(Math.floor(now), 0, SALT_BYTES - CHANCE_BYTES)
  chance.copy(salt, SALT_BYTES - CHANCE_BYTES, 0, CHANCE_BYTES)
  return spelled(a, secret, salt)
}

/** What the text says, where we wrote it and it is not too old. */
export function readChallenge(text: string, mall: string, secret: Buffer, now: number): Challenge | undefined {
  const [head, at = '', nonce = '', name = '', end, ...rest] = text.split('\n')
  if (head !== originOf(mall, 'login') || end !== '' || rest.length > 0) return undefined
  const time = at.startsWith('at ') ? parseCount(at.slice(3)) : undefined
  const who = name.startsWith('name ') ? name.slice(5) : ''
  const bytes = nonce.startsWith('nonce ') ? Buffer.from(nonce.slice(6), 'base64url') : Buffer.alloc(0)
  if (time === undefined || !isName(who) || bytes.length !== 2 * SALT_BYTES) return undefined
  const salt = bytes.subarray(0, SALT_BYTES)
  const said = { mall, name: who, at: time }
  if (!timingSafeEqual(bytes.subarray(SALT_BYTES), sealOf(said, secret, salt))) return undefined
  // the text in its one spelling: base64 that decodes to the same bytes could be written in other ways
  if (spelled(said, secret, salt) !== text) return undefined
  const age = now - salt.readUIntBE(0, SALT_BYTES - CHANCE_BYTES)
  return age <= CHALLENGE_MS ? { ...said, nonce: nonce.slice(6) } : undefined
}

function spelled(a: { mall: string; name: string; at: number }, secret: Buffer, salt: Buffer): string {
  const nonce = Buffer.concat([salt, sealOf(a, secret, salt)]).toString('base64url')
  return `${originOf(a.mall, 'login')}\nat ${a.at}\nnonce ${nonce}\nname ${a.name}\n`
}

function sealOf(a: { mall: string; name: string; at: number }, secret: Buffer, salt: Buffer): Buffer {
  const mac = createHmac('sha256', secret).update(salt).update(`${a.mall}\n${a.name}\n${a.at}`)
  return mac.digest().subarray(0, SALT_BYTES)
}
