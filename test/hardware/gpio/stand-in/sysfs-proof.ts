// Runs in a mount namespace whose /sys/class/gpio is played (sysfs-lines.ts): every claim about sysfs, printed.

import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SYSFS_ROOT } from '../../../../hardware/gpio/sysfs-line.ts'
import type { Bench } from '../bench.ts'
import { printClaims } from '../printed.ts'

class PlayedLines implements Bench {
  readonly label = 'played-pins'
  readonly backend = 'sysfs'
  readonly tools = undefined

  constructor() {
    for (let line = 0; line < 8; line++) this.set(line, false)
  }

  set(line: number, isHigh: boolean): void {
    writeFileSync(this.#file(line), isHigh ? '1' : '0')
  }

  pulseWhileStalled(
    lines: readonly number[],
    { aroundMs, forMs }: { readonly aroundMs: number; readonly forMs: number },
  ): void {
    const all = (level: number) => `for f in "\${@:3}"; do echo ${level} >$f; done`
    const script = `sleep $1; ${all(1)}; sleep $2; ${all(0)}; sleep $1`
    const words = [String(aroundMs / 1000), String(forMs / 1000), ...lines.map(line => this.#file(line))]
    execFileSync('bash', ['-c', script, 'pulser', ...words])
  }

  isHigh(line: number): boolean {
    return readFileSync(this.#file(line), 'utf8').trim() === '1'
  }

  killUser(): void {
    throw new Error('a line of sysfs belongs to no process')
  }

  #file(line: number): string {
    return join(SYSFS_ROOT, 'world', String(line))
  }
}

const words = [join(import.meta.dirname, 'sysfs-lines.ts'), SYSFS_ROOT, 'played-pins']
const lines = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
await new Promise<void>((resolve, reject) => {
  lines.stdout.once('data', () => resolve())
  lines.once('exit', () => reject(new Error('there is no played chip')))
})
await printClaims('played', 'sysfs', () => new PlayedLines())
console.log('DONE')
lines.kill('SIGKILL')
process.exit(0)
