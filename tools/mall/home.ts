// Home: the folder of a mall on one machine.
//
//     DIR/charter.note  DIR/owner.vkey     signed once, at the first start
//     DIR/keys/NAME.key                    everyone's secret key, for this user's eyes only
//     DIR/anchor/  DIR/gate-01/ …          a store each
//     DIR/born                             the anchor has opened its ledger; it may never mint as if for the first time again
//     DIR/mall.json                        where the running mall is
//
// In a real mall every key is on its own machine or with its own person. Here one user plays all of them.

import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ANCHOR } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import { openCharter, signCharter } from '../../ledger/charter-note.ts'
import { Fault } from '../../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { originOf } from '../../ledger/origin.ts'

export const MALL = 'mall'
export const OPERATORS = [
  { name: 'ann', role: 'marshal' },
  { name: 'bob', role: 'operator' },
] as const
const OWNER = 'owner'

/** A turnstile of software has no lane that would slow people down; still a bound, so that a runaway sensor meets one. */
const EXITS_PER_MINUTE_MAX = 12_000

export class Home {
  readonly dir: string
  readonly charter: Charter
  readonly charterHash: string
  readonly #keys: ReadonlyMap<string, SignerKey>

  private constructor(dir: string, charter: Charter, charterHash: string, keys: ReadonlyMap<string, SignerKey>) {
    this.dir = dir
    this.charter = charter
    this.charterHash = charterHash
    this.#keys = keys
  }

  static exists(dir: string): boolean {
    return existsSync(join(dir, 'charter.note'))
  }

  /** The charter is written last: a folder without one has not been a mall yet. */
  static async found(dir: string, a: { readonly gates: number; readonly legalMax: number }): Promise<void> {
    // with new keys and a new charter these would be ledgers of somebody else's mall
    const left = ['born', ANCHOR].find(name => existsSync(join(dir, name)))
    if (left !== undefined) throw new Fault('HOME', `${join(dir, left)} is of a mall whose charter.note is gone`)
    await mkdir(join(dir, 'keys'), { recursive: true, mode: 0o700 })
    const gates = Array.from({ length: a.gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)
    const keys = new Map<string, SignerKey>()
    for (const name of [OWNER, ANCHOR, ...OPERATORS.map(o => o.name), ...gates]) {
      const key = SignerKey.generate(originOf(MALL, name))
      keys.set(name, key)
      await writeWhole(keyPath(dir, name), `${key}\n`, 0o600)
    }
    const vkey = (name: string) => (keys.get(name) as SignerKey).verifier.toString()
    const charter: Charter = {
      mall: MALL,
      legalMax: a.legalMax,
      anchor: vkey(ANCHOR),
      operators: OPERATORS.map(({ name, role }) => ({ name, role, key: vkey(name) })),
      gates: gates.map(name => ({ name, key: vkey(name) })),
      exitsPerMinuteMax: EXITS_PER_MINUTE_MAX,
      aloneMovePerMille: 200,
    }
    await writeWhole(join(dir, 'owner.vkey'), `${vkey(OWNER)}\n`, 0o644)
    await writeWhole(join(dir, 'charter.note'), signCharter(charter, keys.get(OWNER) as SignerKey), 0o644)
  }

  static async open(dir: string): Promise<Home> {
    const owner = VerifierKey.parse((await readFile(join(dir, 'owner.vkey'), 'utf8')).trim())
    const { charter, hash } = openCharter(await readFile(join(dir, 'charter.note'), 'utf8'), owner)
    const keys = new Map<string, SignerKey>()
    for (const name of [ANCHOR, ...charter.operators.map(o => o.name), ...charter.gates.map(g => g.name)]) {
      keys.set(name, SignerKey.parse((await readFile(keyPath(dir, name), 'utf8')).trim()))
    }
    return new Home(dir, charter, hash, keys)
  }

  key(name: string): SignerKey {
    return this.#keys.get(name) as SignerKey
  }

  storeOf(name: string): string {
    return join(this.dir, name)
  }

  get isBorn(): boolean {
    return existsSync(join(this.dir, 'born'))
  }

  async setBorn(): Promise<void> {
    if (!this.isBorn) await writeWhole(join(this.dir, 'born'), 'the anchor has a ledger\n', 0o644)
  }

  async writePlace(place: object): Promise<void> {
    await writeWhole(join(this.dir, 'mall.json'), `${JSON.stringify(place, null, 2)}\n`, 0o644)
  }

  async removePlace(): Promise<void> {
    await rm(join(this.dir, 'mall.json'), { force: true })
  }
}

function keyPath(dir: string, name: string): string {
  return join(dir, 'keys', `${name}.key`)
}

/** All of it or nothing, also when the power goes. */
async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await chmod(draft, mode)
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
