// An account is `<name>/<epoch>`: who holds tokens, in which life of its ledger.

import { Fault } from './fault.ts'

export type Account = string

const SHAPE = /^([a-z][a-z0-9-]{0,30})\/([1-9][0-9]{0,8})$/

export const ANCHOR = 'anchor'

export function account(name: string, epoch: number): Account {
  return `${name}/${epoch}`
}

export function isAccount(text: string): boolean {
  return SHAPE.test(text)
}

export function nameOf(a: Account): string {
  return a.slice(0, a.indexOf('/'))
}

export function epochOf(a: Account): number {
  return Number(a.slice(a.indexOf('/') + 1))
}

export function parseAccount(text: string): { name: string; epoch: number } {
  const match = SHAPE.exec(text)
  if (!match) throw new Fault('ACCOUNT', `not an account (name/epoch): ${JSON.stringify(text.slice(0, 60))}`)
  return { name: match[1] as string, epoch: Number(match[2]) }
}

export function isAnchor(a: Account): boolean {
  return a.startsWith('anchor/')
}
