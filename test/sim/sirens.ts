// Sirens: watches the mode of every host. It never goes down except by a re-arm of two people, and never below what the
// gate's own contacts say.

import { type ModeStatement, outranks, severity } from '../../ledger/mode.ts'
import type { Contact } from '../../mesh/modekeeper.ts'
import type { Host } from './host.ts'
import type { Oracle } from './oracle.ts'

export class Sirens {
  readonly #oracle: Oracle
  readonly #heard = new Map<string, ModeStatement>()

  constructor(oracle: Oracle) {
    this.#oracle = oracle
  }

  check(host: Host, closed: ReadonlySet<Contact> | undefined): void {
    const modes = host.core?.me.modes
    if (modes === undefined) return
    const before = this.#heard.get(host.name)
    const { statement } = modes
    if (before === statement) return
    const fail = (what: string) => this.#oracle.fail('latched', `${host.name} ${what}`)
    if (before !== undefined && outranks(before, statement)) {
      fail(`went from ${before.mode}/${before.epoch} to ${statement.mode}/${statement.epoch}`)
    }
    if (statement.mode === 'NORMAL' && statement.epoch > 0 && statement.by.length < 2) {
      fail(`was re-armed by ${statement.by.join()} alone`)
    }
    this.#heard.set(host.name, statement)
    if (closed?.has('fire') && severity(modes.effective) < severity('FIRE')) {
      fail(`is in ${modes.effective} while its fire contact is closed`)
    }
  }

  /** It starts from what is on its disk; a mode that it had heard of but not kept is heard of again. */
  started(host: Host): void {
    const kept = host.disk.modes.at(-1)
    if (kept === undefined) this.#heard.delete(host.name)
    else this.#heard.set(host.name, kept)
  }
}
