// Machine: what a figure was measured on. A figure without it cannot be compared with anyone's.

import { readFileSync, realpathSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly kernel: string
  readonly node: string
  /** of the temporary folder, where benches keep their stores */
  readonly fileSystem: string
  /** processes that wanted a core in the last minute: above 0 somebody else was at work when it started */
  readonly loadAtStart: number
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() || 'unknown',
    cores: availableParallelism(),
    memoryGb: Number((totalmem() / 2 ** 30).toFixed(1)),
    kernel: `${type()} ${release()}`,
    node: process.version,
    fileSystem: fileSystemOf(realpathSync(tmpdir())),
    loadAtStart: Number((loadavg()[0] as number).toFixed(2)),
  }
}

export function inWords(facts: Machine): string {
  const { cpu, cores, memoryGb, kernel, node, fileSystem, loadAtStart } = facts
  const size = `${cores} cores of ${cpu}, ${memoryGb} GB`
  return `Measured on ${size}; ${kernel}, Node ${node}; stores on ${fileSystem}; load at the start ${loadAtStart}.`
}

/** The kind of what is mounted nearest above a folder; a kernel without /proc does not say. */
export function fileSystemOf(folder: string, mounts: string = readMounts()): string {
  let nearest = { at: '', kind: 'an unknown file system' }
  for (const line of mounts.split('\n')) {
    const [, written = '', kind = ''] = line.split(' ')
    const at = written.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    const holds = folder === at || folder.startsWith(at.endsWith('/') ? at : `${at}/`)
    // of two at one place the later one hides the other
    if (kind !== '' && holds && at.length >= nearest.at.length) nearest = { at, kind }
  }
  return nearest.kind
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mounts', 'utf8')
  } catch {
    return ''
  }
}
