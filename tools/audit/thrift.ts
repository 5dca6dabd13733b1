// Thrift: a long reading in a process of its own that takes little memory.
//
// V8 lets garbage pile up as if it were alone on the machine, once for every thread; the flags that make it tidy up earlier
// can only be given when a process starts.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { memberEnvironment, THRIFT, thriftyArguments } from '../member-node.ts'

/** Runs the same command again with the flags; undefined where this is that process. */
export async function thriftily(args: readonly string[]): Promise<number | undefined> {
  if (THRIFT.every(flag => process.execArgv.includes(flag))) return undefined
  const child = spawn(process.execPath, thriftyArguments(...args), { stdio: 'inherit', env: memberEnvironment() })
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', pass).on('SIGTERM', pass)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.off('SIGINT', pass).off('SIGTERM', pass)
  return code ?? (signal === 'SIGINT' ? 130 : 143)
}
