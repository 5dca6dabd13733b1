// Workshop: what the field cannot do with what a system brings, built from C on first use, and the tools it needs.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '../../debian.ts'
import { Lab } from '../../lab/lab.ts'
import { whyNoMounts } from '../../store/mount.ts'

const run = promisify(execFile)

const TRIPLETS: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }
const FAKETIME = `/usr/lib/${TRIPLETS[process.arch] ?? process.arch}/faketime/libfaketimeMT.so.1`

export interface Tools {
  readonly switch: string
  /** what members are started with, so that their disk and their clock can be wrong */
  readonly preload: string
}

/** One line why it cannot run here; undefined where it can. */
export async function whyNoTools(scratch: string): Promise<string | undefined> {
  return (
    (await Lab.isMissing()) ??
    (await needs('gcc', 'gcc')) ??
    (await needs('/usr/include/stdio.h', 'libc6-dev')) ??
    (await needs(FAKETIME, 'libfaketime')) ??
    (existsSync('/dev/net/tun') ? undefined : 'this kernel has no /dev/net/tun') ??
    (await whyNoMounts('ext4', scratch))
  )
}

export async function buildTools(dir: string): Promise<Tools> {
  await mkdir(dir, { recursive: true })
  const source = (name: string) => join(import.meta.dirname, `${name}.c`)
  const tools = { switch: join(dir, 'switch'), shim: join(dir, 'shim.so') }
  await Promise.all([
    run('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', tools.switch, source('switch')]),
    run('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-o', tools.shim, source('shim')]),
  ])
  return { switch: tools.switch, preload: `${tools.shim}:${FAKETIME}` }
}
