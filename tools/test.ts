// `npm test`: one command that checks everything. Types, lint and tidy first, then every test file.
//
//     node tools/test.ts                 everything
//     node tools/test.ts ledger store    only the test files whose path contains one of these words
//
// Files run two at a time, each in its own process, and beside them, one after the other, those whose first line says
// `// alone: waits`: they mostly do. Those that say `// quiet` come after the others, two at a time too, with one beside
// them that says `// quiet: waits`; and `// alone` by itself at the end.

import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Company, companyOf, endAll, runFile, type Verdict } from './test-file.ts'

const AT_ONCE = 2
const STILL_MS = 30_000

const root = join(import.meta.dirname, '..')
process.chdir(root)
// every process of a test would compile all that it loads again: folders for temporary files are of each test its own
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled')
process.env.PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    endAll()
    process.exit(130)
  })
}

const words = process.argv.slice(2)
const verdicts: Verdict[] = []

if (words.length === 0) {
  check('types', 'tsc', [])
  check('types of pages', 'tsc', ['-p', 'mesh/pages'])
  check('lint', 'biome', ['check', '--error-on-warnings'])
  check('tidy', process.execPath, ['tools/tidy.ts'])
  resolveModules()
}

const files = globSync('test/**/*.test.ts')
  .filter(file => words.length === 0 || words.some(word => file.includes(word)))
  .sort()
const of = (company: Company) => files.filter(file => companyOf(file) === company)
const [any, waits, quiet, quietWaits, alone] = [of('any'), of('waits'), of('quiet'), of('quiet waits'), of('alone')]
await run([...Array(AT_ONCE).fill([any, quiet, quietWaits]), [waits, quietWaits]])
await run([[alone]])
process.exitCode = summary()

function check(name: string, command: string, args: string[]): void {
  const since = performance.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  const wrong = status === 0 ? [] : [error ? String(error) : `${name} fails`]
  report({
    file: name,
    passed: 1 - wrong.length,
    failed: wrong.length,
    skips: [],
    wrong,
    output: `${stdout ?? ''}${stderr ?? ''}`,
    tookMs: performance.now() - since,
  })
}

/** All processes that are started from here on are told where modules are, and find what they load compiled. */
function resolveModules(): void {
  const told = join(root, 'node_modules/.cache/resolved.json')
  process.env.GATEMESH_RESOLVED = told
  mkdirSync(dirname(told), { recursive: true })
  check('modules', process.execPath, ['tools/resolved.mjs', ...globSync(join(root, 'tools/commands/*.ts'))])
  const preload = `--import=${pathToFileURL(join(root, 'tools/resolved.mjs'))}`
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' ')
}

/** Each lane takes its queues one after the other; lanes share them. */
async function run(lanes: readonly (readonly string[][])[]): Promise<void> {
  const now = new Map<string, string>()
  const still = setInterval(() => {
    for (const test of now.values()) console.log(`  …  ${test}`)
  }, STILL_MS)
  const drive = async (queues: readonly string[][]) => {
    const next = () => queues.find(queue => queue.length > 0)?.shift()
    for (let file = next(); file !== undefined; file = next()) {
      const name = file
      now.set(name, name)
      report(await runFile(name, test => now.set(name, `${name}: ${test}`)))
      now.delete(name)
    }
  }
  await Promise.all(lanes.map(drive))
  clearInterval(still)
}

function report(verdict: Verdict): void {
  verdicts.push(verdict)
  const { file, passed, failed, skips, wrong, output, tookMs } = verdict
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skips.length > 0 && `${skips.length} skipped`]
  const took = `${(tookMs / 1000).toFixed(1)} s`
  console.log(`${failed > 0 ? 'FAIL' : ' ok '} ${file.padEnd(44)} ${counts.filter(Boolean).join(', ')}  (${took})`)
  for (const { name, why } of skips) console.log(`  skipped: ${name} — ${why}`)
  if (failed > 0) {
    console.log(output.replace(/^# \{.*\}$/gm, '').trim())
    for (const line of wrong) console.log(`  ${line}`)
  }
}

function summary(): number {
  const failing = verdicts.filter(({ failed }) => failed > 0)
  if (failing.length > 0) console.log('')
  for (const { file, wrong } of failing) for (const line of wrong) console.log(`FAIL ${file}: ${line}`)
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((n, verdict) => n + of(verdict), 0)
  const passed = sum(verdict => verdict.passed)
  const failed = sum(verdict => verdict.failed)
  if (verdicts.length === 0) console.log(`no test file matches ${words.join(' ')}`)
  console.log(`\n${passed} passed, ${failed} failed, ${sum(verdict => verdict.skips.length)} skipped`)
  return failed > 0 || passed === 0 ? 1 : 0
}
