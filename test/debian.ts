// System tools that some suites need. On a Debian machine where we are root they are installed on first use; anywhere
// else the answer is the reason to skip, in words that say how to change it.
//
// Two test files may ask at once: the package manager is called by one process at a time, under a lock of our own,
// because apt waits for dpkg's lock but fails on the lock of its package lists.

import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const INSTALL_MS_MAX = 300_000

/** The runner gives every test file a temporary directory of its own; the lock must be one for all of them. */
const LOCK = join(process.env.GATEMESH_TMP ?? tmpdir(), 'gatemesh-apt.lock')

// The lists are fetched only when the install fails without them: a machine that has them needs no network for it.
const INSTALL = `
  command -v "$1" >/dev/null || [ -e "$1" ] || {
    apt-get install -y --no-install-recommends "$2" || { apt-get update && apt-get install -y --no-install-recommends "$2"; }
  }`

/** `command` is a name on the PATH or an absolute path. Returns undefined once it is there, else why it is not. */
export async function needs(command: string, debianPackage: string): Promise<string | undefined> {
  if (has(command)) return undefined
  const missing = `${command} is missing (Debian package ${debianPackage})`
  if (process.getuid?.() !== 0) return `${missing}, and only root can install it`
  if (!has('apt-get') || !has('flock')) return `${missing}, and this machine is not Debian`
  try {
    await run('flock', [LOCK, 'sh', '-c', INSTALL, 'sh', command, debianPackage], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: INSTALL_MS_MAX,
    })
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(error)
    return `${missing}, and installing it failed: ${said}`
  }
  return has(command) ? undefined : `${missing}, and the package did not bring it`
}

function has(command: string): boolean {
  if (isAbsolute(command)) return readable(command, constants.F_OK)
  // An administrator's directories are not on every user's PATH, and ip, mount and nft live there.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some(folder => readable(join(folder, command), constants.X_OK))
}

function readable(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
