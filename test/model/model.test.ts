// The small model of escrow, all of its states, and the mistakes that must break it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'

const test = suite('model')
const run = promisify(execFile)
const model = readFileSync(join(import.meta.dirname, 'escrow.m'), 'utf8')
const dir = mkdtempSync(join(tmpdir(), 'model-'))
test.after(() => rmSync(dir, { recursive: true }))

interface Explored {
  readonly states: number
  /** the invariant that broke, if one did */
  readonly broke: string | undefined
  /** the rules on the shortest way there */
  readonly steps: readonly string[]
  readonly output: string
}

async function explore(name: string, text: string, optimise: '-O0' | '-O2'): Promise<Explored> {
  const [source, code, program] = [join(dir, `${name}.m`), join(dir, `${name}.c`), join(dir, name)]
  writeFileSync(source, text)
  await run('rumur', ['--quiet', '--deadlock-detection', 'off', '--threads', '2', '--output', code, source])
  // -march=native: the checker swaps 16 bytes at once, which plain x86-64 does not promise.
  await run('gcc', [optimise, '-march=native', '-std=c11', '-w', '-o', program, code, '-lpthread'])
  const output = await run(program, [], { maxBuffer: 64e6 }).then(
    ({ stdout }) => stdout,
    // Not zero means that an invariant broke, and the way there is on stdout.
    (error: { stdout: string }) => error.stdout,
  )
  return {
    states: Number(/(\d+) states, \d+ rules fired/.exec(output)?.[1] ?? 0),
    broke: /invariant "([^"]+)" failed/.exec(output)?.[1],
    steps: [...output.matchAll(/^Rule "([^"]+)".* fired\.$/gm)].map(match => match[1] as string),
    output,
  }
}

function withBug(bug: number): string {
  const text = model.replace(/^const BUG: 0;/m, `const BUG: ${bug};`)
  assert.notEqual(text, model)
  return text
}

/** The ceiling alone, so that a planted mistake has to put a person too many into the mall to be found. */
function ceilingOnly(text: string): string {
  return text.replace(/^(invariant "(?!ceiling")|cover )[^;]*;/gm, '')
}

const BUGS = [
  { bug: 1, what: 'a door that opens before fsync', step: 'crash' },
  { bug: 2, what: 'a row that leaves before fsync', step: 'a row leaves' },
  { bug: 3, what: 'a ledger continued after a loss', step: 'lose the disk and boot' },
] as const

const missing =
  (await needs('rumur', 'rumur')) ?? (await needs('gcc', 'gcc')) ?? (await needs('/usr/include/stdio.h', 'libc6-dev'))

if (missing) {
  test.skip('every state of the small model keeps every law', missing)
  for (const { what } of BUGS) test.skip(`${what} puts a person too many inside`, missing)
  test.skip('a gate that admits before it pays is found', missing)
} else {
  test(
    'every state of the small model keeps every law',
    async () => {
      const { states, broke, steps, output } = await explore('right', model, '-O2')
      assert.equal(broke, undefined, steps.join(', '))
      assert.match(output, /No error found/)
      assert.ok(states > 100_000, `only ${states} states`)
      const covers = [...output.matchAll(/cover "([^"]+)" hit (\d+) times/g)]
      assert.equal(covers.length, model.match(/^cover /gm)?.length)
      for (const [, name, times] of covers) assert.ok(Number(times) > 0, `never happens: ${name}`)
      console.log(`${states} states, no error`)
    },
    { timeoutMs: 300_000 },
  )

  for (const { bug, what, step } of BUGS) {
    test(`${what} puts a person too many inside`, async () => {
      const { broke, steps, output } = await explore(`bug${bug}`, ceilingOnly(withBug(bug)), '-O0')
      assert.equal(broke, 'ceiling', output.slice(-500))
      assert.ok(steps.includes(step), steps.join(', '))
    })
  }

  test('a gate that admits before it pays is found', async () => {
    const { broke } = await explore('bug4', withBug(4), '-O0')
    assert.equal(broke, 'debts first')
  })
}

test.run()
