// Command: a mode note that somebody brings to any member by hand. Its authority is in its signatures, so it does not
// matter who brings it, or whether the anchor is there.

import type { Mode } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import { type ModeStatement, outranks } from '../../ledger/mode.ts'
import type { Keyring } from '../keyring.ts'
import type { Member } from '../member.ts'
import { Refusal } from './route.ts'

export interface Commanded {
  /** did the note change what is in force here? */
  readonly isNews: boolean
  /** in force now, contacts of this member included */
  readonly mode: Mode
  readonly epoch: number
}

export interface Commandable {
  /** undefined while the store is being opened */
  readonly me: Member | undefined
  readonly ring: Keyring
  /** a step of the core */
  readonly hear: (statement: ModeStatement) => void
}

/** Refuses a note that cannot be read, is signed wrongly, or by people who may not say this. */
export function command(note: string, to: Commandable): Commanded {
  const { me } = to
  if (me === undefined) throw new Refusal(503, 'this member is still starting: bring the note to another one')
  const statement = opened(note, to.ring)
  const before = me.modes.statement
  to.hear(statement)
  const { statement: now, effective } = me.modes
  const isNews = outranks(now, before)
  if (!isNews && outranks(statement, before)) {
    const { mode, epoch, by } = statement
    const inForce = `in force is ${before.mode} of epoch ${before.epoch}`
    throw new Refusal(400, `${by.join(' and ')} may not say ${mode} of epoch ${epoch}: ${inForce}`)
  }
  return { isNews, mode: effective, epoch: now.epoch }
}

function opened(note: string, ring: Keyring): ModeStatement {
  try {
    return ring.mode(note)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Refusal(400, `not a mode note of this mall: ${error.message}`, { cause: error })
  }
}
