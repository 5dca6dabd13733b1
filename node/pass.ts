// Pass: what whoever counts people at a gate has to show, where the gate can be reached from elsewhere; and a cookie for
// whoever showed it, because browsers show nothing else with a stream.
//
// Laws: how long it takes to say no tells nothing about how near the guess was. The cookie is not the pass: it lets people
// look and count nobody.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const COOKIE = 'gatemesh-look'
const COOKIE_S = 30 * 24 * 3600

interface Shown {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
}

/** Does this `Authorization` header show the pass? Where there is none, everybody may. */
export function shows(authorization: string | undefined, pass: string | undefined): boolean {
  if (pass === undefined) return true
  const [, shown = ''] = /^bearer +([^\s]+) *$/i.exec(authorization ?? '') ?? []
  return isSame(shown, pass)
}

/** The pass itself, or the cookie that was given for it. */
export function mayLook({ authorization, cookie }: Shown, pass: string | undefined): boolean {
  if (pass === undefined || shows(authorization, pass)) return true
  const [, shown = ''] = new RegExp(`(?:^|; *)${COOKIE}=([0-9a-f]+)(?:;|$)`).exec(cookie ?? '') ?? []
  return isSame(shown, sightOf(pass))
}

/** For the header `Set-Cookie`. */
export function cookieOf(pass: string): string {
  return `${COOKIE}=${sightOf(pass)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_S}`
}

function sightOf(pass: string): string {
  return createHmac('sha256', pass).update('may look').digest('hex')
}

function isSame(shown: string, wanted: string): boolean {
  return timingSafeEqual(digest(shown), digest(wanted))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
