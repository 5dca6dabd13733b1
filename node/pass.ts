// Pass: what whoever counts people at a gate has to show, where the gate can be reached from elsewhere.
//
// Law: how long it takes to say no tells nothing about how near the guess was.

import { createHash, timingSafeEqual } from 'node:crypto'

/** Does this `Authorization` header show the pass? Where there is none, everybody may. */
export function shows(authorization: string | undefined, pass: string | undefined): boolean {
  if (pass === undefined) return true
  const [, shown = ''] = /^bearer +([^\s]+) *$/i.exec(authorization ?? '') ?? []
  return timingSafeEqual(digest(shown), digest(pass))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
