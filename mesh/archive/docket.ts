// Docket: who contradicted what was signed, and what shows it.
//
// Law: an account is closed for what its owner signed or handed over itself. What a third party hands over is that one's
// word, and closes nothing but our ear for it.

import { hash } from 'node:crypto'
import { type Account, nameOf } from '../../ledger/account.ts'
import type { Row } from '../../ledger/row.ts'
import type { Evidence } from './archive.ts'
import type { CabinetArchive } from './cabinet-archive.ts'
import type { Flaw } from './inspector.ts'

export interface DocketOptions {
  readonly archive: CabinetArchive
  readonly wall: () => number
  readonly alarm: (code: string, detail: string) => void
}

export interface Charge {
  readonly account: Account
  readonly flaw: Flaw
  readonly rows: readonly (Row | string | undefined)[]
  readonly lines: readonly string[]
  /** who handed over the lines */
  readonly source: string
}

/** Enough to see what it is about; more would be a way to fill our disk. */
const LINES_BYTES_MAX = 1 << 20

export class Docket {
  readonly #o: DocketOptions
  readonly #closed = new Set<Account>()
  readonly #liars = new Set<string>()

  constructor(options: DocketOptions) {
    this.#o = options
  }

  /** Those who were closed before a restart stay so. */
  async read(): Promise<void> {
    for (const { account, by } of await this.#o.archive.evidence()) if (by === undefined) this.#closed.add(account)
  }

  get closed(): readonly Account[] {
    return [...this.#closed].sort()
  }

  isClosed(account: Account): boolean {
    return this.#closed.has(account)
  }

  isLiar(name: string, account: Account): boolean {
    return this.#liars.has(`${name} ${account}`)
  }

  /** True where the account is closed by it. */
  accuse({ account, flaw, rows, lines, source }: Charge): boolean {
    const { what, detail, line } = flaw
    // a row alone can only be its owner's doing: another root at the same size, or other counters under the same root
    const isSigned = line === undefined && what !== 'root'
    const isOwner = source === nameOf(account) || isSigned
    if (isOwner) this.#closed.add(account)
    else this.#liars.add(`${source} ${account}`)
    const notes = rows.map(row => (typeof row === 'object' ? row.note : row)).filter(note => note !== undefined)
    const shown = newest(line === undefined ? lines : [...lines, line])
    const id = hash('sha256', JSON.stringify([account, what, isOwner || source, notes, shown]), 'hex').slice(0, 32)
    const evidence: Evidence = { id, account, at: this.#o.wall(), what, detail, rows: notes, lines: shown }
    this.#keep(isOwner ? evidence : { ...evidence, by: source })
    return isOwner
  }

  #keep(evidence: Evidence): void {
    const { archive, alarm } = this.#o
    const { account, what, detail, by } = evidence
    if (by === undefined) alarm(what === 'fork' ? 'FORK' : 'EVIDENCE', `${detail}; not collected any more`)
    else alarm('EVIDENCE', `${detail}, as ${by} hands it over`)
    archive.keep(evidence).catch((error: Error) => {
      // asked again after the next start, it will say the same again
      alarm('ARCHIVE', `evidence against ${account} cannot be kept: ${error.message}`)
    })
  }
}

function newest(lines: readonly string[]): string[] {
  let bytes = 0
  let from = lines.length
  while (from > 0 && bytes + (lines[from - 1] as string).length <= LINES_BYTES_MAX) {
    from--
    bytes += (lines[from] as string).length
  }
  return lines.slice(from)
}
