// Process: what the kernel says of one: processor time, memory, and what its connections have sent.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TICKS_PER_SECOND = 100
const SOCKETS_BYTES_MAX = 64 << 20

export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // the name in brackets may hold anything, so count from its end
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
}

/**
 * Bytes that the open TCP connections of each process have sent so far, leaving out those to or from these ports. `through`
 * is a command that runs another, such as one that enters a network namespace first.
 */
export async function sentBytes(
  without: ReadonlySet<number>,
  through: readonly string[] = [],
): Promise<Map<number, number>> {
  const [command = '', ...rest] = [...through, 'ss', '-tinpOH']
  const { stdout } = await run(command, rest, { maxBuffer: SOCKETS_BYTES_MAX })
  return readSockets(stdout, without)
}

/** `ss` writes a line for each: state, queues, both ends, whose it is, and what it went through. */
export function readSockets(listing: string, without: ReadonlySet<number>): Map<number, number> {
  const sent = new Map<number, number>()
  for (const line of listing.split('\n')) {
    const [state, , , here = '', there = ''] = line.trim().split(/\s+/)
    if (state !== 'ESTAB' || without.has(portOf(here)) || without.has(portOf(there))) continue
    const pid = Number(/\bpid=(\d+)/.exec(line)?.[1])
    const bytes = Number(/\bbytes_sent:(\d+)/.exec(line)?.[1] ?? 0)
    if (Number.isInteger(pid)) sent.set(pid, (sent.get(pid) ?? 0) + bytes)
  }
  return sent
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1))
}
