// Tools: the system's programs that reach pins, run to their end.
//
// Law: a program that is missing or says no is a fault with its own words, where to look, and the command that mends it.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { HardwareFault } from '../turnstile.ts'

export type Tool = 'gpiodetect' | 'gpioinfo' | 'gpioget' | 'gpiomon' | 'gpioset' | 'bash' | 'setpriv'

const PACKAGE: Readonly<Record<Tool, string>> = {
  gpiodetect: 'gpiod',
  gpioinfo: 'gpiod',
  gpioget: 'gpiod',
  gpiomon: 'gpiod',
  gpioset: 'gpiod',
  bash: 'bash',
  setpriv: 'util-linux',
}

/** None of them takes longer than some ms; one that hangs is broken. */
const RUN_MS_MAX = 5000

/** Numbers and messages as the parsers know them, whatever language the machine speaks. */
export const toolEnv = () => ({ ...process.env, LC_ALL: 'C' })

export class Tools {
  readonly #folder: string | undefined

  /** `folder` has the gpiod tools, where they are not on the PATH */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  path(tool: Tool): string {
    return this.#folder !== undefined && PACKAGE[tool] === 'gpiod' ? join(this.#folder, tool) : tool
  }

  /** What it printed. */
  run(tool: Tool, words: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { timeout: RUN_MS_MAX, killSignal: 'SIGKILL', env: toolEnv() } as const
      execFile(this.path(tool), words, options, (cause, stdout, stderr) => {
        if (cause === null) resolve(stdout)
        else reject(failed(tool, words, cause, stderr))
      })
    })
  }
}

function failed(tool: Tool, words: readonly string[], cause: Error, stderr: string): HardwareFault {
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
    return new HardwareFault('NATIVE', `${tool} is not on this machine: apt install ${PACKAGE[tool]}`, { cause })
  }
  return new HardwareFault('LINK', `${tool} ${words.join(' ')}: ${explained(stderr || cause.message)}`, { cause })
}

/** The last words of a tool, with what to do about the commonest of them. */
export function explained(stderr: string): string {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  if (/permission denied/i.test(said)) return `${said} (let this user in: usermod -aG gpio USER, then log in again)`
  if (/resource busy/i.test(said)) return `${said} (gpioinfo shows who has it)`
  return said === '' ? 'it ended without a word' : said
}
