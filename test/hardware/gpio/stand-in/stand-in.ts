// Stand-in: a chip that lives in files, and gpiod tools that work on it as separate processes (gpiod.sh).

import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'

const NAMES = ['gpiodetect', 'gpioinfo', 'gpioget', 'gpiomon', 'gpioset']
const CHIP = 'gpiochip0'

export interface StandInOptions {
  readonly dialect: 1 | 2
  /** the chip keeps the level of a line that nobody has any more */
  readonly persists: boolean
}

export class StandIn implements Bench {
  readonly label = 'played-pins'
  readonly backend = 'chardev'
  readonly tools: string

  constructor(dir: string, { dialect, persists }: StandInOptions) {
    this.tools = dir
    mkdirSync(dir, { recursive: true })
    for (const name of NAMES) symlinkSync(join(import.meta.dirname, 'gpiod.sh'), join(dir, name))
    writeFileSync(join(dir, 'dialect'), String(dialect))
    this.addChip(CHIP, this.label)
    if (persists) writeFileSync(this.#file('persists'), '')
    for (let line = 0; line < 8; line++) this.set(line, false)
  }

  addChip(name: string, label: string): void {
    const folder = join(this.tools, 'chips', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'label'), label)
    writeFileSync(join(folder, 'lines'), '8')
  }

  set(line: number, isHigh: boolean): void {
    writeFileSync(this.#file(`level.${line}`), isHigh ? '1' : '0')
    const edge = `${line} ${isHigh ? 1 : 0} ${process.hrtime.bigint()}\n`
    try {
      const pipe = openSync(this.#file('edges'), constants.O_WRONLY | constants.O_NONBLOCK)
      writeSync(pipe, edge)
      closeSync(pipe)
    } catch (error) {
      // nobody has the line, so nobody is told
      if (!['ENOENT', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }

  pulseWhileStalled(
    lines: readonly number[],
    { aroundMs, forMs }: { readonly aroundMs: number; readonly forMs: number },
  ): void {
    // the kernel's clock with a hundredth of a second is enough for the widths that are looked at
    const script = `
      set() { read -r up _ </proc/uptime; up=\${up/./}; for n in "\${@:3}"; do echo "$n $2 $((up * 10000000))" >"$1"; done; }
      sleep $2; set "$1" 1 "\${@:4}"; sleep $3; set "$1" 0 "\${@:4}"; sleep $2`
    const words = [this.#file('edges'), String(aroundMs / 1000), String(forMs / 1000), ...lines.map(String)]
    execFileSync('bash', ['-c', script, 'pulser', ...words])
  }

  isHigh(line: number): boolean {
    if (!this.#isHad(line) && !existsSync(this.#file('persists'))) return false
    return readFileSync(this.#file(`out.${line}`), 'utf8').trim() === '1'
  }

  killUser(line: number): void {
    process.kill(this.#user(line), 'SIGKILL')
  }

  /** Another program takes the line and keeps it until the returned function is called. */
  async take(line: number, user: string): Promise<() => void> {
    const script = 'echo "$2 $$" >"$1"; echo taken; read -r'
    const words = ['-c', script, 'taker', this.#file(`use.${line}`), user]
    const taker = spawn('bash', words, { stdio: ['pipe', 'pipe', 'ignore'] })
    await new Promise(resolve => taker.stdout.once('data', resolve))
    return () => taker.stdin.end()
  }

  #isHad(line: number): boolean {
    try {
      return !/\) Z /.test(readFileSync(`/proc/${this.#user(line)}/stat`, 'utf8'))
    } catch {
      return false
    }
  }

  #user(line: number): number {
    return Number(readFileSync(this.#file(`use.${line}`), 'utf8').split(' ')[1])
  }

  #file(name: string): string {
    return join(this.tools, 'chips', CHIP, name)
  }
}
