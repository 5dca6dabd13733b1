// Home: the folder of a mall on one machine.
//
//     DIR/charter.note  DIR/owner.vkey     signed once, at the first start; DIR/charter.2.note … revise it
//     DIR/policies/N.note                  what the operators signed
//     DIR/keys/NAME.key                    everyone's secret key, for this user's eyes only
//     DIR/NAME.json                        the config that a member is started with
//     DIR/anchor/  DIR/gate-01/ …          a store each
//     DIR/born                             the anchor has opened its ledger; it may never mint as if for the first time again
//     DIR/logs/NAME.log                    what each member said
//     DIR/mall.json                        where the running mall is
//
// In a real mall every key is on its own machine or with its own person. Here one user plays all of them.

import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ANCHOR } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import { openCharter } from '../../ledger/charter-note.ts'
import { Charters } from '../../ledger/charters.ts'
import { Fault } from '../../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { readRevisions } from '../../mesh/papers.ts'
import { writeWhole } from '../../mesh/whole-file.ts'
import { found, keyPath } from '../founding.ts'

export const MALL = 'mall'
export const OPERATORS = [
  { name: 'ann', role: 'marshal' },
  { name: 'bob', role: 'operator' },
] as const

/** A turnstile of software has no lane that would slow people down; still a bound, so that a runaway sensor meets one. */
const EXITS_PER_MINUTE_MAX = 12_000

export class Home {
  readonly dir: string
  readonly charters: Charters
  readonly #keys: ReadonlyMap<string, SignerKey>

  private constructor(dir: string, charters: Charters, keys: ReadonlyMap<string, SignerKey>) {
    this.dir = dir
    this.charters = charters
    this.#keys = keys
  }

  static exists(dir: string): boolean {
    return existsSync(join(dir, 'charter.note'))
  }

  static async found(dir: string, a: { readonly gates: number; readonly legalMax: number }): Promise<void> {
    await found(dir, {
      mall: MALL,
      legalMax: a.legalMax,
      capacity: a.legalMax,
      operators: OPERATORS,
      gates: Array.from({ length: a.gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`),
      exitsPerMinuteMax: EXITS_PER_MINUTE_MAX,
    })
  }

  static async open(dir: string): Promise<Home> {
    const owner = VerifierKey.parse((await readFile(join(dir, 'owner.vkey'), 'utf8')).trim())
    const path = join(dir, 'charter.note')
    const charters = new Charters(openCharter(await readFile(path, 'utf8'), owner))
    const { flaw } = await readRevisions(path, charters, owner)
    if (flaw !== undefined) throw new Fault('CHARTER', flaw)
    const charter = charters.newest
    const keys = new Map<string, SignerKey>()
    for (const name of [ANCHOR, ...charter.operators.map(o => o.name), ...charter.gates.map(g => g.name)]) {
      keys.set(name, SignerKey.parse((await readFile(keyPath(dir, name), 'utf8')).trim()))
    }
    await mkdir(join(dir, 'logs'), { recursive: true })
    return new Home(dir, charters, keys)
  }

  /** The one in force. */
  get charter(): Charter {
    return this.charters.newest
  }

  key(name: string): SignerKey {
    return this.#keys.get(name) as SignerKey
  }

  get logs(): string {
    return join(this.dir, 'logs')
  }

  get isBorn(): boolean {
    return existsSync(join(this.dir, 'born'))
  }

  async writePlace(place: object): Promise<void> {
    await writeWhole(join(this.dir, 'mall.json'), `${JSON.stringify(place, null, 2)}\n`, 0o644)
  }

  async removePlace(): Promise<void> {
    await rm(join(this.dir, 'mall.json'), { force: true })
  }
}
