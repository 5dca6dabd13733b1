// quiet
// Pins through onoff, itself and its native part, on a /sys/class/gpio that is played by a file system of our own: in a mount
// namespace, with the kernel's own epoll. A real kernel's sysfs is in vm.test.ts.

import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '../../debian.ts'
import { suite } from '../../suite.ts'
import { epollFor } from './native-copy.ts'
import { claimsOf, verdictOf } from './printed.ts'

const test = suite('hardware/gpio/sysfs')
const ROOT = join(import.meta.dirname, '../../..')
const LIMIT_MS = 240_000

const SCRIPT = `
set -e
mount --bind "$1" "$2"
mount -t tmpfs none /sys/class
mkdir /sys/class/gpio
exec "\${@:3}"`

let said = ''
const why =
  process.getuid?.() === 0
    ? ((await needs('/dev/fuse', 'fuse3')) ?? (await needs('unshare', 'util-linux')) ?? (await needs('g++', 'g++')))
    : 'only root can put a file system of its own in the place of /sys/class/gpio'

if (why === undefined) {
  test(
    'onoff is built for this Node, and all claims are come to',
    async () => {
      const epoll = await epollFor(mkdtempSync(join(tmpdir(), 'epoll-')))
      const proof = [process.execPath, join(import.meta.dirname, 'stand-in/sysfs-proof.ts')]
      const words = ['-m', 'bash', '-c', SCRIPT, 'proof', epoll, join(ROOT, 'node_modules/epoll'), ...proof]
      said = (await promisify(execFile)('unshare', words, { timeout: LIMIT_MS, killSignal: 'SIGKILL' })).stdout
      if (!said.includes('\nDONE\n')) throw new Error(said)
    },
    { timeoutMs: LIMIT_MS + 60_000 },
  )
  for (const { name } of claimsOf('sysfs')) {
    test(name, () => {
      const figures = verdictOf(said, 'played', name)
      if (figures !== undefined) console.log(figures)
    })
  }
} else test.skip('every claim about sysfs', why)

test.run()
