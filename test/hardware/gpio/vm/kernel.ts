// Kernel: a whole Linux as one process of this machine (User Mode Linux), with the GPIO chip that its gpio-sim driver simulates.
//
// Debian's kernels leave gpio-sim out, so this one is built from Debian's source: no virtual machine and no right to one is
// needed, and it runs at the speed of this computer. It sees this computer's files, and can change none of them.

import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { sh } from './packages.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** All that Node, a shell and the gpiod tools ask of a kernel, and both ways to lines. */
const CONFIG = `
64BIT EXPERT MULTIUSER PRINTK BUG FUTEX EPOLL SIGNALFD TIMERFD EVENTFD POSIX_TIMERS HIGH_RES_TIMERS NO_HZ_IDLE
SHMEM TMPFS ADVISE_SYSCALLS MEMBARRIER BINFMT_ELF BINFMT_SCRIPT PROC_FS PROC_SYSCTL SYSFS CONFIGFS_FS DEVTMPFS HOSTFS
NET UNIX TTY STDERR_CONSOLE NULL_CHAN HW_RANDOM UML_RANDOM
GPIOLIB GPIO_SYSFS GPIO_CDEV GPIO_CDEV_V1 GPIO_SIM`

/** The program that is the kernel, built in `dir` once; `source` is Debian's archive of it. */
export function buildKernel(dir: string, source: string): string {
  const kernel = join(dir, 'linux')
  if (existsSync(kernel)) return kernel
  const tree = join(dir, 'tree')
  mkdirSync(tree, { recursive: true })
  sh(`tar xJf ${source} --strip-components=1`, tree)
  // all its interrupts are for signals of the computer below; those of the lines come on top
  sh(
    `sed -i -E 's/^(#define NR_IRQS\\s+)UM_LAST_SIGNAL_IRQ$/\\1(UM_LAST_SIGNAL_IRQ + 64)/' arch/um/include/asm/irq.h`,
    tree,
  )
  sh(`grep -q 'UM_LAST_SIGNAL_IRQ + 64' arch/um/include/asm/irq.h`, tree)
  const wanted = CONFIG.trim().split(/\s+/)
  writeFileSync(join(tree, 'wanted'), wanted.map(name => `CONFIG_${name}=y\n`).join(''))
  sh('KCONFIG_ALLCONFIG=wanted make ARCH=um allnoconfig', tree)
  for (const name of wanted)
    sh(`grep -q '^CONFIG_${name}=y' .config || { echo no ${name} in this kernel >&2; exit 1; }`, tree)
  sh(`make ARCH=um -j${availableParallelism()} linux`, tree)
  cpSync(join(tree, 'linux'), kernel)
  rmSync(tree, { recursive: true })
  return kernel
}

export interface Run {
  readonly kernel: string
  readonly dir: string
  /** folder of an epoll that loads in this Node */
  readonly epoll: string
  /** where the loader also looks for libraries */
  readonly libraries: string
  readonly words: readonly string[]
  readonly limitMs: number
}

/** Boots it and runs Node with these words; what it printed by the time it ended. */
export function runKernel({ kernel, dir, epoll, libraries, words, limitMs }: Run): Promise<string> {
  const init = join(dir, 'init')
  const node = [process.execPath, '--no-warnings', ...words].map(word => `'${word}'`).join(' ')
  const script = `#!/bin/bash
export PATH='${process.env.PATH}' HOME=/ LD_LIBRARY_PATH='${libraries}'
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t configfs none /sys/kernel/config
mount --bind '${epoll}' '${join(ROOT, 'node_modules/epoll')}'
cd '${ROOT}'
${node} 2>&1
echo ENDED
exec sleep 600
`
  writeFileSync(init, script, { mode: 0o755 })
  return new Promise((resolve, reject) => {
    const options = [
      'mem=768M',
      'root=/dev/root',
      'rootfstype=hostfs',
      'rootflags=/',
      'ro',
      'quiet',
      'con=null',
      'con0=null,fd:1',
      `init=${init}`,
    ]
    // a group of its own: it is many processes here, one for each of its own
    const child = spawn(kernel, options, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // its memory is a file there
      env: { ...process.env, TMPDIR: '/dev/shm' },
    })
    let said = ''
    const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
    process.once('exit', end)
    const timer = setTimeout(end, limitMs)
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        said += data.toString().replaceAll('\r', '')
        writeFileSync(join(dir, 'said'), said)
        if (said.includes('\nENDED\n')) end()
      })
    }
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      process.off('exit', end)
      resolve(said)
    })
  })
}
