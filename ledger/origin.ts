// Origin: the names in everything signed, all below `gatemesh/<mall>/`.
//
// Law: a text says in its first line what it is and of which mall, so that a signature on one can never pass for a
// signature on another.

import { type Account, isAccount } from './account.ts'

const NAME = /^[a-z][a-z0-9-]{0,30}$/

/** Is this the name of a mall, a gate or an operator? */
export function isName(text: string): boolean {
  return NAME.test(text)
}

/** `gatemesh/<mall>/<what>`: what is a name, an account, or a kind of statement. */
export function originOf(mall: string, what: string): string {
  return `gatemesh/${mall}/${what}`
}

/** What stands after `gatemesh/<mall>/`, if it is of this mall. */
export function within(mall: string, origin: string): string | undefined {
  const head = originOf(mall, '')
  return origin.startsWith(head) ? origin.slice(head.length) : undefined
}

export function accountOfOrigin(mall: string, origin: string): Account | undefined {
  const rest = within(mall, origin)
  return rest !== undefined && isAccount(rest) ? rest : undefined
}
