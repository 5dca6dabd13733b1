// Member node: how Node is started for a gate or the anchor.
//
// V8 takes memory as if it were alone on the machine: 48 MB for young objects, of which a gate needs 6, and for the old
// ones twice what is in use before it looks again.

import { join } from 'node:path'

const BIN = join(import.meta.dirname, 'gatemesh.mjs')

export const THRIFT = ['--max-semi-space-size=2', '--heap-growing-percent=30'] as const

/** The C library keeps a heap for every thread that ever asked; two are enough for ours. */
export function memberEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, MALLOC_ARENA_MAX: '2' }
}

/** For `process.execPath`: the flags, our own program, and what it is told. */
export function memberArguments(...args: readonly string[]): string[] {
  return [...THRIFT, BIN, ...args]
}
