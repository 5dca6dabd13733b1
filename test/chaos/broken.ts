// Broken builds: copies of the tree with one promise taken out. A storm that lets one of them pass proves nothing.

import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Edit {
  readonly file: string
  /** stands exactly once in the file */
  readonly find: string
  readonly replace: string
}

interface Broken {
  readonly what: string
  readonly edits: readonly Edit[]
}

export const BROKEN = {
  undurable: {
    what: 'people are told ADMIT, and the arm moves, before the admission is on disk',
    edits: [
      {
        file: 'node/gate.ts',
        find: `this.me.emit({ kind: 'open', id: request.id, afterSize })`,
        replace: `this.me.emit({ kind: 'open', id: request.id, afterSize: 0 })`,
      },
      {
        file: 'node/gate.ts',
        find: `this.me.emit({ kind: 'answer', id: request.id, answer, afterSize })`,
        replace: `this.me.emit({ kind: 'answer', id: request.id, answer, afterSize: 0 })`,
      },
    ],
  },
  debtless: {
    what: 'nobody pays debts: a cut of the capacity stops no admission',
    edits: [
      {
        file: 'mesh/trader.ts',
        find: `if (due > 0) this.#me.transfer(debtor, due, 'debt')`,
        replace: `if (due > 1e9) this.#me.transfer(debtor, due, 'debt')`,
      },
    ],
  },
  epochless: {
    what: 'a gate that lost its memory goes on in its old account, as if nothing had been',
    edits: [
      {
        file: 'mesh/joining.ts',
        find: 'const given = this.#enrolled',
        replace: 'const given = account(this.#name, 1)',
      },
      { file: 'mesh/member.ts', find: 'this.#outlived = true', replace: 'this.#outlived = false' },
    ],
  },
} as const satisfies Record<string, Broken>

export type BrokenName = keyof typeof BROKEN
export const BROKEN_NAMES = Object.keys(BROKEN) as BrokenName[]

const ROOT = join(import.meta.dirname, '../..')
const PARTS = ['anchor', 'hardware', 'ledger', 'mesh', 'node', 'tools', 'package.json']

/** A copy of this tree in `dir`, broken. */
export function breakTree(name: BrokenName, dir: string): void {
  // a run that was stopped leaves its tree behind
  rmSync(dir, { recursive: true, force: true })
  for (const part of PARTS) cpSync(join(ROOT, part), join(dir, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  for (const { file, find, replace } of BROKEN[name].edits) {
    const path = join(dir, file)
    const source = readFileSync(path, 'utf8')
    if (source.split(find).length !== 2) throw new Error(`${file} does not have ${JSON.stringify(find)} exactly once`)
    writeFileSync(
      path,
      source.replace(find, () => replace),
    )
  }
}
