// Member node: how Node is started for a gate or the anchor.
//
// V8 takes memory as if it were alone on the machine: 48 MB for young objects, of which a gate needs 6, and for the old
// ones twice what is in use before it looks again.

import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

const BIN = join(import.meta.dirname, 'gatemesh.mjs')

const YOUNG = '--max-semi-space-size=2'
const OLD = '--heap-growing-percent=30'

export const MEMBER_FLAGS = [YOUNG] as const
/** For a program that works through far more than it should keep. */
export const THRIFT = [YOUNG, OLD] as const

/**
 * From here on. Given as a flag it would cost a start: V8 takes what was compiled under other flags for a stranger's, and a
 * member that ends by a power cut keeps nothing of what it compiled itself.
 */
export function beThrifty(): void {
  setFlagsFromString(OLD)
}

/** The C library keeps a heap for every thread that ever asked; two are enough for ours. */
export function memberEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, MALLOC_ARENA_MAX: '2' }
}

/** For `process.execPath`: the flags, our own program, and what it is told. */
export function memberArguments(...args: readonly string[]): string[] {
  return [...MEMBER_FLAGS, BIN, ...args]
}

export function thriftyArguments(...args: readonly string[]): string[] {
  return [...THRIFT, BIN, ...args]
}
