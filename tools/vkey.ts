// Vkey: a public key that somebody typed, which must be of the mall and the name that it is meant for.

import { Fault } from '../ledger/fault.ts'
import { VerifierKey } from '../ledger/key.ts'
import { originOf } from '../ledger/origin.ts'
import { Usage } from './command.ts'

export function vkeyFrom(option: string, text: string, mall: string, name: string): string {
  try {
    const key = VerifierKey.parse(text)
    if (key.name === originOf(mall, name)) return text
    throw new Usage(`${option}: the key is called ${key.name}, not ${originOf(mall, name)}`)
  } catch (error) {
    throw error instanceof Fault ? new Usage(`${option}: ${error.message}`) : error
  }
}
