// One test file, run in a process and a temporary directory of its own, and what came of it.
//
// A file is believed only if it printed its counts, its exit code agrees with them, and it ran at least as many tests
// as its source promises. What it leaves behind (processes, files) is removed.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Counts, Started } from '../test/suite.ts'

export interface Verdict {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skips: Counts['skips']
  /** why this file fails, one line each; empty if it passed */
  readonly wrong: readonly string[]
  readonly output: string
  readonly tookMs: number
}

/** What a file may take before its first test starts: imports, and installing a system tool. */
const START_MS_MAX = 400_000
/** A test that overruns ends itself; only one that never gives the thread back is ended from here. */
const GRACE_MS = 10_000

const running = new Set<ChildProcess>()

/** Tests declared at the start of a line; those in loops and conditions are indented and promise nothing. */
export function promised(source: string): number {
  return source.match(/^test\(/gm)?.length ?? 0
}

/** What a test file can stand to run beside. */
export type Company = 'any' | 'quiet' | 'quiet waits' | 'waits' | 'alone'

export function companyOf(file: string): Company {
  const [first = ''] = readFileSync(file, 'utf8').split('\n', 1)
  if (/^\/\/ alone: waits\b/.test(first)) return 'waits'
  if (/^\/\/ alone\b/.test(first)) return 'alone'
  if (/^\/\/ quiet: waits\b/.test(first)) return 'quiet waits'
  return /^\/\/ quiet\b/.test(first) ? 'quiet' : 'any'
}

export async function runFile(file: string, onStart: (test: string) => void = () => undefined): Promise<Verdict> {
  const promise = promised(readFileSync(file, 'utf8'))
  const dir = mkdtempSync(join(tmpdir(), 'gatemesh-test-'))
  const since = performance.now()
  try {
    const ended = await inChild(file, dir, onStart)
    return { ...judge(file, promise, ended), output: ended.output, tookMs: performance.now() - since }
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Ends what is running, with everything it started. */
export function endAll(): void {
  for (const child of running) endGroup(child)
}

interface Ended {
  readonly output: string
  readonly code: number | null
  readonly hung: string | undefined
}

function inChild(file: string, dir: string, onStart: (test: string) => void): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], {
      // A group of its own, so that processes a test started can be found and ended with it.
      detached: true,
      env: { ...process.env, TMPDIR: dir, GATEMESH_TMP: process.env.GATEMESH_TMP ?? tmpdir(), NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    running.add(child)
    let output = ''
    let now = 'start of the file'
    let hung: string | undefined
    let timer: NodeJS.Timeout
    const allow = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        hung = now
        endGroup(child)
      }, ms)
    }
    allow(START_MS_MAX)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8')
      stream?.on('data', text => {
        output += text
      })
    }
    child.on('message', message => {
      const { test, limitMs } = message as Started
      now = test
      onStart(test)
      allow(limitMs + GRACE_MS)
    })
    child.on('error', reject)
    // Leftover processes hold the pipes open: 'close' would never come, so they are ended first.
    child.on('exit', () => endGroup(child))
    child.on('close', code => {
      clearTimeout(timer)
      running.delete(child)
      resolve({ output, code, hung })
    })
  })
}

function judge(file: string, promise: number, { output, code, hung }: Ended): Omit<Verdict, 'output' | 'tookMs'> {
  const wrong: string[] = []
  const line = output.match(/^# (\{.*\})$/gm)?.at(-1)
  const counts: Counts | undefined = line && JSON.parse(line.slice(2))
  if (hung !== undefined) wrong.push(`hung and was ended: ${hung}`)
  if (!counts) wrong.push('printed no counts')
  else {
    wrong.push(...counts.failures)
    const { declared, passed, failed, skipped } = counts
    if (passed + skipped < promise && failed === 0) wrong.push(`promises ${promise} tests, ran ${passed + skipped}`)
    if (declared === 0) wrong.push('has no tests')
  }
  if (code !== 0 && wrong.length === 0) wrong.push(`exited with code ${code}`)
  return { file, passed: counts?.passed ?? 0, failed: wrong.length, skips: counts?.skips ?? [], wrong }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
