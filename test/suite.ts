// Suite: uvu, with its ways of passing by accident fenced off.
//
// Law: a test file exits 0 only if every test it declared ran exactly once and none failed.
//
// uvu 0.5.6 alone exits 0 when a before hook throws, when an after hook throws, when a test throws something that is
// not an Error or that it cannot print (a bigint in a diff), and when a file forgets `.run()`. So uvu keeps the order
// and draws the dots; what counts as passed is decided here, and said in the last line that a file prints:
//
//     # {"declared":4,"passed":3,"failed":0,"skipped":1,"failures":[],"skips":[{"name":"…","why":"…"}]}
//
// Assertions come from `node:assert/strict`: uvu's `throws` takes any error and does not wait for a promise.

import { writeSync } from 'node:fs'
import { inspect } from 'node:util'
import { suite as uvu } from 'uvu'

export interface Options {
  /** a test that takes longer has failed; 120 s unless said otherwise */
  readonly timeoutMs?: number
}

export interface Suite {
  (name: string, fn: () => unknown, options?: Options): void
  before(fn: () => unknown): void
  after(fn: () => unknown): void
  /** For what this machine cannot run, with the reason a reader needs to change that. */
  skip(name: string, why: string): void
  run(): void
}

export interface Counts {
  readonly declared: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly failures: readonly string[]
  readonly skips: readonly { readonly name: string; readonly why: string }[]
}

/** What a test tells the runner when it starts, so that one that never gives the thread back can be named and ended. */
export interface Started {
  readonly test: string
  readonly limitMs: number
}

const TIMEOUT_MS = 120_000
/** A file whose tests are done but that something keeps alive has leaked a socket, a timer or a store. */
const LINGER_MS = 5_000

const runs = new Map<string, number>()
const failures = new Map<string, string>()
const skips: { name: string; why: string }[] = []
const idle = new Set<string>()
let abort: ((reason: unknown) => void) | undefined
let linger: NodeJS.Timeout | undefined

function fail(name: string, reason: unknown): Error {
  const text = typeof reason === 'string' ? reason : inspect(reason, { depth: 8 })
  if (!failures.has(name)) failures.set(name, text)
  // Without a stack of its own uvu prints the message as it is, and never tries to diff it.
  return Object.assign(new Error(text), { stack: '' })
}

async function limited(name: string, fn: () => unknown, limitMs: number): Promise<void> {
  clearTimeout(linger)
  process.send?.({ test: name, limitMs } satisfies Started)
  let timer: NodeJS.Timeout | undefined
  const cut = new Promise<never>((_, reject) => {
    abort = reject
    timer = setTimeout(() => reject(`timed out after ${limitMs} ms`), limitMs)
  })
  try {
    await Promise.race([(async () => fn())(), cut])
  } finally {
    clearTimeout(timer)
    abort = undefined
  }
}

/** Starts the clock for leftovers; the next hook or test stops it again. */
function watchLeftovers(): void {
  clearTimeout(linger)
  linger = setTimeout(() => {
    fail('after the last test', `still open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, LINGER_MS).unref()
}

export function suite(title: string): Suite {
  const inner = uvu(title)
  let broken: string | undefined
  let hooks = 0
  idle.add(title)

  const test: Suite = (name, fn, options = {}) => {
    const full = `${title}: ${name}`
    if (runs.has(full)) fail(full, 'declared twice under one name')
    runs.set(full, 0)
    inner(name, async () => {
      try {
        if (broken !== undefined) throw `not run, ${broken} failed`
        await limited(full, fn, options.timeoutMs ?? TIMEOUT_MS)
      } catch (error) {
        throw fail(full, error)
      } finally {
        runs.set(full, (runs.get(full) ?? 0) + 1)
      }
    })
  }

  const hook = (kind: string, fn: () => unknown, last: boolean) => async () => {
    const name = `${title}: ${kind}`
    try {
      await limited(name, fn, TIMEOUT_MS)
    } catch (error) {
      broken = kind
      process.stdout.write(`\n${name}: ${fail(name, error).message}\n`)
    } finally {
      if (last) watchLeftovers()
    }
  }

  test.before = fn => inner.before(hook(`before hook ${++hooks}`, fn, false))
  test.after = fn => inner.after(hook(`after hook ${++hooks}`, fn, false))
  test.skip = (name, why) => {
    skips.push({ name: `${title}: ${name}`, why })
    inner.skip(name)
  }
  test.run = () => {
    inner.after(hook('end', () => undefined, true))
    idle.delete(title)
    inner.run()
  }
  return test
}

function outside(reason: unknown): void {
  if (abort) abort(reason)
  else process.stdout.write(`\noutside any test: ${fail('outside any test', reason).message}\n`)
}
process.on('unhandledRejection', outside)
process.on('uncaughtException', outside)

process.on('exit', code => {
  for (const title of idle) fail(title, 'never called .run()')
  for (const [name, times] of runs) if (times !== 1) fail(name, `ran to its end ${times} times`)
  if (code !== 0 && failures.size === 0) fail('the file', `exited with code ${code}`)
  // A failed hook, or a failure outside any test, is a failure of its own: it has no test to be counted under.
  const failed = failures.size
  const passed = [...runs.keys()].filter(name => !failures.has(name)).length
  const counts: Counts = {
    declared: runs.size + skips.length,
    passed,
    failed,
    skipped: skips.length,
    failures: [...failures].map(([name, text]) => `${name}: ${text.split('\n', 1)[0]}`),
    skips,
  }
  writeSync(1, `\n# ${JSON.stringify(counts)}\n`)
  if (failed > 0) process.exitCode = 1
})
