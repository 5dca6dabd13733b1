// ModeKeeper: the emergency mode in force at one member.
//
// Law: while a gate's own contact is closed its mode is at least that contact's, whatever anyone clears elsewhere.
// Raising is for everyone entitled and keeps the epoch; only a re-arm by two starts the next one. What was raised after
// those two had looked, and is worse than what they named, they did not clear: it is raised again in the new epoch.

import type { Charter } from '../ledger/charter.ts'
import type { Mode } from '../ledger/entry.ts'
import { CALM, joinModes, type ModeStatement, moreSevere, outranks, severity } from '../ledger/mode.ts'

export type Contact = 'fire' | 'key'

const MODE_OF = { fire: 'FIRE', key: 'EVACUATE' } as const satisfies Record<Contact, Mode>

export class ModeKeeper {
  readonly #name: string
  readonly #charter: Charter
  #statement: ModeStatement = CALM
  #clear: ModeStatement | undefined
  readonly #closed = new Set<Contact>()
  /** in force when a re-arm came that named something less */
  #unnamed: Mode = 'NORMAL'

  constructor(name: string, charter: Charter) {
    this.#name = name
    this.#charter = charter
  }

  get statement(): ModeStatement {
    return this.#statement
  }

  get effective(): Mode {
    let mode = moreSevere(this.#statement.mode, this.#unnamed)
    for (const contact of this.#closed) mode = moreSevere(mode, MODE_OF[contact])
    return mode
  }

  /** The re-arm that began this epoch; raises travel with it, or a gate that missed it could not tell them from lies. */
  get clear(): ModeStatement | undefined {
    return this.#clear
  }

  /** Takes a statement in, and says whether it changed what is in force here. */
  hear(statement: ModeStatement, isGate: (name: string) => boolean): 'new' | 'seen' | 'refused' {
    if (!this.#entitled(statement, isGate)) return 'refused'
    const joined = joinModes(this.#statement, statement)
    const isNews = outranks(joined, this.#statement)
    if (isNews && joined.mode === 'NORMAL') this.#rearm(joined)
    this.#statement = joined
    if (severity(joined.mode) >= severity(this.#unnamed)) this.#unnamed = 'NORMAL'
    return isNews ? 'new' : 'seen'
  }

  setContact(contact: Contact, closed: boolean): void {
    if (closed) this.#closed.add(contact)
    else this.#closed.delete(contact)
  }

  /** What this gate must raise because of its own contacts, in the newest epoch it knows. */
  owed(at: number): ModeStatement | undefined {
    const mode = this.effective
    if (severity(mode) <= severity(this.#statement.mode)) return undefined
    const reason = mode === this.#unnamed ? 'raised since, and not named by the re-arm' : 'contact closed'
    return { epoch: this.#statement.epoch, mode, by: [this.#name], at, reason }
  }

  #rearm(clear: ModeStatement): void {
    this.#clear = clear
    const { clears } = clear
    const standing = moreSevere(this.#statement.mode, this.#unnamed)
    const isUnnamed = clears?.epoch === this.#statement.epoch && severity(standing) > severity(clears.mode)
    this.#unnamed = isUnnamed ? standing : 'NORMAL'
  }

  #entitled(s: ModeStatement, isGate: (name: string) => boolean): boolean {
    if (s.mode === 'NORMAL') return this.#mayClear(s)
    // nobody raises into an epoch that two people have not begun: LOCKDOWN there would lower FIRE here
    if (s.epoch > this.#statement.epoch) return false
    return s.by.some(
      name => name === 'anchor' || isGate(name) || this.#operators(s, ['operator', 'marshal']).includes(name),
    )
  }

  #mayClear(s: ModeStatement): boolean {
    if (s.clears === undefined || s.clears.epoch !== s.epoch - 1) return false
    const marshals = this.#operators(s, ['marshal'])
    const able = this.#operators(s, ['operator', 'marshal'])
    const signers = new Set(s.by.filter(name => able.includes(name)))
    return signers.size >= 2 && s.by.some(name => marshals.includes(name))
  }

  #operators({ under = this.#charter }: ModeStatement, roles: readonly string[]): string[] {
    return under.operators.filter(o => roles.includes(o.role)).map(o => o.name)
  }
}
