// A server that a bench starts: a process of its own on loopback, waited for until it answers, and ended by its id.

import { type ChildProcess, execFile } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const START_MS_MAX = 30_000
const STOP_MS_MAX = 10_000

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

/** Resolves once somebody takes calls on this port. */
export async function greeted(port: number, child: ChildProcess): Promise<void> {
  const until = performance.now() + START_MS_MAX
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with code ${child.exitCode}`)
    if (performance.now() > until) throw new Error(`${child.spawnfile} does not answer on port ${port}`)
    await sleep(50)
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

export async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  child.kill(signal)
  await Promise.race([gone, sleep(STOP_MS_MAX, undefined, { ref: false })])
  child.kill('SIGKILL')
  await gone
}

export async function versionOf(command: string, args: readonly string[], pattern: RegExp): Promise<string> {
  const { stdout } = await run(command, args)
  return pattern.exec(stdout)?.[1] ?? stdout.trim()
}
