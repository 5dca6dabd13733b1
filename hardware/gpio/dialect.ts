// Dialect: how the gpiod tools of one major version are asked, and what they answer. Versions 1 and 2 take different flags
// for the same thing, and number edges differently.

import { HardwareFault } from '../turnstile.ts'
import type { Chip } from './chips.ts'

export interface EdgeLine {
  readonly at: number
  readonly isHigh: boolean
  /** kernel's time of it, in ns since some start */
  readonly ns: bigint
}

export type Pull = 'pull-up' | 'pull-down' | undefined

export interface Dialect {
  readonly major: 1 | 2
  /** words after the tool's name */
  info(chip: string): readonly string[]
  get(chip: string, offsets: readonly number[], pull: Pull): readonly string[]
  watch(chip: string, offsets: readonly number[], pull: Pull): readonly string[]
  /** sets it and stays until it is ended */
  keep(chip: string, offset: number, value: 0 | 1): readonly string[]
  /** sets it and ends */
  set(chip: string, offset: number, value: 0 | 1): readonly string[]
  /** a line of `watch`; undefined for anything else */
  edge(line: string): EdgeLine | undefined
}

const pulled = (pull: Pull) => (pull === undefined ? [] : [`--bias=${pull}`])

const V1: Dialect = {
  major: 1,
  info: chip => [chip],
  get: (chip, offsets, pull) => [...pulled(pull), chip, ...offsets.map(String)],
  // without --line-buffered an edge waits until many more have come
  watch: (chip, offsets, pull) => [
    '--line-buffered',
    '--format=%e %o %s %n',
    ...pulled(pull),
    chip,
    ...offsets.map(String),
  ],
  keep: (chip, offset, value) => ['--mode=signal', chip, `${offset}=${value}`],
  set: (chip, offset, value) => ['--mode=exit', chip, `${offset}=${value}`],
  edge: line => edgeOf(/^([01]) (\d+) (\d+) (\d+)$/.exec(line), '1'),
}

const V2: Dialect = {
  major: 2,
  info: chip => [`--chip=${chip}`],
  get: (chip, offsets, pull) => ['--numeric', ...pulled(pull), `--chip=${chip}`, ...offsets.map(String)],
  watch: (chip, offsets, pull) => ['--format=%e %o %S', ...pulled(pull), `--chip=${chip}`, ...offsets.map(String)],
  keep: (chip, offset, value) => [`--chip=${chip}`, `${offset}=${value}`],
  // toggles after no time at all, which is how it is told to end
  set: (chip, offset, value) => ['--toggle=0', `--chip=${chip}`, `${offset}=${value}`],
  edge: line => edgeOf(/^([12]) (\d+) (\d+)\.(\d{9})$/.exec(line), '1'),
}

function edgeOf(match: RegExpExecArray | null, rising: string): EdgeLine | undefined {
  if (match === null) return undefined
  const [, edge, at, seconds, ns] = match as unknown as [string, string, string, string, string]
  return { at: Number(at), isHigh: edge === rising, ns: BigInt(seconds) * 1_000_000_000n + BigInt(ns) }
}

/** `said` is what a tool answers to --version. */
export function dialectOf(said: string): Dialect {
  const [, version] = /libgpiod\)? v(\d+\.\S*)/.exec(said) ?? []
  if (version?.startsWith('1.')) return V1
  if (version?.startsWith('2.')) return V2
  const what = version === undefined ? `say "${said.trim().split('\n')[0]}"` : `are of version ${version}`
  throw new HardwareFault('NATIVE', `the gpiod tools ${what}: versions 1 and 2 are known`)
}

/** What gpiodetect lists, in either dialect. */
export function detected(said: string): readonly Chip[] {
  return [...said.matchAll(/^(\S+) \[(.*)\] \((\d+) lines?\)$/gm)].map(match => {
    const [, name, label, lines] = match as unknown as [string, string, string, string]
    return { name, label, lines: Number(lines), base: 0 }
  })
}

/** Lines that somebody uses, and who, out of what gpioinfo lists in either dialect. */
export function usersOf(said: string): ReadonlyMap<number, string> {
  const users = new Map<number, string>()
  for (const [, offset, name, rest] of said.matchAll(/^\s*line\s+(\d+):\s+("[^"]*"|\S+)\s+(.*)$/gm)) {
    if (offset === undefined || name === undefined || rest === undefined) continue
    const [, user] = /consumer="?([^"]*)"?/.exec(rest) ?? /^"([^"]*)"/.exec(rest) ?? []
    if (user !== undefined) users.set(Number(offset), user)
    else if (rest.includes('[used')) users.set(Number(offset), 'the kernel')
  }
  return users
}
