// Mounts: small file systems of our own, that can be full or lose power. Root only, and gone when the test is.

import { execFile, spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '../debian.ts'

const run = promisify(execFile)

/** Why this machine cannot, or undefined. */
export async function whyNoMounts(kind: 'tmpfs' | 'ext4', scratch: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can mount a file system'
  const missing = (await needs('mount', 'mount')) ?? (kind === 'ext4' ? await whyNoExt4() : undefined)
  if (missing) return missing
  try {
    const mount = kind === 'tmpfs' ? await mountTmpfs(scratch, '1m') : await LoopDisk.make(scratch)
    await mount.remove()
    return undefined
  } catch (error) {
    return `no ${kind} can be mounted here: ${
      String((error as { stderr?: string }).stderr ?? error)
        .trim()
        .split('\n')[0]
    }`
  }
}

async function whyNoExt4(): Promise<string | undefined> {
  return (await needs('mkfs.ext4', 'e2fsprogs')) ?? (await needs('python3', 'python3-minimal'))
}

/** A test that hangs is ended by the suite without its `finally`: what is still mounted then goes with the process. */
const mounted: string[] = []
process.on('exit', () => {
  for (const at of mounted) spawnSync('umount', ['-l', at])
})

async function mount(at: string, args: readonly string[]): Promise<void> {
  await run('mount', [...args, at])
  mounted.push(at)
}

/** Everything that was mounted there, the last first. */
async function unmount(at: string): Promise<void> {
  while (mounted.includes(at)) {
    await run('umount', [at])
    mounted.splice(mounted.indexOf(at), 1)
  }
}

export interface Mount {
  readonly at: string
  remove(): Promise<void>
}

export async function mountTmpfs(scratch: string, size: string): Promise<Mount> {
  const at = join(scratch, 'tmpfs')
  await mkdir(at, { recursive: true })
  await mount(at, ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs'])
  return { at, remove: () => unmount(at) }
}

const SHUTDOWN = `
import fcntl, os, struct, sys
EXT4_IOC_SHUTDOWN, NOLOGFLUSH = 0x8004587d, 2
disks = [os.open(at, os.O_RDONLY) for at in sys.argv[1:]]
for disk in disks: fcntl.ioctl(disk, EXT4_IOC_SHUTDOWN, struct.pack('I', NOLOGFLUSH))
`

/** An ext4 in a file. */
export class LoopDisk implements Mount {
  readonly at: string
  readonly #image: string

  static async make(scratch: string, name = 'disk'): Promise<LoopDisk> {
    const disk = new LoopDisk(scratch, name)
    await mkdir(disk.at, { recursive: true })
    await writeFile(disk.#image, '')
    await run('truncate', ['-s', '48M', disk.#image])
    await run('mkfs.ext4', ['-q', '-F', disk.#image])
    await disk.mount()
    return disk
  }

  /** From here on nothing more reaches these images, as if one plug had been pulled. */
  static async cutPower(disks: readonly LoopDisk[]): Promise<void> {
    await run('python3', ['-c', SHUTDOWN, ...disks.map(({ at }) => at)])
  }

  private constructor(scratch: string, name: string) {
    this.at = join(scratch, name)
    this.#image = join(scratch, `${name}.img`)
  }

  /**
   * Whoever opens a mount namespace meanwhile (`ip netns exec` does) gets a copy of this mount, which would keep the file
   * system alive when ours goes: what is mounted next would be the old one, without power. Copies of what is mounted on a
   * shared mount go with it.
   */
  async mount(): Promise<void> {
    await mount(this.at, ['--bind', this.at])
    await run('mount', ['--make-shared', this.at])
    await mount(this.at, ['-o', 'loop', this.#image])
  }

  cutPower(): Promise<void> {
    return LoopDisk.cutPower([this])
  }

  async remove(): Promise<void> {
    await unmount(this.at)
  }
}
