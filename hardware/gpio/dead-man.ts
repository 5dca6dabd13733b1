// Dead man: a second process that switches outputs off when it hears nothing of this one any more.
//
// Laws: whatever ends this process, or stops it, ends the lines on the pipe; the end of the pipe and a time-out are the
// same. Signals that are for the gate are not for this one. While there is none, nothing may be switched on.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from '../turnstile.ts'
import type { PinEvents } from './pins.ts'
import { toolEnv } from './tools.ts'

const SCRIPT = `
time=$1 off=$2
shift 2
trap '' TERM HUP INT
while read -r -t "$time" _; do :; done
for line; do echo "$off" >"$line"; done`

/** So long after the last sign of life it acts: three of those can be late. */
const DEAD_MS = 2000
const ALIVE_MS = 500

export interface DeadManOptions {
  readonly clock: Clock
  /** what switches a line off, and the files of the lines to write it to */
  readonly off: 0 | 1
  readonly files: readonly string[]
  readonly fault: PinEvents['fault']
}

export class DeadMan {
  readonly #options: DeadManOptions
  #child: ChildProcess | undefined
  #cancel: (() => void) | undefined

  constructor(options: DeadManOptions) {
    this.#options = options
  }

  get isThere(): boolean {
    return this.#child !== undefined
  }

  start(): void {
    const { clock, off, files, fault } = this.#options
    const words = ['-c', SCRIPT, 'dead-man', String(DEAD_MS / 1000), String(off), ...files]
    const child = spawn('bash', words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: toolEnv() })
    this.#child = child
    child.stdin?.on('error', () => undefined)
    child.on('error', () => undefined)
    child.once('close', () => {
      if (this.#child !== child) return
      this.#child = undefined
      this.#cancel?.()
      fault('OUTPUT', WORDS, false, clock.now())
      this.#cancel = clock.in(ALIVE_MS, () => {
        this.start()
        fault('OUTPUT', WORDS, true, clock.now())
      })
    })
    const alive = () => {
      child.stdin?.write('\n')
      this.#cancel = clock.in(ALIVE_MS, alive)
    }
    alive()
  }

  /** Resolves once it has switched everything off and is gone. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    this.#cancel?.()
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise(resolve => child.once('close', resolve))
    child.stdin?.end()
    await gone
  }
}

const WORDS = 'the process that switches outputs off for a dead gate ended: nothing is switched on without it'
