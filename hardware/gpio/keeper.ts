// Keeper: one output that is on for a time, through a process of its own.
//
// Laws: an output's time begins when its line is seen taken, so that a tool that starts slowly makes no pulse shorter. The
// output is off when its time is over, whatever became of this process: the keeper reads how long from a pipe, and
// the time-out and the end of that pipe are the same to it. It then ends the tool that holds the line, which frees it, and
// drives it off, because some chips keep the last level of a line that nobody holds. Were the keeper itself killed, the
// kernel ends the tool with it.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from '../turnstile.ts'
import { explained, toolEnv } from './tools.ts'

// The tool alone keeps standard output open, so that its end can be seen here. Every time that was read is answered on
// descriptor 3: one that came too late is not, nor one after the tool was ended by somebody else.
const SCRIPT = `
time=$1 count=$2
shift 2
on=("\${@:1:count}") off=("\${@:count+1}")
setpriv --pdeathsig KILL "\${on[@]}" </dev/null 3>&- &
tool=$!
exec >&-
drop() {
  trap '' TERM HUP INT
  kill -KILL "$tool" 2>/dev/null
  wait "$tool" 2>/dev/null
  "\${off[@]}" </dev/null >&2 3>&-
  exit $?
}
trap drop TERM HUP INT
while read -r -t "$time" next && kill -0 "$tool" 2>/dev/null; do time=$next; echo kept >&3; done
drop`

/** On as well: a line that nobody sees taken by then is let go. */
export const ON_MS_MAX = 2000
/** Between two looks at whether the tool has the line already. */
const LOOK_MS = 4
/** Off is a matter of ms; a keeper that takes longer is ended by force. */
const DROP_MS_MAX = 2000

export interface KeeperOptions {
  readonly clock: Clock
  readonly on: readonly string[]
  readonly off: readonly string[]
  /** whether the tool has the line now */
  readonly isKept: () => Promise<boolean>
  readonly forMs: number
  /** so long it may take until the line is taken; a gate that hangs just then leaves it on no longer than this */
  readonly startMs: number
  /** when the keeper before this one is gone, and whether it left the line off */
  readonly after: Promise<boolean>
}

export class Keeper {
  /** true once the line is on; false where it never was */
  readonly isOn: Promise<boolean>
  /** true once the line is known to be off */
  readonly isOff: Promise<boolean>
  readonly #options: KeeperOptions
  readonly #acks: ((isKept: boolean) => void)[] = []
  #child: ChildProcess | undefined
  #isDropped = false
  #stderr = ''
  #gone: (isOff: boolean) => void = () => undefined

  constructor(options: KeeperOptions) {
    this.#options = options
    this.isOff = new Promise(resolve => {
      this.#gone = resolve
    })
    this.isOn = this.#begin()
  }

  /** It is on its way to off, or there. */
  get isDropped(): boolean {
    return this.#isDropped
  }

  /** Why it is not on. */
  get why(): string {
    return explained(this.#stderr)
  }

  /** On for so long from now; false where it is too late for that. */
  renew(forMs: number): Promise<boolean> {
    return new Promise(resolve => {
      if (this.#isDropped || this.#child === undefined) return resolve(false)
      this.#acks.push(resolve)
      this.#child.stdin?.write(`${seconds(forMs)}\n`)
    })
  }

  drop(): Promise<boolean> {
    if (!this.#isDropped) {
      this.#isDropped = true
      this.#signal('SIGTERM')
      if (this.#child !== undefined) {
        const cancel = this.#options.clock.in(DROP_MS_MAX, () => this.#signal('SIGKILL'))
        void this.isOff.then(cancel)
      }
    }
    return this.isOff
  }

  async #begin(): Promise<boolean> {
    const { on, off, forMs, startMs, after, isKept, clock } = this.#options
    const wasOff = await after
    if (this.#isDropped) {
      this.#gone(wasOff)
      return false
    }
    const words = ['-c', SCRIPT, 'keeper', seconds(startMs), String(on.length), ...on, ...off]
    // a group of its own: one signal reaches keeper and tool at once
    const child = spawn('bash', words, { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'], env: toolEnv() })
    this.#child = child
    child.on('error', error => this.#ended(false, error.message))
    child.on('exit', code => this.#ended(code === 0, ''))
    child.stdin?.on('error', () => undefined)
    child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = `${this.#stderr}${data}`.slice(-500)
    })
    child.stdout?.on('end', () => void this.drop()).resume()
    child.stdio[3]?.on('data', (data: Buffer) => {
      for (const _ of data.toString().matchAll(/kept\n/g)) this.#acks.shift()?.(true)
    })
    const gaveUp = clock.in(ON_MS_MAX, () => void this.drop())
    try {
      while (!this.#isDropped) {
        if (await isKept()) return this.renew(forMs)
        await new Promise<void>(resolve => clock.in(LOOK_MS, resolve))
      }
      return false
    } finally {
      gaveUp()
    }
  }

  #ended(isOff: boolean, error: string): void {
    if (error !== '') this.#stderr = error
    this.#isDropped = true
    for (const ack of this.#acks.splice(0)) ack(false)
    this.#gone(isOff)
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid
    if (pid === undefined || this.#child?.exitCode !== null || this.#child.signalCode !== null) return
    try {
      process.kill(-pid, signal)
    } catch (error) {
      // it ended in this very moment
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

function seconds(ms: number): string {
  // zero would mean to the shell: do not wait at all, and tell whether there is something to read
  return (Math.max(1, ms) / 1000).toFixed(3)
}
