// The fence around uvu, and the runner that believes it, tried on files that cheat.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { companyOf, promised, runFile, type Verdict } from '../../tools/test-file.ts'
import { suite } from '../suite.ts'

const test = suite('tools/suite')
const dir = mkdtempSync(join(tmpdir(), 'suite-'))
test.after(() => rmSync(dir, { recursive: true }))

let files = 0
async function verdict(body: string, end = 'test.run()'): Promise<Verdict> {
  const file = join(dir, `${++files}.test.ts`)
  const fence = JSON.stringify(join(import.meta.dirname, '../suite.ts'))
  writeFileSync(file, `import { suite } from ${fence}\nconst test = suite('s')\n${body}\n${end}\n`)
  return await runFile(file)
}

const OK = "test('fine', () => {})"

test('a file whose tests pass is believed', async () => {
  const { passed, failed, skips, wrong } = await verdict(`${OK}\ntest.skip('later', 'no disk')`)
  assert.deepEqual(
    { passed, failed, skips, wrong },
    {
      passed: 1,
      failed: 0,
      skips: [{ name: 's: later', why: 'no disk' }],
      wrong: [],
    },
  )
})

const CHEATS: Record<string, [body: string, says: RegExp, end?: string]> = {
  'a failing test': ["test('x', () => { throw new Error('no') })", /s: x: Error: no/],
  'a rejecting test': ["test('x', async () => { throw new Error('no') })", /s: x: Error: no/],
  'a thrown string': ["test('x', () => { throw 'no' })", /s: x: no/],
  'a thrown nothing': ["test('x', () => Promise.reject())", /s: x: undefined/],
  'a difference uvu cannot print': [
    "test('x', () => { throw Object.assign(new Error('no'), { name: 'AssertionError', actual: 1n, expected: 2n }) })",
    /s: x: .*AssertionError.*no/,
  ],
  'a throwing before hook': [`test.before(() => { throw new Error('no') })\n${OK}`, /s: before hook 1: Error: no/],
  'a throwing after hook': [`test.after(() => { throw new Error('no') })\n${OK}`, /s: after hook 1: Error: no/],
  'a forgotten run': [OK, /never called .run/, ''],
  'no test at all': ['', /has no tests/],
  'an early exit': [`${OK}\ntest('x', () => process.exit(0))`, /s: x: ran to its end 0 times/],
  'an error nobody awaited': [
    `test('x', () => { Promise.reject(new Error('no')) })\n${OK}\ntest('y', () => new Promise(r => setTimeout(r, 20)))`,
    /Error: no/,
  ],
  'an error from a timer': [
    "test('x', () => new Promise(() => { setTimeout(() => { throw new Error('no') }, 5) }))",
    /s: x: Error: no/,
  ],
  'a test that waits for ever': [
    "test('x', () => new Promise(() => {}), { timeoutMs: 50 })",
    /s: x: timed out after 50 ms/,
  ],
  'a name used twice': [`${OK}\n${OK}`, /declared twice/],
  'a file that does not load': ["import './nothing.ts'", /printed no counts/],
  'fewer tests than promised': [`const text = \`\n${OK}\n\`\n${OK}`, /promises 2 tests, ran 1/],
}
for (const [name, [body, says, end]] of Object.entries(CHEATS)) {
  test(`${name} fails the file and says why`, async () => {
    const { failed, wrong } = await verdict(body, end)
    assert.ok(failed > 0)
    assert.match(wrong.join('\n'), says)
  })
}

test('a test that never gives the thread back is ended and named', async () => {
  // The runner allows ten seconds more than the test's own limit; half a second is enough here.
  const { wrong } = await verdict("test('spin', () => { for (;;) {} }, { timeoutMs: -9_500 })")
  assert.match(wrong.join('\n'), /hung and was ended: s: spin/)
})

test('something left open fails the file that left it', async () => {
  const { wrong } = await verdict(
    "import { createServer } from 'node:net'\ntest('x', () => { createServer().listen(0) })",
  )
  assert.match(wrong.join('\n'), /still open: .*TCPServerWrap/)
})

/** A killed orphan stays listed as a zombie where no init collects it. */
function alive(pid: string): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'))
}

test('temporary files and processes of a test file are gone after it', async () => {
  const { output, failed } = await verdict(`
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
test('x', () => {
  const child = spawn('sleep', ['600'], { stdio: 'inherit' })
  child.unref()
  console.log('left', mkdtempSync(tmpdir() + '/x-'), child.pid)
})`)
  const [, path = '', pid = ''] = /left (\S+) (\d+)/.exec(output) ?? []
  assert.equal(failed, 0, output)
  assert.equal(existsSync(path), false)
  assert.equal(alive(pid), false)
})

test('only tests at the start of a line are promises, and only a first line says what it runs beside', () => {
  assert.equal(promised("test('a', f)\n  test('b', f)\ntest.skip('c', 'd')\ntest('e', f)\n"), 2)
  const heads = ['// alone\n', '// alone: waits\n', '// quiet\n', '// quiet: waits\n', '\n// alone\n', '// quietly\n']
  const companies = heads.map((head, i) => {
    const file = join(dir, `company-${i}.ts`)
    writeFileSync(file, head)
    return companyOf(file)
  })
  assert.deepEqual(companies, ['alone', 'waits', 'quiet', 'quiet waits', 'any', 'any'])
})

test.run()
