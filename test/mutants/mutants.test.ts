// alone
// The simulator itself is tested: every mutant of the core must break a law within its budget of seeds.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { MUTANTS, type Mutant } from './list.ts'

const SEEDS = 500
const AT_ONCE = 2
const root = join(import.meta.dirname, '../..')

interface Found {
  readonly seeds: number
  readonly failures: readonly { readonly seed: number; readonly law: string; readonly what: string }[]
}

const test = suite('mutants')
const verdicts = new Map<string, Promise<Found>>()
let turn = 0
const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve())

/** Two at a time, in the order of the list; the tests below wait for theirs. */
test.before(() => {
  for (const mutant of MUTANTS) {
    const lane = turn++ % AT_ONCE
    const verdict = (lanes[lane] as Promise<unknown>).then(() => hunt(mutant))
    lanes[lane] = verdict.catch(() => undefined)
    verdicts.set(mutant.name, verdict)
  }
})

for (const mutant of MUTANTS) {
  test(
    `caught: ${mutant.name}`,
    async () => {
      const { failures, seeds } = (await verdicts.get(mutant.name)) as Found
      assert.ok(failures.length > 0, `${seeds} seeds and no law broke`)
      console.log(`  ${mutant.name}: ${failures[0]?.law} at seed ${failures[0]?.seed}`)
    },
    { timeoutMs: 600_000 },
  )
}

async function hunt(mutant: Mutant): Promise<Found> {
  const dir = mkdtempSync(join(tmpdir(), 'mutant-'))
  try {
    for (const part of ['ledger', 'mesh', 'node', 'anchor', 'test/sim', 'tools', 'package.json']) {
      cpSync(join(root, part), join(dir, part), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
    const file = join(dir, mutant.file)
    const source = readFileSync(file, 'utf8')
    assert.equal(source.split(mutant.find).length, 2, `${mutant.file} has "${mutant.find}" exactly once`)
    writeFileSync(
      file,
      source.replace(mutant.find, () => mutant.replace),
    )
    const known = await storm(dir, mutant.seed, 1)
    return known.failures.length > 0 ? known : await storm(dir, 1, SEEDS)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function storm(dir: string, from: number, seeds: number): Promise<Found> {
  return JSON.parse(await output(dir, ['--from', String(from), '--seeds', String(seeds)])) as Found
}

function output(cwd: string, which: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ['tools/gatemesh.ts', 'sim', ...which, '--first', '--jobs', '1', '--json']
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stdout.on('data', chunk => {
      out += chunk
    })
    child.stderr.on('data', chunk => {
      err += chunk
    })
    child.on('error', reject)
    child.on('exit', code =>
      code === 0 || code === 1 ? resolve(out) : reject(new Error(`sim ended with ${code}: ${err}`)),
    )
  })
}

test.run()
