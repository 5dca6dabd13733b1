// Charters: the first one and its revisions, and which of them counts for what.
//
// Law: a policy is judged by the charter of its version, for ever; what was signed with a key that has been replaced since
// stays good. Every ledger begins at the first charter, whatever came later.

import { ANCHOR } from './account.ts'
import { type Charter, type CharterLine, charterLine } from './charter.ts'
import { formatCharter, type OpenedCharter, openCharter } from './charter-note.ts'
import { Fault } from './fault.ts'
import { VerifierKey } from './key.ts'
import { parseNote } from './note.ts'
import type { Policy } from './policy.ts'
import { openPolicy, parsePolicy } from './policy-note.ts'
import { textHash } from './text-hash.ts'

export class Charters implements CharterLine {
  readonly #all: OpenedCharter[]

  constructor(first: OpenedCharter) {
    if (first.charter.revision !== undefined) throw new Fault('CHARTER', 'a revision is not where a mall begins')
    this.#all = [first]
  }

  /** The first note is that of the first charter. */
  static open(notes: readonly string[], owner: VerifierKey, options: { readonly twice?: boolean } = {}): Charters {
    const [first = '', ...revisions] = notes
    const charters = new Charters(openCharter(first, owner, options))
    for (const note of revisions) charters.add(openCharter(note, owner, options))
    return charters
  }

  /** One that was never revised. */
  static unrevised(charter: Charter): Charters {
    return new Charters({ charter, hash: textHash(formatCharter(charter)) })
  }

  /** The next revision; throws a Fault where it does not follow. */
  add(next: OpenedCharter): void {
    const before = this.#all.at(-1) as OpenedCharter
    const { mall, revision } = next.charter
    if (mall !== this.first.mall) throw new Fault('CHARTER', `is of ${mall}, not of ${this.first.mall}`)
    if (revision === undefined) throw new Fault('CHARTER', 'is no revision')
    const number = (before.charter.revision?.number ?? 1) + 1
    if (revision.number !== number) throw new Fault('CHARTER', `is revision ${revision.number}, the next is ${number}`)
    if (revision.previous !== before.hash) throw new Fault('CHARTER', `revision ${number} follows another charter`)
    const since = before.charter.revision?.since ?? 2
    if (revision.since < since) throw new Fault('CHARTER', `revision ${number} counts since before the one before it`)
    this.#all.push(next)
  }

  get all(): readonly Charter[] {
    return this.#all.map(one => one.charter)
  }

  get first(): Charter {
    return (this.#all[0] as OpenedCharter).charter
  }

  /** of the first, base64: the `prev` of the first entry of every ledger */
  get hash(): string {
    return (this.#all[0] as OpenedCharter).hash
  }

  /** of the newest, base64: what the next revision follows */
  get newestHash(): string {
    return (this.#all.at(-1) as OpenedCharter).hash
  }

  /** Who may act now. */
  get newest(): Charter {
    return (this.#all.at(-1) as OpenedCharter).charter
  }

  /** The one that a policy of this version is judged by. */
  of(version: number): Charter {
    return charterLine(this.all).of(version)
  }

  /** Every key that a charter ever gave this name, the oldest first. */
  keysOf(name: string): VerifierKey[] {
    const vkeys = new Set<string>()
    for (const { anchor, gates } of this.all) {
      for (const one of [{ name: ANCHOR, key: anchor }, ...gates]) if (one.name === name) vkeys.add(one.key)
    }
    return [...vkeys].map(vkey => VerifierKey.parse(vkey))
  }

  /** A policy with the signatures that the charter of its version asks for. */
  openPolicy(note: string, options: { readonly twice?: boolean } = {}): Policy {
    const { version } = parsePolicy(parseNote(note).text, this.first.mall)
    return openPolicy(note, this.of(version), options)
  }
}
