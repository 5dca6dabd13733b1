// Usage: a program run to its end, and what that took: time by the clock, time of the cores, peak of the memory.

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Fault } from '../../../ledger/fault.ts'

export interface Used {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly wallMs: number
  /** of all its threads, and of all processes it started */
  readonly cpuMs: number
  /** of the largest of its processes, all its threads included */
  readonly peakMb: number
  /** of all of them together, as if each had its peak at the same time and they shared nothing */
  readonly allMb: number
}

const PROBE = pathToFileURL(join(import.meta.dirname, 'usage-probe.ts')).href

/** Runs a script of ours with Node. */
export async function use(args: readonly string[]): Promise<Used> {
  const folder = await mkdtemp(join(tmpdir(), 'gatemesh-usage-'))
  try {
    const startedAt = performance.now()
    const ended = await run(args, { ...process.env, NODE_OPTIONS: `--import=${PROBE}`, GATEMESH_USAGE: folder })
    const wallMs = performance.now() - startedAt
    const told = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')))
    if (told.length === 0) throw new Fault('BENCH', `${args[0]} ended without saying what it had used: ${ended.err}`)
    const used: { readonly cpuMs: number; readonly peakKb: number }[] = told.map(text => JSON.parse(text))
    const cpuMs = used.reduce((sum, one) => sum + one.cpuMs, 0)
    const allMb = used.reduce((sum, one) => sum + one.peakKb, 0) / 1024
    return { ...ended, wallMs, cpuMs, allMb, peakMb: Math.max(...used.map(one => one.peakKb)) / 1024 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    err = (err + text).slice(-4000)
  })
  return await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code !== null) resolve({ code, out, err })
      else reject(new Fault('BENCH', `${args[0]} was ended by ${signal}: ${err}`))
    })
  })
}
