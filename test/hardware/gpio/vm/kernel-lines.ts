// Lines of a real kernel, on a chip that its gpio-sim driver simulates: the bench of the machine in a machine.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'

const CONFIG = '/sys/kernel/config/gpio-sim'

/** Makes a chip of eight lines, and says where its lines are. */
export function makeChip(name: string, label: string): string {
  const device = join(CONFIG, name)
  const bank = join(device, 'bank0')
  mkdirSync(bank, { recursive: true })
  writeFileSync(join(bank, 'num_lines'), '8')
  writeFileSync(join(bank, 'label'), label)
  writeFileSync(join(device, 'live'), '1')
  const words = (path: string) => readFileSync(path, 'utf8').trim()
  return join('/sys/devices/platform', words(join(device, 'dev_name')), words(join(bank, 'chip_name')))
}

export class KernelLines implements Bench {
  readonly label: string
  readonly backend: Bench['backend']
  readonly tools: string | undefined
  readonly #folder: string

  constructor(a: { label: string; folder: string; backend: Bench['backend']; tools: string | undefined }) {
    this.label = a.label
    this.backend = a.backend
    this.tools = a.tools
    this.#folder = a.folder
    for (let line = 0; line < 8; line++) this.set(line, false)
  }

  set(line: number, isHigh: boolean): void {
    writeFileSync(this.#file(line, 'pull'), isHigh ? 'pull-up' : 'pull-down')
  }

  pulseWhileStalled(
    lines: readonly number[],
    { aroundMs, forMs }: { readonly aroundMs: number; readonly forMs: number },
  ): void {
    const all = (pull: string) => `for f in "\${@:3}"; do echo ${pull} >$f; done`
    const script = `sleep $1; ${all('pull-up')}; sleep $2; ${all('pull-down')}; sleep $1`
    const words = [String(aroundMs / 1000), String(forMs / 1000), ...lines.map(line => this.#file(line, 'pull'))]
    execFileSync('bash', ['-c', script, 'pulser', ...words])
  }

  isHigh(line: number): boolean {
    return readFileSync(this.#file(line, 'value'), 'utf8').trim() === '1'
  }

  killUser(line: number): void {
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      const file = `/proc/${pid}/cmdline`
      const words = existsSync(file) ? readFileSync(file, 'utf8').split('\0') : []
      const [tool] = words
      const isUser =
        (tool?.endsWith('gpioset') && words.some(word => word.startsWith(`${line}=`))) ||
        (tool?.endsWith('gpiomon') && words.includes(String(line)))
      if (isUser) process.kill(Number(pid), 'SIGKILL')
    }
  }

  #file(line: number, name: string): string {
    return join(this.#folder, `sim_gpio${line}`, name)
  }
}
